package paper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"synpool/milbench/cv"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/milbench/stats"
)

// Limits of a space.
const (
	mostVectors   = 1000 // a random sample if there are more
	mostDirection = 20
)

// KeepSpaces computes the spaces of a run's sets and appends them to the spaces file in the run's folder. There is one
// space of the instances, one of the bags' means, and one per setting of what a model pools. The model is trained by
// trainer on the first fold of the first repeat, exactly like the run's fit. Spaces that the file already has are
// skipped.
//
// The time taken is recorded as a [results.Time]. If before is not nil, it is called with each set and setting.
func KeepSpaces(ctx context.Context, r run.Run, trainer neural.Trainer, before func(set string, setting json.RawMessage)) (err error) {
	if err := r.Validate(); err != nil {
		return err
	}
	folder, err := results.Open(r.Dir) // this locks it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	file, err := results.OpenSpaces(r.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	start, made := time.Now(), 0
	defer func() {
		if made > 0 && !errors.Is(err, results.ErrDiskFull) {
			err = errors.Join(err, r.AppendTime(0, made, time.Since(start)))
		}
	}()
	keep := func(s results.Space, vectors func() (vectors [][]float64, bags []int, err error), set *mil.Set, test []int) error {
		if file.Has(s) {
			return nil
		}
		list, bags, err := vectors()
		if err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
		if err := fill(&s, list, bags, set, test, r.Seed); err != nil {
			return fmt.Errorf("%s: space of %s: %w", set.Name, s.Of, err)
		}
		if err := file.Append(s); err != nil {
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
		each := func(do func(bag int, vector []float64)) error { return eachVector(set.Instances(), first[0].Train, do) }
		raw := func() (vectors [][]float64, bags []int, err error) {
			chosen, at := drawn(set.NumInstances(), set.Name, r.Seed), 0
			err = each(func(bag int, vector []float64) {
				if len(chosen) > 0 && chosen[0] == at {
					vectors, bags, chosen = append(vectors, vector), append(bags, bag), chosen[1:]
				}
				at++
			})
			return vectors, bags, err
		}
		means := func() (vectors [][]float64, bags []int, err error) {
			for _, b := range set.Bags {
				vectors = append(vectors, make([]float64, b.Instances.Features()))
			}
			err = each(func(bag int, vector []float64) {
				floats.AddScaled(vectors[bag], 1/float64(set.Bags[bag].Instances.Len()), vector)
			})
			return vectors, countUp(len(vectors)), err
		}
		base := results.Space{Set: set.Name, Checksum: set.Checksum}
		base.Of = results.OfInstances
		if err := keep(base, raw, set, first[0].Test); err != nil {
			return err
		}
		base.Of = results.OfMeans
		if err := keep(base, means, set, first[0].Test); err != nil {
			return err
		}
		for _, fit := range first {
			base.Of = results.OfPooled
			if base.Config, err = cv.CanonicalSetting(fit.Setting); err != nil {
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

// eachVector calls do with every instance and its bag, standardised by the training part.
func eachVector(bags []mil.Instances, train []cv.Example, do func(bag int, vector []float64)) error {
	standard, err := neural.FitStandardisation(bags, train)
	if err != nil {
		return err
	}
	for i, b := range bags {
		if err := mil.EachRow(b, func(_ int, row []float32) { do(i, standard.Vector(row)) }); err != nil {
			return err
		}
	}
	return nil
}

// countUp returns the first n integers.
func countUp(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// pooled trains a model on the training part of a fit and returns its pooled features of every bag.
func pooled(ctx context.Context, trainer neural.Trainer, set *mil.Set, fit cv.Fit) ([][]float64, error) {
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

// drawn returns the indices of the vectors to keep in a space: all, or a random sample if there are too many.
func drawn(vectors int, set string, seed uint64) []int {
	chosen := countUp(vectors)
	if vectors > mostVectors {
		cv.Rand(seed, "space "+set).Shuffle(vectors, func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:mostVectors]
		slices.Sort(chosen)
	}
	return chosen
}

// fill fills the space with vectors. bags[i] is the bag of vectors[i], and test lists the bags of the test part.
func fill(s *results.Space, vectors [][]float64, bags []int, set *mil.Set, test []int, seed uint64) error {
	var list [][]float64
	var parts [2]struct {
		vectors [][]float64
		labels  []int
	}
	for _, i := range drawn(len(vectors), set.Name, seed) {
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

// principal returns the coordinates of vectors along their first principal components, at most most of them, in the
// order of the variance, to four significant digits. The coordinate with the largest absolute value of each component
// is positive.
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
	// The coordinates are the eigenvectors of the Gram matrix times the square roots of its eigenvalues.
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
			places[i] = append(places[i], results.Significant(size*along[i], 4))
		}
	}
	return places, nil
}
