package onnx

import (
	"cmp"
	"math"
	"slices"
)

// Operators that move values, and those that reduce along axes.

// pick returns the values of t at the given places.
func pick(t *Tensor, dims []int, at []int) *Tensor {
	switch data := t.Data.(type) {
	case []float32:
		return NewTensor(mapped(at, func(i int) float32 { return data[i] }), dims...)
	case []float64:
		return NewTensor(mapped(at, func(i int) float64 { return data[i] }), dims...)
	case []int32:
		return NewTensor(mapped(at, func(i int) int32 { return data[i] }), dims...)
	case []int64:
		return NewTensor(mapped(at, func(i int) int64 { return data[i] }), dims...)
	case []bool:
		return NewTensor(mapped(at, func(i int) bool { return data[i] }), dims...)
	case []string:
		return NewTensor(mapped(at, func(i int) string { return data[i] }), dims...)
	}
	panic("values of an unknown type")
}

// axisOf returns an axis, counted from the end if it is negative.
func axisOf(axis int, rank int) int {
	if axis < 0 {
		axis += rank
	}
	if axis < 0 || axis >= rank {
		panic("an axis that the array lacks")
	}
	return axis
}

func transpose(t *Tensor, order []int64) *Tensor {
	rank := len(t.Dims)
	if order == nil {
		for k := range rank {
			order = append(order, int64(rank-1-k))
		}
	}
	if len(order) != rank {
		panic("an order of other axes than those of the array")
	}
	steps, dims := make([]int, rank), make([]int, rank)
	for k, axis := range order {
		dims[k], steps[k] = t.Dims[axis], size(t.Dims[axis+1:])
	}
	at, place, from := make([]int, 0, size(dims)), make([]int, rank), 0
	for range cap(at) {
		at = append(at, from)
		for axis := rank - 1; axis >= 0; axis-- {
			place[axis]++
			from += steps[axis]
			if place[axis] < dims[axis] {
				break
			}
			from -= steps[axis] * dims[axis]
			place[axis] = 0
		}
	}
	return pick(t, dims, at)
}

func reshape(r *run, n *Node, in []*Tensor) []*Tensor {
	dims := lengths(in[1])
	unknown, known := -1, 1
	for k, d := range dims {
		switch {
		case d == 0 && attribute(n, "allowzero", int64(0)) == 0:
			dims[k] = in[0].Dims[k]
		case d == -1 && unknown < 0:
			unknown = k
			continue
		case d < 0:
			panic("a shape with a negative dimension")
		}
		known *= dims[k]
		if known < 0 || known > r.most {
			panic("a shape that does not fit the values")
		}
	}
	all := size(in[0].Dims)
	if unknown >= 0 {
		if known == 0 || all%known != 0 {
			panic("a shape that does not fit the values")
		}
		dims[unknown] = all / known
	} else if known != all {
		panic("a shape that does not fit the values")
	}
	return one(&Tensor{dims, in[0].Data})
}

func unsqueeze(_ *run, _ *Node, in []*Tensor) []*Tensor {
	axes := lengths(in[1])
	rank := len(in[0].Dims) + len(axes)
	for k := range axes {
		axes[k] = axisOf(axes[k], rank)
	}
	var dims []int
	rest := in[0].Dims
	for k := range rank {
		if slices.Contains(axes, k) {
			dims = append(dims, 1)
		} else {
			dims, rest = append(dims, rest[0]), rest[1:]
		}
	}
	return one(&Tensor{dims, in[0].Data})
}

func squeeze(_ *run, _ *Node, in []*Tensor) []*Tensor {
	var axes []int
	if len(in) > 1 && in[1] != nil {
		axes = lengths(in[1])
	}
	for k := range axes {
		axes[k] = axisOf(axes[k], len(in[0].Dims))
	}
	dims := []int{}
	for k, d := range in[0].Dims {
		if axes == nil && d == 1 || slices.Contains(axes, k) {
			if d != 1 {
				panic("an axis of more than one entry, which cannot be left out")
			}
			continue
		}
		dims = append(dims, d)
	}
	return one(&Tensor{dims, in[0].Data})
}

func expand(r *run, t *Tensor, dims []int) *Tensor {
	dims = together(t.Dims, dims)
	at := make([]int, r.size(dims))
	broadcast(dims, [][]int{t.Dims}, func(i int, from []int) { at[i] = from[0] })
	return pick(t, dims, at)
}

