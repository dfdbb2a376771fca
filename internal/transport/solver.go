package transport

import (
	"fmt"
	"math"
)

const (
	// units is the total mass if weights are not uniform: they are rounded to multiples of 1/units of their sum.
	units = 1 << 52
	// largest is the largest cost allowed: with it, sums along a path of arcs stay finite.
	largest = 1e300
	// slack is how negative a reduced cost may be at the optimum, relative to the largest cost.
	slack = 1e-13
	// sumTolerance is the relative difference allowed between the sums of both sides.
	sumTolerance = 1e-9
	// fresh is the number of pivots after which potentials must be recomputed before they are trusted.
	fresh = 50
)

// Solver finds exact optimal plans. The zero value is ready to use. A Solver reuses its memory, so a call allocates only if
// its problem is the largest so far. It is not safe for concurrent use: use one Solver per goroutine.
//
// Method: primal network simplex on the transportation problem (Dantzig, 1951), with strongly feasible spanning trees
// (Cunningham, 1976, A network simplex method), which do not cycle. Masses are integers, so ties are exact. Sources are
// nodes 0 to n-1, sinks n to n+m-1, and the root n+m connects the trees of the start. Arcs to the root carry no flow and
// never enter.
type Solver struct {
	n, m   int
	unit   float64 // mass of a unit of flow
	pivots int
	nodes  []node
	u, v   []float64 // potentials of sources and sinks: u_i + v_j = c_ij in the tree
	supply []int64   // remaining supply of sources, then remaining demand of sinks, during greedy
	free   []int32   // columns that greedy may still fill
	cost   []float64 // costs of Between
}

// node is a node of the spanning tree with the arc to its parent. The arc of a source leads to its parent; the arc of a sink
// comes from it.
type node struct {
	parent, child, next, prev int32 // -1: none; children are a doubly linked list
	depth                     int32
	flow                      int64
}

// Distance returns the least sum over i and j of P[i,j]*cost[i*m+j] over all P >= 0 with row sums a and column sums b.
//
// cost has n rows and m columns of finite values, row by row. Nil a means weights of 1/n, nil b of 1/m. Weights need not sum
// to 1, but both sums must be equal. It is an error if a cost or weight is not finite, a weight is negative, the sums
// differ, or lengths do not match. Results are exact up to rounding: at most about 1e-13 times the largest cost and the
// mass.
func (s *Solver) Distance(cost []float64, n, m int, a, b []float64) (float64, error) {
	if n < 1 || m < 1 || len(cost) != n*m || a != nil && len(a) != n || b != nil && len(b) != m {
		return 0, fmt.Errorf("transport: %d costs, %d and %d weights do not fit %d x %d", len(cost), len(a), len(b), n, m)
	}
	top := 0.0
	for _, c := range cost {
		// A NaN fails every comparison.
		if c := math.Abs(c); !(c <= top) {
			top = c
			if !(top <= largest) {
				return 0, fmt.Errorf("transport: a cost is %v", c)
			}
		}
	}
	if err := s.masses(n, m, a, b); err != nil {
		return 0, err
	}
	s.n, s.m, s.pivots = n, m, 0
	s.start(cost)
	if n > 1 && m > 1 {
		if err := s.optimise(cost, slack*top); err != nil {
			return 0, err
		}
	}
	total := 0.0
	for i := range s.nodes[:n+m] {
		if k := &s.nodes[i]; k.flow > 0 {
			r, c := s.ends(i)
			total += float64(k.flow) * cost[r*m+c]
		}
	}
	return total * s.unit, nil
}

// Between returns the optimal transport distance (earth mover's distance) between the rows of x and the rows of y, with the
// metric as cost. x and y are row-major with the given number of features; a and b are the weights of their rows, as in
// Distance.
func (s *Solver) Between(metric Metric, x, y []float64, features int, a, b []float64) (float64, error) {
	n, m, err := shape(metric, x, y, features)
	if err != nil {
		return 0, err
	}
	s.cost = grown(s.cost, n*m)
	costs(s.cost, metric, x, y, features)
	return s.Distance(s.cost, n, m, a, b)
}

// ends returns row and column of the arc between a node and its parent.
func (s *Solver) ends(node int) (int, int) {
	if node < s.n {
		return node, int(s.nodes[node].parent) - s.n
	}
	return int(s.nodes[node].parent), node - s.n
}

