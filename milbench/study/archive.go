package study

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"synpool/milbench"
)

// archiveFormat is the version of the form of an [Archive].
const archiveFormat = 1

// Archive is the results of an experiment in the compact form in which they are published: what many fits share stands
// once, numbers have five significant digits, and wall times and winners are left out. The same results give the same
// archive, byte for byte, in whatever order they were made.
type Archive struct {
	Experiment string
	Results    []Result
	Curves     []MeanCurve // where the experiment keeps curves
	Spaces     []Space     // where it keeps them
	Times      []Time      // of the runs, from a file of their own
}

// archived is the JSON of an archive.
type archived struct {
	Format     int           `json:"format"`
	Experiment string        `json:"experiment"`
	Made       []made        `json:"made"`
	Curves     []MeanCurve   `json:"curves,omitempty"`
	Spaces     []Space       `json:"spaces,omitempty"`
	Sets       []archivedSet `json:"sets"`
}

// made says what made a fit.
type made struct {
	Backend  string `json:"backend"`
	Version  string `json:"version"`
	Revision string `json:"revision"`
}

// archivedSet is the fits on one set.
type archivedSet struct {
	Set      string            `json:"set"`
	Checksum string            `json:"checksum"`
	Leaked   bool              `json:"leaked,omitempty"`
	Bags     []string          `json:"bags"` // ids
	Labels   []int             `json:"labels"`
	Configs  []json.RawMessage `json:"configs"`
	Parts    []archivedPart    `json:"parts"`

	place map[string]int // of each bag in Bags
}

// archivedPart is the fits of one fold of one repeat of a protocol.
type archivedPart struct {
	Protocol   string        `json:"protocol"`
	Optimistic bool          `json:"optimistic,omitempty"`
	Folds      int           `json:"folds"`
	FoldsRun   int           `json:"folds_run"`
	Seed       uint64        `json:"seed"`
	Repeat     int           `json:"repeat"`
	Fold       int           `json:"fold"`
	Test       []int         `json:"test"` // bags, as indices in Bags
	Validation []int         `json:"validation,omitempty"`
	Fits       []archivedFit `json:"fits"`
}

// archivedFit is one fit.
type archivedFit struct {
	Config     int       `json:"config"` // index in Configs
	Made       int       `json:"made,omitempty"`
	Epoch      int       `json:"epoch"`
	Test       []float64 `json:"test"`
	Validation []float64 `json:"validation,omitempty"`

	InstanceAUC *float64  `json:"instance_auc,omitempty"`
	MemberAUC   []float64 `json:"member_auc,omitempty"`
}

// rounded returns v to five significant digits.
func rounded(v float64) float64 { return digits(v, 5) }

// digits returns v to so many significant digits.
func digits(v float64, n int) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', n, 64), 64)
	if err != nil {
		return v // cannot be
	}
	return r
}

// Write writes a as JSON, a line a set.
func (a Archive) Write(w io.Writer) error {
	packed, err := a.pack()
	if err != nil {
		return err
	}
	sets := packed.Sets
	packed.Sets = nil
	head, err := json.Marshal(packed)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.Write(bytes.TrimSuffix(head, []byte("null}")))
	for i, s := range sets {
		line, err := json.Marshal(s)
		if err != nil {
			return err
		}
		b.WriteString([]string{"[\n", ",\n"}[min(i, 1)])
		b.Write(line)
	}
	b.WriteString("\n]}\n")
	_, err = w.Write(b.Bytes())
	return err
}

func roundedAll(values []float64) []float64 {
	var list []float64
	for _, v := range values {
		list = append(list, rounded(v))
	}
	return list
}

// place is where a new value goes in a list that has it once, and the list.
func place[T any](list []T, v T, equal func(a, b T) bool) (int, []T) {
	if i := slices.IndexFunc(list, func(other T) bool { return equal(v, other) }); i >= 0 {
		return i, list
	}
	return len(list), append(list, v)
}

