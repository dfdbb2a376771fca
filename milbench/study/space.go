package study

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"synpool/milbench"
	"synpool/milbench/neural"
	"synpool/milbench/stats"
)

// SpacesName is the name of the file of spaces in the results folder.
const SpacesName = "spaces.jsonl"

// What a [Space] is of.
const (
	OfInstances = "instances" // the features of instances, standardised by the training part
	OfMeans     = "means"     // the means of these over each bag
	OfPooled    = "pooled"    // the pooled vectors of bags, by a trained model
)

// Bounds of a space.
const (
	mostVectors   = 1000 // drawn at random where there are more
	mostDirection = 20
)

// Space is where the instances or bags of a set lie, in the first fold of the first repeat of a protocol: one line of
// spaces.jsonl.
type Space struct {
	Set      string          `json:"set"`
	Checksum string          `json:"checksum"` // of the set
	Of       string          `json:"of"`       // [OfInstances], [OfMeans] or [OfPooled]
	Config   json.RawMessage `json:"config,omitempty"`

	// Vectors are places along the first principal components of all vectors, 20 at most, to four significant digits.
	Vectors [][]float64 `json:"vectors"`
	Labels  []int       `json:"labels"` // of the bag of each
	Test    []bool      `json:"test"`   // whether the bag is of the test part

	// How well the classes are apart, in all features, among the vectors of one part ([stats.Silhouette]).
	TrainSilhouette float64 `json:"train_silhouette"`
	TestSilhouette  float64 `json:"test_silhouette"`
}

// same reports whether s and o are of the same.
func (s Space) same(o Space) bool {
	return s.Checksum == o.Checksum && s.Of == o.Of && bytes.Equal(s.Config, o.Config)
}

// ID returns the first 16 hexadecimal digits of the SHA-256 of what s is of: checksum, kind and setting, as JSON.
func (s Space) ID() string { return s.key().String() }

func (s Space) key() fitKey {
	sum := sha256.Sum256(fmt.Appendf(nil, "[%q,%q,%s]", s.Checksum, s.Of, cmp.Or(string(s.Config), "null")))
	return fitKey(binary.BigEndian.Uint64(sum[:8]))
}

// Validate reports what makes s unusable.
func (s Space) Validate() error {
	switch {
	case s.Set == "" || s.Checksum == "":
		return errors.New("no set or no checksum")
	case s.Of != OfInstances && s.Of != OfMeans && s.Of != OfPooled:
		return fmt.Errorf("a space of %q; use one of %s, %s, %s", s.Of, OfInstances, OfMeans, OfPooled)
	case (s.Of == OfPooled) != (len(s.Config) > 0):
		return fmt.Errorf("a space of %s with the setting %q; pooled ones alone have one", s.Of, s.Config)
	case len(s.Vectors) == 0 || len(s.Labels) != len(s.Vectors) || len(s.Test) != len(s.Vectors):
		return fmt.Errorf("%d vectors, %d labels and %d parts", len(s.Vectors), len(s.Labels), len(s.Test))
	}
	for i, v := range s.Vectors {
		if len(v) != len(s.Vectors[0]) || len(v) == 0 {
			return fmt.Errorf("vector %d has %d places, the first %d", i+1, len(v), len(s.Vectors[0]))
		}
		for _, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("vector %d has a place of %v", i+1, x)
			}
		}
		if s.Labels[i] != 0 && s.Labels[i] != 1 {
			return fmt.Errorf("vector %d has label %d; labels are 0 or 1", i+1, s.Labels[i])
		}
	}
	return nil
}

// ReadSpaces returns the spaces of a folder, each once; none where the folder has no file of them.
func ReadSpaces(dir string) ([]Space, error) {
	path := filepath.Join(dir, SpacesName)
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open spaces: %w", err)
	}
	defer in.Close()
	spaces, _, err := readSpaces(in, path)
	return spaces, err
}

func readSpaces(in *os.File, path string) (spaces []Space, size int64, err error) {
	size, err = eachRecord(in, path, removeIt, func(s Space, _ []byte) error {
		if !slices.ContainsFunc(spaces, s.same) {
			spaces = append(spaces, s)
		}
		return nil
	})
	return spaces, size, err
}