// masses sets supply and unit.
func (s *Solver) masses(n, m int, a, b []float64) error {
	s.supply = grown(s.supply, n+m)
	if a == nil && b == nil {
		g := gcd(n, m)
		for i := range n {
			s.supply[i] = int64(m / g)
		}
		for j := range m {
			s.supply[n+j] = int64(n / g)
		}
		s.unit = 1 / float64(n/g*m)
		return nil
	}
	left, err := whole(s.supply[:n], a, "source")
	if err != nil {
		return err
	}
	right, err := whole(s.supply[n:], b, "sink")
	if err != nil {
		return err
	}
	if !(math.Abs(left-right) <= sumTolerance*max(left, right)) {
		return fmt.Errorf("transport: the weights sum to %v and %v", left, right)
	}
	s.unit = left / units
	return nil
}

// whole sets to to the weights in multiples of 1/units of their sum, and returns the sum; nil weights are uniform.
func whole(to []int64, weights []float64, side string) (float64, error) {
	sum := 1.0
	if weights != nil {
		sum = 0
		for i, w := range weights {
			if !(w >= 0 && w <= math.MaxFloat64) {
				return 0, fmt.Errorf("transport: the weight of %s %d is %v", side, i, w)
			}
			sum += w
		}
	}
	if !(sum > 0 && sum <= math.MaxFloat64) {
		return 0, fmt.Errorf("transport: the weights of the %ss sum to %v", side, sum)
	}
	missing := int64(units)
	for i := range to {
		w := 1 / float64(len(to))
		if weights != nil {
			w = weights[i] / sum
		}
		to[i] = int64(math.Round(w * units))
		missing -= to[i]
	}
	// Rounding leaves at most half a unit per weight.
	for i := 0; missing != 0; i = (i + 1) % len(to) {
		switch {
		case missing > 0 && to[i] > 0:
			to[i]++
			missing--
		case missing < 0 && to[i] > 1:
			to[i]--
			missing++
		}
	}
	return sum, nil
}

// start makes the first tree: each row fills the columns that are cheapest for it compared with other rows. Arcs with flow
// form a forest; each of its trees is attached to the root.
func (s *Solver) start(cost []float64) {
	n, m := s.n, s.m
	s.nodes = grown(s.nodes, n+m+1)
	s.u, s.v, s.free = grown(s.u, n), grown(s.v, m), grown(s.free, m)
	for i := range s.nodes {
		s.nodes[i] = node{parent: -1, child: -1, next: -1, prev: -1}
	}
	v := s.v
	copy(v, cost[:m])
	for i := 1; i < n; i++ {
		row := cost[i*m:][:len(v)]
		for j, c := range row {
			if c < v[j] {
				v[j] = c
			}
		}
	}
	free := s.free
	for j := range free {
		free[j] = int32(j)
	}
	for i := range n {
		row := cost[i*m:][:len(v)]
		s.u[i] = math.Inf(1)
		for j, c := range row {
			if r := c - v[j]; r < s.u[i] {
				s.u[i] = r
			}
		}
		for s.supply[i] > 0 {
			best, at := math.Inf(1), 0
			for k, j := range free {
				if r := row[j] - v[j]; r < best {
					best, at = r, k
				}
			}
			j := free[at]
			// In exact ties only one of row and column is finished, so that the arcs form no cycle.
			flow := min(s.supply[i], s.supply[n+int(j)])
			s.supply[i] -= flow
			s.supply[n+int(j)] -= flow
			if s.supply[n+int(j)] == 0 {
				free[at] = free[len(free)-1]
				free = free[:len(free)-1]
			}
			if flow == 0 {
				continue // a sink without weight
			}
			s.join(int32(i), int32(n)+j, flow)
		}
	}
	root := int32(n + m)
	for i := range root {
		if s.nodes[i].parent < 0 {
			s.hang(i, root)
		}
	}
	s.potentials(cost, true)
}

// join adds the arc from source i to sink j, which are in different trees, to the forest. Only sources are roots of trees
// with more than one node.
func (s *Solver) join(i, j int32, flow int64) {
	switch {
	case s.nodes[j].parent < 0:
		s.hang(j, i)
		s.nodes[j].flow = flow
	case s.nodes[i].parent < 0:
		s.hang(i, j)
		s.nodes[i].flow = flow
	default:
		s.turn(j, -1, i, flow)
	}
}

// turn makes node below a child of above, and reverses the arcs from it up to node out, which loses its parent. flow is the
// flow of the new arc. out is -1 for the root of the tree of below.
func (s *Solver) turn(below, out, above int32, flow int64) {
	for k := below; ; {
		parent, old := s.nodes[k].parent, s.nodes[k].flow
		if parent >= 0 {
			s.cut(k)
		}
		s.hang(k, above)
		s.nodes[k].flow = flow
		if k == out || parent < 0 {
			return
		}
		above, k, flow = k, parent, old
	}
}

// hang makes child, which has no parent, a child of parent.
func (s *Solver) hang(child, parent int32) {
	c, p := &s.nodes[child], &s.nodes[parent]
	c.parent, c.prev, c.next = parent, -1, p.child
	if p.child >= 0 {
		s.nodes[p.child].prev = child
	}
	p.child = child
}

