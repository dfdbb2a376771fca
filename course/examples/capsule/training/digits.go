package training

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"synpool/milbench/dataset"
)

// side is the number of rows and columns of a digit.
const side = 28

// Digits are handwritten digits.
type Digits struct {
	Images []byte // row by row, 28x28 each
	Labels []byte // 0 to 9
}

// Len returns the number of digits.
func (d Digits) Len() int { return len(d.Labels) }

// MNIST returns the 10,000 test images of MNIST from the data folder, after verifying their checksums.
func MNIST() (Digits, error) {
	entry, err := dataset.Find("mnist")
	if err != nil {
		return Digits{}, err
	}
	if _, err := entry.Verify(); err != nil {
		return Digits{}, err
	}
	paths, err := entry.Paths()
	if err != nil {
		return Digits{}, err
	}
	images, err := dataset.ReadImages(paths[0], paths[1])
	return Digits{images.Pixels, images.Labels}, err
}

// Split shuffles the digits in a fixed way and returns the first ones and the rest. The test digits are therefore the same
// for every seed of a training.
func (d Digits) Split(first int) (Digits, Digits, error) {
	if first < 1 || first >= d.Len() {
		return Digits{}, Digits{}, fmt.Errorf("%d digits of %d to train on: both parts need some", first, d.Len())
	}
	order := rand.New(rand.NewPCG(1, 0)).Perm(d.Len())
	return d.at(order[:first]), d.at(order[first:]), nil
}

// at returns the digits with the given indices.
func (d Digits) at(indices []int) Digits {
	var part Digits
	for _, i := range indices {
		part.Images = append(part.Images, d.Images[i*side*side:(i+1)*side*side]...)
		part.Labels = append(part.Labels, d.Labels[i])
	}
	return part
}

// images returns the images [digits, 28, 28, 1], from 0 to 1.
func (d Digits) images() *tensors.Tensor {
	pixels := make([]float32, len(d.Images))
	for i, v := range d.Images {
		pixels[i] = float32(v) / 255
	}
	return tensors.FromFlatDataAndDimensions(pixels, d.Len(), side, side, 1)
}
