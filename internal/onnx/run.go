package onnx

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"synpool/internal/spelling"
)

// Bounds of the values of an array that [Graph.Run] makes: 128 MB of float64 are always allowed, and never more than bags of a million
// instances and 2,048 features. All arrays that are needed at a time may have liveArrays times the limit of one.
const (
	leastValues = 1 << 24
	mostValues  = 1 << 31
	liveArrays  = 4
)

// Run evaluates the graph on inputs and returns its outputs, see [Graph.Only] for some of them. An input that the graph lacks, or that is
// missing or of another type or shape, is an error, and so is an operator that is not among those of this package. For
// n instances of d features and constants of c numbers an array may have n (64 (n + d) + c) values, at least 2^24 and at most 2^31, so
// that a small file cannot ask for all memory. It can ask for time without end, which ctx ends.
func (g *Graph) Run(ctx context.Context, inputs map[string]*Tensor) (map[string]*Tensor, error) {
	for name := range inputs {
		if !slices.ContainsFunc(g.Inputs, func(i Info) bool { return i.Name == name }) {
			var names []string
			for _, i := range g.Inputs {
				names = append(names, i.Name)
			}
			return nil, fmt.Errorf("input %q: the model has no such input; %s", name, spelling.Hint(name, names))
		}
	}
	free := map[string]int{}
	for _, i := range g.Inputs {
		t := inputs[i.Name]
		if t == nil {
			if slices.ContainsFunc(g.Constants, func(c Constant) bool { return c.Name == i.Name }) {
				continue
			}
			return nil, fmt.Errorf("input %q is missing", i.Name)
		}
		if err := i.takes(t, free); err != nil {
			return nil, err
		}
	}
	r := &run{ctx: ctx, most: g.limit(inputs)}
	found, err := r.graph(g, inputs, nil)
	if err != nil {
		return nil, err
	}
	named := map[string]*Tensor{}
	for k, o := range g.Outputs {
		named[o.Name] = found[k]
	}
	return named, nil
}

// takes reports a tensor of another type or shape. free has the sizes of free dimensions by name.
func (i Info) takes(t *Tensor, free map[string]int) error {
	if t.Type() != i.Type || len(t.Dims) != len(i.Dims) {
		return fmt.Errorf("input %q has type %d and shape %v, the model takes type %d and shape %v", i.Name, t.Type(), t.Dims, i.Type, i.Dims)
	}
	for k, d := range i.Dims {
		want, err := strconv.Atoi(d)
		if err != nil {
			known, there := free[d]
			if want = known; !there {
				want = t.Dims[k]
				free[d] = want
			}
		}
		if d != "" && t.Dims[k] != want {
			return fmt.Errorf("input %q has shape %v, the model takes %v", i.Name, t.Dims, i.Dims)
		}
	}
	return nil
}

// limit returns the most values of an array.
func (g *Graph) limit(inputs map[string]*Tensor) int {
	rows, given, held := 0., 0., 0.
	for _, t := range inputs {
		given += float64(size(t.Dims))
		if len(t.Dims) > 0 {
			rows = max(rows, float64(t.Dims[0]))
		}
	}
	for _, c := range g.Constants {
		held += float64(size(c.Tensor.Dims))
	}
	return int(min(max(64*(rows*rows+given)+rows*held, leastValues), mostValues))
}

// run is an evaluation.
type run struct {
	ctx  context.Context
	most int // values of an array
	live int // values of all arrays that nodes have made and later ones need; shared values count twice
}

// graph evaluates a graph with the values around it, and returns its outputs in order.
func (r *run) graph(g *Graph, inputs, outer map[string]*Tensor) (outputs []*Tensor, err error) {
	known := map[string]*Tensor{}
	for _, c := range g.Constants {
		known[c.Name] = c.Tensor
	}
	maps.Copy(known, inputs)
	last := map[string]int{} // the last node that needs a value of this graph
	for k, n := range g.Nodes {
		for _, name := range n.Inputs {
			last[name] = k
		}
		for _, a := range n.Attributes {
			if body, is := a.Value.(*Graph); is {
				body.uses(func(name string) { last[name] = k })
			}
		}
	}
	for _, o := range g.Outputs {
		last[o.Name] = len(g.Nodes)
	}
	made := map[string]bool{} // by nodes
	defer func() {
		for name := range made {
			r.live -= size(known[name].Dims)
		}
	}()
	value := func(name string) *Tensor {
		if t := known[name]; t != nil {
			return t
		}
		return outer[name]
	}
	for k, n := range g.Nodes {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		in := make([]*Tensor, len(n.Inputs))
		for i, name := range n.Inputs {
			if name == "" {
				continue
			}
			if in[i] = value(name); in[i] == nil {
				return nil, fmt.Errorf("%s: its input %q comes from nowhere", n, name)
			}
		}
		out, err := r.node(n, in, known, outer)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		if len(out) < len(n.Outputs) {
			return nil, fmt.Errorf("%s: %d outputs of %d", n, len(out), len(n.Outputs))
		}
		for i, name := range n.Outputs {
			known[name] = out[i]
			made[name] = true
			r.live += size(out[i].Dims)
		}
		if r.live > liveArrays*r.most {
			return nil, fmt.Errorf("%s: arrays of %d values at a time; a file and a bag of these sizes may make %d", n, r.live, liveArrays*r.most)
		}
		for _, name := range slices.Concat(n.Inputs, n.Outputs) {
			if last[name] > k || !made[name] {
				continue
			}
			r.live -= size(known[name].Dims)
			delete(known, name)
			delete(made, name)
		}
	}
	for _, o := range g.Outputs {
		t := value(o.Name)
		if t == nil {
			return nil, fmt.Errorf("the output %q comes from nowhere", o.Name)
		}
		outputs = append(outputs, t)
	}
	return outputs, nil
}

