package generate

import "fmt"

// Images are labelled greyscale images of equal size.
type Images struct {
	Rows, Columns int    // of each image
	Pixels        []byte // image by image, row by row
	Labels        []byte // one per image
}

// check returns an error if there are no pixels, or not one label per image.
func (i Images) check() error {
	n := len(i.Pixels)
	if i.Rows < 1 || i.Columns < 1 || i.Columns > n/i.Rows || n%(i.Rows*i.Columns) != 0 || n/(i.Rows*i.Columns) != len(i.Labels) {
		return fmt.Errorf("%d pixels of images of %d x %d, and %d labels; give as many labels as images, at least one", n, i.Rows, i.Columns, len(i.Labels))
	}
	return nil
}
