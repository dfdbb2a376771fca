// Package syntest tests the laws that every pooling of a bag must satisfy: the poolings of package synlayer and your own.
// One call of [Laws] is the complete test; see TestOwnPooling in own_pooling_test.go for a pooling with its test.
package syntest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/internal/batched"
	"synpool/internal/goldentest"
	"synpool/synlayer"
)

// The sizes of the bags that the laws are tested on. Few numbers of heads divide features, on purpose: heads must divide the
// embedding, not the features.
const (
	batch      = 4
	instances  = 6
	features   = 5
	numMembers = 3
)

// Laws runs, as subtests in each of the given float types, float64 and float32 by default:
//
//   - permutation: permuting the instances permutes the weights and leaves the pooled vector unchanged.
//   - padding: padding has weight 0 and changes nothing, whatever its values are, NaN included.
//   - alone: a bag alone equals the same bag in a batch.
//   - empty: a bag without a real instance has weights 0, finite results and gradients, and does not affect other bags.
//   - one: a bag of one instance has finite results and gradients too.
//   - extreme: features of up to 1e4, whose weights become tiny or underflow, give finite results and gradients.
//   - members: k stacked members give the same results as each of them alone. Each has its own seed and dropout key and, for
//     a pooling of package synlayer, its own numeric hyperparameters.
//   - dropout: nothing is random without a dropout key.
//
// For a [synlayer.Classifier], the logits and the losses of both labels, and those of three classes, must satisfy all of
// these too, as if they were pooled features. There is one more law:
//
//   - classifier: Classify and Pool give the same pooled vectors and weights.
func Laws(t *testing.T, backend compute.Backend, pooling synlayer.Pooling, types ...dtypes.DType) {
	t.Helper()
	if len(types) == 0 {
		types = []dtypes.DType{dtypes.Float64, dtypes.Float32}
	}
	for _, dtype := range types {
		l := newLaws(backend, pooling, dtype)
		for _, law := range all {
			t.Run(fmt.Sprintf("%s/%s", law.name, dtype), func(t *testing.T) { law.try(l, t) })
		}
		if _, ok := pooling.(synlayer.Classifier); !ok {
			continue
		}
		l = newLaws(backend, pooling, dtype)
		l.outputs = classes
		for _, law := range all {
			t.Run(fmt.Sprintf("%s, %d classes/%s", law.name, classes, dtype), func(t *testing.T) { law.try(l, t) })
		}
	}
}

// Law is a law and what breaks it, or nil.
type Law struct {
	Name   string
	Broken error
}

// Check tries all laws of [Laws] on a pooling in float64, outside of a test.
func Check(backend compute.Backend, pooling synlayer.Pooling) (laws []Law) {
	l := newLaws(backend, pooling, dtypes.Float64)
	for _, law := range all {
		var broken error
		if caught := exceptions.Try(func() { law.try(l, breach{}) }); caught != nil {
			broken = fmt.Errorf("%v", caught)
		}
		laws = append(laws, Law{law.name, broken})
	}
	return laws
}

// breach is a failer that panics with what it is told.
type breach struct{}

func (breach) Helper()                           {}
func (breach) Fatalf(format string, args ...any) { panic(fmt.Errorf(format, args...)) }

// failer is the part of *testing.T that the laws need.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

var all = []struct {
	name string
	try  func(*laws, failer)
}{
	{"permutation", (*laws).permutation}, {"padding", (*laws).padding}, {"alone", (*laws).alone}, {"empty", (*laws).empty},
	{"one", (*laws).one}, {"extreme", (*laws).extreme}, {"members", (*laws).members}, {"dropout", (*laws).dropout},
	{"classifier", (*laws).classifier},
}

// classes is the number of classes that a classifier is tested with, besides one logit.
const classes = 3

type laws struct {
	outputs  int // of a classifier
	backend  compute.Backend
	pooling  synlayer.Pooling
	dtype    dtypes.DType
	programs map[form]*program
	shape    result                   // width and heads alone
	asked    []batched.Hyperparameter // by the pooling; see numbers
}

