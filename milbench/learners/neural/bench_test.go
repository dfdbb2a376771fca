package neural

import (
	"context"
	"encoding/json"
	"iter"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/backend"
	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// BenchmarkOrder trains 50 fits of each set (10 folds, 5 repeats), in the order of [epochOrder] and step by step in a
// plain shuffle. It reports the mean difference of the AUC of the test parts, fit by fit, and its standard error.
func BenchmarkOrder(b *testing.B) {
	for _, name := range []string{"elephant", "fox", "tiger", "musk1", "musk2"} { // the last one has bags of very different sizes
		b.Run(name, func(b *testing.B) { benchmarkOrder(b, name) })
	}
}

func benchmarkOrder(b *testing.B, name string) {
	stored, err := dataset.Open(name)
	if err != nil {
		b.Skip(err)
	}
	set := must(stored.Set(dataset.NoColumn))
	c := must(DefaultConfig("syn"))
	setting := must(json.Marshal(c))
	fits := must(cv.Honest().Fits(set, []json.RawMessage{setting}, 1))
	task := cv.Task{Name: set.Name, Fits: fits}
	for _, bag := range set.Bags {
		task.Bags = append(task.Bags, bag.Instances)
	}
	auc := func(fit cv.Fit, scores []mil.Prediction) float64 {
		var labels []int
		var values []float64
		for k, i := range fit.Test {
			labels, values = append(labels, set.Bags[i].Label), append(values, scores[k].Scores[0])
		}
		auc := must(stats.AUC(labels, values))
		return auc
	}
	choice := must(backend.New())
	defer choice.Backend.Finalize()
	cores := choice.Cores(runtime.GOMAXPROCS(0))
	for b.Loop() {
		ours, shuffled := make([]float64, len(fits)), make([]float64, len(fits))
		err := Trainer{Backend: choice.Backend, Workers: cores.Workers, Run: cores.Run}.Learn(context.Background(), task, func(o learner.Outcome) error {
			if o.Err == nil {
				ours[o.Fit] = auc(fits[o.Fit], o.Epochs[0].Test)
			}
			return o.Err
		})
		if err != nil {
			b.Fatal(err)
		}
		next := make(chan int, len(fits))
		for i := range fits {
			next <- i
		}
		close(next)
		err = cores.Run(func(backend compute.Backend) error {
			programs := newPrograms(backend)
			defer programs.finalize()
			for i := range next {
				f, initial, err := programs.prepare(c, task.Bags, fits[i].Train, fits[i].Seed, newMoments(task.Bags))
				if err != nil {
					return err
				}
				order := func(epoch int) iter.Seq[[]int] {
					return slices.Chunk(orderRand(fits[i].Seed, epoch).Perm(len(fits[i].Train)), c.Batch)
				}
				_, err = f.trainIn(order, (len(fits[i].Train)+c.Batch-1)/c.Batch, context.Background(), initial, fits[i].Train, fits[i].Seed, func(epoch int, _ float64, parameters *tensors.Tensor) error {
					if epoch < c.Epochs {
						return nil
					}
					scores, err := f.score(context.Background(), parameters, fits[i].Test, false)
					shuffled[i] = auc(fits[i], scores)
					return err
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		mean, square := 0.0, 0.0
		for i := range fits {
			d := ours[i] - shuffled[i]
			mean += d / float64(len(fits))
			square += d * d
		}
		n := float64(len(fits))
		b.ReportMetric(mean, "AUC-difference")
		b.ReportMetric(math.Sqrt((square/n-mean*mean)/(n-1)), "standard-error")
	}
}
