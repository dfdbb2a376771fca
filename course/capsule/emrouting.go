package capsule

import (
	"math"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// EMRouting computes parents from the votes of children by expectation maximisation (procedure 1 of the paper). Let a_i be
// the activation of child i and V_ij its vote for parent j, with values h. It starts from equal assignment probabilities
// r_ij among the parents in reach and repeats
//
//	M-step:  w_ij = r_ij a_i,  W_j = Σ_i w_ij
//	         μ_jh = Σ_i w_ij V_ijh / W_j,  σ²_jh = Σ_i w_ij (V_ijh − μ_jh)² / W_j + Epsilon
//	         cost_j = W_j Σ_h (β_u,j + log σ_jh)
//	         a_j = logistic(λ (β_a,j − cost_j))
//	E-step:  r_ij = a_j N(V_ij; μ_j, σ²_j) / Σ over parents k in reach of i of a_k N(V_ik; μ_k, σ²_k)
//
// It ends with an M-step. Probabilities are computed as logarithms, so none underflows before they are compared. β_u counts
// once per value, as in the procedure (equation 2 counts it once per capsule: the same with β_u/16), and includes the
// constant (1 + log 2π)/2 of equation 1. In layers, every type of parent has its own β_a and β_u; in section 3 of the paper
// β_a is the same for all capsules. Epsilon is not in the paper: without it, votes that agree exactly have variance 0. Votes
// that differ by much less than √Epsilon are divided nearly equally.
type EMRouting struct {
	Iterations  int // M-steps, 3 in the paper; at least 1
	Temperature InverseTemperature
	Epsilon     float64 // added to variances; must be finite and above 0
}

// DefaultEMRouting returns the paper's 3 iterations, [DefaultInverseTemperature], and an Epsilon of 0.03, which is our
// choice.
func DefaultEMRouting() EMRouting {
	return EMRouting{Iterations: 3, Temperature: DefaultInverseTemperature(), Epsilon: 0.03}
}

// Routed is the result of a routing.
type Routed struct {
	Poses       *Node // μ [batch, parents, values]
	Activations *Node // [batch, parents]

	// Assignments are the r_ij that the last M-step used, [batch, children, parents]. They sum to 1 over the parents.
	Assignments *Node
}

// nothing is added to W_j, the sum assigned to a parent, before dividing by it: far less than the share of one child.
const nothing = 1e-9

// Route routes votes [batch, children, parents, values] of children with activations [batch, children] to parents with costs
// betaU and rewards betaA [parents]. Every child is in reach of every parent.
func (r EMRouting) Route(votes, activations, betaU, betaA *Node) Routed {
	if votes.Rank() != 4 {
		exceptions.Panicf("capsule: votes are %s, want [batch, children, parents, values]", votes.Shape())
	}
	dims := votes.Shape().Dimensions
	batch, children, parents, values := dims[0], dims[1], dims[2], dims[3]
	activations.AssertDims(batch, children)
	betaU.AssertDims(parents)
	betaA.AssertDims(parents)
	votes = Reshape(TransposeAllAxes(votes, 0, 2, 1, 3), batch, 1, parents, children, values)
	p := r.route(votes, Reshape(activations, batch, 1, children), betaU, betaA, overTypes)
	return Routed{
		Poses:       Reshape(p.poses, batch, parents, values),
		Activations: Reshape(p.activations, batch, parents),
		Assignments: Transpose(Reshape(p.assignments, batch, parents, children), 1, 2),
	}
}

// placed is the result of a routing to parents of several types at several positions.
type placed struct {
	poses       *Node // [batch, positions, types, values]
	activations *Node // [batch, positions, types]
	assignments *Node // [batch, positions, types, children]
}

// route routes votes [batch, positions, types, children, values] of children with activations [batch, positions, children];
// betaU and betaA are [types]. A child may be in the fields of several positions: compete turns the logarithms [batch,
// positions, types, children] of a_j N(V_ij; μ_j, σ²_j) into probabilities over all parents of a child.
func (r EMRouting) route(votes, activations, betaU, betaA *Node, compete func(logits *Node) *Node) placed {
	switch {
	case r.Iterations < 1:
		exceptions.Panicf("capsule: %d iterations of EM routing, want at least 1", r.Iterations)
	case !(r.Epsilon > 0) || math.IsInf(r.Epsilon, 0):
		exceptions.Panicf("capsule: EM routing with Epsilon %g, want a finite number above 0", r.Epsilon)
	case !(r.Temperature.Final >= 0) || math.IsInf(r.Temperature.Final, 0) || !(r.Temperature.Decay >= 0 && r.Temperature.Decay < 1):
		exceptions.Panicf("capsule: EM routing with the inverse temperature %+v, want a finite Final of 0 or more and a Decay in [0, 1)", r.Temperature)
	}
	dims := votes.Shape().Dimensions
	positions, types, children, values := dims[1], dims[2], dims[3], dims[4]
	betaU, betaA = Reshape(betaU, 1, 1, types), Reshape(betaA, 1, 1, types)
	activations = ExpandAxes(activations, 2)

	// Equal logarithms are the same for every bag of the batch.
	out := placed{assignments: compete(Zeros(votes.Graph(), shapes.Make(votes.DType(), 1, positions, types, children)))}
	for t := range r.Iterations {
		assigned := Mul(out.assignments, activations)
		total := ReduceSum(assigned, -1) // W_j
		share := Div(assigned, ExpandAxes(AddScalar(total, nothing), -1))
		out.poses = Einsum("bpji,bpjih->bpjh", share, votes)
		deviation := Square(Sub(votes, ExpandAxes(out.poses, 3)))
		variance := AddScalar(Einsum("bpji,bpjih->bpjh", share, deviation), r.Epsilon)
		logSigma := MulScalar(ReduceSum(Log(variance), -1), 0.5) // Σ_h
		cost := Mul(Add(MulScalar(betaU, values), logSigma), total)
		logits := MulScalar(Sub(betaA, cost), r.Temperature.At(t))
		if t == r.Iterations-1 {
			out.activations = Sigmoid(logits)
			break
		}
		distance := Einsum("bpjih,bpjh->bpji", deviation, Inverse(MulScalar(variance, 2)))
		logActivation := Neg(Softplus(Neg(logits)))
		out.assignments = compete(Sub(ExpandAxes(Sub(logActivation, logSigma), -1), distance))
	}
	if batch := dims[0]; r.Iterations == 1 {
		out.assignments = BroadcastToDims(out.assignments, batch, positions, types, children)
	}
	return out
}

// overTypes compares parents at one position.
func overTypes(logits *Node) *Node { return Softmax(logits, 2) }