func newLaws(backend compute.Backend, pooling synlayer.Pooling, dtype dtypes.DType) *laws {
	return &laws{outputs: 1, backend: backend, pooling: pooling, dtype: dtype, programs: map[form]*program{}}
}

// numbers returns the hyperparameters of the pooling that can differ between members.
func (l *laws) numbers() []batched.Hyperparameter {
	if l.asked == nil {
		g := NewGraph(l.backend, "numbers")
		defer g.Finalize()
		x := Parameter(g, "x", shapes.Make(l.dtype, batch, instances, features))
		mask := Parameter(g, "mask", shapes.Make(dtypes.Bool, batch, instances))
		l.pool(model.NewStore().RootScope(), synlayer.Bags{X: x, Mask: mask})
		l.asked = batched.Numbers(g)
	}
	return l.asked
}

// bags is a batch in Go: x [batch][instances][features], mask [batch][instances].
type bags struct {
	x    [][][]float64
	mask [][]bool
}

func draw(count, size int) bags {
	rng := rand.New(rand.NewPCG(7, 11))
	b := bags{make([][][]float64, count), make([][]bool, count)}
	for i := range count {
		b.x[i], b.mask[i] = make([][]float64, size), make([]bool, size)
		for j := range size {
			b.x[i][j] = make([]float64, features)
			for k := range features {
				b.x[i][j][k] = rng.NormFloat64()
			}
			b.mask[i][j] = j < 2+i // bags of 2, 3, ... real instances
		}
	}
	return b
}

// result of one evaluation; with members, the members axis comes first.
type result struct {
	pooled  []float64 // [batch, pooled features]
	weights []float64 // [batch, heads, instances]
	gradX   []float64 // of the sum of the pooled vectors times fixed numbers
	grads   []float64 // of all variables
	width   int       // pooled features
	heads   int
	size    int // instances
}

func (r result) vector(bag int) []float64 { return r.pooled[bag*r.width : (bag+1)*r.width] }
func (r result) row(bag, head int) []float64 {
	return r.weights[(bag*r.heads+head)*r.size : (bag*r.heads+head+1)*r.size]
}

// form is a kind of graph. Its variables and its compiled graphs for each shape are kept for the next evaluation.
type form struct{ training, stack bool }

type program struct {
	store *model.Store
	exec  *model.Exec
}

// build returns the graph function of a form. Its variables are drawn from seeds if they do not exist yet.
func (l *laws) build(f form, seeds []uint64, r *result) func(*model.Scope, []*Node) []*Node {
	return func(scope *model.Scope, inputs []*Node) []*Node {
		x, mask, key, numbers := inputs[0], inputs[1], inputs[2], inputs[3:]
		g := x.Graph()
		scope.SetTraining(g, true) // later values of the variables count, on the Go backend too
		batched.Seed(g, seeds...)
		in := synlayer.Bags{X: ConvertDType(x, l.dtype), Mask: mask}
		if f.training {
			in.DropoutKey = synlayer.DropoutKey(key, Const(g, uint32(3)))
			byPath := map[string]*Node{}
			for i, h := range l.numbers() {
				byPath[h.Path] = numbers[i]
			}
			batched.BindNumbers(g, byPath)
		}
		pooled, weights := l.pool(scope, in)
		r.width, r.heads = pooled.Shape().Dim(-1), weights.Shape().Dim(-2)
		fixed := make([]float64, r.width)
		for i := range fixed {
			fixed[i] = math.Cos(float64(i))
		}
		ones := slices.Repeat([]int{1}, pooled.Rank()-1)
		loss := ReduceAllSum(Mul(pooled, Reshape(ConstAs(pooled, fixed), append(ones, r.width)...)))
		of := []*Node{in.X}
		for v := range scope.Store().IterVariables() {
			if v.Trainable && v.DType().IsFloat() && v.InUseByGraph(g) {
				of = append(of, v.NodeValue(g))
			}
		}
		grads := Gradient(loss, of...)
		outputs := []*Node{pooled, weights, grads[0]}
		var flat []*Node
		for _, gradient := range grads[1:] {
			rows := 1 // members in front, so that theirs can be told apart
			if f.stack {
				rows = len(seeds)
			}
			flat = append(flat, Reshape(gradient, rows, -1))
		}
		if len(flat) > 0 {
			outputs = append(outputs, Concatenate(flat, -1))
		}
		return outputs
	}
}

