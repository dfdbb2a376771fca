// Package trees fits extremely randomised trees: forests for classification and regression on dense rows.
//
//	row        one example: d features, float32
//	split      a feature f and a threshold t; rows with x_f ≤ t go left
//	candidate  a feature drawn for a node; its threshold is drawn uniformly between the smallest and the largest value there
//	leaf       a node without a split; it has the weighted frequencies of the classes among its training rows, or the
//	           mean of their values
//	forest     trees whose leaves are averaged
//
// Source: Geurts, Ernst and Wehenkel, "Extremely randomized trees", Machine Learning 63 (2006). The rules are those of
// scikit-learn's ExtraTreesClassifier and ExtraTreesRegressor: Gini impurity and ⌊√d⌋ candidates per node, or variance and
// all features; every tree uses all training rows. There are three differences. A feature is constant in a node only if all
// its values there are equal; scikit-learn also treats ranges up to 1e-7 as constant. The search in a node stops at the
// first candidate that separates the classes perfectly. And if candidates of a regression split the rows in the same way,
// the first one drawn is taken; in scikit-learn the rounding of sums decides.
package trees

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Forest is a fitted forest. Its fields are plain arrays that the caller can store; [Forest.Validate] checks arrays read
// from a file.
//
// The nodes of a tree are in preorder: the left child of node i is node i+1. Node numbers count from the tree's root, leaf
// numbers from the tree's first leaf. A tree with m nodes has (m+1)/2 leaves.
type Forest struct {
	Features int // d, features per row
	Classes  int // k; 0 for a regression

	Starts    []int32   // [trees+1]: tree t has the nodes Starts[t] to Starts[t+1]-1
	Feature   []int32   // [nodes]: the feature of a split; -1 for a leaf
	Threshold []float32 // [nodes]: rows with x_f ≤ threshold go left; 0 for a leaf
	Next      []int32   // [nodes]: the right child of a split, or the number of a leaf
	Leaves    []float32 // [leaves, classes]: class frequencies; for a regression [leaves]: values

	// Importance is the mean decrease of impurity per feature, [features]. For each tree: the sum over the splits of a
	// feature of W·G − W_l·G_l − W_r·G_r, with weight W and Gini impurity G, or variance, of a node and its two children,
	// divided by the tree's total. Trees with a single leaf are left out of the mean. It sums to 1, or is zero if no tree
	// has a split.
	Importance []float64
}

// Trees returns the number of trees.
func (f *Forest) Trees() int { return len(f.Starts) - 1 }

// outputs returns how many numbers a leaf has.
func (f *Forest) outputs() int { return max(f.Classes, 1) }

// firstLeaf returns the row of Leaves with the first leaf of a tree: each tree before has (nodes+1)/2 leaves.
func (f *Forest) firstLeaf(tree int) int { return (int(f.Starts[tree]) + tree) / 2 }

// Leaf returns the numbers of a leaf of a tree, by the number in Next.
func (f *Forest) Leaf(tree, leaf int) []float32 {
	n := f.outputs()
	at := (f.firstLeaf(tree) + leaf) * n
	return f.Leaves[at : at+n]
}

