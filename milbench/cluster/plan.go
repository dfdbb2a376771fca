package cluster

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"synpool/milbench"
)

// Format is the version of the form of a plan's file.
const Format = 1

// MaxShards bounds the shards of a plan.
const MaxShards = 100_000

// Plan is the fits of a study, or what is left of them, divided into shards.
type Plan struct {
	Format  int     `json:"format"`
	Version string  `json:"version"` // of milbench
	Backend string  `json:"backend"` // on which groups and their costs were planned
	Cores   int     `json:"cores"`   // of a machine that trains a shard
	Request Request `json:"request"`
	Seed    uint64  `json:"seed"` // of the study
	Shards  int     `json:"shards"`

	Settings []json.RawMessage `json:"settings"` // as [milbench.CanonicalSetting] writes them
	Sets     []Set             `json:"sets"`
	Arms     []Arm             `json:"arms"`
	Groups   []Group           `json:"groups"`
	Fits     []Fit             `json:"fits"`
}

// Request is what was asked for, beside sets, protocols and settings.
type Request struct {
	Experiment string `json:"experiment,omitempty"` // of milbench study; "" for milbench run
	Quick      bool   `json:"quick,omitempty"`      // its quick form
	Curves     bool   `json:"curves,omitempty"`
	Spaces     bool   `json:"spaces,omitempty"`

	// Of files, which column holds instance labels, and whether one that leaks the labels is kept.
	InstanceLabels string `json:"instance_labels,omitempty"`
	Positive       string `json:"positive,omitempty"` // of files with two labels: the positive one
	KeepLeak       bool   `json:"keep_leak,omitempty"`

	// Of files, the table of the bags, the columns that hold bags, labels, groups and the split, those of words and of coordinates; see package dataset.
	Labels      string   `json:"labels,omitempty"`
	Bag         string   `json:"bag,omitempty"`
	Label       string   `json:"label,omitempty"`
	Group       string   `json:"group,omitempty"`
	Split       string   `json:"split,omitempty"`
	Categorical []string `json:"categorical,omitempty"`
	Coordinates []string `json:"coordinates,omitempty"`
	Median      bool     `json:"median,omitempty"` // of missing values

	// Of files with classes, whether integers are numbers, and the order of the labels.
	Numbers bool     `json:"numbers,omitempty"`
	Order   []string `json:"order,omitempty"`
}

// Equal reports whether two requests ask for the same.
func (r Request) Equal(other Request) bool {
	same := slices.Equal(r.Categorical, other.Categorical) && slices.Equal(r.Coordinates, other.Coordinates) && slices.Equal(r.Order, other.Order)
	r.Categorical, other.Categorical, r.Coordinates, other.Coordinates, r.Order, other.Order = nil, nil, nil, nil, nil, nil
	return same && reflect.DeepEqual(r, other)
}

// Set is a set of a plan.
type Set struct {
	Name     string `json:"name"`
	Checksum string `json:"checksum"`
	Source   string `json:"source"` // the file, or the named set, that it is made of
}

// Arm is settings on one set under one protocol.
type Arm struct {
	Set      int               `json:"set"`
	Protocol milbench.Protocol `json:"protocol"`
	Folds    int               `json:"folds"`     // into which a repeat cuts the set; 1 for an official split
	FoldsRun int               `json:"folds_run"` // how many of them are run
	Settings []int             `json:"settings"`
}

// Group is fits whose networks share compiled graphs.
type Group struct {
	Task    int     `json:"task"`            // groups of one task are trained at a time, tasks one after another
	Members int     `json:"members"`         // networks of a block
	Compile float64 `json:"compile_seconds"` // of a core, about, for the first fits of a worker
	Block   float64 `json:"block_seconds"`   // of a core, about, for a block
	Memory  uint64  `json:"memory_bytes"`    // of the process at its peak, about
}

