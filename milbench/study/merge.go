package study

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

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
// What is missing is told by plan or, if that is nil, by the plans that the folders follow. Plans of different studies, a
// result that is of no plan, and results of several versions or backends are errors, and nothing is written. Lines are not kept in memory:
// a merge takes some 100 bytes a line.
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
	all, err := folders(append(slices.Clone(dirs), out)).distinct()
	if err != nil {
		return m, err
	}
	plans, err := all.plans(plan)
	if err != nil {
		return m, err
	}
	results, err := indexResults(all)
	if err != nil {
		return m, err
	}
	defer results.close()
	if len(results.found) == 0 {
		return m, fmt.Errorf("%s: %w", dirs[0], ErrNoResults)
	}
	if err := results.oneMaker(); err != nil {
		return m, err
	}
	if err := results.ofPlans(plans); err != nil {
		return m, err
	}
	curves, err := newIndex(all, CurvesName, removeIt, (*scanner).curve)
	if err != nil {
		return m, err
	}
	defer curves.close()
	spaces, err := indexSpaces(all)
	if err != nil {
		return m, err
	}
	defer spaces.close()
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
	if len(plans) == 0 {
		return m, nil
	}
	rest := plans[0]
	if plan == nil {
		for _, p := range plans[1:] {
			if !covers(rest, p) {
				if !covers(p, rest) {
					return m, errors.New("the folders follow parts of a study of which none has all fits; give the whole plan as --plan")
				}
				rest = p
			}
		}
	}
	m.Planned = len(rest.Fits)
	m.Missing = rest.Keep(missing(rest, results, spaces))
	return m, nil
}

// plans returns the plan that is given, if any, and those that the folders follow, which are to be of one study.
func (f folders) plans(given *cluster.Plan) (plans []*cluster.Plan, err error) {
	var paths []string
	if given != nil {
		plans, paths = append(plans, given), append(paths, "--plan")
	}
	for _, dir := range f {
		path := filepath.Join(dir, PlanName)
		if slices.Contains(paths, path) {
			continue
		}
		p, err := cluster.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(plans) > 0 {
			if given != nil {
				plans[0].Backend = p.Backend // a plan may be made on another machine than its fits
			}
			if err := plans[0].SameStudy(p); err != nil {
				return nil, fmt.Errorf("%s and %s do not go together: %w", paths[0], path, err)
			}
		}
		plans, paths = append(plans, p), append(paths, path)
	}
	return plans, nil
}

// oneMaker reports results of several versions or backends.
func (x *index) oneMaker() error {
	if len(x.makers) < 2 {
		return nil
	}
	by := slices.SortedFunc(maps.Keys(x.makers), func(a, b maker) int { return x.makers[a] - x.makers[b] })
	return fmt.Errorf("%s has results of version %s on backend %s, and %s of version %s on %s; merge results of one version and backend",
		x.paths[x.makers[by[0]]], by[0].version, by[0].backend, x.paths[x.makers[by[1]]], by[1].version, by[1].backend)
}

// ofPlans reports a result of a fit that is not in the grid of the plans, if there are any.
func (x *index) ofPlans(plans []*cluster.Plan) error {
	if len(plans) == 0 {
		return nil
	}
	keys := make([]fitKey, 0, len(plans[0].Fits))
	for _, p := range plans {
		for _, f := range p.Fits {
			key, err := parseKey(f.ID)
			if err != nil {
				return err
			}
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	var whole []fitKey // of the grid, of which plans may be a part
	for _, p := range x.found {
		if _, found := slices.BinarySearch(keys, p.key); found {
			continue
		}
		if whole == nil {
			var err error
			if whole, err = gridKeys(plans[0]); err != nil {
				return err
			}
		}
		if _, found := slices.BinarySearch(whole, p.key); !found {
			line, err := x.line(p, nil)
			var r Result
			if err == nil {
				err = json.Unmarshal(line, &r)
			}
			if err != nil {
				return err
			}
			return fmt.Errorf("%s has fit %s (%s, seed %d, %s), which is not of the plan; merge folders of one study", x.paths[p.file], r.Fit, r.Set, r.Seed, r.Config)
		}
	}
	return nil
}

// gridKeys returns the ids of all fits of the grid that a plan is made of, in order.
func gridKeys(p *cluster.Plan) (keys []fitKey, err error) {
	for _, a := range p.Arms {
		for repeat := range a.Protocol.Repeats {
			for fold := range a.FoldsRun {
				for _, s := range a.Settings {
					id, err := milbench.FitID(p.Sets[a.Set].Checksum, a.Protocol.Name, a.Folds, repeat, fold, p.Seed, p.Settings[s])
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
	var line, other []byte
	for i := 0; i < len(x.found); {
		p := x.found[i]
		end := i + 1
		for end < len(x.found) && x.found[end].key == p.key {
			end++
		}
		if n%1000 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if keep != nil && !keep(p.key) {
			i = end
			continue
		}
		if line, err = x.line(p, line); err != nil {
			return 0, err
		}
		for i++; i < end; i++ {
			if other, err = x.line(x.found[i], other); err != nil {
				return 0, err
			}
			if bytes.Compare(other, line) < 0 {
				line, other = other, line
			}
			if differ != nil {
				if err := differ(line, other); err != nil {
					return 0, err
				}
			}
		}
		if _, err := out.Write(line); err != nil {
			return 0, fmt.Errorf("write %s: %w", part.Name(), noRoom(err))
		}
		n++
	}
	err = out.Flush()
	if err == nil {
		err = part.Chmod(0o644)
	}
	if err == nil {
		err = errors.Join(part.Sync(), part.Close())
	}
	if err == nil {
		x.close() // Windows replaces no file that is open
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
	lines := make(map[string]int)
	for _, p := range paths {
		times, err := ReadTimes(p)
		if err != nil {
			return err
		}
		here := make(map[string]int)
		for _, t := range times {
			line, err := json.Marshal(t)
			if err != nil {
				return err
			}
			here[string(line)]++
		}
		for line, n := range here {
			lines[line] = max(lines[line], n)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	var text bytes.Buffer
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		for range lines[line] {
			text.WriteString(line + "\n")
		}
	}
	return replaceFile(path, text.Bytes())
}

// missing returns what tells, by id, whether a fit of a plan has no result, or not the spaces that are kept with it.
func missing(p *cluster.Plan, results, spaces *index) func(id string) bool {
	lacking := make(map[string]bool)
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
			lacking[f.ID] = lack
		}
	}
	return func(id string) bool {
		key, err := parseKey(id)
		return err != nil || !results.has(key) || lacking[id]
	}
}