// pack sorts the results by set and part. Results of one fit stand once.
func (a Archive) pack() (archived, error) {
	if len(a.Results) == 0 {
		return archived{}, ErrNoResults
	}
	results := slices.Clone(a.Results)
	for i, r := range results {
		if err := r.Validate(); err != nil {
			return archived{}, fmt.Errorf("%s: %w", r.Set, err)
		}
		var err error
		if results[i].Config, err = milbench.CanonicalSetting(r.Config); err != nil {
			return archived{}, err
		}
	}
	slices.SortStableFunc(results, func(x, y Result) int {
		return cmp.Or(CompareNatural(x.Set, y.Set), cmp.Compare(x.Checksum, y.Checksum), cmp.Compare(x.Protocol, y.Protocol),
			cmp.Compare(x.Folds, y.Folds), cmp.Compare(x.FoldsRun, y.FoldsRun), cmp.Compare(x.Seed, y.Seed),
			cmp.Compare(x.Repeat, y.Repeat), cmp.Compare(x.Fold, y.Fold), bytes.Compare(x.Config, y.Config),
			cmp.Compare(x.Backend, y.Backend), cmp.Compare(x.Version, y.Version), cmp.Compare(x.Revision, y.Revision))
	})
	results = slices.CompactFunc(results, func(x, y Result) bool { return x.Fit == y.Fit })
	p := archived{Format: archiveFormat, Experiment: a.Experiment}
	for _, c := range a.Curves {
		c.Loss, c.WinnersChanged, c.Least = roundedAll(c.Loss), roundedAll(c.WinnersChanged), rounded(c.Least)
		p.Curves = append(p.Curves, c)
	}
	for _, s := range a.Spaces {
		s.TrainSilhouette, s.TestSilhouette = rounded(s.TrainSilhouette), rounded(s.TestSilhouette)
		p.Spaces = append(p.Spaces, s)
	}
	slices.SortStableFunc(p.Spaces, func(x, y Space) int {
		return cmp.Or(CompareNatural(x.Set, y.Set), cmp.Compare(x.Checksum, y.Checksum), cmp.Compare(x.Of, y.Of), bytes.Compare(x.Config, y.Config))
	})
	for _, r := range results {
		if n := len(p.Sets); n == 0 || p.Sets[n-1].Set != r.Set || p.Sets[n-1].Checksum != r.Checksum {
			p.Sets = append(p.Sets, archivedSet{Set: r.Set, Checksum: r.Checksum, Leaked: r.Leaked, place: make(map[string]int)})
		}
		at, err := p.Sets[len(p.Sets)-1].add(r)
		if err != nil {
			return archived{}, err
		}
		at.Made, p.Made = place(p.Made, made{r.Backend, r.Version, r.Revision}, func(x, y made) bool { return x == y })
	}
	return p, nil
}

