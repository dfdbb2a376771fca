package dataset

import (
	"fmt"
	"strconv"

	"synpool/milbench"
)

// drawn is an instance that is to be drawn.
type drawn struct {
	from  Normal
	label float64
}

// maxDrawn bounds the values of a set that is drawn, 2 GB.
const maxDrawn = 1 << 28

// drawSplit draws bags of at most instances each, every other one positive, first those of the training part and then
// those of the test part, and the instances that bag lists in random order. Without test bags the set has no split. Each
// bag has a stream of its own.
func drawSplit(name string, train, test, features, instances int, seed uint64, bag func(milbench.Split, bool, *normals) []drawn) (*milbench.Set, error) {
	switch {
	case train < 2 || test != 0 && test < 2:
		return nil, fmt.Errorf("%s: %d training and %d test bags; draw at least 2 of each part", name, train, test)
	case features < 1:
		return nil, fmt.Errorf("%s: %d features; give at least 1", name, features)
	case float64(train+test)*float64(instances)*float64(features) > maxDrawn:
		return nil, fmt.Errorf("%s: %d bags of up to %d instances of %d features are more than %d values; draw fewer", name, train+test, instances, features, maxDrawn)
	}
	parts := []struct {
		name milbench.Split
		bags int
	}{{milbench.TrainPart, train}, {milbench.TestPart, test}}
	if test == 0 {
		parts[0].name = milbench.NoSplit
	}
	var bags []milbench.Bag
	var labels []float64
	var instanceLabels [][]float64
	for p, part := range parts {
		for i := range part.bags {
			random := &normals{Rand: milbench.Rand(seed, name, p, i)}
			plan := bag(part.name, i%2 == 0, random)
			random.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
			b := milbench.Bag{ID: strconv.Itoa(len(bags) + 1), Split: part.name, Instances: milbench.Matrix{Rows: len(plan), Cols: features}}
			own := make([]float64, len(plan))
			for row, instance := range plan {
				own[row] = instance.label
				for range features {
					b.Instances.Values = append(b.Instances.Values, random.from(instance.from))
				}
			}
			bags, instanceLabels = append(bags, b), append(instanceLabels, own)
			labels = append(labels, float64(1-i%2))
		}
	}
	return assemble(name, bags, labels, instanceLabels, nil)
}
