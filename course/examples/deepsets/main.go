// Command deepsets trains deep sets (Zaheer et al. 2017) to rank outliers. Each set has 3 to 20 points near two places,
// which are drawn for each set; one of several candidates belongs to a different set. For sum, mean and attention pooling,
// the latter with and without Syn steps, it prints the share of sets whose outlier is ranked first, as mean and standard
// deviation over several seeds of the sets and the initial weights. The seeds are the same for all poolings.
//
//	go run ./course/examples/deepsets -quick
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"gonum.org/v1/gonum/stat"

	"synpool/backend"
	"synpool/course/examples/command"
	"synpool/course/examples/deepsets/training"
	"synpool/course/sequence"
	"synpool/synlayer"
)

func main() { command.Main("deepsets", run) }

func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := command.New("deepsets", "fewer sets")
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
	choice, err := backend.New()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, choice)
	poolings, names := compared()
	right, distance := make([][]float64, len(poolings)), make([]float64, *repeats)
	took := make([]time.Duration, len(poolings))
	for i := range *repeats {
		data, err := settings.Prepare()
		if err != nil {
			return err
		}
		distance[i] = training.ByDistance(data.Test)
		for p, pooling := range poolings {
			settings.Pooling, settings.Checkpoint = pooling, flags.Checkpoint(names[p], settings.Seed)
			network, err := settings.Train(ctx, choice.Backend, data, fmt.Sprintf("%s, seed %d", names[p], settings.Seed), os.Stderr)
			if err != nil {
				return err
			}
			share, err := network.Evaluate(data.Test)
			if err != nil {
				return err
			}
			right[p], took[p] = append(right[p], share), took[p]+network.Took
		}
		settings.Seed++
	}
	fmt.Fprintf(out, "outliers ranked first, %% of the sets; chance %.1f, distance from the mean %.1f\n", 100/float64(settings.Candidates), 100*stat.Mean(distance, nil))
	for p, shares := range right {
		mean, deviation := stat.MeanStdDev(shares, nil)
		fmt.Fprintf(out, "%-40s %5.1f", names[p], 100*mean)
		if *repeats > 1 {
			fmt.Fprintf(out, " ± %.1f over %d seeds", 100*deviation, *repeats)
		}
		fmt.Fprintf(out, ", %s\n", took[p].Round(100*time.Millisecond))
	}
	return nil
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
