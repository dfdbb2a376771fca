package interop

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"synpool/internal/delimited"
	"synpool/internal/disk"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// maxRepeats limits what the names or lines of files may claim.
const maxRepeats = 1000

// tested is a bag that a fold of a repeat tests, as a file says; fold is [cv.Untested] for none.
type tested struct {
	bag          string
	repeat, fold int
	where        string // file and line
}

// ReadSplits reads folds that come with a paper or another program, for a set. There are two forms:
//
//   - a table with the columns bag, fold and, if there are several repeats, repeat, such as [Parts.Write] writes; a bag without a
//     fold is never tested. Other columns are ignored, the checksum of the set, too, so folds also fit other features of the same bags.
//   - files NAME_repR_foldF.txt, one per fold of each repeat, with the id of a test bag on each line. The file of any fold stands
//     for all of them.
//
// Repeats and folds count from 0 or from 1. Each bag of the set occurs once in each repeat. It is found by its id. If not all
// ids are those of bags, and they are the numbers from 0 or from 1 to that of the last bag, they are the places of bags in the set, and note
// gets a line. It gets another if the folds divide a group. Errors name the file, and the line or the bag.
func ReadSplits(path string, s *mil.Set, note func(string)) (*cv.Splits, error) {
	var all []tested
	var err error
	if name := foldName.FindStringSubmatch(filepath.Base(path)); name != nil {
		all, err = readFoldFiles(filepath.Dir(path), name)
	} else {
		all, err = readFoldTable(path)
	}
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no bags", path)
	}
	if err := countFromZero(path, all); err != nil {
		return nil, err
	}
	place, byPlace, err := places(path, s, all)
	if err != nil {
		return nil, err
	}
	if byPlace {
		note(fmt.Sprintf("%s: its numbers are not ids of bags, so they count the bags of %s in order; check that the folds are of the same file", path, s.Name))
	}
	splits := &cv.Splits{}
	var seen [][]bool
	for _, t := range all {
		for t.repeat >= len(splits.Tested) {
			splits.Tested, seen = append(splits.Tested, slices.Repeat([]int{cv.Untested}, len(s.Bags))), append(seen, make([]bool, len(s.Bags)))
		}
		i := place[t.bag]
		if seen[t.repeat][i] {
			return nil, fmt.Errorf("%s: bag %s occurs twice in its repeat; a bag is tested once", t.where, t.bag)
		}
		seen[t.repeat][i], splits.Tested[t.repeat][i] = true, t.fold
	}
	folds := splits.Folds()
	if folds < 2 {
		return nil, fmt.Errorf("%s: only one fold; two at least are needed, and --split takes one test part", path)
	}
	for repeat, tested := range splits.Tested {
		for fold := range folds {
			if !slices.Contains(tested, fold) {
				return nil, fmt.Errorf("%s: repeat %d has no fold %d of %d; complete it", path, repeat+1, fold+1, folds)
			}
		}
		if i := slices.Index(seen[repeat], false); i >= 0 {
			return nil, fmt.Errorf("%s: bag %s of %s is not in repeat %d; complete the folds, or take the set that they are of", path, s.Bags[i].ID, s.Name, repeat+1)
		}
	}
	if err := splits.Divided(s); err != nil {
		note(fmt.Sprintf("%s: %v, or figures may be too good", path, err))
	}
	return splits, nil
}

// countFromZero makes repeats and folds that count from 1 count from 0.
func countFromZero(path string, all []tested) error {
	repeat, fold := all[0].repeat, maxFolds+1
	for _, t := range all {
		repeat = min(repeat, t.repeat)
		if t.fold != cv.Untested {
			fold = min(fold, t.fold)
		}
	}
	if fold == maxFolds+1 {
		return fmt.Errorf("%s: no bag has a fold", path)
	}
	if repeat > 1 || fold > 1 {
		return fmt.Errorf("%s: its first repeat is %d and its first fold %d; they count from 0 or from 1", path, repeat, fold)
	}
	for i := range all {
		all[i].repeat -= repeat
		if all[i].fold != cv.Untested {
			all[i].fold -= fold
		}
	}
	return nil
}

// places returns the index in the set of each bag that a file names, and whether the names are places.
func places(path string, s *mil.Set, all []tested) (at map[string]int, byPlace bool, err error) {
	ids := make(map[string]int, len(s.Bags))
	for i, b := range s.Bags {
		ids[b.ID] = i
	}
	at = make(map[string]int)
	unknown := -1
	least, most := len(s.Bags)+1, -1
	for k, t := range all {
		i, known := ids[t.bag]
		if !known && unknown < 0 {
			unknown = k
		}
		at[t.bag] = i
		if n, err := strconv.Atoi(t.bag); err == nil && n >= 0 && strconv.Itoa(n) == t.bag {
			least, most = min(least, n), max(most, n)
		} else {
			most = len(s.Bags) + 1
		}
	}
	if unknown < 0 {
		return at, false, nil
	}
	if least > 1 || most-least+1 != len(s.Bags) || len(at) != len(s.Bags) {
		t := all[unknown]
		return nil, false, fmt.Errorf("%s: bag %s is not among the %d bags of %s; the folds are of other bags", t.where, t.bag, len(s.Bags), s.Name)
	}
	for name := range at {
		n, _ := strconv.Atoi(name)
		at[name] = n - least
	}
	return at, true, nil
}

// readFoldTable reads a table with the columns bag, fold and perhaps repeat.
func readFoldTable(path string) (all []tested, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	begin := func(header line) error { return header.need([]string{"bag", "fold"}) }
	err = eachLine(f, path, begin, func(l line) (err error) {
		t := tested{bag: l.text("bag"), fold: cv.Untested, where: path}
		if l.has("repeat") {
			if t.repeat, err = l.integer("repeat", 0, maxRepeats); err != nil {
				return err
			}
		}
		if l.text("fold") != "" {
			if t.fold, err = l.integer("fold", 0, maxFolds); err != nil {
				return err
			}
		}
		all = append(all, t)
		return nil
	})
	return all, err
}

// foldName matches the name of the file of one fold: what it is of, repeat and fold.
var foldName = regexp.MustCompile(`^(.*rep)(\d{1,4})(_fold)(\d{1,4})(\.txt)$`)

// readFoldFiles reads the files of all folds of all repeats that are named like one of them.
func readFoldFiles(dir string, like []string) (all []tested, err error) {
	type key struct{ repeat, fold int }
	files := make(map[key]string)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if name := foldName.FindStringSubmatch(e.Name()); name != nil && name[1] == like[1] {
			repeat, _ := strconv.Atoi(name[2]) // at most four digits
			fold, _ := strconv.Atoi(name[4])
			files[key{repeat, fold}] = filepath.Join(dir, e.Name())
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(files), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.repeat, b.repeat), cmp.Compare(a.fold, b.fold))
	}) {
		f, err := disk.Open(files[k])
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(delimited.Bounded(f, false))
		for n := 1; lines.Scan(); n++ {
			if id := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff")); id != "" {
				all = append(all, tested{id, k.repeat, k.fold, fmt.Sprintf("%s: line %d", files[k], n)})
			}
		}
		if err := errors.Join(lines.Err(), f.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", files[k], err)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, strings.Join(like[1:], "")), fs.ErrNotExist)
	}
	return all, nil
}
