package training_test

import (
	"context"
	"fmt"
	"io"
	"log"

	"github.com/gomlx/compute/gobackend"

	"synpool/course/examples/capsule/training"
	"synpool/course/examples/fit/fittest"
)

// Two digits, black and white all over, are told apart by a small network.
func ExampleTrain() {
	var digits training.Digits
	for i := range 20 {
		for range 28 * 28 {
			digits.Images = append(digits.Images, byte(255*(i%2)))
		}
		digits.Labels = append(digits.Labels, byte(i%2))
	}
	train, test, err := digits.Split(16)
	if err != nil {
		log.Fatal(err)
	}
	settings := training.Quick()
	settings.Network.Channels, settings.Network.Kernel, settings.Network.Stride = 2, 8, 4
	settings.Network.Convolutional = settings.Network.Convolutional[:1]
	settings.Network.Convolutional[0].Types = 2
	settings.Train, settings.Batch, settings.Epochs = 16, 4, 15
	classifier := fittest.Must(training.Train(context.Background(), gobackend.GetBackend(), settings, train, "", io.Discard))
	wrong := fittest.Must(classifier.Error(test))
	fmt.Printf("%.0f %% of %d wrong\n", 100*wrong, test.Len())
	assignments := fittest.Must(classifier.Assignments(test))
	for _, r := range assignments {
		fmt.Println("assignments", r.Shape())
	}
	// Output:
	// 0 % of 4 wrong
	// assignments (Float32)[4, 2, 2, 2, 3, 3, 4]
	// assignments (Float32)[4, 1, 1, 10, 2, 2, 2]
}
