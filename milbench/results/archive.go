package results

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"synpool/internal/disk"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// Versions of the [Archive] format; the oldest sufficient one is written. The first has only binary targets without
// class names, the first two have no inner folds, and the first three no given folds and shots.
const (
	binaryFormat = 2
	kindsFormat  = 3
	innerFormat  = 4
	splitsFormat = 5
)

// Archive has the results of an experiment in a compact form for publication. What many fits share is stored once.
// Numbers have five significant digits. Of a validation part it keeps only the figures that settings are chosen by
// ([Inside]). Wall times, winners and instance scores are left out.
//
// The same results give byte-identical JSON, whatever order they were made in; [Archive.Save] compresses it. In the
// JSON the scores of a fit are one string: little-endian float32 values in base64. In Python, read it with
// numpy.frombuffer(base64.b64decode(s), "<f4").
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
	Target   mil.TargetKind    `json:"target,omitempty"`
	Classes  []string          `json:"classes,omitempty"`
	Bags     []string          `json:"bags"` // ids
	Labels   []int             `json:"labels"`
	Values   []float64         `json:"values,omitempty"` // of real targets and survival
	Events   []bool            `json:"events,omitempty"` // of survival
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
	Inner      int           `json:"inner,omitempty"`
	Splits     string        `json:"splits,omitempty"`
	Shots      int           `json:"shots,omitempty"`
	Seed       uint64        `json:"seed"`
	Repeat     int           `json:"repeat"`
	Fold       int           `json:"fold"`
	Test       []int         `json:"test"` // bags, as indices in Bags
	Fits       []archivedFit `json:"fits"`
}

// archivedFit is one fit.
type archivedFit struct {
	Config int      `json:"config"` // index in Configs
	Made   int      `json:"made,omitempty"`
	Epoch  int      `json:"epoch"`
	Test   float32s `json:"test"` // scores, as many for each bag
	Inside *Inside  `json:"inside,omitempty"`

	InstanceAUC *float64     `json:"instance_auc,omitempty"`
	Group       *GroupFigure `json:"group_auc,omitempty"`
	MemberAUC   []float64    `json:"member_auc,omitempty"`
}

// float32s are numbers with five significant digits, which a float32 always holds.
type float32s []float64

func (f float32s) MarshalText() ([]byte, error) {
	var b []byte
	for _, v := range f {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

func (f *float32s) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil || len(b)%4 != 0 {
		return fmt.Errorf("%d bytes of scores that are not float32 values in base64", len(text))
	}
	*f = make(float32s, 0, len(b)/4)
	for ; len(b) > 0; b = b[4:] {
		*f = append(*f, rounded(float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))))
	}
	return nil
}

// rounded rounds v to five significant digits.
func rounded(v float64) float64 { return Significant(v, 5) }

// Significant returns v rounded to n significant digits.
func Significant(v float64, n int) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', n, 64), 64)
	if err != nil {
		return v // cannot happen
	}
	return r
}

// Write writes a as JSON, with one line per set.
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

// place returns the index of v in a list of distinct values, and the list, with v appended if needed.
func place[T any](list []T, v T, equal func(a, b T) bool) (int, []T) {
	if i := slices.IndexFunc(list, func(other T) bool { return equal(v, other) }); i >= 0 {
		return i, list
	}
	return len(list), append(list, v)
}