// Fit is one fit of a plan.
type Fit struct {
	ID       string `json:"id"` // [milbench.FitID]
	Arm      int    `json:"arm"`
	Setting  int    `json:"setting"`
	Repeat   int    `json:"repeat"`
	Fold     int    `json:"fold"`
	Seed     uint64 `json:"seed"` // of its training
	Group    int    `json:"group"`
	Training int    `json:"training"` // of its group; fits that share one are in one shard
	Networks int    `json:"networks"` // that the training trains: the members of an ensemble, else 1
	Shard    int    `json:"shard"`
}

// Validate reports the first thing that does not fit together: indices and shards out of range, ids and seeds that are not
// those of their fits, fits that stand twice, a training in two shards, costs that are no numbers of seconds.
func (p *Plan) Validate() error {
	switch {
	case p.Format != Format:
		return fmt.Errorf("a plan of format %d; this version reads format %d", p.Format, Format)
	case p.Version == "" || p.Backend == "" || p.Cores < 1:
		return errors.New("no version, backend or cores")
	case p.Shards < 1 || p.Shards > MaxShards:
		return fmt.Errorf("%d shards; a plan has 1 to %d", p.Shards, MaxShards)
	case len(p.Fits) == 0:
		return errors.New("no fits")
	}
	if err := p.validateParts(); err != nil {
		return err
	}
	ids := make([]uint64, len(p.Fits)) // sorted, of a million fits a tenth of what a map takes
	for i := range p.Fits {
		f := &p.Fits[i]
		if err := p.validateFit(f); err != nil {
			return fmt.Errorf("fit %d (%.16s): %w", i+1, f.ID, err)
		}
		ids[i] = f.number()
	}
	slices.Sort(ids)
	for i := range ids[1:] {
		if ids[i] == ids[i+1] {
			last := len(p.Fits) - 1
			for p.Fits[last].number() != ids[i] {
				last--
			}
			return fmt.Errorf("fit %d (%s) stands twice", last+1, p.Fits[last].ID)
		}
	}
	order := make([]int32, len(p.Fits)) // in which fits of a training follow one another, as they mostly do
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		f, g := &p.Fits[a], &p.Fits[b]
		return cmp.Or(cmp.Compare(f.Group, g.Group), cmp.Compare(f.Training, g.Training), cmp.Compare(a, b))
	})
	for i := range order[1:] {
		f, g := &p.Fits[order[i]], &p.Fits[order[i+1]]
		if f.Group == g.Group && f.Training == g.Training && (f.Shard != g.Shard || f.Networks != g.Networks) {
			return fmt.Errorf("fits %s and %s share a training, but not shard and networks", f.ID, g.ID)
		}
	}
	return nil
}

// number returns the id of a fit, which is a valid one.
func (f *Fit) number() uint64 {
	var id [8]byte
	hex.Decode(id[:], []byte(f.ID))
	return binary.BigEndian.Uint64(id[:])
}