// pool calls Pool; for a classifier it appends the logits and losses to the pooled vectors.
func (l *laws) pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *Node) {
	classifier, ok := l.pooling.(synlayer.Classifier)
	if !ok {
		return l.pooling.Pool(scope, bags)
	}
	c := classifier.Classify(scope, bags, l.outputs)
	all := []*Node{c.Pooled}
	logits, loss := ExpandAxes(c.Logits, -1), synlayer.LogisticLoss
	if l.outputs > 1 {
		logits, loss = c.Logits, synlayer.CrossEntropy
	}
	all = append(all, logits)
	if c.Loss != nil {
		one := Squeeze(SliceAxis(logits, -1, AxisElem(0)), -1)
		for k := range max(l.outputs, 2) {
			labels := BroadcastToDims(Scalar(one.Graph(), one.DType(), float64(k)), one.Shape().Dimensions...)
			all = append(all, ExpandAxes(c.Loss(func(logits *Node) *Node { return loss(logits, labels) }, labels), -1))
		}
	}
	return Concatenate(all, -1), c.Weights
}

// evaluate pools the stacked batches, one per seed. A single batch has no members axis unless the form has one.
func (l *laws) evaluate(t failer, f form, stacked []bags, seeds []uint64) result {
	t.Helper()
	count, size := len(stacked[0].x), len(stacked[0].x[0])
	var x []float64
	var mask []bool
	keys := make([]uint32, len(stacked))
	for i, b := range stacked {
		keys[i] = uint32(seeds[i])
		for j := range b.x {
			mask = append(mask, b.mask[j]...)
			for _, row := range b.x[j] {
				x = append(x, row...)
			}
		}
	}
	dims, keyDims := []int{count, size}, []int{}
	if f.stack {
		dims, keyDims = append([]int{len(stacked)}, dims...), []int{len(stacked)}
	}
	args := []any{tensors.FromFlatDataAndDimensions(x, append(dims, features)...),
		tensors.FromFlatDataAndDimensions(mask, dims...), tensors.FromFlatDataAndDimensions(keys, keyDims...)}
	if f.training {
		// Each seed has numbers of its own, a little smaller than the pooling's.
		for _, h := range l.numbers() {
			own := make([]float64, len(seeds))
			for i, seed := range seeds {
				own[i] = h.Value * (1 - 0.1*float64(seed%7))
			}
			args = append(args, tensors.FromFlatDataAndDimensions(own, keyDims...))
		}
	}

	p := l.programs[f]
	if p == nil {
		p = &program{store: model.NewStore()}
		exec, err := model.NewExec(l.backend, p.store, l.build(f, seeds, &l.shape))
		if err != nil {
			t.Fatalf("%v", err)
		}
		p.exec = exec.SetMaxCache(-1)
		l.programs[f] = p
	} else {
		// The variables of these seeds, made by building the graph once more without compiling it.
		fresh := model.NewStore()
		g := NewGraph(l.backend, "variables")
		var in []*Node
		for i, arg := range args {
			in = append(in, Parameter(g, fmt.Sprintf("in%d", i), arg.(*tensors.Tensor).Shape()))
		}
		l.build(f, seeds, &result{})(fresh.RootScope(), in)
		g.Finalize()
		for v := range fresh.IterVariables() {
			if mine := p.store.GetVariable(v.Path()); mine != nil && v.Trainable && v.HasValue() {
				value, err := v.MustValue().LocalClone()
				if err == nil {
					err = mine.SetValue(value)
				}
				if err != nil {
					t.Fatalf("%v", err)
				}
			}
		}
	}
	out, err := p.exec.Call(args...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	r := result{pooled: goldentest.Floats(out[0]), weights: goldentest.Floats(out[1]), gradX: goldentest.Floats(out[2]), width: l.shape.width, heads: l.shape.heads, size: size}
	if len(out) > 3 {
		r.grads = goldentest.Floats(out[3])
	}
	return r
}

// single evaluates one batch without members.
func (l *laws) single(t failer, b bags) result {
	t.Helper()
	return l.evaluate(t, form{}, []bags{b}, []uint64{1})
}

// same fails unless got equals want up to rounding: sums of a few terms in a different order.
func (l *laws) same(t failer, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	eps := 1e-11
	if l.dtype == dtypes.Float32 {
		eps = 2e-5
	}
	largest := 1.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= eps*largest) {
			t.Fatalf("%s[%d] = %.17g, want %.17g", what, i, got[i], want[i])
		}
	}
}

