//go:build unix

package main

import "syscall"

// cpu returns the seconds that all threads have run.
func cpu() (float64, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9, nil
}
