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

// Format is the version of the file format of a plan.
const Format = 1

// MaxShards is the maximum number of shards in a plan.
const MaxShards = 100_000

// Plan has the fits of a study, or the remaining ones, divided into shards.
type Plan struct {
	Format  int     `json:"format"`
	Version string  `json:"version"` // milbench version
	Backend string  `json:"backend"` // backend used to plan groups and costs
	Cores   int     `json:"cores"`   // cores of a machine that trains a shard
	Request Request `json:"request"`
	Seed    uint64  `json:"seed"` // seed of the study
	Shards  int     `json:"shards"`

	Settings []json.RawMessage `json:"settings"` // in the form of [milbench.CanonicalSetting]
	Sets     []Set             `json:"sets"`
	Arms     []Arm             `json:"arms"`
	Groups   []Group           `json:"groups"`
	Fits     []Fit             `json:"fits"`
}

// Request has the options of a study, apart from sets, protocols and settings.
type Request struct {
	Experiment string `json:"experiment,omitempty"` // for milbench study; "" for milbench run
	Quick      bool   `json:"quick,omitempty"`      // run the quick form
	Curves     bool   `json:"curves,omitempty"`
	Spaces     bool   `json:"spaces,omitempty"`

	// For files: the column with instance labels, and whether a column that leaks the labels is kept.
	InstanceLabels string `json:"instance_labels,omitempty"`
	Positive       string `json:"positive,omitempty"` // for files with two labels: the positive one
	KeepLeak       bool   `json:"keep_leak,omitempty"`

	// For files: the table of bags; the columns for bags, labels, groups and the split; the columns of words, of
	// features that look like bookkeeping, and of coordinates. See package dataset.
	Labels      string   `json:"labels,omitempty"`
	Bag         string   `json:"bag,omitempty"`
	Label       string   `json:"label,omitempty"`
	Group       string   `json:"group,omitempty"`
	Split       string   `json:"split,omitempty"`
	Categorical []string `json:"categorical,omitempty"`
	AsFeatures  []string `json:"as_features,omitempty"`
	Coordinates []string `json:"coordinates,omitempty"`
	Array       string   `json:"array,omitempty"`
	Subset      bool     `json:"subset,omitempty"`
	Median      bool     `json:"median,omitempty"` // allow missing values

	// For files with classes: whether integers are numbers, and the order of the labels.
	Numbers bool     `json:"numbers,omitempty"`
	Order   []string `json:"order,omitempty"`
}

// Equal reports whether two requests are equal.
func (r Request) Equal(other Request) bool {
	same := slices.Equal(r.Categorical, other.Categorical) && slices.Equal(r.AsFeatures, other.AsFeatures) && slices.Equal(r.Coordinates, other.Coordinates) && slices.Equal(r.Order, other.Order)
	r.Categorical, other.Categorical, r.AsFeatures, other.AsFeatures, r.Coordinates, other.Coordinates, r.Order, other.Order = nil, nil, nil, nil, nil, nil, nil, nil
	return same && reflect.DeepEqual(r, other)
}

// Set is a set in a plan.
type Set struct {
	Name     string `json:"name"`
	Checksum string `json:"checksum"`
	Source   string `json:"source"` // file or named set that it is made from
}

// Arm has the settings for one set under one protocol.
type Arm struct {
	Set      int               `json:"set"`
	Protocol milbench.Protocol `json:"protocol"`
	Folds    int               `json:"folds"`     // folds per repeat; 1 for an official split
	FoldsRun int               `json:"folds_run"` // number of folds run
	Settings []int             `json:"settings"`
}

// Group is a group of fits whose networks share compiled graphs.
type Group struct {
	Task    int     `json:"task"`            // groups of one task are trained together, tasks one after another
	Members int     `json:"members"`         // networks per block
	Compile float64 `json:"compile_seconds"` // approximate, on one core, before a worker's first fits
	Block   float64 `json:"block_seconds"`   // approximate, on one core, per block
	Memory  uint64  `json:"memory_bytes"`    // approximate peak of the process
}

