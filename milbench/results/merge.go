package results

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"synpool/internal/disk"
	"synpool/milbench"
	"synpool/milbench/cluster"
)

// mostNamed is the maximum number of fits to name.
const mostNamed = 5

// Merged is the result of a merge.
type Merged struct {
	Results    int // number of fits with a result
	Duplicates int // further results of these fits
	Curves     int
	Curveless  int // results without a curve, if the plan asks for curves
	Spaces     int

	Disagreements int      // fits with different test scores in two attempts
	Disagreeing   []Result // the first five of them, without bags

	Planned int           // number of fits in the plan; 0 without one
	Missing *cluster.Plan // the part of the plan still to do; nil if none
}

// Merge combines the results in several folders, in the attempts inside them and in the folder out into results.jsonl
// in out. Each fit is written once, ordered by id, whatever the order of folders and files. Merging again therefore
// changes nothing. Curves, spaces and times are merged in the same way. Each new file replaces the old one when it is
// complete, the results last.
//
// If attempts at a fit differ, the first line in byte order is kept. Merged lists those that differ in scores.
// Merged.Missing is computed from plan or, if that is nil, from the plans that the folders follow. Without any
// results, a plan is reported as entirely missing.
//
// It is an error if the plans belong to different studies, if a result is in no plan, or if the results come from
// several versions or backends. No results are then written. Lines are not kept in memory: a merge needs about 100
// bytes per line.
func Merge(ctx context.Context, dirs []string, out string, plan *cluster.Plan) (m Merged, err error) {
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
	all, err := folders(append(slices.Clone(dirs), out)).distinct()
	if err != nil {
		return m, err
	}
	var whole *cluster.Plan
	var results *index
	var planErr, resultsErr error
	var reading sync.WaitGroup
	reading.Go(func() { whole, planErr = all.plan(plan) })
	reading.Go(func() { results, resultsErr = indexResults(all) })
	reading.Wait()
	if err := cmp.Or(planErr, resultsErr); err != nil {
		return m, err
	}
	if len(results.found) == 0 && whole == nil {
		return m, fmt.Errorf("%s: %w, and no plan either; give a folder of milbench run or of milbench study (DIR/NAME)", dirs[0], ErrNoResults)
	}
	if err := results.oneMaker(); err != nil {
		return m, fmt.Errorf("%w; merge results of one version and backend", err)
	}
	if err := results.ofPlan(whole); err != nil {
		return m, fmt.Errorf("%w; merge folders of one study", err)
	}
	curves, err := newIndex(all, CurvesName, removeIt, (*scanner).curve)
	if err != nil {
		return m, err
	}
	spaces, err := indexSpaces(all)
	if err != nil {
		return m, err
	}
	if m.Curves, err = curves.write(ctx, filepath.Join(out, CurvesName), results.has, nil); err != nil {
		return m, err
	}
	if m.Spaces, err = spaces.write(ctx, filepath.Join(out, SpacesName), nil, nil); err != nil {
		return m, err
	}
	if err := all.writeTimes(filepath.Join(out, TimesName)); err != nil {
		return m, err
	}
	last := "" // last fit that disagrees
	if m.Results, err = results.write(ctx, filepath.Join(out, FileName), nil, func(line, other []byte) error {
		differ, r, err := disagree(line, other)
		if differ && r.Fit != last {
			last = r.Fit
			if m.Disagreements++; m.Disagreements <= mostNamed {
				r.Bags, r.Validation = nil, nil
				m.Disagreeing = append(m.Disagreeing, r)
			}
		}
		return err
	}); err != nil {
		return m, err
	}
	m.Duplicates = len(results.found) - m.Results
	if whole != nil {
		m.Planned = len(whole.Fits)
		if whole.Request.Curves {
			m.Curveless = results.keys() - curves.keysIn(results)
		}
		lacks, err := missing(whole, results, spaces)
		if err != nil {
			return m, err
		}
		m.Missing = whole.Keep(lacks)
	}
	return m, nil
}

// plan returns the given plan, or else the one plan among those followed by the folders that has all fits, or nil if
// there is none. All plans must belong to one study.
func (f folders) plan(given *cluster.Plan) (whole *cluster.Plan, err error) {
	var first string  // path of the first plan
	var keys []fitKey // keys of all plans
	known := make(map[[sha256.Size]byte]bool)
	for _, dir := range f {
		path := filepath.Join(dir, PlanName)
		sum, err := sumFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("open a plan: %w", err)
		}
		if known[sum] { // usually all folders of a study follow one plan
			continue
		}
		known[sum] = true
		p, err := cluster.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if whole == nil {
			first, whole = path, p
		} else if err := whole.SameStudy(p); err != nil {
			return nil, fmt.Errorf("%s and %s do not go together: %w", first, path, err)
		}
		if len(p.Fits) > len(whole.Fits) {
			whole = p
		}
		more, err := fitKeys(p)
		if err != nil {
			return nil, err
		}
		keys = append(keys, more...)
		slices.Sort(keys)
		keys = slices.Compact(keys)
	}
	switch {
	case given == nil && whole != nil && len(keys) > len(whole.Fits):
		return nil, errors.New("no folder follows a plan with all fits of the study; give the whole plan as --plan")
	case given == nil || whole == nil:
		return cmp.Or(given, whole), nil
	}
	own := *given
	own.Backend = whole.Backend // the plan may have been made on another machine than the fits
	if err := own.SameStudy(whole); err != nil {
		return nil, fmt.Errorf("--plan and %s do not go together: %w", first, err)
	}
	return &own, nil
}

// sumFile returns the checksum of a file.
func sumFile(path string) (sum [sha256.Size]byte, err error) {
	in, err := disk.Open(path)
	if err != nil {
		return sum, err
	}
	defer in.Close()
	h := sha256.New()
	_, err = io.Copy(h, in)
	return [sha256.Size]byte(h.Sum(nil)), err
}