func finite(t failer, r result) {
	t.Helper()
	for what, values := range map[string][]float64{"pooled": r.pooled, "weights": r.weights, "gradient of x": r.gradX, "gradient of the variables": r.grads} {
		for i, v := range values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%s[%d] = %g", what, i, v)
			}
		}
	}
}

func (l *laws) permutation(t failer) {
	b := draw(batch, instances)
	permuted := draw(batch, instances)
	order := []int{3, 5, 0, 1, 4, 2}
	for i := range batch {
		for j, from := range order {
			permuted.x[i][j], permuted.mask[i][j] = b.x[i][from], b.mask[i][from]
		}
	}
	plain, moved := l.single(t, b), l.single(t, permuted)
	l.same(t, "pooled", moved.pooled, plain.pooled)
	for i := range batch {
		for h := range plain.heads {
			want := make([]float64, instances)
			for j, from := range order {
				want[j] = plain.row(i, h)[from]
			}
			l.same(t, fmt.Sprintf("weights of bag %d, head %d", i, h), moved.row(i, h), want)
		}
	}
}

func (l *laws) padding(t failer) {
	b := draw(batch, instances)
	const more = 3
	padded := draw(batch, instances)
	for i := range batch {
		for j := range instances {
			if !b.mask[i][j] {
				padded.x[i][j] = slices.Repeat([]float64{math.NaN()}, features)
			}
		}
		for range more {
			padded.x[i] = append(padded.x[i], slices.Repeat([]float64{1e6}, features))
			padded.mask[i] = append(padded.mask[i], false)
		}
	}
	plain, with := l.single(t, b), l.single(t, padded)
	finite(t, with)
	l.same(t, "pooled", with.pooled, plain.pooled)
	l.same(t, "gradient of the variables", with.grads, plain.grads)
	for i := range batch {
		for h := range plain.heads {
			l.same(t, fmt.Sprintf("weights of bag %d, head %d", i, h), with.row(i, h)[:instances], plain.row(i, h))
			for j, w := range with.row(i, h) {
				if !padded.mask[i][j] && w != 0 {
					t.Fatalf("weight %g of padding in bag %d, head %d", w, i, h)
				}
			}
		}
		for j := range instances + more {
			for k := range features {
				if g := with.gradX[(i*(instances+more)+j)*features+k]; !padded.mask[i][j] && g != 0 {
					t.Fatalf("gradient %g of padding in bag %d", g, i)
				}
			}
		}
	}
}

func (l *laws) alone(t failer) {
	b := draw(batch, instances)
	together := l.single(t, b)
	for i := range batch {
		lone := l.single(t, bags{b.x[i : i+1], b.mask[i : i+1]})
		l.same(t, fmt.Sprintf("pooled of bag %d", i), together.vector(i), lone.pooled)
		for h := range lone.heads {
			l.same(t, fmt.Sprintf("weights of bag %d, head %d", i, h), together.row(i, h), lone.row(0, h))
		}
	}
}