// validateParts reports what is wrong with settings, sets, arms and groups.
func (p *Plan) validateParts() error {
	settings := make(map[string]bool)
	for i, s := range p.Settings {
		canonical, err := milbench.CanonicalSetting(s)
		if err != nil {
			return err
		}
		if settings[string(canonical)] {
			return fmt.Errorf("setting %s stands twice", canonical)
		}
		settings[string(canonical)] = true
		p.Settings[i] = canonical // what a reader of JSON has indented, say
	}
	sets := make(map[string]bool)
	for _, s := range p.Sets {
		if s.Name == "" || s.Checksum == "" || s.Source == "" {
			return fmt.Errorf("set %q without name, checksum or source", s.Name)
		}
		if sets[s.Checksum] {
			return fmt.Errorf("set %s stands twice", s.Name)
		}
		sets[s.Checksum] = true
	}
	for i, a := range p.Arms {
		if a.Set < 0 || a.Set >= len(p.Sets) {
			return fmt.Errorf("arm %d is of set %d of %d", i, a.Set, len(p.Sets))
		}
		if err := a.Protocol.Validate(); err != nil {
			return fmt.Errorf("arm %d: %w", i, err)
		}
		if a.FoldsRun < 1 || a.FoldsRun > a.Folds || a.Folds > 1 && a.Folds != a.Protocol.Folds {
			return fmt.Errorf("arm %d runs %d folds of %d, its protocol has %d", i, a.FoldsRun, a.Folds, a.Protocol.Folds)
		}
		if err := a.Protocol.Bound(a.FoldsRun, len(a.Settings)); err != nil {
			return fmt.Errorf("arm %d: %w", i, err)
		}
		for k, s := range a.Settings {
			if s < 0 || s >= len(p.Settings) || slices.Contains(a.Settings[:k], s) {
				return fmt.Errorf("arm %d has setting %d of %d, or has it twice", i, s, len(p.Settings))
			}
		}
	}
	for i, g := range p.Groups {
		if g.Task < 0 || g.Members < 1 || !(g.Compile >= 0 && g.Block >= 0 && g.Compile+g.Block <= math.MaxFloat64) {
			return fmt.Errorf("group %d: task %d, blocks of %d networks, %v s of compiling and %v s of training", i, g.Task, g.Members, g.Compile, g.Block)
		}
	}
	return nil
}

func (p *Plan) validateFit(f *Fit) error {
	if f.Arm < 0 || f.Arm >= len(p.Arms) || f.Group < 0 || f.Group >= len(p.Groups) {
		return fmt.Errorf("arm %d of %d, group %d of %d", f.Arm, len(p.Arms), f.Group, len(p.Groups))
	}
	a := p.Arms[f.Arm]
	switch {
	case !slices.Contains(a.Settings, f.Setting):
		return fmt.Errorf("setting %d is not of arm %d", f.Setting, f.Arm)
	case f.Repeat < 0 || f.Repeat >= a.Protocol.Repeats || f.Fold < 0 || f.Fold >= a.FoldsRun:
		return fmt.Errorf("repeat %d of %d, fold %d of %d", f.Repeat, a.Protocol.Repeats, f.Fold, a.FoldsRun)
	case f.Shard < 0 || f.Shard >= p.Shards:
		return fmt.Errorf("shard %d of %d; shards count from 0", f.Shard, p.Shards)
	case f.Training < 0 || f.Networks < 1:
		return fmt.Errorf("training %d of %d networks", f.Training, f.Networks)
	case f.Seed != milbench.SplitSeed(p.Seed, "fit", f.Repeat, f.Fold):
		return fmt.Errorf("seed %d is not that of repeat %d, fold %d of a study of seed %d", f.Seed, f.Repeat, f.Fold, p.Seed)
	}
	id, err := milbench.FitID(p.Sets[a.Set].Checksum, a.Protocol.Key(), a.Folds, f.Repeat, f.Fold, p.Seed, p.Settings[f.Setting])
	if err == nil && id != f.ID {
		err = fmt.Errorf("the id of its content is %s", id)
	}
	return err
}

