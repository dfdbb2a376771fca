// Package fit has the training code of the example programs: Adam steps on a loss, epochs that resume from a checkpoint and
// keep the best variables, and batches of sequences of similar length.
//
// Tensors are finalised as soon as their values are read, here and in [Call]. The garbage collector would free them too
// late: it counts only the few bytes of the Go value, not the backend's buffer behind it, so thousands of buffers would pile
// up.
package fit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// Loss builds the scalar loss of a batch; key is the dropout key of the step.
type Loss func(scope *model.Scope, batch []*Node, key *Node) *Node

// Trainer trains the variables of a store.
type Trainer struct {
	Store    *model.Store
	settings Settings
	step     *model.Exec
}

// New returns a trainer. It compiles nothing yet: each batch shape is compiled at its first step.
func New(backend compute.Backend, s Settings, loss Loss) (*Trainer, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	t := &Trainer{Store: model.NewStore(), settings: s}
	t.Store.SetParam(model.ParamInitialSeed, int64(s.Seed))
	adam := optimizer.Adam().LearningRate(s.Rate).Done().(train.OptimizeWithGradients)
	var err error
	t.step, err = model.NewExec(backend, t.Store, func(scope *model.Scope, batch []*Node) *Node {
		g := batch[0].Graph()
		Live(scope, g)
		step := optimizer.GetGlobalStepVar(scope).NodeValue(g)
		l := loss(scope, batch, synlayer.DropoutKey(Const(g, uint32(s.Seed)), step))
		if !l.IsScalar() {
			exceptions.Panicf("fit: the loss is %s, want a scalar", l.Shape())
		}
		gradients := scope.BuildTrainableVariablesGradientsGraph(l)
		if s.Clip > 0 {
			clip(gradients, s.Clip)
		}
		adam.UpdateGraphWithGradients(scope, gradients, l.DType())
		return ConvertDType(l, dtypes.Float64)
	})
	if err != nil {
		return nil, err
	}
	t.step.SetMaxCache(-1)
	return t, nil
}

// Live makes the variables of scope inputs of graph g, so that it sees their later values. Otherwise the Go backend takes the
// values that they have when the graph is compiled.
func Live(scope *model.Scope, g *Graph) { scope.SetTraining(g, true) }

// clip scales the gradients so that the L2 norm of all together is at most norm.
func clip(gradients []*Node, norm float64) {
	if len(gradients) == 0 {
		return
	}
	squares := ReduceAllSum(Square(gradients[0]))
	for _, d := range gradients[1:] {
		squares = Add(squares, ReduceAllSum(Square(d)))
	}
	most := ConstAs(squares, norm)
	factor := Div(most, Max(Sqrt(squares), most))
	for i, d := range gradients {
		gradients[i] = Mul(d, factor)
	}
}

// Step takes one step on a batch and returns its loss, or an error if that is not finite. Tensors of the batch are
// finalised.
func (t *Trainer) Step(batch ...any) (float64, error) {
	out, err := Call(t.step, batch...)
	if errors.Is(err, errNotFinite) {
		return 0, errors.New("the loss is not finite; try a smaller learning rate")
	}
	if err != nil {
		return 0, err
	}
	return out[0].(float64), nil
}

// errNotFinite is wrapped by errors about results that are NaN or infinite.
var errNotFinite = errors.New("is not finite")

// Call runs a graph and returns its results as Go values (slices of slices), or an error if one of them is NaN or infinite.
// The results, and the tensors among in, are finalised.
func Call(exec *model.Exec, in ...any) (values []any, err error) {
	var done []*tensors.Tensor
	defer func() {
		for _, t := range done {
			if failed := t.FinalizeAll(); err == nil {
				err = failed
			}
		}
	}()
	for _, v := range in {
		if t, ok := v.(*tensors.Tensor); ok {
			done = append(done, t)
		}
	}
	out, err := exec.Call(in...)
	if err != nil {
		return nil, err
	}
	done = append(done, out...)
	for i, t := range out {
		finite := true
		if err := t.ConstFlatData(func(flat any) { finite = allFinite(flat) }); err != nil {
			return nil, err
		}
		if !finite {
			return nil, fmt.Errorf("result %d %w", i, errNotFinite)
		}
		v, err := t.ValueSafe()
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// allFinite reports whether all numbers of a tensor are finite; non-float types always are.
func allFinite(flat any) bool {
	switch flat := flat.(type) {
	case []float32:
		return !slices.ContainsFunc(flat, func(v float32) bool { return infinite(float64(v)) })
	case []float64:
		return !slices.ContainsFunc(flat, infinite)
	}
	return true
}

// infinite reports whether v is not finite.
func infinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
