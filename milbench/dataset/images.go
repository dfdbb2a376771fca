package dataset

import (
	"fmt"

	"synpool/internal/disk"
	"synpool/milbench/dataset/generate"
)

// ReadImages reads a pair of IDX files, one with images and one with labels, such as those of MNIST. Each may be
// gzipped.
func ReadImages(images, labels string) (generate.Images, error) {
	sizes, pixels, err := openIDX(images, 3)
	if err != nil {
		return generate.Images{}, err
	}
	labelSizes, of, err := openIDX(labels, 1)
	if err != nil {
		return generate.Images{}, err
	}
	if sizes[0] != labelSizes[0] {
		return generate.Images{}, fmt.Errorf("%s: holds %d images and %s %d labels; give two files that belong together", images, sizes[0], labels, labelSizes[0])
	}
	return generate.Images{Rows: sizes[1], Columns: sizes[2], Pixels: pixels, Labels: of}, nil
}

// openIDX reads an IDX file of bytes.
func openIDX(path string, dimensions int) ([]int, []byte, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return readIDX(f, path, dimensions)
}