// Fit is one fit in a plan.
type Fit struct {
	ID       string `json:"id"` // see [milbench.FitID]
	Arm      int    `json:"arm"`
	Setting  int    `json:"setting"`
	Repeat   int    `json:"repeat"`
	Fold     int    `json:"fold"`
	Seed     uint64 `json:"seed"` // seed of its training
	Group    int    `json:"group"`
	Training int    `json:"training"` // number in its group; fits with the same training are in one shard
	Networks int    `json:"networks"` // networks in the training: the members of an ensemble, otherwise 1
	Shard    int    `json:"shard"`
}

// Validate returns the first inconsistency as an error: indices or shards out of range, ids or seeds that do not
// match their fits, duplicate fits, a training in two shards, or costs that are not valid times.
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
	ids := make([]uint64, len(p.Fits)) // sorted: for a million fits it needs a tenth of the memory of a map
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
			return fmt.Errorf("fit %d (%s) occurs twice", last+1, p.Fits[last].ID)
		}
	}
	order := make([]int32, len(p.Fits)) // order in which fits of a training are adjacent, as they mostly are already
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

// number returns the id of a fit as a number. The id must be valid.
func (f *Fit) number() uint64 {
	var id [8]byte
	hex.Decode(id[:], []byte(f.ID))
	return binary.BigEndian.Uint64(id[:])
}

// validateParts returns an error for invalid settings, sets, arms or groups.
func (p *Plan) validateParts() error {
	settings := make(map[string]bool)
	for i, s := range p.Settings {
		canonical, err := milbench.CanonicalSetting(s)
		if err != nil {
			return err
		}
		if settings[string(canonical)] {
			return fmt.Errorf("setting %s occurs twice", canonical)
		}
		settings[string(canonical)] = true
		p.Settings[i] = canonical // for example if a JSON tool has indented it
	}
	sets := make(map[string]bool)
	for _, s := range p.Sets {
		if s.Name == "" || s.Checksum == "" || s.Source == "" {
			return fmt.Errorf("set %q without name, checksum or source", s.Name)
		}
		if sets[s.Checksum] {
			return fmt.Errorf("set %s occurs twice", s.Name)
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

// SameStudy returns nil if the fits of p and q may be combined, and otherwise an error that says why not. The plans
// must agree in version, seed, grid, data and backend. They may differ in shards, and either may be incomplete.
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
	if err := difference("set", p.Sets, q.Sets, func(s Set) string { return s.Name }); err != nil { // the location of the file does not matter
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

// options returns the options of a request, apart from the experiment.
func (r Request) options() string {
	var list []string
	for _, o := range []struct {
		asked bool
		text  string
	}{{r.Curves, "curves"}, {r.Spaces, "spaces"}, {r.InstanceLabels != "", "instance labels in column " + r.InstanceLabels}, {r.Positive != "", "positive label " + r.Positive}, {r.KeepLeak, "columns that leak labels"}} {
		if o.asked {
			list = append(list, o.text)
		}
	}
	return cmp.Or(strings.Join(list, " and "), "nothing more")
}

// difference returns an error that names the first difference between two lists.
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

// Shard returns the fits in shard i.
func (p *Plan) Shard(i int) (fits []Fit) {
	for _, f := range p.Fits {
		if f.Shard == i {
			fits = append(fits, f)
		}
	}
	return fits
}

// Sources returns the files and named sets that the given fits need, in order.
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

// sources returns the files and named sets that sets are made from, in order.
func (p *Plan) sources(sets map[int]bool) (sources []string) {
	for _, i := range slices.Sorted(maps.Keys(sets)) {
		if s := p.Sets[i].Source; !slices.Contains(sources, s) {
			sources = append(sources, s)
		}
	}
	return sources
}

// Keep returns a plan with the fits selected by id, in at most as many shards. It returns nil if no fit is left.
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
