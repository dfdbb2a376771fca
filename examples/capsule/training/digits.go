package training

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"synpool/milbench/dataset"
)

// side is the number of rows and of columns of a digit.
const side = 28

// Digits are handwritten digits.
type Digits struct {
	Images []byte // row by row, 28x28 each
	Labels []byte // 0 to 9
}

// Len returns the number of digits.
func (d Digits) Len() int { return len(d.Labels) }

// MNIST returns the 10,000 test images of MNIST from the folder of the sets, once their checksums are found right.
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
	return readDigits(paths[0], paths[1])
}

// readDigits reads gzipped IDX files of images and labels.
func readDigits(images, labels string) (d Digits, err error) {
	if d.Labels, err = readIDX(labels, 0, 0, 8, 1); err != nil {
		return Digits{}, err
	}
	if d.Labels = d.Labels[4:]; len(d.Labels) == 0 || slices.Max(d.Labels) > 9 {
		return Digits{}, fmt.Errorf("%s: want labels from 0 to 9", labels)
	}
	if d.Images, err = readIDX(images, 0, 0, 8, 3); err != nil {
		return Digits{}, err
	}
	if d.Images = d.Images[min(12, len(d.Images)):]; len(d.Images) != d.Len()*side*side {
		return Digits{}, fmt.Errorf("%s: %d bytes of images for %d labels, want %d each", images, len(d.Images), d.Len(), side*side)
	}
	return d, nil
}

// readIDX returns what follows the first four bytes, which must be magic, of a gzipped file.
func readIDX(path string, magic ...byte) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if !bytes.HasPrefix(data, magic) || len(data) < 8 {
		return nil, fmt.Errorf("%s: does not begin with % x as an IDX file does", path, magic)
	}
	return data[4:], nil
}

// Split shuffles the digits by a seed and returns the first of them, and the others.
func (d Digits) Split(first int, seed uint64) (Digits, Digits, error) {
	if first < 1 || first >= d.Len() {
		return Digits{}, Digits{}, fmt.Errorf("%d digits of %d to train on: both parts need some", first, d.Len())
	}
	order := rand.New(rand.NewPCG(seed, 0)).Perm(d.Len())
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

// tensors returns the images [digits, 28, 28, 1], from 0 to 1, and the labels [digits].
func (d Digits) tensors() (images, labels *tensors.Tensor) {
	pixels := make([]float32, len(d.Images))
	for i, v := range d.Images {
		pixels[i] = float32(v) / 255
	}
	classes := make([]int32, len(d.Labels))
	for i, v := range d.Labels {
		classes[i] = int32(v)
	}
	return tensors.FromFlatDataAndDimensions(pixels, d.Len(), side, side, 1), tensors.FromFlatDataAndDimensions(classes, d.Len())
}
