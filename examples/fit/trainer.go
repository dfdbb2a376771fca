// Package fit is what the training programs share: steps of Adam on a loss, the best state so far, and batches of sequences of
// like lengths.
package fit

import (
	"fmt"
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"synpool/synlayer"
)

// Loss builds the loss of a batch; key is the step's key of the dropout.
type Loss func(scope *model.Scope, batch []*Node, key *Node) *Node

// Settings of the steps.
type Settings struct {
	Rate float64 // learning rate of Adam
	Clip float64 // largest L2 norm of all gradients together; 0 for no bound
	Seed uint64  // of the initial weights and the dropout, 1 or more
}

// Trainer changes the variables of a store.
type Trainer struct {
	Store *model.Store
	step  *model.Exec
	steps uint32
}

// New compiles nothing yet: each shape of batch is compiled at its first step.
func New(backend compute.Backend, s Settings, loss Loss) (*Trainer, error) {
	if !(s.Rate > 0) || !(s.Clip >= 0) || s.Seed < 1 || s.Seed > math.MaxInt64 {
		return nil, fmt.Errorf("learning rate %g, clip %g, seed %d; want a rate above 0, a bound of 0 or more and a seed of 1 or more", s.Rate, s.Clip, s.Seed)
	}
	t := &Trainer{Store: model.NewStore()}
	t.Store.SetParam(model.ParamInitialSeed, int64(s.Seed))
	adam := optimizer.Adam().LearningRate(s.Rate).Done().(train.OptimizeWithGradients)
	var err error
	t.step, err = model.NewExec(backend, t.Store, func(scope *model.Scope, in []*Node) *Node {
		g := in[0].Graph()
		l := loss(scope, in[1:], synlayer.DropoutKey(Const(g, uint32(s.Seed)), in[0]))
		gradients := scope.BuildTrainableVariablesGradientsGraph(l)
		if s.Clip > 0 {
			squares := ScalarZero(g, l.DType())
			for _, d := range gradients {
				squares = Add(squares, ReduceAllSum(Square(d)))
			}
			factor := Div(ConstAs(l, s.Clip), Max(Sqrt(squares), ConstAs(l, s.Clip)))
			for i, d := range gradients {
				gradients[i] = Mul(d, factor)
			}
		}
		adam.UpdateGraphWithGradients(scope, gradients, dtypes.Float32)
		return l
	})
	if err != nil {
		return nil, err
	}
	t.step.SetMaxCache(-1)
	return t, nil
}

// Step takes one step on a batch and returns its loss, an error if that is not finite.
func (t *Trainer) Step(batch ...any) (float64, error) {
	t.steps++
	out, err := t.step.Call(append([]any{t.steps}, batch...)...)
	if err != nil {
		return 0, fmt.Errorf("step %d: %w", t.steps, err)
	}
	l := float64(tensors.ToScalar[float32](out[0]))
	if math.IsNaN(l) || math.IsInf(l, 0) {
		return 0, fmt.Errorf("step %d: a loss of %g; try a smaller learning rate", t.steps, l)
	}
	return l, nil
}

// State is the values of the trained variables.
type State map[string]*tensors.Tensor

// State returns a copy of the variables.
func (t *Trainer) State() (State, error) {
	s := State{}
	for v := range t.Store.IterVariables() {
		if !v.Trainable {
			continue
		}
		value, err := v.Value()
		if err == nil {
			s[v.Path()], err = value.LocalClone()
		}
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", v.Path(), err)
		}
	}
	return s, nil
}

// Restore puts a state back.
func (t *Trainer) Restore(s State) error {
	for path, value := range s {
		v := t.Store.GetVariable(path)
		if v == nil {
			return fmt.Errorf("no variable %s", path)
		}
		value, err := value.LocalClone()
		if err == nil {
			err = v.SetValue(value)
		}
		if err != nil {
			return fmt.Errorf("variable %s: %w", path, err)
		}
	}
	return nil
}
