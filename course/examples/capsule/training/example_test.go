package training_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"slices"

	"github.com/gomlx/compute/gobackend"
	"gonum.org/v1/gonum/floats"

	"synpool/course/capsule"
	"synpool/course/examples/capsule/training"
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
	classifier, err := training.Train(context.Background(), gobackend.GetBackend(), settings, train, "", io.Discard)
	if err != nil {
		log.Fatal(err)
	}
	wrong, err := classifier.Error(test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f %% of %d wrong\n", 100*wrong, test.Len())
	assignments, err := classifier.Assignments(test)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range assignments {
		fmt.Println("assignments", r.Shape())
	}
	// Output:
	// 0 % of 4 wrong
	// assignments (Float32)[4, 2, 2, 2, 3, 3, 4]
	// assignments (Float32)[4, 1, 1, 10, 2, 2, 2]
}

// taught returns a small network that was taught to tell black digits from white ones, and one of each.
func taught() (*training.Classifier, training.Digits) {
	var digits training.Digits
	for i := range 20 {
		for range 28 * 28 {
			digits.Images = append(digits.Images, byte(255*(i%2)))
		}
		digits.Labels = append(digits.Labels, byte(i%2))
	}
	settings := training.Quick()
	settings.Network.Channels, settings.Network.Kernel, settings.Network.Stride = 2, 8, 4
	settings.Network.Convolutional = settings.Network.Convolutional[:1]
	settings.Network.Convolutional[0].Types = 2
	settings.Train, settings.Batch, settings.Epochs = 20, 4, 2
	classifier, err := training.Train(context.Background(), gobackend.GetBackend(), settings, digits, "", io.Discard)
	if err != nil {
		log.Fatal(err)
	}
	return classifier, training.Digits{Images: digits.Images[:2*28*28], Labels: digits.Labels[:2]}
}

// With one iteration of the routing every child is assigned to all ten classes alike.
func ExampleClassifier_WithRouting() {
	classifier, digits := taught()
	routing := training.Quick().Network.Class.Routing
	routing.Iterations = 1
	once, err := classifier.WithRouting(routing)
	if err != nil {
		log.Fatal(err)
	}
	assignments, err := once.Assignments(digits)
	if err != nil {
		log.Fatal(err)
	}
	toClasses := assignments[1].Value().([][][][][][][]float32)[0][0][0] // of the first digit, [classes, rows, columns, types]
	fmt.Printf("%.2f %.2f\n", toClasses[3][0][0][0], toClasses[7][1][1][1])
	// Output: 0.10 0.10
}

// What the children of the class capsules are assigned to, and what attention makes of the same children.
func ExampleClassifier_Compare() {
	classifier, digits := taught()
	assignments, attention, err := classifier.Compare(digits)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d digits, %d classes and as many heads, %d children\n", len(assignments), len(assignments[0]), len(assignments[0][0]))
	fmt.Printf("all heads together: %.0f\n", floats.Sum(slices.Concat(slices.Concat(attention[0]...)...)))
	// Output:
	// 2 digits, 10 classes and as many heads, 8 children
	// all heads together: 80
}

// The paper's schedule of the routing, with fewer types of capsules.
func ExampleSettings_WithRouting() {
	settings := training.Full().WithRouting(capsule.DefaultEMRouting())
	for _, layer := range settings.Network.Convolutional {
		fmt.Println(layer.Types, "types,", layer.Routing.Iterations, "iterations")
	}
	// Output:
	// 8 types, 3 iterations
	// 8 types, 3 iterations
}
