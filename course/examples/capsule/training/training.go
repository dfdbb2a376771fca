// Package training trains matrix capsules on handwritten digits, for the program above it and for notebooks.
package training

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/metric"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/ml/train/optimizer/cosineschedule"

	"synpool/course/capsule"
	"synpool/internal/batched"
)

const (
	settingsKey = "settings"       // name of the checkpoint's parameter that holds the settings
	saveEvery   = 30 * time.Second // between checkpoints
)

// Train trains on digits and prints one line per epoch. If folder is not "", Train saves checkpoints there: twice a minute,
// at the end, and when ctx ends, which is an error. A training that finds its own checkpoints resumes from the latest and
// gives the same result as an uninterrupted one; checkpoints of other settings are an error.
func Train(ctx context.Context, backend compute.Backend, s Settings, digits Digits, folder string, out io.Writer) (*Classifier, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if digits.Len() != s.Train {
		return nil, fmt.Errorf("%d digits to train on, want %d", digits.Len(), s.Train)
	}
	store := model.NewStore()
	save, err := open(store, s, folder)
	if err != nil {
		return nil, err
	}
	trainer := s.trainer(backend, store)
	perEpoch := s.stepsPerEpoch()
	first, steps := int(trainer.GlobalStep()), s.Epochs*perEpoch
	if first > 0 && first < steps {
		fmt.Fprintf(out, "going on after step %d of %d\n", first, steps)
	}
	start, saved := time.Now(), time.Now()
	var loss, wrong float64
	var order []int
	for step := first; step < steps; step++ {
		epoch, at := step/perEpoch, step%perEpoch
		if order == nil || at == 0 {
			order = rand.New(rand.NewPCG(s.Seed, 1+uint64(epoch))).Perm(digits.Len())
			loss, wrong = 0, 0
		}
		batch := digits.at(order[at*s.Batch : (at+1)*s.Batch])
		values, err := trainStep(trainer, batch, capsule.SpreadMargin(float64(step)/float64(steps)))
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", step, err)
		}
		loss, wrong = loss+values[0], wrong+values[1]
		done := step + 1
		if at == perEpoch-1 {
			n := float64(min(perEpoch, done-first))
			left := time.Since(start) / time.Duration(done-first) * time.Duration(steps-done)
			fmt.Fprintf(out, "epoch %d of %d: loss %.4f, %.2f %% of the training digits wrong, %s, %s left\n",
				epoch+1, s.Epochs, loss/n, 100*wrong/n, time.Since(start).Round(time.Second), left.Round(time.Second))
		}
		if stopped := ctx.Err(); stopped != nil || done == steps || time.Since(saved) > saveEvery {
			if err := save(); err != nil {
				return nil, err
			}
			saved = time.Now()
			if stopped != nil {
				return nil, fmt.Errorf("stopped after step %d of %d: %w", done, steps, stopped)
			}
		}
	}
	return newClassifier(backend, store, s)
}

// open loads the latest checkpoint of folder into the store and returns a function that writes the next.
func open(store *model.Store, s Settings, folder string) (save func() error, err error) {
	if folder == "" {
		return func() error { return nil }, nil
	}
	asked, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	// GoMLX v0.28.2 leaves the file of compressed parameters open, and Windows does not remove an open file.
	handler, err := checkpoint.Build(store).Dir(folder).Keep(2).WithCompression(checkpoint.BinUncompressed).Done()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	if found, ok := store.GetParam(settingsKey); ok && found != string(asked) {
		return nil, fmt.Errorf("%s holds checkpoints of other settings; name another folder or remove it", folder)
	}
	store.SetParam(settingsKey, string(asked))
	return func() error {
		if err := handler.Save(); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
		return nil
	}, nil
}

// trainer returns the trainer that takes the steps.
func (s Settings) trainer(backend compute.Backend, store *model.Store) *train.Trainer {
	network := func(scope *model.Scope, inputs []*Node) []*Node {
		g := inputs[0].Graph()
		batched.Seed(g, s.Seed)
		cosineschedule.New(scope, g, dtypes.Float32).LearningRate(s.LearningRate).
			PeriodSteps(max(1, s.Epochs*s.stepsPerEpoch())).Done()
		activations, _ := s.Network.Classify(scope.In("capsules"), inputs[0])
		return []*Node{activations}
	}
	loss := func(labels, predictions []*Node) *Node {
		return capsule.SpreadLoss(predictions[0], labels[0], labels[1])
	}
	wrong := metric.NewBaseMetric("Wrong", "wrong", metric.AccuracyMetricType, func(_ *model.Scope, labels, predictions []*Node) *Node {
		right := Equal(ArgMax(predictions[0], -1, dtypes.Int32), labels[0])
		return OneMinus(ReduceAllMean(ConvertDType(right, dtypes.Float32)))
	}, nil)
	return train.NewTrainer(backend, store, network, loss, optimizer.Adam().LearningRate(s.LearningRate).Done(),
		[]metric.Interface{wrong}, nil)
}

// trainStep returns the loss and the share of wrong digits.
func trainStep(trainer *train.Trainer, batch Digits, margin float64) (values [2]float64, err error) {
	labels := make([]int32, batch.Len())
	for i, v := range batch.Labels {
		labels[i] = int32(v)
	}
	metrics, err := trainer.TrainStep(train.Batch{
		Inputs: []*tensors.Tensor{batch.images()},
		Labels: []*tensors.Tensor{tensors.FromValue(labels), tensors.FromScalar(float32(margin))},
	})
	if err != nil {
		return values, err
	}
	for i, k := range []int{0, 2} { // 1 is GoMLX's moving average of the loss
		values[i] = float64(tensors.ToScalar[float32](metrics[k]))
	}
	for _, m := range metrics {
		if err := m.FinalizeAll(); err != nil {
			return values, err
		}
	}
	if math.IsNaN(values[0]) || math.IsInf(values[0], 0) {
		return values, fmt.Errorf("the loss is %g", values[0])
	}
	return values, nil
}
