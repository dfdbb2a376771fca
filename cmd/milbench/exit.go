package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"synpool/backend"
	"synpool/milbench/dataset"
	"synpool/milbench/results"
)

// The exit statuses, besides 128 + the number of the signal that stopped the command.
const (
	exitDone     = 0
	exitFinding  = 1  // an audit found a leak or a bag with two labels, a fit failed, or predict could not read all bags
	exitUse      = 2  // wrong use or unreadable input
	exitTryAgain = 75 // network, full disk, input or output error, folder in use (EX_TEMPFAIL of sysexits.h)
)

// finding is an error that is the outcome of finished work: a leak, or a failed fit.
type finding struct{ error }

func (f finding) Unwrap() error { return f.error }

// temporary are the errors that may go away.
var temporary = []error{
	results.ErrLocked, results.ErrDiskFull, dataset.ErrTemporary, backend.ErrTemporary, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG,
	syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT, syscall.EAGAIN, syscall.EBUSY, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM,
	syscall.ENOLCK, syscall.ENETDOWN, syscall.EHOSTDOWN, syscall.EHOSTUNREACH,
}

func exitCode(ctx context.Context, err error) int {
	if s := stoppedBy(ctx); s != nil && errors.Is(err, context.Canceled) {
		return s.code()
	}
	for _, t := range temporary {
		if errors.Is(err, t) {
			return exitTryAgain
		}
	}
	if errors.As(err, new(finding)) {
		return exitFinding
	}
	return exitUse
}

// stopped is the cause of a context that a signal ended.
type stopped struct{ signal syscall.Signal }

func (s *stopped) Error() string { return "stopped (" + s.signal.String() + ")" }

// Is makes it equal to [context.Canceled], the error of everything that heeds the context.
func (s *stopped) Is(target error) bool { return target == context.Canceled }

func (s *stopped) code() int { return 128 + int(s.signal) }

// stoppedBy returns the signal that ended ctx, or nil.
func stoppedBy(ctx context.Context) *stopped {
	var s *stopped
	errors.As(context.Cause(ctx), &s)
	return s
}

// grace is the time that a command has to end after a signal. Schedulers kill it some seconds later.
const grace = 3 * time.Second

// withSignals returns a context that SIGINT, SIGTERM and SIGHUP end. Work that does not heed it, such as the compilation of a graph or an
// epoch of large bags, is given up after the grace; finished work is on the disk. A second SIGINT ends the program at once. A
// second SIGTERM does not, since schedulers send one to a script and to its child, and the script passes its own on.
func withSignals(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // by nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		select {
		case s := <-signals:
			signal.Reset(os.Interrupt)
			end := &stopped{s.(syscall.Signal)}
			time.AfterFunc(grace, func() {
				fmt.Fprintf(os.Stderr, "milbench: %v: finished work is kept; run the same command again to resume\n", end)
				os.Exit(end.code())
			})
			cancel(end)
		case <-ctx.Done():
			signal.Stop(signals)
		}
	}()
	return ctx, func() { cancel(nil) }
}
