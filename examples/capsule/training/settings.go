package training

import (
	"fmt"
	"slices"

	"synpool/synlayer/capsule"
)

// Settings are those of a training.
type Settings struct {
	Network      capsule.Network
	Train        int     // digits to train on
	Epochs       int     // passes over them
	Batch        int     // digits a step; what is left of an epoch is not used
	LearningRate float64 // of Adam, at the start; it falls to 0 along a cosine
	Seed         uint64  // of the initial weights and the order of the digits
}

// Validation is how many of the digits to train on are held out to choose settings by.
const Validation = 1000

// Full returns the settings of a training that takes two cores some ten minutes on XLA: the paper's network with fewer
// types of capsules.
func Full() Settings { return settings(32, 8, 12) }

// Quick returns the settings of a training that takes two cores a minute on XLA.
func Quick() Settings { return settings(16, 4, 3) }

// settings returns those of the paper's network with other numbers of channels and of types in each layer of capsules. Two
// iterations of the routing, in place of three, a Final inverse temperature of 0.1, in place of 0.01, and Epsilon are for
// the validation part to choose: the program above tries others on it, with -validate and the flags of those names.
func settings(channels, types, epochs int) Settings {
	n := capsule.DefaultNetwork(10)
	n.Channels, n.Primary.Types = channels, types
	for i := range n.Convolutional {
		n.Convolutional[i].Types = types
	}
	routing := capsule.DefaultEMRouting()
	routing.Iterations, routing.Temperature.Final = 2, 0.1
	return Settings{Network: n, Train: 8000, Epochs: epochs, Batch: 32, LearningRate: 0.01, Seed: 1}.WithRouting(routing)
}

// WithRouting returns the settings with that of every layer.
func (s Settings) WithRouting(r capsule.EMRouting) Settings {
	s.Network.Convolutional = slices.Clone(s.Network.Convolutional)
	for i := range s.Network.Convolutional {
		s.Network.Convolutional[i].Routing = r
	}
	s.Network.Class.Routing = r
	return s
}

// check says what of the settings cannot be.
func (s Settings) check() error {
	switch {
	case s.Network.Class.Classes != 10:
		return fmt.Errorf("a network of %d classes; digits have 10", s.Network.Class.Classes)
	case s.Epochs < 0:
		return fmt.Errorf("%d epochs; give 0 or more", s.Epochs)
	case s.Batch < 1 || s.Batch > s.Train:
		return fmt.Errorf("%d digits a step of %d to train on; give 1 to as many", s.Batch, s.Train)
	case !(s.LearningRate > 0):
		return fmt.Errorf("learning rate %g; give a number above 0", s.LearningRate)
	}
	return nil
}

// stepsPerEpoch returns the number of steps of a pass over the digits to train on.
func (s Settings) stepsPerEpoch() int { return s.Train / s.Batch }
