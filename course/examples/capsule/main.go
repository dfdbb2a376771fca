// Command capsule trains matrix capsules on 8,000 of the 10,000 test images of MNIST, and tests them on the other 2,000. It
// prints the test error after the last epoch, and how far the classes change when the test images turn. Do not choose
// settings by these: with -validate, 1,000 of the 8,000 training images are held out and take the place of the 2,000 test
// images, which stay unseen. An interrupted training resumes when you run the same command again.
//
//	go run ./course/examples/capsule -quick
//	go run ./course/examples/capsule -quick -validate -iterations 3
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"synpool/backend"
	"synpool/course/examples/capsule/training"
	"synpool/course/examples/command"
)

func main() { command.Main("capsule", run) }

func run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := command.New("capsule", "a smaller network for a minute")
	validate := flags.Bool("validate", false, "train on 7,000 of the 8,000 digits and print the error of the others")
	iterations := flags.Int("iterations", 0, "of the routing, 0 for the setting's own")
	types := flags.Count("types", 0, 0, "of capsules in every layer below the classes, 0 for the setting's own")
	final := flags.Float64("final", 0, "inverse temperature that the routing's rises to, 0 for the setting's own")
	epsilon := flags.Float64("epsilon", 0, "what the routing adds to the variances of votes, 0 for the setting's own")
	if err := flags.Parse(arguments, out); err != nil {
		return err
	}
	switch {
	case *iterations < 0:
		return fmt.Errorf("-iterations %d; give 0 for the setting's own, or more", *iterations)
	case !(*final >= 0) || math.IsInf(*final, 0):
		return fmt.Errorf("-final %g; give 0 for the setting's own, or a number above 0", *final)
	case !(*epsilon >= 0) || math.IsInf(*epsilon, 0):
		return fmt.Errorf("-epsilon %g; give 0 for the setting's own, or a number above 0", *epsilon)
	}
	settings := command.Choose(flags, training.Full, training.Quick)
	flags.Apply(&settings.Seed, &settings.Epochs)
	routing := settings.Network.Class.Routing
	if *iterations > 0 {
		routing.Iterations = *iterations
	}
	if *final > 0 {
		routing.Temperature.Final = *final
	}
	if *epsilon > 0 {
		routing.Epsilon = *epsilon
	}
	settings = settings.WithRouting(routing)
	if *types > 0 {
		settings = settings.WithTypes(*types)
	}

	folder := flags.Checkpoints
	if folder != "" {
		var err error
		if folder, err = filepath.Abs(folder); err != nil {
			return err
		}
	}
	digits, err := training.MNIST()
	if err != nil {
		return err
	}
	train, others, err := digits.Split(settings.Train)
	part := "test"
	if err == nil && *validate {
		settings.Train -= training.Validation
		train, others, err = train.Split(settings.Train)
		part = "validation"
	}
	if err != nil {
		return err
	}
	choice, err := backend.New()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, choice)
	start := time.Now()
	classifier, err := training.Train(ctx, choice.Backend, settings, train, folder, out)
	if err != nil {
		return err
	}
	wrong, err := classifier.Error(others)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s error %.2f %% of %d digits, %s\n", part, 100*wrong, others.Len(), time.Since(start).Round(time.Second))
	degrees := []float64{-30, -20, -10, 10, 20, 30}
	turned, err := classifier.Turn(others, degrees...)
	if err != nil {
		return err
	}
	for i, one := range turned {
		fmt.Fprintf(out, "turned by %+.0f°: %.2f %% wrong; activation changes %.2f and pose %.2f times as much as between digits of a class\n",
			degrees[i], 100*one.Wrong, one.Activation, one.Pose)
	}
	return nil
}