// fitKeys returns the sorted ids of a plan's fits.
func fitKeys(p *cluster.Plan) ([]fitKey, error) {
	keys := make([]fitKey, len(p.Fits))
	for i := range p.Fits {
		var err error
		if keys[i], err = parseKey(p.Fits[i].ID); err != nil {
			return nil, err
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// oneMaker returns an error if the results come from several versions or backends.
func (x *index) oneMaker() error {
	if len(x.makers) < 2 {
		return nil
	}
	by := slices.SortedFunc(maps.Keys(x.makers), func(a, b maker) int { return x.makers[a] - x.makers[b] })
	return fmt.Errorf("%s has results of version %s on backend %s, and %s of version %s on %s",
		x.paths[x.makers[by[0]]], by[0].version, by[0].backend, x.paths[x.makers[by[1]]], by[1].version, by[1].backend)
}

// ofPlan returns an error if a result belongs to a fit outside the grid of a plan.
func (x *index) ofPlan(p *cluster.Plan) error {
	if p == nil {
		return nil
	}
	keys, err := fitKeys(p)
	if err != nil {
		return err
	}
	var whole []fitKey // keys of the grid; the plan may be a part of it
	for i, e := range x.found {
		if _, found := slices.BinarySearch(keys, e.key); found {
			continue
		}
		if whole == nil {
			if whole, err = gridKeys(p); err != nil {
				return err
			}
		}
		if _, found := slices.BinarySearch(whole, e.key); found {
			continue
		}
		lines, _, err := x.lines(x.found[i:i+1], nil)
		var r Result
		if err == nil {
			err = json.Unmarshal(lines[0], &r)
		}
		if err != nil {
			return err
		}
		return fmt.Errorf("%s has fit %s (%s, seed %d, %s), which is not of the plan", x.paths[e.file], r.Fit, r.Set, r.Seed, r.Config)
	}
	return nil
}

// gridKeys returns the sorted ids of all fits in the grid of a plan.
func gridKeys(p *cluster.Plan) (keys []fitKey, err error) {
	for _, a := range p.Arms {
		for repeat := range a.Protocol.Repeats {
			for fold := range a.FoldsRun {
				for _, s := range a.Settings {
					id, err := milbench.FitID(p.Sets[a.Set].Checksum, a.Protocol.Key(), a.Folds, repeat, fold, p.Seed, p.Settings[s])
					if err != nil {
						return nil, err
					}
					key, err := parseKey(id)
					if err != nil {
						return nil, err
					}
					keys = append(keys, key)
				}
			}
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// write writes one line per key to a file, which replaces path when it is complete. Without lines it writes no file.
// keep, if not nil, selects the keys. differ, if not nil, is called with the line that is kept and each other line of
// its key.
func (x *index) write(ctx context.Context, path string, keep func(fitKey) bool, differ func(line, other []byte) error) (n int, err error) {
	if len(x.found) == 0 {
		return 0, nil
	}
	if err := disk.Write(path, func(out io.Writer) error {
		return x.each(ctx, keep, func(lines [][]byte) error {
			line := lines[0]
			for _, other := range lines[1:] {
				if bytes.Compare(other, line) < 0 {
					line, other = other, line
				}
				if differ != nil {
					if err := differ(line, other); err != nil {
						return err
					}
				}
			}
			n++
			_, err := out.Write(line)
			return err
		})
	}); err != nil {
		return 0, noRoom(err)
	}
	return n, nil
}

// writeTimes writes the times in all folders to a file. Equal times are from one run that was merged before.
func (f folders) writeTimes(path string) error {
	paths, err := f.files(TimesName)
	if err != nil {
		return err
	}
	var all []Time
	for _, p := range paths {
		times, err := ReadTimes(p)
		if err != nil {
			return err
		}
		all = addTimes(all, times)
	}
	if len(all) == 0 {
		return nil
	}
	var lines []string
	for _, t := range all {
		line, err := json.Marshal(t)
		if err != nil {
			return err
		}
		lines = append(lines, string(line)+"\n")
	}
	slices.Sort(lines)
	return noRoom(disk.WriteFile(path, []byte(strings.Join(lines, ""))))
}

// missing returns a function that reports whether a fit of a plan lacks its result or the spaces that belong to it.
func missing(p *cluster.Plan, results, spaces *index) (func(id string) bool, error) {
	keys, err := fitKeys(p)
	if err != nil {
		return nil, err
	}
	var lacking []fitKey
	found := results.found
	for _, key := range keys {
		for len(found) > 0 && found[0].key < key {
			found = found[1:]
		}
		if len(found) == 0 || found[0].key != key {
			lacking = append(lacking, key)
		}
	}
	if p.Request.Spaces {
		for _, f := range p.Fits {
			a := p.Arms[f.Arm]
			if f.Repeat > 0 || f.Fold > 0 {
				continue
			}
			s := Space{Checksum: p.Sets[a.Set].Checksum, Of: OfPooled, Config: p.Settings[f.Setting]}
			lack := !spaces.has(s.key())
			if f.Setting == a.Settings[0] {
				s.Config = nil
				for _, s.Of = range []string{OfInstances, OfMeans} {
					lack = lack || !spaces.has(s.key())
				}
			}
			if key, err := parseKey(f.ID); err != nil {
				return nil, err
			} else if lack {
				lacking = append(lacking, key)
			}
		}
		slices.Sort(lacking)
	}
	return func(id string) bool {
		key, err := parseKey(id)
		_, lacks := slices.BinarySearch(lacking, key)
		return err != nil || lacks
	}, nil
}