// uses calls f with the name of each value that a graph reads.
func (g *Graph) uses(f func(name string)) {
	for _, n := range g.Nodes {
		for _, name := range n.Inputs {
			f(name)
		}
		for _, a := range n.Attributes {
			if body, is := a.Value.(*Graph); is {
				body.uses(f)
			}
		}
	}
	for _, o := range g.Outputs {
		f(o.Name)
	}
}

// String names the node for messages.
func (n *Node) String() string { return n.Op + " " + n.Outputs[0] }

// node evaluates an operation. What a file says wrongly ends in an error, not in a panic.
func (r *run) node(n *Node, in []*Tensor, known, outer map[string]*Tensor) (out []*Tensor, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("%v", caught)
		}
	}()
	if n.Op == "Loop" && n.Domain == "" {
		return r.loop(n, in, known, outer)
	}
	name := n.Op
	if n.Domain != "" && n.Domain != "ai.onnx" {
		name = n.Domain + "." + name
	}
	of, there := operators[name]
	if !there {
		return nil, fmt.Errorf("the operator %s is not among those that can be evaluated here", name)
	}
	if len(in) < of.least {
		return nil, fmt.Errorf("%d inputs, at least %d are needed", len(in), of.least)
	}
	for _, t := range in[:of.least] {
		if t == nil {
			return nil, fmt.Errorf("an input is missing")
		}
	}
	return of.run(r, n, in), nil
}

// loop evaluates a Loop: a body for each iteration, with carried values and values that are collected along a new first axis.
func (r *run) loop(n *Node, in []*Tensor, known, outer map[string]*Tensor) ([]*Tensor, error) {
	body := attribute[*Graph](n, "body", nil)
	if body == nil || len(in) < 1 || in[0] == nil || len(body.Inputs) < 2 || len(body.Inputs) != len(in) || len(body.Outputs) < len(in)-1 {
		return nil, fmt.Errorf("a loop without a body that fits")
	}
	count := integers(in[0])[0]
	around := maps.Clone(outer)
	if around == nil {
		around = map[string]*Tensor{}
	}
	maps.Copy(around, known)
	carried := slices.Clone(in[2:])
	collected, all := make([][]*Tensor, len(body.Outputs)-1-len(carried)), 0
	goes := in[1] == nil || in[1].Data.([]bool)[0]
	for i := int64(0); i < count && goes; i++ {
		inputs := map[string]*Tensor{body.Inputs[0].Name: Scalar(i), body.Inputs[1].Name: Scalar(true)}
		for k, t := range carried {
			inputs[body.Inputs[2+k].Name] = t
		}
		out, err := r.graph(body, inputs, around)
		if err != nil {
			return nil, err
		}
		goes = out[0].Data.([]bool)[0]
		carried = out[1 : 1+len(carried)]
		for k := range collected {
			t := out[1+len(carried)+k]
			all += 1 + size(t.Dims)
			r.size([]int{all})
			collected[k] = append(collected[k], t)
		}
	}
	for k, list := range collected {
		if len(list) == 0 {
			o := body.Outputs[1+len(carried)+k]
			dims := []int{0}
			for _, d := range o.Dims {
				n, _ := strconv.Atoi(d)
				dims = append(dims, n)
			}
			carried = append(carried, r.zeros(o.Type, dims))
			continue
		}
		for i, t := range list {
			list[i] = &Tensor{append([]int{1}, t.Dims...), t.Data}
		}
		carried = append(carried, concat(r, 0, list))
	}
	return carried, nil
}
