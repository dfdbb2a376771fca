package classic

import (
	"context"
	"fmt"
	"math"
	"slices"

	"synpool/internal/transport"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// nearest holds the distances between the shared bags and concepts, which are instances of these bags. The distance of
// a concept z and a bag X is min_x |x-z| over standardised instances x.
type nearest struct {
	z        *standardised
	concepts *points
	from     []instanceOf // where each concept comes from
	values   []float64

	other remembered[[]float64] // distances of bags that are not shared
}

// nearestOf returns the distances to at most the given number of concepts, which are evenly spaced among all instances.
func nearestOf(ctx context.Context, s *learner.Shared, most int) (*nearest, error) {
	return learner.Once(s, fmt.Sprintf("nearest %d", most), func() (*nearest, error) {
		z, err := standardisedOf(s)
		if err != nil {
			return nil, err
		}
		n := &nearest{z: z, from: spaced(s.Bags, min(instances(s.Bags), most))}
		all := &points{}
		for _, of := range n.from {
			all.add(z.bags[of.index], of.at, len(z.Factor))
		}
		n.concepts = all
		n.values, err = eachBag(ctx, z.bags, func(p *points) ([]float64, error) {
			row, _, err := z.nearest(all, p)
			return row, err
		})
		return n, err
	})
}

// row returns the distances between a bag and all concepts.
func (n *nearest) row(bag mil.Instances) ([]float64, error) {
	if i, found := n.z.shared.Row(bag); found {
		return n.values[i*len(n.from) : (i+1)*len(n.from)], nil
	}
	return n.other.get(bag, func() ([]float64, error) {
		p, err := n.z.standardise(bag)
		if err != nil {
			return nil, err
		}
		row, _, err := n.z.nearest(n.concepts, p)
		return row, err
	})
}

// nearest returns the smallest distance between each concept and the instances of a bag, and the instances that have
// it.
func (z *standardised) nearest(concepts, bag *points) (least []float64, who [][]int, err error) {
	if bag.rows == 0 {
		return nil, nil, fmt.Errorf("an empty bag has no nearest instance")
	}
	const block = 256 // concepts at a time, to limit the memory for large bags
	var costs []float64
	for from := 0; from < concepts.rows; from += block {
		part := concepts.slice(from, min(from+block, concepts.rows), len(z.Factor))
		if costs, err = z.between(transport.Euclidean, part, bag, costs); err != nil {
			return nil, nil, err
		}
		for k := range part.rows {
			row := costs[k*bag.rows : (k+1)*bag.rows]
			lowest := slices.Min(row)
			if math.IsNaN(lowest) {
				return nil, nil, fmt.Errorf("a distance of instances is %v; their values must be finite", lowest)
			}
			var has []int
			for i, d := range row {
				if d == lowest {
					has = append(has, i)
				}
			}
			least, who = append(least, lowest), append(who, has)
		}
	}
	return least, who, nil
}

// add appends a copy of row i of other.
func (p *points) add(other *points, i, width int) {
	p.rows++
	if other.start == nil {
		p.values = append(p.values, other.values[i*width:(i+1)*width]...)
		return
	}
	if p.start == nil {
		p.start = []int32{0}
	}
	columns, values := other.row(i)
	p.columns, p.values = append(p.columns, columns...), append(p.values, values...)
	p.start = append(p.start, int32(len(p.values)))
	p.squares, p.sums = append(p.squares, other.squares[i]), append(p.sums, other.sums[i])
}

// slice returns the rows in [from, to) without copying values.
func (p *points) slice(from, to, width int) *points {
	if p.start == nil {
		return &points{rows: to - from, values: p.values[from*width : to*width]}
	}
	return &points{rows: to - from, values: p.values, columns: p.columns, start: p.start[from : to+1], squares: p.squares[from:to], sums: p.sums[from:to]}
}

// instanceOf is the position of an instance.
type instanceOf struct {
	bag       mil.Instances
	index, at int // of the bag among others, and of the instance in the bag
}

// read reads the instance.
func (i instanceOf) read(dst []float32) error { return i.bag.Read(i.at, i.at+1, dst) }

// instances returns the number of instances of bags.
func instances(bags []mil.Instances) (n int) {
	for _, b := range bags {
		n += b.Len()
	}
	return n
}

// spaced returns n evenly spaced instances of bags, which have n or more.
func spaced(bags []mil.Instances, n int) (list []instanceOf) {
	count, before := instances(bags), 0 // instances of all bags, and of those before
	for index, b := range bags {
		for len(list) < n && len(list)*count/n < before+b.Len() {
			list = append(list, instanceOf{b, index, len(list)*count/n - before})
		}
		before += b.Len()
	}
	return list
}

// keepInstances returns one or more instances as a bag that a model stores.
func keepInstances(list []instanceOf, sparse bool) (keptBag, error) {
	width := list[0].bag.Features()
	if sparse {
		all := &mil.Sparse{Cols: width, RowStart: []int{0}}
		var of mil.Instances
		var s *mil.Sparse
		for _, x := range list {
			if x.bag != of {
				var err error
				if s, err = mil.ToSparse(x.bag); err != nil {
					return keptBag{}, err
				}
				of = x.bag
			}
			columns, values := s.Row(x.at)
			all.Column, all.Values = append(all.Column, columns...), append(all.Values, values...)
			all.EndRow()
		}
		return keptBag{all}, nil
	}
	all := &mil.Dense{Rows: len(list), Cols: width, Values: make([]float32, len(list)*width)}
	for k, x := range list {
		if err := x.read(all.Values[k*width : (k+1)*width]); err != nil {
			return keptBag{}, err
		}
	}
	return keptBag{all}, nil
}
