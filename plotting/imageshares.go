package plotting

import "fmt"

// ImageShares is [ImageBags] for values that are shares of the bag's weight: a full bar is 1 in every figure.
func ImageShares(title string, rows, columns int, bags []ImageBag) (*Figure, error) {
	err := checkBags(rows, columns, bags)
	for i := 0; i < len(bags) && err == nil; i++ {
		if err = areShares("image", bags[i].Values); err != nil {
			err = fmt.Errorf("bag %d: %w", i+1, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("drawing shares of images: %w", err)
	}
	return drawImages(title, "share", rows, columns, bags, unit), nil
}