// add packs one more result and returns its fit.
func (s *archivedSet) add(r Result) (*archivedFit, error) {
	test, scores, err := s.indices(r.Bags)
	if err != nil {
		return nil, err
	}
	validation, others, err := s.indices(r.Validation)
	if err != nil {
		return nil, err
	}
	part := archivedPart{r.Protocol, r.Optimistic, r.Folds, r.FoldsRun, r.Seed, r.Repeat, r.Fold, test, validation, nil}
	if n := len(s.Parts); n == 0 || !s.Parts[n-1].same(part) {
		s.Parts = append(s.Parts, part)
	}
	last := &s.Parts[len(s.Parts)-1]
	fit := archivedFit{Epoch: r.Epoch, Test: scores, Validation: others, MemberAUC: roundedAll(r.MemberAUC)}
	if r.InstanceAUC != nil {
		auc := rounded(*r.InstanceAUC)
		fit.InstanceAUC = &auc
	}
	fit.Config, s.Configs = place(s.Configs, r.Config, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
	last.Fits = append(last.Fits, fit)
	return &last.Fits[len(last.Fits)-1], nil
}

// same reports whether fits of p and q were of the same fold, with the same bags held out.
func (p archivedPart) same(q archivedPart) bool {
	return p.Protocol == q.Protocol && p.Folds == q.Folds && p.FoldsRun == q.FoldsRun && p.Seed == q.Seed && p.Repeat == q.Repeat &&
		p.Fold == q.Fold && slices.Equal(p.Test, q.Test) && slices.Equal(p.Validation, q.Validation)
}

// indices returns where bags stand in the set, which gets those that it lacks, and their scores.
func (s *archivedSet) indices(bags []ScoredBag) (at []int, scores []float64, err error) {
	for _, b := range bags {
		i, found := s.place[b.ID]
		if !found {
			i = len(s.Bags)
			s.place[b.ID] = i
			s.Bags, s.Labels = append(s.Bags, b.ID), append(s.Labels, b.Label)
		}
		if s.Labels[i] != b.Label {
			return nil, nil, fmt.Errorf("%s: bag %s has two labels", s.Set, b.ID)
		}
		at, scores = append(at, i), append(scores, rounded(b.Score))
	}
	return at, scores, nil
}

// Lacking says what of the full form of its experiment an archive does not have: "musk1: 12 of 50 fits". Nothing is lacking of
// a finished one, but the sets that had not been fetched.
func (a Archive) Lacking() (list []string, err error) {
	e, err := FindExperiment(a.Experiment)
	if err != nil {
		return nil, err
	}
	for _, set := range e.Full.Sets() {
		of := func(name string) bool { // as it is or changed: see [Change]
			rest, found := strings.CutPrefix(name, set)
			return found && (rest == "" || strings.ContainsAny(rest[:1], " -+"))
		}
		fits, folds := make(map[string]bool), make(map[string]int) // by id, by protocol
		for _, r := range a.Results {
			if of(r.Set) {
				fits[r.Fit], folds[r.Protocol] = true, r.FoldsRun
			}
		}
		want, spaces := 0, 2 // of instances and of means
		for _, arm := range e.Full.Arms {
			if slices.Contains(arm.Sets, set) {
				want += len(arm.Settings) * max(arm.Protocol.Repeats, 1) * max(folds[arm.Protocol.Name], 1)
				spaces += len(arm.Settings)
			}
		}
		if len(fits) < want {
			list = append(list, fmt.Sprintf("%s: %d of %d fits", set, want-len(fits), want))
		}
		for _, s := range a.Spaces {
			if of(s.Set) {
				spaces--
			}
		}
		if e.Full.Spaces && spaces > 0 {
			list = append(list, fmt.Sprintf("%s: %d spaces", set, spaces))
		}
	}
	return list, nil
}

// ReadArchive reads what [Archive.Write] writes. Whatever does not fit together is an error.
func ReadArchive(r io.Reader) (Archive, error) {
	var p archived
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return Archive{}, fmt.Errorf("an archive of results that cannot be read: %w", err)
	}
	if p.Format != archiveFormat {
		return Archive{}, fmt.Errorf("an archive of format %d; this version reads format %d", p.Format, archiveFormat)
	}
	a := Archive{Experiment: p.Experiment, Curves: p.Curves, Spaces: p.Spaces}
	for _, s := range p.Spaces {
		if err := s.Validate(); err != nil {
			return Archive{}, fmt.Errorf("archive of %s: space of %s: %w", p.Experiment, s.Set, err)
		}
	}
	for _, s := range p.Sets {
		for _, part := range s.Parts {
			for _, fit := range part.Fits {
				r, err := p.result(s, part, fit)
				if err != nil {
					return Archive{}, fmt.Errorf("archive of %s: %s, repeat %d, fold %d: %w", p.Experiment, s.Set, part.Repeat+1, part.Fold+1, err)
				}
				a.Results = append(a.Results, r)
			}
		}
	}
	return a, nil
}