// Validate returns an error if the arrays are not a valid forest. It trusts none of them: if it returns nil, a prediction
// reads no element out of range and terminates.
func (f *Forest) Validate() error {
	nodes := len(f.Feature)
	switch {
	case f.Features < 1 || f.Features > math.MaxInt32:
		return fmt.Errorf("trees: a forest has %d features, want 1 to %d", f.Features, math.MaxInt32)
	case f.Classes < 0:
		return fmt.Errorf("trees: a forest has %d classes, want at least 0", f.Classes)
	case len(f.Starts) < 2:
		return errors.New("trees: a forest has no trees")
	case f.Starts[0] != 0 || int(f.Starts[len(f.Starts)-1]) != nodes:
		return fmt.Errorf("trees: the trees span nodes %d to %d, want 0 to %d", f.Starts[0], f.Starts[len(f.Starts)-1], nodes)
	case len(f.Threshold) != nodes || len(f.Next) != nodes:
		return fmt.Errorf("trees: %d features, %d thresholds and %d links of nodes, want equal numbers", nodes, len(f.Threshold), len(f.Next))
	case len(f.Importance) != f.Features:
		return fmt.Errorf("trees: %d importances, want %d", len(f.Importance), f.Features)
	}
	for t := range f.Trees() {
		if a, b := f.Starts[t], f.Starts[t+1]; a < 0 || b <= a || int(b) > nodes || (b-a)%2 == 0 {
			return fmt.Errorf("trees: tree %d spans nodes %d to %d, want an odd number of %d nodes", t, a, b, nodes)
		}
	}
	if leaves, width := f.firstLeaf(f.Trees()), f.outputs(); len(f.Leaves)/width != leaves || len(f.Leaves)%width != 0 {
		return fmt.Errorf("trees: %d leaf values, want %d leaves of %d", len(f.Leaves), leaves, width)
	}
	var ends []int32
	for t := range f.Trees() {
		a, b := f.Starts[t], f.Starts[t+1]
		ends = slices.Grow(ends[:0], int(b-a))[:b-a]
		if err := f.validateTree(f.Feature[a:b], f.Threshold[a:b], f.Next[a:b], ends); err != nil {
			return fmt.Errorf("trees: tree %d: %w", t, err)
		}
	}
	if err := f.validateLeaves(); err != nil {
		return err
	}
	for j, v := range f.Importance {
		if !(v >= 0 && v <= 1+1e-9) {
			return fmt.Errorf("trees: feature %d has the importance %g, want 0 to 1", j, v)
		}
	}
	return nil
}

// validateLeaves checks that leaves hold frequencies, or values that are finite.
func (f *Forest) validateLeaves() error {
	width := f.outputs()
	for i := 0; i < len(f.Leaves); i += width {
		var sum float64
		for _, p := range f.Leaves[i : i+width] {
			switch {
			case f.Classes == 0 && p-p != 0:
				return fmt.Errorf("trees: leaf %d has the value %g", i, p)
			case f.Classes > 0 && !(p >= 0 && p <= 1):
				return fmt.Errorf("trees: leaf %d has the frequency %g", i/width, p)
			}
			sum += float64(p)
		}
		if f.Classes > 0 && math.Abs(sum-1) > 1e-3 {
			return fmt.Errorf("trees: the frequencies of leaf %d sum to %g, want 1", i/width, sum)
		}
	}
	return nil
}

// validateTree checks that nodes are in preorder: the right child of a split follows the last node below its left child, and
// leaves are numbered in turn. It sets ends[i] to the node after the last one below node i.
func (f *Forest) validateTree(feature []int32, threshold []float32, next, ends []int32) error {
	m := int32(len(feature))
	leaf := (m + 1) / 2
	for i := m - 1; i >= 0; i-- {
		if !(math.Abs(float64(threshold[i])) <= math.MaxFloat32) {
			return fmt.Errorf("node %d has the threshold %g", i, threshold[i])
		}
		if feature[i] == -1 {
			leaf--
			if next[i] != leaf {
				return fmt.Errorf("node %d is leaf %d, want %d", i, next[i], leaf)
			}
			ends[i] = i + 1
			continue
		}
		if feature[i] < 0 || int(feature[i]) >= f.Features {
			return fmt.Errorf("node %d splits feature %d of %d", i, feature[i], f.Features)
		}
		right := next[i]
		if right <= i+1 || right >= m || ends[i+1] != right {
			return fmt.Errorf("node %d of %d has the right child %d", i, m, right)
		}
		ends[i] = ends[right]
	}
	if leaf != 0 || ends[0] != m {
		return fmt.Errorf("%d of %d nodes are below the root", ends[0], m)
	}
	return nil
}
