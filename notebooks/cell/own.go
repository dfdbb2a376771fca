package cell

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/synlayer"
	"synpool/synlayer/syntest"
)

// Own returns a learner of your own, under a new name. It is a learner like any other, with the same small preset as ours: compare,
// train, explain, save, join it. what is a struct of hyperparameters, whose exported fields are fields of the setting
// ([Learner.With]), with one method:
//
//   - Pool of [synlayer.Pooling], for a network with this pooling. [Laws] tests it.
//   - Fit of [learner.Estimator], for a learner of whole bags.
//
// A learner is known by its name, its fields and its code: if you change one of them, nothing old is found. The code of a pooling
// is its graph. That of an estimator is what it predicts for a few small bags.
func Own(name string, what any) Learner {
	var err error
	switch what := what.(type) {
	case synlayer.Pooling:
		_, err = neural.Register(neural.Entry{Name: name, Default: what})
	case learner.Estimator:
		err = ownEstimator(name, what)
	default:
		err = fmt.Errorf("%s: a %T has neither the method Pool of a pooling nor Fit of a learner of bags", name, what)
	}
	Check(err)
	return Learner{name: name}
}

// ownEstimator registers a learner of whole bags.
func ownEstimator(name string, what learner.Estimator) error {
	values, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	in := reflect.TypeOf(what)
	if in.Kind() == reflect.Pointer {
		in = in.Elem()
	}
	entry := learner.Entry{Name: name, Summary: "a learner of your own", Default: func() learner.Estimator {
		fresh := reflect.New(in).Interface()
		_ = json.Unmarshal(values, fresh) // its own JSON
		return fresh.(learner.Estimator)
	}}
	if entry.Code, entry.Model, err = probe(entry.Default()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	_, err = learners.Register(entry)
	return err
}

// probe trains an estimator on a few small bags. It returns a checksum of its predictions for them, and what makes its models
// from JSON, or nil if a model that is read back predicts something else.
func probe(e learner.Estimator) (code string, model func() learner.Model, err error) {
	const bags, rows, features = 12, 4, 3
	random := rand.New(rand.NewPCG(1, 2))
	t := learner.Training{Kind: mil.BinaryTarget, Classes: 2, Seed: 1}
	for i := range bags {
		bag := &mil.Dense{Rows: rows, Cols: features}
		for range rows * features {
			bag.Values = append(bag.Values, float32(random.NormFloat64()+float64(i%2)))
		}
		t.Bags, t.Targets = append(t.Bags, bag), append(t.Targets, mil.Labelled(i%2))
	}
	fitted, err := e.Fit(context.Background(), t)
	if err != nil {
		return "", nil, fmt.Errorf("trained on %d bags of %d instances: %w", bags, rows, err)
	}
	predicted, err := predictedBy(fitted, t.Bags)
	if err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256(fmt.Append(nil, predicted))
	code = hex.EncodeToString(sum[:6])
	of := reflect.TypeOf(fitted)
	if of.Kind() != reflect.Pointer {
		return code, nil, nil
	}
	model = func() learner.Model { return reflect.New(of.Elem()).Interface().(learner.Model) }
	text, err := json.Marshal(fitted)
	again := model()
	if err != nil || json.Unmarshal(text, again) != nil {
		return code, nil, nil
	}
	if read, err := predictedBy(again, t.Bags); err != nil || !slices.Equal(read, predicted) {
		return code, nil, nil
	}
	return code, model, nil
}

// predictedBy returns the scores of bags, and of a sparse one of zeros, which models are also tried with when they are read.
func predictedBy(m learner.Model, bags []mil.Instances) (scores []float64, err error) {
	for i, bag := range append(slices.Clip(bags), &mil.Sparse{Rows: 1, Cols: bags[0].Features(), RowStart: []int{0, 0}}) {
		var p mil.Prediction
		if caught := exceptions.Try(func() { p, err = m.Predict(bag) }); caught != nil {
			err = fmt.Errorf("%v", caught)
		}
		if err != nil {
			return nil, fmt.Errorf("Predict of a %s bag: %w", map[bool]string{true: "dense", false: "sparse"}[i < len(bags)], err)
		}
		scores = append(scores, p.Scores...)
	}
	return scores, nil
}

// Laws tests the laws that every pooling must satisfy ([synpool/synlayer/syntest.Laws]) and returns a card: a pooling that
// looks at the order of the instances or at padding, or fails for an empty bag, is named with numbers.
func Laws(pooling synlayer.Pooling) Card {
	c := Card{title: fmt.Sprintf("laws of %T", pooling), rows: [][]string{{"law", "kept", "why not"}}}
	for _, law := range syntest.Check(gobackend.GetBackend(), pooling) {
		kept, why := "yes", ""
		if law.Broken != nil {
			kept, why = "no", law.Broken.Error()
		}
		c.rows = append(c.rows, []string{law.Name, kept, why})
	}
	return c
}
