package results

import (
	"bufio"
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
	"time"

	"synpool/milbench"
	"synpool/milbench/cluster"
)

// mostNamed bounds the fits that are named.
const mostNamed = 5

// Merged is what a merge found.
type Merged struct {
	Results    int // fits with a result
	Duplicates int // other results of these fits
	Curves     int
	Curveless  int // results without a curve where the plan asks for curves
	Spaces     int

	Disagreements int      // fits of which two attempts have other scores of test bags
	Disagreeing   []Result // the first five of them, without bags

	Planned int           // fits of the plan; 0 without one
	Missing *cluster.Plan // what is left of it, nil for nothing
}

// Merge writes the results of folders, and of the attempts in them and in the folder out, to results.jsonl of out: every fit
// once, in the order of the ids, whatever the order of folders and files, so that merging again changes nothing. So it does
// with curves, with spaces, and with times. Each file takes the place of the one before when it is whole, the results last.
//
// Where attempts of one fit differ the first line in the order of bytes is kept; those that differ in scores are in the answer.
// What is missing is told by plan or, if that is nil, by the plans that the folders follow; of no results at all a plan says that
// all is missing. Plans of different studies, a result that is of no plan, and results of several versions or backends are
// errors, upon which no results are written. Lines are not kept in memory: a merge takes some 100 bytes a line.
func Merge(ctx context.Context, dirs []string, out string, plan *cluster.Plan) (m Merged, err error) {
	for _, dir := range dirs {
		if _, err := os.ReadDir(dir); err != nil {
			return m, fmt.Errorf("results folder: %w", err)
		}
	}
	locked, err := lockFolder(out)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, locked.Close()) }()
	if err := removeParts(out); err != nil {
		return m, err
	}
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
		return m, fmt.Errorf("%s: %w, and no plan that says which there are to be; give a folder of milbench run or of milbench study (DIR/NAME)", dirs[0], ErrNoResults)
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
	last := "" // that disagrees
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

// partAge is how old the part of a plan is that nobody writes any more: shards write theirs without the lock of the folder.
const partAge = time.Hour

// removeParts removes from a folder that is locked what killed merges and shards have left.
func removeParts(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("results folder: %w", err)
	}
	for _, e := range entries {
		of, _, found := strings.Cut(e.Name(), "-")
		if !found || !strings.HasSuffix(e.Name(), ".part") || !slices.Contains([]string{"." + FileName, "." + CurvesName, "." + SpacesName, planPart}, of) {
			continue
		}
		if info, err := e.Info(); err != nil || of == planPart && time.Since(info.ModTime()) < partAge {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("what a merge has left that was killed: %w", err)
		}
	}
	return nil
}

// plan returns the plan that is given or else, of those that the folders follow, the one that has all fits; nil if there is none.
// All are to be of one study.
func (f folders) plan(given *cluster.Plan) (whole *cluster.Plan, err error) {
	var first string  // path of a plan
	var keys []fitKey // of all plans
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
		if known[sum] { // as a rule the folders of a study follow one plan
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
		return nil, errors.New("the folders follow parts of a study of which none has all fits; give the whole plan as --plan")
	case given == nil || whole == nil:
		return cmp.Or(given, whole), nil
	}
	own := *given
	own.Backend = whole.Backend // a plan may be made on another machine than its fits
	if err := own.SameStudy(whole); err != nil {
		return nil, fmt.Errorf("--plan and %s do not go together: %w", first, err)
	}
	return &own, nil
}

// sumFile returns the sum of a file.
func sumFile(path string) (sum [sha256.Size]byte, err error) {
	in, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer in.Close()
	h := sha256.New()
	_, err = io.Copy(h, in)
	return [sha256.Size]byte(h.Sum(nil)), err
}

// fitKeys returns the ids of the fits of a plan in order.
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

// oneMaker reports results of several versions or backends.
func (x *index) oneMaker() error {
	if len(x.makers) < 2 {
		return nil
	}
	by := slices.SortedFunc(maps.Keys(x.makers), func(a, b maker) int { return x.makers[a] - x.makers[b] })
	return fmt.Errorf("%s has results of version %s on backend %s, and %s of version %s on %s",
		x.paths[x.makers[by[0]]], by[0].version, by[0].backend, x.paths[x.makers[by[1]]], by[1].version, by[1].backend)
}

// ofPlan reports a result of a fit that is not in the grid of a plan, if there is one.
func (x *index) ofPlan(p *cluster.Plan) error {
	if p == nil {
		return nil
	}
	keys, err := fitKeys(p)
	if err != nil {
		return err
	}
	var whole []fitKey // of the grid, of which the plan may be a part
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

// gridKeys returns the ids of all fits of the grid that a plan is made of, in order.
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

// write writes a line of each key to a file that takes the place of path when it is whole; no file where there are no lines.
// keep, if set, says which keys are wanted; differ, if set, is called with the line that is kept and every other of its key.
func (x *index) write(ctx context.Context, path string, keep func(fitKey) bool, differ func(line, other []byte) error) (n int, err error) {
	if len(x.found) == 0 {
		return 0, nil
	}
	part, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*.part")
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", path, noRoom(err))
	}
	defer os.Remove(part.Name()) // unless it is renamed
	defer part.Close()
	out := bufio.NewWriterSize(part, chunkSize)
	if err := x.each(ctx, keep, func(lines [][]byte) error {
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
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("write %s: %w", part.Name(), noRoom(err))
		}
		return nil
	}); err != nil {
		return 0, err
	}
	err = out.Flush()
	if err == nil {
		err = part.Chmod(0o644)
	}
	if err == nil {
		err = errors.Join(part.Sync(), part.Close())
	}
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", path, noRoom(err))
	}
	return n, nil
}

// writeTimes writes the times of all folders to a file. Equal ones are those of one run, which has been merged before.
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
	return replaceFile(path, []byte(strings.Join(lines, "")))
}

// missing returns what tells, by id, whether a fit of a plan has no result, or not the spaces that are kept with it.
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
