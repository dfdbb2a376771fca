package neural_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// mushrooms returns baskets of one to four mushrooms, described by cap width and stem height in cm. Edible ones are
// narrow and tall. A basket with a poisonous one, wide and short, is positive.
func mushrooms(baskets int) *mil.Set {
	rng := rand.New(rand.NewPCG(1, 2))
	set := &mil.Set{Name: "mushrooms", Checksum: fmt.Sprint("mushrooms", baskets), Features: []string{"cap", "stem"}}
	for i := range baskets {
		m := &mil.Dense{Rows: 1 + rng.IntN(4), Cols: 2}
		for range m.Rows {
			m.Values = append(m.Values, float32(3+rng.NormFloat64()/2), float32(8+rng.NormFloat64()/2))
		}
		if i%2 == 1 {
			copy(m.Values[2*rng.IntN(m.Rows):], []float32{float32(9 + rng.NormFloat64()/2), float32(2 + rng.NormFloat64()/2)})
		}
		set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint("basket", i), Target: mil.Labelled(i % 2), Instances: m})
	}
	return set
}

// small returns the default setting of a pooling with a network that trains quickly.
func small(pooling string) neural.Config {
	c, err := neural.DefaultConfig(pooling)
	if err != nil {
		log.Fatal(err)
	}
	c.Embed, c.Heads, c.Width, c.Dropout, c.Epochs, c.LR = 8, 2, 16, 0, 20, 0.01
	return c
}

// train returns a model with attention pooling for baskets.
func train() *neural.Model {
	trainer := neural.Trainer{Backend: gobackend.GetBackend()}
	model, err := trainer.Train(context.Background(), small("attention"), mushrooms(40), 1, nil)
	if err != nil {
		log.Fatal(err)
	}
	return model
}