func sequence(r *run, _ *Node, in []*Tensor) []*Tensor {
	start, limit, delta := doubles(in[0])[0], doubles(in[1])[0], doubles(in[2])[0]
	n := r.size([]int{max(0, int(math.Ceil((limit-start)/delta)))})
	values := make([]float64, n)
	for i := range values {
		values[i] = start + float64(i)*delta
	}
	return one(typed(values, []int{n}, in[0].Type()))
}

func concat(r *run, axis int, in []*Tensor) *Tensor {
	axis = axisOf(axis, len(in[0].Dims))
	dims := slices.Clone(in[0].Dims)
	dims[axis] = 0
	for _, t := range in {
		if len(t.Dims) != len(dims) || !slices.Equal(t.Dims[:axis], dims[:axis]) || !slices.Equal(t.Dims[axis+1:], dims[axis+1:]) {
			panic("arrays of shapes that do not go together")
		}
		dims[axis] += t.Dims[axis]
	}
	r.size(dims)
	switch in[0].Data.(type) {
	case []float32:
		return joined[float32](in, dims, axis)
	case []float64:
		return joined[float64](in, dims, axis)
	case []int32:
		return joined[int32](in, dims, axis)
	case []int64:
		return joined[int64](in, dims, axis)
	case []bool:
		return joined[bool](in, dims, axis)
	}
	return joined[string](in, dims, axis)
}

func joined[T Value](in []*Tensor, dims []int, axis int) *Tensor {
	out := make([]T, 0, size(dims))
	for i := range size(dims[:axis]) {
		for _, t := range in {
			n := size(t.Dims[axis:])
			out = append(out, t.Data.([]T)[i*n:(i+1)*n]...)
		}
	}
	return NewTensor(out, dims...)
}

func slice(r *run, _ *Node, in []*Tensor) []*Tensor {
	t, rank := in[0], len(in[0].Dims)
	starts, ends := integers(in[1]), integers(in[2])
	axes, steps := make([]int64, len(starts)), slices.Repeat([]int64{1}, len(starts))
	for k := range axes {
		axes[k] = int64(k)
	}
	if len(in) > 3 && in[3] != nil {
		axes = integers(in[3])
	}
	if len(in) > 4 && in[4] != nil {
		steps = integers(in[4])
	}
	for k, axis := range axes {
		axis := axisOf(int(axis), rank)
		n, step := int64(t.Dims[axis]), steps[k]
		if step < 1 {
			panic("a step back, which cannot be evaluated here")
		}
		within := func(v int64) int64 {
			if v < 0 {
				v += n
			}
			return min(max(v, 0), n)
		}
		var places []int64
		for i, end := within(starts[k]), within(ends[k]); i < end; i += step {
			places = append(places, i)
		}
		t = gather(r, t, NewTensor(places, len(places)), axis)
	}
	return one(t)
}

func gather(r *run, t, places *Tensor, axis int) *Tensor {
	axis = axisOf(axis, len(t.Dims))
	n, inner := t.Dims[axis], size(t.Dims[axis+1:])
	list := integers(places)
	dims := slices.Concat(t.Dims[:axis], places.Dims, t.Dims[axis+1:])
	at := make([]int, 0, r.size(dims))
	for outer := range size(t.Dims[:axis]) {
		for _, p := range list {
			if p < 0 {
				p += int64(n)
			}
			if p < 0 || p >= int64(n) {
				panic("a place that the array lacks")
			}
			for k := range inner {
				at = append(at, (outer*n+int(p))*inner+k)
			}
		}
	}
	return pick(t, dims, at)
}

func compress(r *run, n *Node, in []*Tensor) []*Tensor {
	t := in[0]
	axis := int(attribute(n, "axis", int64(math.MinInt64)))
	if axis == math.MinInt64 {
		t, axis = &Tensor{[]int{size(t.Dims)}, t.Data}, 0
	}
	var places []int64
	for i, there := range in[1].Data.([]bool) {
		if there {
			places = append(places, int64(i))
		}
	}
	return one(gather(r, t, NewTensor(places, len(places)), axis))
}