// SameStudy returns why fits of q do not go together with those of p, nil if they do: plans of one version, seed, grid and
// data, on one backend, in whatever shards and whether complete or not.
func (p *Plan) SameStudy(q *Plan) error {
	name := func(r Request) string { return cmp.Or(r.Experiment, "milbench run") }
	switch {
	case p.Version != q.Version:
		return fmt.Errorf("one is of version %s, the other of %s", p.Version, q.Version)
	case p.Backend != q.Backend:
		return fmt.Errorf("one is for backend %s, the other for %s", p.Backend, q.Backend)
	case p.Request.Experiment != q.Request.Experiment || p.Request.Quick != q.Request.Quick:
		return fmt.Errorf("one is of %s, the other of %s, or one of its quick form", name(p.Request), name(q.Request))
	case p.Seed != q.Seed:
		return fmt.Errorf("one has seed %d, the other %d", p.Seed, q.Seed)
	case !p.Request.Equal(q.Request):
		return fmt.Errorf("one asks for %s, the other for %s", p.Request.options(), q.Request.options())
	}
	for i, s := range p.Sets[:min(len(p.Sets), len(q.Sets))] {
		if o := q.Sets[i]; s.Name == o.Name && s.Checksum != o.Checksum {
			return fmt.Errorf("set %s has the checksum %.12s in one and %.12s in the other", s.Name, s.Checksum, o.Checksum)
		}
	}
	if err := difference("set", p.Sets, q.Sets, func(s Set) string { return s.Name }); err != nil { // wherever its file is
		return err
	}
	setting := func(s json.RawMessage) string { return string(s) }
	if err := difference("setting", p.Settings, q.Settings, setting); err != nil {
		return err
	}
	arm := func(a Arm) string {
		return fmt.Sprintf("%s with %d of %d folds, %d repeats and the settings %v on set %d", a.Protocol.Name, a.FoldsRun, a.Folds, a.Protocol.Repeats, a.Settings, a.Set+1)
	}
	return difference("protocol", p.Arms, q.Arms, arm)
}

// options are what is asked for beside an experiment.
func (r Request) options() string {
	var list []string
	for _, o := range []struct {
		asked bool
		text  string
	}{{r.Curves, "curves"}, {r.Spaces, "spaces"}, {r.InstanceLabels != "", "instance labels in column " + r.InstanceLabels}, {r.Positive != "", "positive label " + r.Positive}, {r.KeepLeak, "columns that give labels away"}} {
		if o.asked {
			list = append(list, o.text)
		}
	}
	return cmp.Or(strings.Join(list, " and "), "nothing more")
}

// difference names the first thing in which lists differ.
func difference[T any](kind string, one, other []T, text func(T) string) error {
	for i := range max(len(one), len(other)) {
		at := func(list []T) string {
			if i >= len(list) {
				return "missing"
			}
			return text(list[i])
		}
		if a, b := at(one), at(other); a != b {
			return fmt.Errorf("%s %d is %s in one and %s in the other", kind, i+1, a, b)
		}
	}
	return nil
}

// Shard returns the fits of shard i.
func (p *Plan) Shard(i int) (fits []Fit) {
	for _, f := range p.Fits {
		if f.Shard == i {
			fits = append(fits, f)
		}
	}
	return fits
}

// Sources returns the files and named sets that fits of the plan need, in order.
func (p *Plan) Sources(fits []Fit) []string {
	needed := make(map[int]bool)
	for _, f := range fits {
		needed[p.Arms[f.Arm].Set] = true
	}
	return p.sources(needed)
}

// ShardSources returns the files and named sets that each shard needs, in order.
func (p *Plan) ShardSources() [][]string {
	needed := make([]map[int]bool, p.Shards)
	for _, f := range p.Fits {
		if needed[f.Shard] == nil {
			needed[f.Shard] = make(map[int]bool)
		}
		needed[f.Shard][p.Arms[f.Arm].Set] = true
	}
	all := make([][]string, p.Shards)
	for i, sets := range needed {
		all[i] = p.sources(sets)
	}
	return all
}

// sources returns the files and named sets that sets are made of, in order.
func (p *Plan) sources(sets map[int]bool) (sources []string) {
	for _, i := range slices.Sorted(maps.Keys(sets)) {
		if s := p.Sets[i].Source; !slices.Contains(sources, s) {
			sources = append(sources, s)
		}
	}
	return sources
}

// Keep returns the plan of some of the fits, by id, in at most as many shards; nil where none is left.
func (p *Plan) Keep(keep func(id string) bool) *Plan {
	rest := *p
	rest.Fits = nil
	for _, f := range p.Fits {
		if keep(f.ID) {
			rest.Fits = append(rest.Fits, f)
		}
	}
	if len(rest.Fits) == 0 {
		return nil
	}
	rest.Divide(min(p.Shards, rest.Blocks()))
	return &rest
}