// cut takes a node from the children of its parent.
func (s *Solver) cut(child int32) {
	c := &s.nodes[child]
	if c.prev >= 0 {
		s.nodes[c.prev].next = c.next
	} else {
		s.nodes[c.parent].child = c.next
	}
	if c.next >= 0 {
		s.nodes[c.next].prev = c.prev
	}
}

// potentials computes u and v from the tree, without changing those of the root's children. It also sets depths if asked.
func (s *Solver) potentials(cost []float64, depths bool) {
	n, m, root := s.n, s.m, int32(s.n+s.m)
	k := s.nodes[root].child
	for {
		d := &s.nodes[k]
		if depths {
			d.depth = s.nodes[d.parent].depth + 1
		}
		if d.parent != root {
			r, c := s.ends(int(k))
			if int(k) < n {
				s.u[r] = cost[r*m+c] - s.v[c]
			} else {
				s.v[c] = cost[r*m+c] - s.u[r]
			}
		}
		if d.child >= 0 {
			k = d.child
			continue
		}
		for k != root && s.nodes[k].next < 0 {
			k = s.nodes[k].parent
		}
		if k == root {
			return
		}
		k = s.nodes[k].next
	}
}

// optimise pivots until no reduced cost is below -tolerance.
func (s *Solver) optimise(cost []float64, tolerance float64) error {
	n, m := s.n, s.m
	rows := max(1, int(math.Sqrt(float64(n)*float64(m))/2)/m)
	limit := 1000*(n+m) + 100*n*m // far more than any problem needs: a guard against an endless loop
	checked := 0
	v := s.v
	for i, clean := 0, 0; ; {
		worst, from, to := -tolerance, -1, 0
		for range rows {
			row := cost[i*m:][:len(v)]
			bound := worst + s.u[i]
			at := -1
			for j, c := range row {
				if r := c - v[j]; r < bound {
					bound, at = r, j
				}
			}
			if at >= 0 {
				worst, from, to = bound-s.u[i], i, at
			}
			if i++; i == n {
				i = 0
			}
			if clean++; clean == n {
				break
			}
		}
		if from >= 0 && worst < 0 {
			clean = 0
			if s.pivots++; s.pivots > limit {
				return fmt.Errorf("transport: %d x %d has no optimum after %d pivots", n, m, limit)
			}
			s.pivot(int32(from), int32(n+to), worst)
			continue
		}
		if clean < n {
			continue
		}
		if s.pivots-checked <= fresh {
			return nil
		}
		s.potentials(cost, false)
		checked, clean = s.pivots, 0
	}
}

// pivot adds the arc from source i to sink j with reduced cost r < 0 to the tree.
func (s *Solver) pivot(i, j int32, r float64) {
	nodes, n, root := s.nodes, int32(s.n), int32(s.n+s.m)
	// The leaving arc is the last blocking one, along the cycle from the join in the direction of the new arc.
	delta, out, below := int64(math.MaxInt64), int32(-1), i
	blocksJ := false
	p, q := i, j
	for p != q {
		a, b := &nodes[p], &nodes[q]
		up, down := a.depth >= b.depth, b.depth >= a.depth
		if up {
			if (p < n || a.parent == root) && a.flow < delta {
				delta, out, blocksJ = a.flow, p, false
			}
			p = a.parent
		}
		if down {
			if q >= n && b.parent != root && b.flow <= delta {
				delta, out, blocksJ = b.flow, q, true
			}
			q = b.parent
		}
	}
	join := p
	if delta > 0 {
		for p := i; p != join; p = nodes[p].parent {
			if p < n {
				nodes[p].flow -= delta
			} else {
				nodes[p].flow += delta
			}
		}
		for q := j; q != join; q = nodes[q].parent {
			if q >= n {
				nodes[q].flow -= delta
			} else {
				nodes[q].flow += delta
			}
		}
	}
	above := j
	shiftU := r // for sources in the moved subtree; its sinks shift by the opposite amount
	if blocksJ {
		below, above, shiftU = j, i, -r
	}
	s.turn(below, out, above, delta)
	// Potentials and depths of the subtree.
	u, v := s.u, s.v
	for k := below; ; {
		d := &nodes[k]
		d.depth = nodes[d.parent].depth + 1
		if k < n {
			u[k] += shiftU
		} else {
			v[k-n] -= shiftU
		}
		if d.child >= 0 {
			k = d.child
			continue
		}
		for k != below && nodes[k].next < 0 {
			k = nodes[k].parent
		}
		if k == below {
			return
		}
		k = nodes[k].next
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// grown returns a slice of length n; it reuses s if that is large enough.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
