package training

import (
	"fmt"

	"synpool/synlayer/capsule"
)

// Settings are those of a training.
type Settings struct {
	Network      capsule.Network
	Train        int     // digits to train on; the others test
	Epochs       int     // passes over them
	Batch        int     // digits a step; what is left of an epoch is not used
	LearningRate float64 // of Adam, at the start; it falls to 0 along a cosine
	Seed         uint64  // of the split, the initial weights and the order of the digits
}

// Full returns the settings of a training that takes two cores some ten minutes on XLA: the paper's network with fewer
// types of capsules.
func Full() Settings {
	return Settings{Network: network(32, 8, 8), Train: 8000, Epochs: 12, Batch: 32, LearningRate: 0.01, Seed: 1}
}

// Quick returns the settings of a training that takes two cores a minute on XLA.
func Quick() Settings {
	return Settings{Network: network(16, 4, 4), Train: 8000, Epochs: 3, Batch: 32, LearningRate: 0.01, Seed: 1}
}

// network returns the paper's network with other numbers of channels, of types of primary capsules and of types of the
// capsules above. Two iterations of the routing learn much faster than the paper's three here, and with so few types
// costs are smaller, which the inverse temperature makes up for.
func network(channels, primary, types int) capsule.Network {
	routing := capsule.DefaultEMRouting()
	routing.Iterations, routing.Temperature.Final = 2, 0.1
	n := capsule.DefaultNetwork(10)
	n.Channels, n.Primary.Types, n.Class.Routing = channels, primary, routing
	for i := range n.Convolutional {
		n.Convolutional[i].Types, n.Convolutional[i].Routing = types, routing
	}
	return n
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
