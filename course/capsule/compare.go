package capsule

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Compare reads the assignment probabilities r_ij that [Class.Route] has found for the capsules below in two ways. Let a_i be
// the activation of child i.
//
//	shares   r_ij                      bottom-up: what a child gives to each class; they sum to 1 over the classes
//	weights  r_ij a_i / Σ_k r_kj a_k   top-down: what a class takes from each child; they sum to 1 over the children
//
// The weights are attention whose values are the votes V_ij: the pose of class j is Σ_i weights_ij V_ij, as in the M-step of
// [EMRouting]. Both are [batch, classes, children], with the children ordered by row, column and type. If no child of a class
// is active, its weights are 0.
func (c Class) Compare(below Capsules, assignments *Node) (shares, weights *Node) {
	height, width, types := below.grid()
	batch, children := below.Poses.Shape().Dim(0), height*width*types
	assignments.AssertDims(batch, 1, 1, c.Classes, height, width, types)
	shares = Reshape(assignments, batch, c.Classes, children)
	assigned := Mul(shares, Reshape(below.Activations, batch, 1, children))
	return shares, Div(assigned, AddScalar(ReduceAndKeep(assigned, ReduceSum, -1), nothing))
}