// result returns one fit as a result.
func (p archived) result(s archivedSet, part archivedPart, fit archivedFit) (Result, error) {
	if fit.Config < 0 || fit.Config >= len(s.Configs) || fit.Made < 0 || fit.Made >= len(p.Made) || len(s.Labels) != len(s.Bags) {
		return Result{}, fmt.Errorf("setting %d of %d, maker %d of %d, %d labels of %d bags", fit.Config, len(s.Configs), fit.Made, len(p.Made), len(s.Labels), len(s.Bags))
	}
	by := p.Made[fit.Made]
	r := Result{
		Set: s.Set, Checksum: s.Checksum, Leaked: s.Leaked, Config: s.Configs[fit.Config], Epoch: fit.Epoch, InstanceAUC: fit.InstanceAUC, MemberAUC: fit.MemberAUC,
		Protocol: part.Protocol, Optimistic: part.Optimistic, Folds: part.Folds, FoldsRun: part.FoldsRun, Seed: part.Seed, Repeat: part.Repeat, Fold: part.Fold,
		Backend: by.Backend, Version: by.Version, Revision: by.Revision,
	}
	var err error
	if r.Bags, err = s.scored(part.Test, fit.Test); err != nil {
		return Result{}, err
	}
	if r.Validation, err = s.scored(part.Validation, fit.Validation); err != nil {
		return Result{}, err
	}
	if r.Fit, err = r.ID(); err != nil {
		return Result{}, err
	}
	return r, r.Validate()
}

// scored puts scores beside their bags.
func (s archivedSet) scored(at []int, scores []float64) (bags []ScoredBag, err error) {
	if len(at) != len(scores) {
		return nil, fmt.Errorf("%d scores of %d bags", len(scores), len(at))
	}
	for k, i := range at {
		if i < 0 || i >= len(s.Bags) {
			return nil, fmt.Errorf("bag %d of %d", i, len(s.Bags))
		}
		bags = append(bags, ScoredBag{ID: s.Bags[i], Label: s.Labels[i], Score: scores[k]})
	}
	return bags, nil
}

// ReadArchives reads the archives of a folder (say, os.DirFS), its files NAME.json, in the order of their names, and the times
// beside them ([Archive.Save]). A folder without one is [ErrNoResults].
func ReadArchives(folder fs.FS) (archives []Archive, err error) {
	names, err := fs.Glob(folder, "*.json")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		in, err := folder.Open(name)
		if err != nil {
			return nil, fmt.Errorf("open an archive of results: %w", err)
		}
		a, err := ReadArchive(in)
		in.Close() // read only
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		times, err := folder.Open(timesPath(name))
		switch {
		case err == nil:
			a.Times, err = readTimes(times, timesPath(name))
			times.Close() // read only
		case errors.Is(err, fs.ErrNotExist):
			err = nil
		}
		if err != nil {
			return nil, fmt.Errorf("times of an archive: %w", err)
		}
		archives = append(archives, a)
	}
	if len(archives) == 0 {
		return nil, ErrNoResults
	}
	return archives, nil
}

// timesPath is where the times of the archive at path stand: those of NAME.json in times/NAME.jsonl.
func timesPath(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".json")
	return filepath.ToSlash(filepath.Join(filepath.Dir(path), "times", name+".jsonl"))
}

// Save writes a into a folder, which is made if it is missing, as NAME.json, and its times, which are no function of the
// inputs, as times/NAME.jsonl. Files take the place of those that are there when they are whole. It returns the first path.
func (a Archive) Save(dir string) (string, error) {
	path := filepath.Join(dir, a.Experiment+".json")
	var text, times bytes.Buffer
	if err := a.Write(&text); err != nil {
		return "", err
	}
	for _, t := range a.Times {
		line, err := json.Marshal(t)
		if err != nil {
			return "", err
		}
		times.Write(append(line, '\n'))
	}
	if err := os.MkdirAll(filepath.Dir(timesPath(path)), 0o777); err != nil {
		return "", fmt.Errorf("folder of archives: %w", noRoom(err))
	}
	return path, errors.Join(replaceFile(timesPath(path), times.Bytes()), replaceFile(path, text.Bytes()))
}

// replaceFile writes a file beside path, which takes its place when it is whole.
func replaceFile(path string, content []byte) error {
	part := path + ".part"
	err := os.WriteFile(part, content, 0o666)
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, noRoom(err)), os.Remove(part))
	}
	return nil
}
