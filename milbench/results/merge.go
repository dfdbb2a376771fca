package results

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"synpool/internal/disk"
)

var errNoLines = errors.New("no lines")

// mostNamed is the maximum number of fits to name.
const mostNamed = 5

// Merged is the result of a merge.
type Merged struct {
	Results    int // number of fits with a result
	Duplicates int // further results of these fits
	Curves     int
	Spaces     int

	Disagreements int      // duplicates with other test scores
	Disagreeing   []Result // the first five of them, without bags
}

// Merge concatenates the results in the folder out, in further folders, and in the attempts inside all of them, into
// results.jsonl in out. Of each fit the first line is kept, so merging again changes nothing. Curves, spaces and times are
// merged in the same way. Each new file replaces the old one when it is complete, the results last.
//
// It is an error if the results come from several versions or backends, or if a bag has two targets. Nothing is then
// written. Shards may go on writing: what they add meanwhile is left to the next merge.
func Merge(ctx context.Context, dirs []string, out string) (m Merged, err error) {
	for _, dir := range dirs {
		if _, err := os.ReadDir(dir); err != nil {
			return m, fmt.Errorf("results folder: %w", err)
		}
	}
	release, err := lockFolder(out)
	if err != nil {
		return m, err
	}
	defer release()
	all, err := distinct(append([]string{out}, dirs...))
	if err != nil {
		return m, err
	}
	paths, err := files(FileName, all...)
	if err != nil {
		return m, err
	}
	// Shards may go on writing, a curve before its result. So the results are looked at first, and curves are read after it.
	var first *Result
	known := newTargets()
	seed, scores := maphash.MakeSeed(), make(map[string]uint64) // sums of the test scores of each fit
	if err := eachOf(ctx, paths, againCure, func(path string, r Result, _ []byte) error {
		if first == nil {
			first = &Result{Version: r.Version, Backend: r.Backend}
		}
		if r.Version != first.Version || r.Backend != first.Backend {
			return fmt.Errorf("%s has results of version %s on backend %s, others are of version %s on %s; merge results of one version and backend",
				path, r.Version, r.Backend, first.Version, first.Backend)
		}
		if err := known.add(r); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		var h maphash.Hash
		h.SetSeed(seed)
		for _, b := range r.Bags {
			fmt.Fprint(&h, b.ID, b.Target, b.Scores)
		}
		sum, twice := scores[r.Fit]
		switch {
		case !twice:
			scores[r.Fit] = h.Sum64()
			return nil
		case sum != h.Sum64():
			if m.Disagreements++; m.Disagreements <= mostNamed {
				r.Bags, r.Validation = nil, nil
				m.Disagreeing = append(m.Disagreeing, r)
			}
		}
		m.Duplicates++
		return nil
	}); err != nil {
		return m, err
	}
	if first == nil {
		return m, fmt.Errorf("%s: %w; give a folder of milbench run or of milbench study (DIR/NAME)", cmp.Or(strings.Join(dirs, ", "), out), ErrNoResults)
	}
	if m.Curves, err = concat(ctx, all, out, CurvesName, removeIt, Curve.fit, nil); err != nil {
		return m, err
	}
	if m.Spaces, err = concat(ctx, all, out, SpacesName, removeIt, Space.ID, nil); err != nil {
		return m, err
	}
	if err := mergeTimes(all, out); err != nil {
		return m, err
	}
	m.Results, err = concat(ctx, all, out, FileName, againCure, Result.fit, func(fit string) bool {
		_, was := scores[fit]
		return was
	})
	return m, err
}

// distinct removes folders that are listed twice, even under different names.
func distinct(dirs []string) (list []string, err error) {
	var known []os.FileInfo
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, fmt.Errorf("results folder: %w", err)
		}
		if !slices.ContainsFunc(known, func(k os.FileInfo) bool { return os.SameFile(k, info) }) {
			known, list = append(known, info), append(list, dir)
		}
	}
	return list, nil
}

// eachOf calls f with every record in files, and its line.
func eachOf[T record](ctx context.Context, paths []string, cure string, f func(path string, record T, line []byte) error) error {
	for _, path := range paths {
		in, err := disk.Open(path)
		if err != nil {
			return err
		}
		var stop error // not the fault of a line
		_, err = eachRecord(in, path, cure, func(record T, line []byte) error {
			if stop = cmp.Or(stop, ctx.Err()); stop == nil {
				stop = f(path, record, line)
			}
			return nil
		})
		if err := cmp.Or(stop, err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}

// concat writes the first line of each key in the files with a name to the file with that name in out, and returns their
// number. keep, if not nil, chooses keys. Without lines it writes no file.
func concat[T record](ctx context.Context, dirs []string, out, name, cure string, key func(T) string, keep func(key string) bool) (int, error) {
	paths, err := files(name, dirs...)
	if err != nil || len(paths) == 0 {
		return 0, err
	}
	kept, _, err := rewrite(ctx, paths, filepath.Join(out, name), cure, key, keep)
	return len(kept), err
}

// rewrite is [concat] for given files. It returns the keys it kept and the bytes of their lines. The new file may replace one of
// those that are read.
func rewrite[T record](ctx context.Context, paths []string, out, cure string, key func(T) string, keep func(key string) bool) (known map[string]bool, size int64, err error) {
	known = make(map[string]bool)
	err = disk.Write(out, func(to io.Writer) error {
		if err := eachOf(ctx, paths, cure, func(_ string, record T, line []byte) error {
			k := key(record)
			if known[k] || keep != nil && !keep(k) {
				return nil
			}
			known[k] = true
			size += int64(len(line))
			_, err := to.Write(line)
			return err
		}); err != nil {
			return err
		}
		if len(known) == 0 {
			return errNoLines
		}
		return nil
	})
	if errors.Is(err, errNoLines) {
		err = nil
	}
	return known, size, noRoom(err)
}

// mergeTimes writes the times in all folders to the file in out. Equal times are from one run that was merged before.
func mergeTimes(dirs []string, out string) error {
	paths, err := files(TimesName, dirs...)
	if err != nil || len(paths) == 0 {
		return err
	}
	var all []Time
	for _, path := range paths {
		times, err := ReadTimes(path)
		if err != nil {
			return err
		}
		all = addTimes(all, times)
	}
	text, err := timesText(all)
	if err != nil {
		return err
	}
	return noRoom(disk.WriteFile(filepath.Join(out, TimesName), text))
}