// lanes calls f with the values along an axis and their places.
func lanes(dims []int, axis int, f func(places []int)) {
	n, inner := dims[axis], size(dims[axis+1:])
	places := make([]int, n)
	for outer := range size(dims[:axis]) {
		for k := range inner {
			for i := range places {
				places[i] = (outer*n+i)*inner + k
			}
			f(places)
		}
	}
}

func topK(_ *run, n *Node, in []*Tensor) []*Tensor {
	t := in[0]
	axis := axisOf(int(attribute(n, "axis", int64(-1))), len(t.Dims))
	k := integers(in[1])[0]
	if k < 0 || k > int64(t.Dims[axis]) {
		panic("more of the largest than there are values")
	}
	values := doubles(t)
	sign := 1.
	if attribute(n, "largest", int64(1)) == 0 {
		sign = -1
	}
	dims := slices.Clone(t.Dims)
	dims[axis] = int(k)
	index, at := make([]int64, size(dims)), make([]int, size(dims))
	inner, lane := size(dims[axis+1:]), 0
	lanes(t.Dims, axis, func(places []int) {
		order := make([]int, len(places))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(sign*values[places[j]], sign*values[places[i]]) })
		for r := range int(k) {
			to := (lane/inner*int(k)+r)*inner + lane%inner
			index[to], at[to] = int64(order[r]), places[order[r]]
		}
		lane++
	})
	return []*Tensor{pick(t, dims, at), NewTensor(index, dims...)}
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}

func fold(first float64, values []float64, f func(a, b float64) float64) float64 {
	for _, v := range values {
		first = f(first, v)
	}
	return first
}

// logSumExp returns log Σ exp v.
func logSumExp(values []float64) float64 {
	largest := fold(math.Inf(-1), values, math.Max)
	if math.IsInf(largest, 0) {
		return largest
	}
	return largest + math.Log(sum(mapped(values, func(v float64) float64 { return math.Exp(v - largest) })))
}

// reduction returns an operator that makes one number of the values along some axes.
func reduction(f func(values []float64) float64) operator {
	return operator{1, func(r *run, n *Node, in []*Tensor) []*Tensor {
		t, rank := in[0], len(in[0].Dims)
		axes := mapped(attribute[[]int64](n, "axes", nil), func(a int64) int { return int(a) })
		if len(in) > 1 && in[1] != nil {
			axes = lengths(in[1])
		}
		if len(axes) == 0 {
			if attribute(n, "noop_with_empty_axes", int64(0)) != 0 {
				return one(t)
			}
			for k := range rank {
				axes = append(axes, k)
			}
		}
		var rest, kept, dims, reduced []int
		over := 1
		for k := range axes {
			axes[k] = axisOf(axes[k], rank)
		}
		for k, d := range t.Dims {
			if slices.Contains(axes, k) {
				reduced, over, kept = append(reduced, k), over*d, append(kept, 1)
			} else {
				rest, dims, kept = append(rest, k), append(dims, d), append(kept, d)
			}
		}
		order := mapped(slices.Concat(rest, reduced), func(a int) int64 { return int64(a) })
		values := doubles(transpose(&Tensor{t.Dims, doubles(t)}, order))
		out := make([]float64, r.size(dims))
		for i := range out {
			out[i] = f(values[i*over : (i+1)*over])
		}
		if attribute(n, "keepdims", int64(1)) != 0 {
			dims = kept
		}
		return one(typed(out, dims, t.Type()))
	}}
}

// extreme returns the first place of the value along an axis that is before all others.
func extreme(before func(a, b float64) bool) operator {
	return operator{1, func(_ *run, n *Node, in []*Tensor) []*Tensor {
		t := in[0]
		axis := axisOf(int(attribute(n, "axis", int64(0))), len(t.Dims))
		values, out := doubles(t), []int64{}
		lanes(t.Dims, axis, func(places []int) {
			best := 0
			for i, p := range places {
				if before(values[p], values[places[best]]) {
					best = i
				}
			}
			out = append(out, int64(best))
		})
		dims := slices.Clone(t.Dims)
		if dims[axis] = 1; attribute(n, "keepdims", int64(1)) == 0 {
			dims = slices.Delete(dims, axis, axis+1)
		}
		return one(NewTensor(out, dims...))
	}}
}

