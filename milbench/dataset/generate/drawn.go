package generate

import (
	"fmt"
	"strconv"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// drawn describes an instance to draw.
type drawn struct {
	from  Normal
	label float64
}

// maxDrawn is the maximum number of values in a generated set: 1 GB.
const maxDrawn = 1 << 28

// drawSplit draws the bags of a set, every other one positive: first the training part, then the test part. Without
// test bags the set has no split. bag lists at most instances instances for each bag; they are put in random order.
// Each bag has a random stream of its own.
func drawSplit(name string, train, test, features, instances int, seed uint64, bag func(mil.Split, bool, *normals) []drawn) (*mil.Set, error) {
	switch {
	case train < 2 || test != 0 && test < 2:
		return nil, fmt.Errorf("%s: %d training and %d test bags; draw at least 2 of each part", name, train, test)
	case features < 1:
		return nil, fmt.Errorf("%s: %d features; give at least 1", name, features)
	case float64(train+test)*float64(instances)*float64(features) > maxDrawn:
		return nil, fmt.Errorf("%s: %d bags of up to %d instances of %d features are more than %d values; draw fewer", name, train+test, instances, features, maxDrawn)
	}
	parts := []struct {
		name mil.Split
		bags int
	}{{mil.TrainPart, train}, {mil.TestPart, test}}
	if test == 0 {
		parts[0].name = mil.NoSplit
	}
	var bags []mil.Bag
	var instanceLabels [][]float64
	for p, part := range parts {
		for i := range part.bags {
			random := &normals{Rand: cv.Rand(seed, name, p, i)}
			plan := bag(part.name, i%2 == 0, random)
			random.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
			rows := &mil.Dense{Rows: len(plan), Cols: features}
			b := mil.Bag{ID: strconv.Itoa(len(bags) + 1), Target: mil.Labelled(1 - i%2), Split: part.name, Instances: rows}
			own := make([]float64, len(plan))
			for row, instance := range plan {
				own[row] = instance.label
				for range features {
					rows.Values = append(rows.Values, float32(random.from(instance.from)))
				}
			}
			bags, instanceLabels = append(bags, b), append(instanceLabels, own)
		}
	}
	return finished(name, bags, instanceLabels)
}

// finished returns the set of the given bags.
func finished(name string, bags []mil.Bag, instanceLabels [][]float64) (*mil.Set, error) {
	s := &mil.Set{Name: name, Bags: bags, InstanceLabels: instanceLabels}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	mil.Pack(s.Bags)
	return s, s.Seal()
}
