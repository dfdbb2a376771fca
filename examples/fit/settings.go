package fit

import (
	"fmt"
	"math"
)

// Settings are those that every training has.
type Settings struct {
	Rate   float64 // learning rate of Adam
	Clip   float64 // largest L2 norm of all gradients together; 0 for no bound
	Batch  int     // examples a step
	Epochs int     // passes over the examples
	Seed   uint64  // of the initial weights, the dropout and the order of the examples, 1 or more
	// Checkpoint is a file that holds the training after each epoch, and that it goes on from if it is there; none if "".
	Checkpoint string `json:"-"`
}

// mostRows bounds a batch: more is a slip of the pen.
const mostRows = 1 << 16

// Check says which of the settings cannot be.
func (s Settings) Check() error {
	switch {
	case !(s.Rate > 0) || math.IsInf(s.Rate, 0):
		return fmt.Errorf("learning rate %g; give a number above 0", s.Rate)
	case !(s.Clip >= 0):
		return fmt.Errorf("gradients clipped to a norm of %g; give a number above 0, or 0 for no bound", s.Clip)
	case s.Batch < 1 || s.Batch > mostRows:
		return fmt.Errorf("batches of %d; give 1 to %d", s.Batch, mostRows)
	case s.Epochs < 1:
		return fmt.Errorf("%d epochs; give 1 or more", s.Epochs)
	case s.Seed < 1 || s.Seed > math.MaxInt64:
		return fmt.Errorf("seed %d; give 1 to %d", s.Seed, uint64(math.MaxInt64))
	}
	return nil
}
