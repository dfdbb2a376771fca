package dataset

import (
	"fmt"
	"os"
)

// Images are labelled images in shades of grey, all of one size.
type Images struct {
	Rows, Columns int    // of an image
	Pixels        []byte // image by image, row by row
	Labels        []byte // one an image
}

// check reports images without pixels or labels of their own.
func (i Images) check() error {
	n := len(i.Pixels)
	if i.Rows < 1 || i.Columns < 1 || i.Columns > n/i.Rows || n%(i.Rows*i.Columns) != 0 || n/(i.Rows*i.Columns) != len(i.Labels) {
		return fmt.Errorf("%d pixels of images of %d x %d, and %d labels; give as many labels as images, at least one", n, i.Rows, i.Columns, len(i.Labels))
	}
	return nil
}

// ReadImages reads two IDX files that belong together, of images and of labels, as those of MNIST do. Each may be gzipped.
func ReadImages(images, labels string) (Images, error) {
	sizes, pixels, err := openIDX(images, 3)
	if err != nil {
		return Images{}, err
	}
	labelSizes, of, err := openIDX(labels, 1)
	if err != nil {
		return Images{}, err
	}
	if sizes[0] != labelSizes[0] {
		return Images{}, fmt.Errorf("%s: holds %d images and %s %d labels; give two files that belong together", images, sizes[0], labels, labelSizes[0])
	}
	return Images{Rows: sizes[1], Columns: sizes[2], Pixels: pixels, Labels: of}, nil
}

// openIDX reads an IDX file of bytes.
func openIDX(path string, dimensions int) ([]int, []byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	return readIDX(f, path, dimensions)
}