// KeepSpaces appends the spaces of a run's sets to the file in its folder: of the instances, of the bags' means, and of what
// a model of each setting pools, trained by trainer on the first fold of the first repeat, as a fit of the run is. Those that
// are in the file are not made again. Of a run of some fits ([Run.Only]) a space is made where the fit that it is of is among
// them, the first of a set for instances and means, and where [Run.Finished] does not name it ([Space.ID]). How long it took
// is written down as a [Time]. before, if not nil, is called with each set and setting.
func (r Run) KeepSpaces(ctx context.Context, trainer neural.Trainer, before func(set string, setting json.RawMessage)) (err error) {
	if err := r.check(); err != nil {
		return err
	}
	results, err := Open(r.Dir) // which locks the folder
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, results.Close()) }()
	path := filepath.Join(r.Dir, SpacesName)
	out, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return fmt.Errorf("open spaces: %w", noRoom(err))
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	known, size, err := readSpaces(out, path)
	if err != nil {
		return err
	}
	file := &lines{path: path, out: out, size: size}
	if err := file.rewind(); err != nil {
		return err
	}
	start, made := time.Now(), 0
	defer func() {
		if made > 0 && !errors.Is(err, ErrDiskFull) {
			err = errors.Join(err, r.appendTime(0, made, time.Since(start)))
		}
	}()
	keep := func(s Space, vectors func() (vectors [][]float64, bags []int, err error), set *milbench.Set, test []int) error {
		if slices.ContainsFunc(known, s.same) || r.Finished[s.ID()] {
			return nil
		}
		list, bags, err := vectors()
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		if err := s.fill(list, bags, set, test, r.Seed); err != nil {
			return fmt.Errorf("%s: space of %s: %w", set.Name, s.Of, err)
		}
		line, err := json.Marshal(s)
		if err != nil {
			return err
		}
		if err := file.append(line); err != nil {
			return err
		}
		made++
		return nil
	}
	for _, set := range r.Sets {
		fits, err := r.Protocol.Fits(set, r.Settings, r.Seed)
		if err != nil {
			return err
		}
		first := fits[:len(r.Settings)]
		all := set.Instances()
		raw := func() (vectors [][]float64, bags []int, err error) {
			standard, err := neural.FitStandardisation(all, first[0].Train)
			if err != nil {
				return nil, nil, err
			}
			for i, b := range all {
				vectors = append(vectors, standard.Vectors(b)...)
				bags = append(bags, slices.Repeat([]int{i}, b.Rows)...)
			}
			return vectors, bags, nil
		}
		means := func() (vectors [][]float64, bags []int, err error) {
			standard, err := neural.FitStandardisation(all, first[0].Train)
			if err != nil {
				return nil, nil, err
			}
			for i, b := range all {
				mean := make([]float64, b.Cols)
				for _, v := range standard.Vectors(b) {
					floats.AddScaled(mean, 1/float64(b.Rows), v)
				}
				vectors, bags = append(vectors, mean), append(bags, i)
			}
			return vectors, bags, nil
		}
		base := Space{Set: set.Name, Checksum: set.Checksum}
		wanted, err := r.wanted(set, first)
		if err != nil {
			return err
		}
		if wanted[0] {
			base.Of = OfInstances
			if err := keep(base, raw, set, first[0].Test); err != nil {
				return err
			}
			base.Of = OfMeans
			if err := keep(base, means, set, first[0].Test); err != nil {
				return err
			}
		}
		for i, fit := range first {
			if !wanted[i] {
				continue
			}
			base.Of = OfPooled
			if base.Config, err = milbench.CanonicalSetting(fit.Setting); err != nil {
				return err
			}
			if err := keep(base, func() ([][]float64, []int, error) {
				if before != nil {
					before(set.Name, base.Config)
				}
				vectors, err := pooled(ctx, trainer, set, fit)
				return vectors, countUp(len(vectors)), err
			}, set, fit.Test); err != nil {
				return err
			}
		}
	}
	return nil
}