// along returns an operator that changes the values along an axis.
func along(otherwise int64, f func(values []float64)) operator {
	return operator{1, func(_ *run, n *Node, in []*Tensor) []*Tensor {
		t := in[0]
		values := slices.Clone(doubles(t))
		lanes(t.Dims, axisOf(int(attribute(n, "axis", otherwise)), len(t.Dims)), func(places []int) {
			lane := mapped(places, func(p int) float64 { return values[p] })
			f(lane)
			for i, p := range places {
				values[p] = lane[i]
			}
		})
		return one(typed(values, t.Dims, t.Type()))
	}}
}

// cumSum returns the sums of the values up to each one along an axis.
func cumSum(r *run, n *Node, in []*Tensor) []*Tensor {
	axis := Attribute{"axis", integers(in[1])[0]}
	return along(0, func(values []float64) {
		for i := 1; i < len(values); i++ {
			values[i] += values[i-1]
		}
	}).run(r, &Node{Attributes: []Attribute{axis}}, in[:1])
}

// oneHot returns 1 for the category of each text, and 0 for the others and for unknown texts.
func oneHot(r *run, n *Node, in []*Tensor) []*Tensor {
	categories := attribute[[]string](n, "cats_strings", nil)
	out := make([]float32, r.size([]int{size(in[0].Dims), len(categories)}))
	for i, text := range in[0].Data.([]string) {
		if k := slices.Index(categories, text); k >= 0 {
			out[i*len(categories)+k] = 1
		}
	}
	return one(NewTensor(out, append(slices.Clone(in[0].Dims), len(categories))...))
}

// treeEnsemble returns the sums of the leaves of trees. Its nodes ask whether a value is at most a threshold.
func treeEnsemble(r *run, n *Node, in []*Tensor) []*Tensor {
	x, features := doubles(in[0]), in[0].Dims[1]
	ints := func(name string) []int64 { return attribute[[]int64](n, name, nil) }
	numbers := func(name string) []float64 {
		if t := attribute[*Tensor](n, name+"_as_tensor", nil); t != nil {
			return doubles(t)
		}
		return mapped(attribute[[]float32](n, name, nil), func(v float32) float64 { return float64(v) })
	}
	for _, mode := range attribute[[]string](n, "nodes_modes", nil) {
		if mode != "BRANCH_LEQ" && mode != "LEAF" {
			panic("a tree with nodes of the kind " + mode + ", which cannot be evaluated here")
		}
	}
	tree, id, modes := ints("nodes_treeids"), ints("nodes_nodeids"), attribute[[]string](n, "nodes_modes", nil)
	feature, yes, no, threshold := ints("nodes_featureids"), ints("nodes_truenodeids"), ints("nodes_falsenodeids"), numbers("nodes_values")
	type node struct{ tree, id int64 }
	at, roots := map[node]int{}, []int{}
	for i := range tree {
		if at[node{tree[i], id[i]}] = i; id[i] == 0 {
			roots = append(roots, i)
		}
	}
	leaves := map[int][]int{}
	ofTree, ofNode, target, weight := ints("target_treeids"), ints("target_nodeids"), ints("target_ids"), numbers("target_weights")
	for k := range ofTree {
		i := at[node{ofTree[k], ofNode[k]}]
		leaves[i] = append(leaves[i], k)
	}
	left, right := make([]int, len(tree)), make([]int, len(tree))
	for i := range tree {
		left[i], right[i] = at[node{tree[i], yes[i]}], at[node{tree[i], no[i]}]
	}
	targets := int(attribute(n, "n_targets", int64(1)))
	base := numbers("base_values")
	out := make([]float64, r.size([]int{in[0].Dims[0], targets}))
	for row := range in[0].Dims[0] {
		sums := out[row*targets : (row+1)*targets]
		copy(sums, base)
		for _, i := range roots {
			for steps := 0; modes[i] != "LEAF"; steps++ {
				if steps > len(tree) {
					panic("a tree without an end")
				}
				if x[row*features+int(feature[i])] <= threshold[i] {
					i = left[i]
				} else {
					i = right[i]
				}
			}
			for _, k := range leaves[i] {
				sums[target[k]] += weight[k]
			}
		}
		if attribute(n, "aggregate_function", "SUM") == "AVERAGE" {
			for k := range sums {
				sums[k] /= float64(max(len(roots), 1))
			}
		}
	}
	return one(typed(out, []int{in[0].Dims[0], targets}, Float))
}
