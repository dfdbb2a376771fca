package fit

import (
	"fmt"
	"math"
)

// Settings are the settings that every training has.
type Settings struct {
	Rate   float64 // learning rate of Adam
	Clip   float64 // largest L2 norm of all gradients together; 0 for no limit
	Batch  int     // examples per step
	Epochs int     // passes over the examples
	Seed   uint64  // seed of the initial weights, the dropout and the order of the examples, 1 or more
	// Checkpoint is the file where the training is saved after each epoch. If it exists, the training resumes from it. ""
	// for none.
	Checkpoint string `json:"-"`
}

// mostRows is the maximum size of a batch: more is likely a typo.
const mostRows = 1 << 16

// Check reports the first invalid setting.
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