func (l *laws) empty(t failer) {
	b, without := draw(batch, instances), draw(batch, instances)
	clear(b.mask[1])
	with, plain := l.single(t, b), l.single(t, without)
	finite(t, with)
	for h := range with.heads {
		for j, w := range with.row(1, h) {
			if w != 0 {
				t.Fatalf("weight %g of instance %d of the empty bag", w, j)
			}
		}
	}
	for _, i := range []int{0, 2, 3} {
		l.same(t, fmt.Sprintf("pooled of bag %d, beside the empty one", i), with.vector(i), plain.vector(i))
	}
	for j := range instances * features {
		if g := with.gradX[instances*features+j]; g != 0 {
			t.Fatalf("gradient %g of the empty bag", g)
		}
	}
	only := bags{b.x[1:2], b.mask[1:2]}
	finite(t, l.single(t, only))
}

func (l *laws) one(t failer) {
	b := draw(batch, instances)
	for j := range instances {
		b.mask[2][j] = j == 4
	}
	r := l.single(t, b)
	finite(t, r)
	for h := range r.heads {
		for j, w := range r.row(2, h) {
			if (w != 0) != (j == 4) {
				t.Fatalf("weight %g of instance %d, where instance 4 alone is real", w, j)
			}
		}
	}
	alone := bags{b.x[2:3], b.mask[2:3]}
	l.same(t, "pooled of a bag of one", r.vector(2), l.single(t, alone).pooled)
}

func (l *laws) extreme(t failer) {
	for _, size := range []float64{3, 1e2, 1e4} {
		b := draw(batch, instances)
		for i := range b.x {
			for j := range b.x[i] {
				for k := range b.x[i][j] {
					b.x[i][j][k] *= size
				}
			}
		}
		finite(t, l.single(t, b))
	}
}

func (l *laws) members(t failer) {
	var each []bags
	seeds := []uint64{3, 1<<40 + 2, 5}
	for m := range numMembers {
		b := draw(batch, instances)
		for i := range b.x {
			for j := range b.x[i] {
				for k := range b.x[i][j] {
					b.x[i][j][k] += float64(m) * math.Sin(float64(i+2*j+3*k))
				}
			}
		}
		each = append(each, b)
	}
	together := l.evaluate(t, form{training: true, stack: true}, each, seeds)
	part := func(values []float64, m int) []float64 {
		return values[m*len(values)/numMembers : (m+1)*len(values)/numMembers]
	}
	for m := range numMembers {
		single := l.evaluate(t, form{training: true}, each[m:m+1], seeds[m:m+1])
		what := fmt.Sprintf(" of member %d", m)
		l.same(t, "pooled"+what, part(together.pooled, m), single.pooled)
		l.same(t, "weights"+what, part(together.weights, m), single.weights)
		l.same(t, "gradient of x"+what, part(together.gradX, m), single.gradX)
		l.same(t, "gradient of the variables"+what, part(together.grads, m), single.grads)
	}
}

func (l *laws) dropout(t failer) {
	b := draw(batch, instances)
	first, second := l.single(t, b), l.single(t, b)
	if !slices.Equal(first.pooled, second.pooled) || !slices.Equal(first.weights, second.weights) {
		t.Fatalf("two evaluations without a dropout key differ")
	}
}

func (l *laws) classifier(t failer) {
	classifier, ok := l.pooling.(synlayer.Classifier)
	if !ok || l.outputs > 1 {
		return
	}
	b := draw(batch, instances)
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	exec, err := model.NewExec(l.backend, store, func(scope *model.Scope, x, mask *Node) []*Node {
		in := synlayer.Bags{X: ConvertDType(x, l.dtype), Mask: mask}
		c := classifier.Classify(scope, in, 1)
		pooled, weights := l.pooling.Pool(store.RootScope(), in)
		return []*Node{c.Pooled, c.Weights, Identity(pooled), Identity(weights)}
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	out, err := exec.Call(b.x, b.mask)
	if err != nil {
		t.Fatalf("%v", err)
	}
	l.same(t, "pooled by Pool", goldentest.Floats(out[2]), goldentest.Floats(out[0]))
	l.same(t, "weights by Pool", goldentest.Floats(out[3]), goldentest.Floats(out[1]))
}
