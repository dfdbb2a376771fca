package generate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"synpool/milbench/mil"
)

// DigitsConfig configures bags of handwritten digits (MNIST-bags, Ilse et al. 2018, section 4.2).
type DigitsConfig struct {
	Bags     int     // number of bags, at least 2
	MeanSize float64 // mean of the normal distribution of bag sizes
	SDSize   float64 // its standard deviation
	Target   int     // the digit that makes a bag positive
	Seed     uint64
}

// DefaultDigits returns the values in the paper, with 100 bags and seed 1. Bags have 10 digits on average, with
// standard deviation 2, and are positive if they contain a 9.
func DefaultDigits() DigitsConfig {
	return DigitsConfig{Bags: 100, MeanSize: 10, SDSize: 2, Target: 9, Seed: 1}
}

// maxDigits is the maximum number of digits in all bags: 16 million images of 28x28 need 100 GB.
const maxDigits = 1 << 24

// check returns an error for an invalid configuration.
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

// Draw generates bags of digits from images. The size of a bag is a normal number rounded to the nearest integer, at
// least 1. Its instances are images drawn uniformly with replacement. The features are the pixels, row by row,
// divided by 255. The instance label is 1 for the target digit and 0 otherwise. A bag is positive if it contains the
// target.
//
// The seed fixes everything: a PCG generator seeded with (Seed, 0) gives, for each bag, first its size and then its
// images. With large bags nearly all are positive (1 - 0.9^n of them); Draw returns an error if a class is missing.
// To keep training and test bags separate, draw them from disjoint sets of images.
func (c DigitsConfig) Draw(all Images) (*mil.Set, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := all.check(); err != nil {
		return nil, fmt.Errorf("digits: %w", err)
	}
	width := all.Rows * all.Columns

	random := rand.New(rand.NewPCG(c.Seed, 0))
	var bags []mil.Bag
	var instanceLabels [][]float64
	total := 0.0
	image := make([]float32, width)
	for i := range c.Bags {
		size := max(1, math.Round(c.MeanSize+c.SDSize*random.NormFloat64()))
		if total += size; total > maxDigits {
			return nil, fmt.Errorf("digits: more than %d images in the first %d bags; draw fewer or smaller bags", maxDigits, i+1)
		}
		rows := &mil.Sparse{Cols: width, RowStart: []int{0}}
		bag := mil.Bag{ID: strconv.Itoa(i + 1), Instances: rows}
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