func ExampleTrainer_Train() {
	config := small("syn")
	config.Iterations = -3 // distraction
	var first, last float64
	trainer := neural.Trainer{Backend: gobackend.GetBackend()}
	model, err := trainer.Train(context.Background(), config, mushrooms(40), 1, func(epoch int, loss float64) {
		if epoch == 1 {
			first = loss
		}
		last = loss
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the loss fell:", last < first)

	baskets := []mil.Instances{
		&mil.Dense{Rows: 2, Cols: 2, Values: []float32{2.2, 7.1, 2.8, 7.9}},
		&mil.Dense{Rows: 4, Cols: 2, Values: []float32{2.2, 7.1, 2.8, 7.9, 8.6, 2.4, 2.4, 7.3}},
	}
	predictions, err := model.Predict(context.Background(), baskets, false)
	if err != nil {
		log.Fatal(err)
	}
	for i, p := range predictions {
		fmt.Printf("basket %d: poisonous %v, %d heads weigh %d mushrooms\n", i, p.Probability() > 0.5, len(p.Weights), len(p.Weights[0]))
	}
	// Output:
	// the loss fell: true
	// basket 0: poisonous false, 2 heads weigh 2 mushrooms
	// basket 1: poisonous true, 2 heads weigh 4 mushrooms
}

func ExampleModel_Predict() {
	basket := &mil.Dense{Rows: 3, Cols: 2, Values: []float32{2.2, 7.1, 8.6, 2.4, 2.4, 7.3}}
	predictions, err := train().Predict(context.Background(), []mil.Instances{basket}, false)
	if err != nil {
		log.Fatal(err)
	}
	p := predictions[0]
	winner := p.Winners[0] // of the only head
	fmt.Printf("poisonous %v, because of mushroom %d, whose weight is above 0.9: %v\n", p.Probability() > 0.5, winner, p.Weights[0][winner] > 0.9)
	// Output: poisonous true, because of mushroom 1, whose weight is above 0.9: true
}

func ExamplePrediction_Shares() {
	p := mil.Prediction{Weights: [][]float64{{0.5, 0.5, 0}, {1, 0.5, 0.5}}} // two heads, the second after Syn steps
	fmt.Printf("%.3f\n", p.Shares())
	// Output: [0.500 0.333 0.167]
}

func ExampleModel_Save() {
	parent, err := os.MkdirTemp("", "models")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "mushrooms")

	model := train()
	if err := model.Save(dir); err != nil {
		fmt.Println(err)
		return
	}
	loaded, err := neural.Load(gobackend.GetBackend(), dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(loaded.Config().Pooling, loaded.Card().Set, loaded.Card().Features)

	basket := mushrooms(40).Bags[1].Instances
	before, err1 := model.Predict(context.Background(), []mil.Instances{basket}, false)
	after, err2 := loaded.Predict(context.Background(), []mil.Instances{basket}, false)
	fmt.Println("bit-identical:", reflect.DeepEqual(before, after), err1, err2)
	// Output:
	// attention mushrooms [cap stem]
	// bit-identical: true <nil> <nil>
}

func ExampleLoad() {
	empty, err := os.MkdirTemp("", "models")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(empty)
	_, err = neural.Load(gobackend.GetBackend(), empty)
	fmt.Println(errors.Is(err, modeldir.ErrNoModel))
	// Output: true
}

func ExampleGrid_Configs() {
	grid := neural.Grid{
		"pooling":    {"mean", "softmax", "syn"},
		"iterations": {-3, 3}, // only for syn, so mean and softmax occur once per learning rate
		"lr":         {0.001, 0.01},
	}
	configs, err := grid.Configs()
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range configs {
		fmt.Println(c.Pooling, c.Iterations, c.LR)
	}

	grid["pooling"] = neural.Values("sofmax")
	_, err = grid.Configs()
	fmt.Println(err)
	// Output:
	// mean 0 0.001
	// mean 0 0.01
	// softmax 0 0.001
	// softmax 0 0.01
	// syn -3 0.001
	// syn -3 0.01
	// syn 3 0.001
	// syn 3 0.01
	// pooling "sofmax": there is no such pooling; did you mean "softmax"?
}

func ExampleTrainer_Learn() {
	poolings := []string{"attention", "max"}
	var settings []json.RawMessage
	for _, pooling := range poolings {
		setting, err := json.Marshal(small(pooling))
		if err != nil {
			log.Fatal(err)
		}
		settings = append(settings, setting)
	}
	set := mushrooms(40)
	fits, err := cv.Protocol{Name: cv.HonestProtocol, Folds: 2, Repeats: 1}.Fits(set, settings, 1)
	if err != nil {
		log.Fatal(err)
	}
	task := cv.Task{Name: set.Name, Fits: fits}
	for _, b := range set.Bags {
		task.Bags = append(task.Bags, b.Instances) // the features alone; the labels to train on are in the fits
	}

	right := make([]int, len(fits)) // outcomes come in any order
	trainer := neural.Trainer{Backend: gobackend.GetBackend(), Workers: 2}
	err = trainer.Learn(context.Background(), task, func(o learner.Outcome) error {
		if o.Err != nil {
			return o.Err // or nil, to let the other fits go on
		}
		last := o.Epochs[len(o.Epochs)-1]
		for i, bag := range fits[o.Fit].Test {
			if last.Test[i].Scores[0] > 0 == (set.Bags[bag].Label == 1) {
				right[o.Fit]++
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	for i, fit := range fits {
		fmt.Printf("fold %d, %s: %d of %d test bags right\n", fit.Fold, poolings[i%len(poolings)], right[i], len(fit.Test))
	}
	// Output:
	// fold 0, attention: 20 of 20 test bags right
	// fold 0, max: 20 of 20 test bags right
	// fold 1, attention: 20 of 20 test bags right
	// fold 1, max: 20 of 20 test bags right
}

func ExampleDefaultConfig() {
	config, err := neural.DefaultConfig("gated")
	if err != nil {
		log.Fatal(err)
	}
	config.Dropout = 0 // an ablation overwrites one field
	fmt.Println(config.Embed, config.Layers, config.Width, config.Dropout, config.Epochs, config.Batch)

	_, err = neural.DefaultConfig("hopfeld")
	fmt.Println(err)
	// Output:
	// 128 1 256 0 50 1
	// pooling "hopfeld": there is no such pooling; did you mean "hopfield"?
}

func ExamplePresetConfig() {
	for _, preset := range append(neural.Presets, "papper") {
		config, err := neural.PresetConfig(preset, "syn")
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%-8s  γ %v, layer norm %t, width %d\n", preset, config.Gamma, config.Norm, config.Width)
	}
	// Output:
	// small     γ 0.5, layer norm false, width 64
	// large     γ 0.5, layer norm false, width 64
	// paper     γ 1, layer norm false, width 256
	// released  γ 0.5, layer norm true, width 256
	// preset "papper": there is no such preset; did you mean "paper"?
}

func ExampleConfig_Validate() {
	config := small("syn")
	config.Gamma = 1.5
	fmt.Println(config.Validate())
	// Output: gamma 1.5: more than 0 and at most 1 is needed
}

// halfway is a user's own pooling: the mean of mean and maximum.
type halfway struct{}

func (halfway) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *graph.Node) {
	mean, weights := synlayer.MeanPooling{}.Pool(scope, bags)
	most, _ := synlayer.MaxPooling{}.Pool(scope, bags)
	return graph.MulScalar(graph.Add(mean, most), 0.5), weights
}

func ExampleRegister() {
	remove, err := neural.Register(neural.Entry{Name: "halfway", Default: halfway{}})
	if err != nil {
		log.Fatal(err)
	}
	defer remove() // a program keeps it
	config, err := neural.DefaultConfig("halfway")
	if err != nil {
		log.Fatal(err)
	}
	config.Width, config.Epochs, config.LR, config.Dropout = 8, 30, 0.01, 0
	setting, err := json.Marshal(config) // what a fit of a task carries
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(string(setting), `"pooling":"halfway"`))

	trainer := neural.Trainer{Backend: gobackend.GetBackend()}
	trained, err := trainer.Train(context.Background(), config, mushrooms(40), 1, nil)
	if err != nil {
		log.Fatal(err)
	}
	basket := &mil.Dense{Rows: 2, Cols: 2, Values: []float32{2.2, 7.1, 8.6, 2.4}}
	predictions, err := trained.Predict(context.Background(), []mil.Instances{basket}, false)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("poisonous:", predictions[0].Probability() > 0.5)
	// Output:
	// true
	// poisonous: true
}
