package training

import (
	"fmt"
	"slices"

	"synpool/course/capsule"
)

// Settings are the settings of a training.
type Settings struct {
	Network      capsule.Network
	Train        int     // number of training digits
	Epochs       int     // passes over the training digits
	Batch        int     // digits per step; a smaller rest of an epoch is not used
	LearningRate float64 // initial learning rate of Adam; it falls to 0 along a cosine
	Seed         uint64  // seed of the initial weights and the order of the digits
}

// Validation is the number of training digits that are held out for choosing settings.
const Validation = 1000

// Full returns the settings of a training that takes about ten minutes on two cores with XLA: the paper's network with fewer
// types of capsules.
func Full() Settings { return settings(32, 8, 12) }

// Quick returns the settings of a training that takes about a minute on two cores with XLA.
func Quick() Settings { return settings(16, 4, 3) }

// settings returns the settings of the paper's network with different numbers of channels and of types in each capsule
// layer. Two routing iterations (instead of three), a Final inverse temperature of 0.1 (instead of 0.01) and Epsilon were
// chosen on the validation part; the program above tries others there, with -validate and the flags of those names.
func settings(channels, types, epochs int) Settings {
	n := capsule.DefaultNetwork(10)
	n.Channels = channels
	routing := capsule.DefaultEMRouting()
	routing.Iterations, routing.Temperature.Final = 2, 0.1
	return Settings{Network: n, Train: 8000, Epochs: epochs, Batch: 32, LearningRate: 0.01, Seed: 1}.WithRouting(routing).WithTypes(types)
}

// WithTypes returns the settings with the given number of types in every layer below the classes.
func (s Settings) WithTypes(types int) Settings {
	s.Network.Primary.Types = types
	s.Network.Convolutional = slices.Clone(s.Network.Convolutional)
	for i := range s.Network.Convolutional {
		s.Network.Convolutional[i].Types = types
	}
	return s
}

// WithRouting returns the settings with the given routing in every layer.
func (s Settings) WithRouting(r capsule.EMRouting) Settings {
	s.Network.Convolutional = slices.Clone(s.Network.Convolutional)
	for i := range s.Network.Convolutional {
		s.Network.Convolutional[i].Routing = r
	}
	s.Network.Class.Routing = r
	return s
}

// check reports the first invalid setting.
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

// stepsPerEpoch returns the number of steps of a pass over the training digits.
func (s Settings) stepsPerEpoch() int { return s.Train / s.Batch }
