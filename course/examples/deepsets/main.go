// Command deepsets trains deep sets (Zaheer et al. 2017) to rank outliers. Each set has 3 to 20 points near two places,
// which are drawn for each set; one of several candidates belongs to a different set. For sum, mean and attention pooling,
// the latter with and without Syn steps, it prints the share of sets whose outlier is ranked first, as mean and standard
// deviation over several seeds of the sets and the initial weights. The seeds are the same for all poolings.
//
// With -task statistic, networks estimate a statistic of a population from a sample of 20 to 100 points: the mutual
// information of two normal coordinates. For sum and mean pooling it prints the root mean square error on samples of other
// populations, beside the errors of the mean of all and of the plug-in estimate, which inserts the sample's correlation.
//
//	go run ./course/examples/deepsets -quick
//	go run ./course/examples/deepsets -quick -task statistic
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/stat"

	"synpool/backend"
	"synpool/course/examples/command"
	"synpool/course/examples/deepsets/training"
	"synpool/course/examples/fit"
	"synpool/course/sequence"
	"synpool/synlayer"
)

func main() { command.Main("deepsets", run) }

func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := command.New("deepsets", "fewer sets")
	task := flags.String("task", "outliers", "what the networks learn: outliers or statistic")
	sets := flags.Count("sets", 0, 0, "sets to train on, a tenth as many to test; 0 for the setting's own")
	repeats := flags.Count("repeats", 1, 3, "seeds, from the one given, to repeat everything with")
	if err := flags.Parse(arguments, out); err != nil {
		return err
	}
	settings := command.Choose(flags, training.Full, training.Quick)
	if *sets > 0 {
		settings.Sets = *sets
	}
	flags.Apply(&settings.Seed, &settings.Epochs)
	poolings, names := compared()
	prepare := outliers
	switch *task {
	case "outliers":
	case "statistic":
		settings, prepare = settings.OfSamples(), statistic
		poolings, names = poolings[:2], []string{"sum, statistic", "mean, statistic"}
	default:
		return fmt.Errorf("-task %s; give outliers or statistic", *task)
	}
	choice, err := backend.New()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, choice)
	figures, took := make([][]float64, len(poolings)), make([]time.Duration, len(poolings))
	simple, other := make([]float64, *repeats), make([]float64, *repeats)
	var p prepared
	for i := range *repeats {
		if p, err = prepare(settings); err != nil {
			return err
		}
		simple[i], other[i] = p.simple, p.other
		for k, pooling := range poolings {
			settings.Pooling, settings.Checkpoint = pooling, flags.Checkpoint(names[k], settings.Seed)
			figure, kept, err := p.train(ctx, choice.Backend, settings, fmt.Sprintf("%s, seed %d", names[k], settings.Seed))
			if err != nil {
				return err
			}
			figures[k], took[k] = append(figures[k], p.times*figure), took[k]+kept.Took
		}
		settings.Seed++
	}
	fmt.Fprintf(out, p.title+"\n", p.times*stat.Mean(simple, nil), p.times*stat.Mean(other, nil))
	for k, figures := range figures {
		mean, deviation := stat.MeanStdDev(figures, nil)
		fmt.Fprintf(out, "%-40s %5.1f", names[k], mean)
		if *repeats > 1 {
			fmt.Fprintf(out, " ± %.1f over %d seeds", deviation, *repeats)
		}
		fmt.Fprintf(out, ", %s\n", took[k].Round(100*time.Millisecond))
	}
	return nil
}

// prepared is the data of a task, with what a figure is printed with.
type prepared struct {
	title         string  // of two figures
	times         float64 // as which figures are printed
	simple, other float64 // figures without a network
	train         func(ctx context.Context, backend compute.Backend, s training.Settings, name string) (float64, fit.Kept, error)
}

// outliers prepares the ranking of outliers.
func outliers(s training.Settings) (prepared, error) {
	data, err := s.Prepare()
	if err != nil {
		return prepared{}, err
	}
	return prepared{
		"outliers ranked first, %% of the sets; chance %.1f, distance from the mean %.1f", 100,
		1 / float64(s.Candidates), training.ByDistance(data.Test),
		func(ctx context.Context, backend compute.Backend, s training.Settings, name string) (float64, fit.Kept, error) {
			network, err := s.Train(ctx, backend, data, name, os.Stderr)
			if err != nil {
				return 0, fit.Kept{}, err
			}
			share, err := network.Evaluate(data.Test)
			return share, network.Kept, err
		},
	}, nil
}

// statistic prepares the estimation of the mutual information.
func statistic(s training.Settings) (prepared, error) {
	data, err := s.Samples()
	if err != nil {
		return prepared{}, err
	}
	return prepared{
		"mutual information missed by, thousandths of a nat; the mean of all %.1f, plug-in %.1f", 1000,
		training.Missed(data.Test, data.Constant()), training.Missed(data.Test, training.PlugIn(data.Test)),
		func(ctx context.Context, backend compute.Backend, s training.Settings, name string) (float64, fit.Kept, error) {
			network, err := s.TrainEstimator(ctx, backend, data, name, os.Stderr)
			if err != nil {
				return 0, fit.Kept{}, err
			}
			estimates, err := network.Estimate(data.Test)
			return training.Missed(data.Test, estimates), network.Kept, err
		},
	}, nil
}

// compared returns the poolings and their names. Syn steps in both directions use the same settings.
func compared() (poolings []synlayer.Pooling, names []string) {
	poolings = []synlayer.Pooling{synlayer.SumPooling{}, synlayer.MeanPooling{}, sequence.WordAttention{Width: 32}}
	names = []string{"sum", "mean", "attention"}
	for _, renormalise := range []bool{false, true} {
		for _, steps := range []int{3, -3} {
			name := fmt.Sprintf("attention, %+d Syn steps", steps)
			if renormalise {
				name += ", renormalised"
			}
			poolings = append(poolings, sequence.WordAttention{Width: 32, Adjust: sequence.Adjustment{Iterations: steps, Gamma: 0.5, Renormalise: renormalise}})
			names = append(names, name)
		}
	}
	return poolings, names
}