// wanted reports which fits of the first fold are among those of the run.
func (r Run) wanted(set *milbench.Set, fits []milbench.Fit) (wanted []bool, err error) {
	cut, _ := r.Protocol.FoldsOf(set)
	for _, f := range fits {
		id, err := milbench.FitID(set.Checksum, r.Protocol.Name, cut, f.Repeat, f.Fold, r.Seed, f.Setting)
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, r.Only == nil || r.Only[id])
	}
	return wanted, nil
}

// countUp returns the first n integers.
func countUp(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// pooled trains a model on the training part of a fit and returns what it pools of every bag.
func pooled(ctx context.Context, trainer neural.Trainer, set *milbench.Set, fit milbench.Fit) ([][]float64, error) {
	var config neural.Config
	if err := json.Unmarshal(fit.Setting, &config); err != nil {
		return nil, err
	}
	part := *set
	part.Bags, part.InstanceLabels = nil, nil
	for _, e := range fit.Train {
		part.Bags = append(part.Bags, set.Bags[e.Bag])
	}
	model, err := trainer.Train(ctx, config, &part, fit.Seed, nil)
	if err != nil {
		return nil, err
	}
	return model.Pooled(ctx, set.Instances())
}

// fill makes the space of vectors, of which bags says the bag; test has the bags of the test part.
func (s *Space) fill(vectors [][]float64, bags []int, set *milbench.Set, test []int, seed uint64) error {
	chosen := countUp(len(vectors))
	if len(chosen) > mostVectors {
		milbench.Rand(seed, "space "+set.Name).Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:mostVectors]
		slices.Sort(chosen)
	}
	var list [][]float64
	var parts [2]struct {
		vectors [][]float64
		labels  []int
	}
	for _, i := range chosen {
		label, held := set.Bags[bags[i]].Label, slices.Contains(test, bags[i])
		list = append(list, vectors[i])
		s.Labels, s.Test = append(s.Labels, label), append(s.Test, held)
		p := &parts[0]
		if held {
			p = &parts[1]
		}
		p.vectors, p.labels = append(p.vectors, vectors[i]), append(p.labels, label)
	}
	var err error
	if s.TrainSilhouette, err = stats.Silhouette(parts[0].vectors, parts[0].labels); err != nil {
		return fmt.Errorf("training part: %w", err)
	}
	if s.TestSilhouette, err = stats.Silhouette(parts[1].vectors, parts[1].labels); err != nil {
		return fmt.Errorf("test part: %w", err)
	}
	s.Vectors, err = principal(list, mostDirection)
	return err
}

// principal returns the places of vectors along their first principal components, at most so many, in the order of the
// variance, to four significant digits. The largest place along a component, in absolute value, is positive.
func principal(vectors [][]float64, most int) ([][]float64, error) {
	n, features := len(vectors), len(vectors[0])
	mean := make([]float64, features)
	for _, v := range vectors {
		floats.AddScaled(mean, 1/float64(n), v)
	}
	centred := mat.NewDense(n, features, nil)
	for i, v := range vectors {
		floats.SubTo(centred.RawRowView(i), v, mean)
	}
	// Of the products of all pairs the eigenvectors times the square roots of the eigenvalues are the places.
	products := mat.NewSymDense(n, nil)
	products.SymOuterK(1, centred)
	var eigen mat.EigenSym
	if !eigen.Factorize(products, true) {
		return nil, errors.New("the principal components do not converge")
	}
	values := eigen.Values(nil) // they ascend
	var directions mat.Dense
	eigen.VectorsTo(&directions)
	places := make([][]float64, n)
	for k := n - 1; k >= max(0, n-min(most, features)); k-- {
		if k < n-1 && values[k] <= 1e-12*values[n-1] {
			break
		}
		along := mat.Col(nil, k, &directions)
		size := math.Sqrt(max(0, values[k]))
		if i := floats.MaxIdx(along); along[i] < -floats.Min(along) {
			size = -size
		}
		for i := range places {
			places[i] = append(places[i], digits(size*along[i], 4))
		}
	}
	return places, nil
}