// pack sorts the results by set and part. It keeps one result per fit.
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
		if results[i].Config, err = cv.CanonicalSetting(r.Config); err != nil {
			return archived{}, err
		}
	}
	slices.SortStableFunc(results, func(x, y Result) int {
		return cmp.Or(mil.CompareNatural(x.Set, y.Set), cmp.Compare(x.Checksum, y.Checksum), cmp.Compare(x.Protocol, y.Protocol),
			cmp.Compare(x.Folds, y.Folds), cmp.Compare(x.FoldsRun, y.FoldsRun), cmp.Compare(x.Inner, y.Inner), cmp.Compare(x.Splits, y.Splits), cmp.Compare(x.Shots, y.Shots), cmp.Compare(x.Seed, y.Seed),
			cmp.Compare(x.Repeat, y.Repeat), cmp.Compare(x.Fold, y.Fold), bytes.Compare(x.Config, y.Config),
			cmp.Compare(x.Backend, y.Backend), cmp.Compare(x.Version, y.Version), cmp.Compare(x.Revision, y.Revision))
	})
	results = slices.CompactFunc(results, func(x, y Result) bool { return x.Fit == y.Fit })
	p := archived{Format: binaryFormat, Experiment: a.Experiment}
	for _, c := range a.Curves {
		c.Changes = slices.Clone(c.Changes)
		for k := range c.Changes {
			c.Changes[k].Shares, c.Changes[k].Least = roundedAll(c.Changes[k].Shares), rounded(c.Changes[k].Least)
		}
		p.Curves = append(p.Curves, c)
	}
	slices.SortStableFunc(p.Curves, func(x, y MeanCurve) int {
		return cmp.Or(mil.CompareNatural(x.Set, y.Set), bytes.Compare(x.Config, y.Config))
	})
	for _, s := range a.Spaces {
		s.TrainSilhouette, s.TestSilhouette = rounded(s.TrainSilhouette), rounded(s.TestSilhouette)
		p.Spaces = append(p.Spaces, s)
	}
	slices.SortStableFunc(p.Spaces, func(x, y Space) int {
		return cmp.Or(mil.CompareNatural(x.Set, y.Set), cmp.Compare(x.Checksum, y.Checksum), cmp.Compare(x.Of, y.Of), bytes.Compare(x.Config, y.Config))
	})
	for _, r := range results {
		if n := len(p.Sets); n == 0 || p.Sets[n-1].Set != r.Set || p.Sets[n-1].Checksum != r.Checksum {
			p.Sets = append(p.Sets, archivedSet{Set: r.Set, Checksum: r.Checksum, Leaked: r.Leaked, Target: r.Target, Classes: r.Classes, place: make(map[string]int)})
			if r.Target != mil.BinaryTarget || r.Classes != nil {
				p.Format = max(p.Format, kindsFormat)
			}
		}
		if r.Inner > 0 {
			p.Format = max(p.Format, innerFormat)
		}
		if r.Splits != "" || r.Shots > 0 {
			p.Format = splitsFormat
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
	part := archivedPart{r.Protocol, r.Optimistic, r.Folds, r.FoldsRun, r.Inner, r.Splits, r.Shots, r.Seed, r.Repeat, r.Fold, test, nil}
	if n := len(s.Parts); n == 0 || !s.Parts[n-1].same(part) {
		s.Parts = append(s.Parts, part)
	}
	last := &s.Parts[len(s.Parts)-1]
	fit := archivedFit{Epoch: r.Epoch, Test: scores, MemberAUC: roundedAll(r.MemberAUC)}
	if r.Inside != nil || len(r.Validation) > 0 {
		inside, err := r.ValidationFigures()
		if err != nil {
			return nil, err
		}
		fit.Inside = &Inside{Significant(inside.Figure, 9), Significant(inside.Loss, 9)} // enough digits to keep the order of fits
	}
	if r.InstanceAUC != nil {
		auc := rounded(*r.InstanceAUC)
		fit.InstanceAUC = &auc
	}
	if r.Group != nil {
		fit.Group = &GroupFigure{rounded(r.Group.Mean), rounded(r.Group.Max)}
	}
	fit.Config, s.Configs = place(s.Configs, r.Config, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
	last.Fits = append(last.Fits, fit)
	return &last.Fits[len(last.Fits)-1], nil
}

// same reports whether p and q are of the same fold, with the same bags held out.
func (p archivedPart) same(q archivedPart) bool {
	return p.Protocol == q.Protocol && p.Folds == q.Folds && p.FoldsRun == q.FoldsRun && p.Inner == q.Inner && p.Splits == q.Splits && p.Shots == q.Shots && p.Seed == q.Seed && p.Repeat == q.Repeat &&
		p.Fold == q.Fold && slices.Equal(p.Test, q.Test)
}

// indices returns the indices of bags in the set, adding missing ones, and the scores of the bags.
func (s *archivedSet) indices(bags []ScoredBag) (at []int, scores []float64, err error) {
	for _, b := range bags {
		i, found := s.place[b.ID]
		if !found {
			i = len(s.Bags)
			s.place[b.ID] = i
			s.Bags, s.Labels = append(s.Bags, b.ID), append(s.Labels, b.Label)
			switch s.Target {
			case mil.SurvivalTarget:
				s.Values, s.Events = append(s.Values, b.Value), append(s.Events, b.Event)
			case mil.RealTarget:
				s.Values = append(s.Values, b.Value)
			}
		}
		if s.target(i) != b.Target {
			return nil, nil, fmt.Errorf("%s: bag %s has two labels", s.Set, b.ID)
		}
		if len(b.Scores) != len(bags[0].Scores) {
			return nil, nil, fmt.Errorf("%s: bag %s has %d scores, bag %s %d", s.Set, b.ID, len(b.Scores), bags[0].ID, len(bags[0].Scores))
		}
		at, scores = append(at, i), append(scores, roundedAll(b.Scores)...)
	}
	return at, scores, nil
}

// Add returns a with the results, curves and spaces of more, for an experiment whose sets finish one after another.
// If both contain a set, the one in more is used. Times from both are kept; times in both are kept once.
func (a Archive) Add(more Archive) (Archive, error) {
	if a.Experiment != more.Experiment {
		return Archive{}, fmt.Errorf("results of %s do not go into an archive of %s", more.Experiment, a.Experiment)
	}
	newer := make(map[string]bool)
	for _, r := range more.Results {
		newer[r.Set] = true
	}
	kept := Archive{Experiment: a.Experiment, Times: addTimes(a.Times, more.Times)}
	kept.Results = append(slices.DeleteFunc(slices.Clone(a.Results), func(r Result) bool { return newer[r.Set] }), more.Results...)
	kept.Curves = append(slices.DeleteFunc(slices.Clone(a.Curves), func(c MeanCurve) bool { return newer[c.Set] }), more.Curves...)
	kept.Spaces = append(slices.DeleteFunc(slices.Clone(a.Spaces), func(s Space) bool { return newer[s.Set] }), more.Spaces...)
	return kept, nil
}

// validate returns an error unless there is one target per bag.
func (s archivedSet) validate() error {
	values, events := 0, 0
	switch s.Target {
	case mil.SurvivalTarget:
		values, events = len(s.Bags), len(s.Bags)
	case mil.RealTarget:
		values = len(s.Bags)
	}
	if len(s.Labels) != len(s.Bags) || len(s.Values) != values || len(s.Events) != events {
		return fmt.Errorf("%d labels, %d values and %d events of %d bags, whose target is of kind %v", len(s.Labels), len(s.Values), len(s.Events), len(s.Bags), s.Target)
	}
	return nil
}

// target returns the target of bag i.
func (s *archivedSet) target(i int) mil.Target {
	t := mil.Target{Label: s.Labels[i]}
	switch s.Target {
	case mil.SurvivalTarget:
		t.Value, t.Event = s.Values[i], s.Events[i]
	case mil.RealTarget:
		t.Value = s.Values[i]
	}
	return t
}

// ReadArchive reads the output of [Archive.Write]. Any inconsistency is an error.
func ReadArchive(r io.Reader) (Archive, error) {
	var p archived
	d := json.NewDecoder(&bounded{r, mostArchive})
	d.DisallowUnknownFields()
	err := d.Decode(&p)
	if err == nil {
		if _, err = d.Token(); err == nil {
			err = errors.New("there is data after the JSON")
		} else if err == io.EOF { // with the checksum of the compressed text
			err = nil
		}
	}
	if err != nil {
		return Archive{}, fmt.Errorf("an archive of results that cannot be read: %w", err)
	}
	if p.Format < binaryFormat || p.Format > splitsFormat {
		return Archive{}, fmt.Errorf("an archive of format %d; this version reads the formats %d to %d", p.Format, binaryFormat, splitsFormat)
	}
	a := Archive{Experiment: p.Experiment, Curves: p.Curves, Spaces: p.Spaces}
	for _, s := range p.Spaces {
		if err := s.Validate(); err != nil {
			return Archive{}, fmt.Errorf("archive of %s: space of %s: %w", p.Experiment, s.Set, err)
		}
	}
	for _, s := range p.Sets {
		if err := s.validate(); err != nil {
			return Archive{}, fmt.Errorf("archive of %s: %s: %w", p.Experiment, s.Set, err)
		}
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

// result converts one fit to a result.
func (p archived) result(s archivedSet, part archivedPart, fit archivedFit) (Result, error) {
	if fit.Config < 0 || fit.Config >= len(s.Configs) || fit.Made < 0 || fit.Made >= len(p.Made) {
		return Result{}, fmt.Errorf("setting %d of %d, maker %d of %d", fit.Config, len(s.Configs), fit.Made, len(p.Made))
	}
	by := p.Made[fit.Made]
	r := Result{
		Set: s.Set, Checksum: s.Checksum, Leaked: s.Leaked, Config: s.Configs[fit.Config], Target: s.Target, Classes: s.Classes, Epoch: fit.Epoch, Inside: fit.Inside, InstanceAUC: fit.InstanceAUC, Group: fit.Group, MemberAUC: fit.MemberAUC,
		Protocol: part.Protocol, Optimistic: part.Optimistic, Folds: part.Folds, FoldsRun: part.FoldsRun, Inner: part.Inner, Splits: part.Splits, Shots: part.Shots, Seed: part.Seed, Repeat: part.Repeat, Fold: part.Fold,
		Backend: by.Backend, Version: by.Version, Revision: by.Revision,
	}
	var err error
	if r.Bags, err = s.scored(part.Test, fit.Test); err != nil {
		return Result{}, err
	}
	if r.Fit, err = r.ID(); err != nil {
		return Result{}, err
	}
	return r, r.Validate()
}

// scored combines scores with their bags.
func (s archivedSet) scored(at []int, scores []float64) (bags []ScoredBag, err error) {
	each := 0 // scores per bag
	if len(at) > 0 {
		each = len(scores) / len(at)
	}
	if each == 0 || each*len(at) != len(scores) {
		return nil, fmt.Errorf("%d scores of %d bags", len(scores), len(at))
	}
	for k, i := range at {
		if i < 0 || i >= len(s.Bags) {
			return nil, fmt.Errorf("bag %d of %d", i, len(s.Bags))
		}
		bags = append(bags, ScoredBag{ID: s.Bags[i], Target: s.target(i), Scores: scores[k*each : (k+1)*each : (k+1)*each]})
	}
	return bags, nil
}

// ArchiveName returns the name of the file that [Archive.Save] writes for an experiment: NAME.json.gz.
func ArchiveName(experiment string) string { return experiment + archiveSuffix }

const archiveSuffix = ".json.gz"

// ReadArchives reads all archives in a folder (for example os.DirFS), the files NAME.json.gz sorted by name, and the
// times beside them ([Archive.Save]). If the folder has none, the error is [ErrNoResults].
func ReadArchives(folder fs.FS) (archives []Archive, err error) {
	names, err := fs.Glob(folder, "*"+archiveSuffix)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		a, err := OpenArchive(folder, name)
		if err != nil {
			return nil, err
		}
		archives = append(archives, a)
	}
	if len(archives) == 0 {
		return nil, ErrNoResults
	}
	return archives, nil
}

// OpenArchive reads one archive file in a folder, and its times if they exist ([Archive.Save]).
func OpenArchive(folder fs.FS, name string) (Archive, error) {
	in, err := folder.Open(name)
	if err != nil {
		return Archive{}, fmt.Errorf("open an archive of results: %w", err)
	}
	a, err := unpack(in)
	in.Close() // read only
	if err != nil {
		return Archive{}, fmt.Errorf("%s: %w", name, err)
	}
	times, err := folder.Open(timesPath(name))
	switch {
	case err == nil:
		a.Times, err = readAll[Time](times, timesPath(name), nil)
		times.Close() // read only
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return Archive{}, fmt.Errorf("times of an archive: %w", err)
	}
	return a, nil
}

// unpack reads a compressed archive to the end, where its checksum is.
func unpack(r io.Reader) (Archive, error) {
	text, err := gzip.NewReader(r)
	if err != nil {
		return Archive{}, fmt.Errorf("an archive of results that is not compressed by gzip: %w", err)
	}
	return ReadArchive(text)
}

// mostArchive is the size limit of the text of an archive in bytes, which a small compressed file could exceed a thousandfold.
// The largest of this project has 7 MB.
var mostArchive int64 = 1 << 28

// bounded is a reader that fails after some bytes.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("more than %d MB of text", mostArchive>>20)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// timesPath returns the path of the times for the archive at path: times/NAME.jsonl for NAME.json.gz.
func timesPath(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), archiveSuffix)
	return filepath.ToSlash(filepath.Join(filepath.Dir(path), "times", name+".jsonl"))
}

// Save writes a to a folder as NAME.json.gz, and its times as times/NAME.jsonl, because they do not depend on the
// inputs alone. It creates the folder if needed. An existing file is replaced only when the new one is complete. It
// returns the path of the archive.
func (a Archive) Save(dir string) (string, error) {
	path := filepath.Join(dir, ArchiveName(a.Experiment))
	var text bytes.Buffer
	packed, err := gzip.NewWriterLevel(&text, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if err := errors.Join(a.Write(packed), packed.Close()); err != nil {
		return "", err
	}
	times, err := timesText(a.Times)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(timesPath(path)), 0o777); err != nil {
		return "", fmt.Errorf("folder of archives: %w", noRoom(err))
	}
	return path, noRoom(errors.Join(disk.WriteFile(timesPath(path), times), disk.WriteFile(path, text.Bytes())))
}
