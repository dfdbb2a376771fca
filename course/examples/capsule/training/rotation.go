package training

import (
	"errors"
	"math"
)

// Rotated returns the digits turned counterclockwise about their centre by an angle in degrees. A pixel is interpolated from
// the four around the place that turns to it (bilinear); what comes from outside is black.
func (d Digits) Rotated(degrees float64) Digits {
	const centre = (side - 1) / 2.
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	to := Digits{make([]byte, len(d.Images)), d.Labels}
	for i := range to.Images {
		x, y := float64(i%side)-centre, float64(i/side%side)-centre // to the right and downwards
		column, row := centre+cos*x-sin*y, centre+sin*x+cos*y
		left, top := math.Floor(column), math.Floor(row)
		value := 0.0
		for _, corner := range [4][2]float64{{left, top}, {left + 1, top}, {left, top + 1}, {left + 1, top + 1}} {
			if min(corner[0], corner[1]) >= 0 && max(corner[0], corner[1]) < side {
				pixel := d.Images[i/side/side*side*side+int(corner[1])*side+int(corner[0])]
				value += (1 - math.Abs(column-corner[0])) * (1 - math.Abs(row-corner[1])) * float64(pixel)
			}
		}
		to.Images[i] = byte(math.Round(value))
	}
	return to
}

// Turned says how far the class capsules change when digits turn. Both changes are those of the class that wins on the
// upright digit, averaged over the digits, and divided by the same from each upright digit to the next one with that winner.
// So 1 is as much as between two digits of a class.
type Turned struct {
	Wrong      float64 // share of the turned digits whose class is not the one with the largest activation
	Activation float64 // change of the activation
	Pose       float64 // change of the pose, by the Frobenius norm
}

// Turn classifies the digits after turns by each angle in degrees.
func (c *Classifier) Turn(digits Digits, degrees ...float64) ([]Turned, error) {
	upright, err := c.Classify(digits)
	if err != nil {
		return nil, err
	}
	next := make([]Classes, len(upright)) // with the same winner, the digit itself if there is none
	for i, one := range upright {
		for k := 1; k <= len(upright); k++ {
			if next[i] = upright[(i+k)%len(upright)]; next[i].Winner() == one.Winner() {
				break
			}
		}
	}
	activation, pose := changes(upright, next)
	if activation == 0 || pose == 0 {
		return nil, errors.New("no two digits of a class to compare turns with")
	}
	var all []Turned
	for _, by := range degrees {
		there := digits.Rotated(by)
		classes, err := c.Classify(there)
		if err != nil {
			return nil, err
		}
		one := Turned{Wrong: wrong(classes, there)}
		one.Activation, one.Pose = changes(upright, classes)
		one.Activation, one.Pose = one.Activation/activation, one.Pose/pose
		all = append(all, one)
	}
	return all, nil
}

// changes returns how far the activation and the pose of the class that wins in from change on average.
func changes(from, to []Classes) (activation, pose float64) {
	for i, one := range from {
		class, squares := one.Winner(), 0.0
		for row, values := range one.Poses[class] {
			for column, v := range values {
				squares += math.Pow(float64(to[i].Poses[class][row][column]-v), 2)
			}
		}
		activation += math.Abs(float64(to[i].Activations[class]-one.Activations[class])) / float64(len(from))
		pose += math.Sqrt(squares) / float64(len(from))
	}
	return activation, pose
}
