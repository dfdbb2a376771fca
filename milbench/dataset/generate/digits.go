package generate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"synpool/milbench"
)

// DigitsConfig says how to draw bags of handwritten digits (MNIST-bags, Ilse et al. 2018, section 4.2).
type DigitsConfig struct {
	Bags     int     // number of bags, at least 2
	MeanSize float64 // of the normal distribution that the size of a bag is drawn from
	SDSize   float64 // its standard deviation
	Target   int     // the digit that makes a bag positive
	Seed     uint64
}

// DefaultDigits returns the values of the paper: bags of 10 digits on average, standard deviation 2, positive if they
// hold a 9; 100 of them, with seed 1.
func DefaultDigits() DigitsConfig {
	return DigitsConfig{Bags: 100, MeanSize: 10, SDSize: 2, Target: 9, Seed: 1}
}

// maxDigits bounds the digits over all bags: 16 million images of 28x28 fill 100 GB.
const maxDigits = 1 << 24

// check reports a configuration that no bags can be drawn with.
func (c DigitsConfig) check() error {
	switch {
	case c.Bags < 2:
		return fmt.Errorf("digits: %d bags; draw at least 2", c.Bags)
	case !(c.MeanSize >= 1) || math.IsInf(c.MeanSize, 0):
		return fmt.Errorf("digits: mean bag size %v; give a number of at least 1", c.MeanSize)
	case !(c.SDSize >= 0) || math.IsInf(c.SDSize, 0):
		return fmt.Errorf("digits: standard deviation %v of the bag size; give a number of at least 0", c.SDSize)
	case c.Target < 0 || c.Target > 9:
		return fmt.Errorf("digits: target %d; give a digit from 0 to 9", c.Target)
	}
	return nil
}

// Draw draws bags of digits. The size of a bag is a normal number rounded to the nearest integer, at least 1;
// its instances are as many images, each drawn from all with equal chances, so that an image may come again. The
// features are the pixels, row by row, divided by 255. An instance label is 1 for the target digit and 0 for others;
// a bag is positive if it holds the target. The seed fixes everything: the numbers come from a PCG generator seeded
// with (Seed, 0), for each bag first its size and then its images. With large bags nearly all are positive
// (1 - 0.9^n of them); a draw without both classes is an error. Training and test bags drawn of different parts of all images
// share none.
func (c DigitsConfig) Draw(all Images) (*milbench.Set, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := all.check(); err != nil {
		return nil, fmt.Errorf("digits: %w", err)
	}
	width := all.Rows * all.Columns

	random := rand.New(rand.NewPCG(c.Seed, 0))
	var bags []milbench.Bag
	var instanceLabels [][]float64
	total := 0.0
	image := make([]float32, width)
	for i := range c.Bags {
		size := max(1, math.Round(c.MeanSize+c.SDSize*random.NormFloat64()))
		if total += size; total > maxDigits {
			return nil, fmt.Errorf("digits: more than %d images in the first %d bags; draw fewer or smaller bags", maxDigits, i+1)
		}
		rows := &milbench.Sparse{Cols: width, RowStart: []int{0}}
		bag := milbench.Bag{ID: strconv.Itoa(i + 1), Instances: rows}
		var isTarget []float64
		for range int(size) {
			k := random.IntN(len(all.Labels))
			for j, pixel := range all.Pixels[k*width : (k+1)*width] {
				image[j] = float32(float64(pixel) / 255)
			}
			rows.Append(image)
			if int(all.Labels[k]) == c.Target {
				isTarget = append(isTarget, 1)
				bag.Label = 1
			} else {
				isTarget = append(isTarget, 0)
			}
		}
		bags = append(bags, bag)
		instanceLabels = append(instanceLabels, isTarget)
	}
	return finished("digits", bags, instanceLabels)
}
