package neural

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/milbench"
)

// Bags with more than largeBag instances are processed in chunks of chunkRows instances, if they are dense and the
// network has a layer. This holds for scoring always, and for training if [layout.large] is true. Tests make these
// numbers smaller.
var (
	largeBag  = 512
	chunkRows = 1024
)

// largeMean is the mean number of instances per bag at which training on a CPU switches to chunks. Chunks need no padding
// and have products of many rows, and are then faster than many fits side by side: with 100 features, 4 times at a mean of
// 256, and 8 times at 1,024.
const largeMean = 256

// fewestRows is the minimum number of rows that the products of a bag are padded to.
const fewestRows = 256

// paddedRows returns the number of rows that the products of a large bag are padded to. It has three significant binary
// digits, so it is at most a quarter larger.
func paddedRows(instances int) int {
	instances = max(instances, fewestRows)
	unit := 1 << (bits.Len(uint(instances-1)) - 3)
	return (instances + unit - 1) / unit * unit
}

// chunks holds the values of a bag in chunks. Zeros fill up the last one.
type chunks struct {
	backend  compute.Backend
	features int
	all      []*tensors.Tensor // as many as the largest bag so far needed
}

// read reads a whole bag, or some of its instances in order.
func (c *chunks) read(bag milbench.Instances, some []int) ([]*tensors.Tensor, error) {
	if some != nil {
		bag = chosen{bag, some}
	}
	n := (bag.Len() + chunkRows - 1) / chunkRows
	for k := range n {
		if _, err := c.chunk(k, bag, k*chunkRows); err != nil {
			return nil, err
		}
	}
	return c.all[:n], nil
}

// chunk reads the instances of a bag from start on into chunk k.
func (c *chunks) chunk(k int, bag milbench.Instances, start int) (*tensors.Tensor, error) {
	if k == len(c.all) {
		t, err := zeros(c.backend, chunkRows, c.features)
		if err != nil {
			return nil, err
		}
		c.all = append(c.all, t)
	}
	end := min(start+chunkRows, bag.Len())
	var err error
	return c.all[k], errors.Join(tensors.MutableFlatData(c.all[k], func(flat []float32) {
		err = bag.Read(start, end, flat)
		clear(flat[(end-start)*c.features:])
	}), err)
}

func (c *chunks) finalize() error { return finalize(c.all...) }

// chosen holds some instances of a bag, in order.
type chosen struct {
	milbench.Instances
	rows []int
}

func (c chosen) Len() int { return len(c.rows) }

// Read implements [milbench.Instances]. It reads all rows from the first to the last one; reading them one by one takes
// longer if files are compressed.
func (c chosen) Read(i, j int, dst []float32) error {
	rows, features := c.rows[i:j], c.Features()
	values := make([]float32, chunkRows*features)
	for at := 0; at < len(rows); {
		first := rows[at]
		end := min(first+chunkRows, c.Instances.Len())
		if err := c.Instances.Read(first, end, values); err != nil {
			return err
		}
		for ; at < len(rows) && rows[at] < end; at++ {
			copy(dst[at*features:(at+1)*features], values[(rows[at]-first)*features:])
		}
	}
	return nil
}

// draw returns the indices of n random instances of a bag, in order; nil means all.
func draw(bag milbench.Instances, n int, random *rand.Rand) []int {
	if n == 0 || n >= bag.Len() {
		return nil
	}
	rows := random.Perm(bag.Len())[:n]
	slices.Sort(rows)
	return rows
}

// zeros returns an array of zeros on the backend.
func zeros(b compute.Backend, dims ...int) (*tensors.Tensor, error) {
	return tensors.FromShapeForBackend(b, 0, shapes.Make(dtypes.Float32, dims...))
}

// largeRunner trains and scores networks of one structure on large bags, one bag at a time.
type largeRunner struct {
	*program
	chunks              chunks
	y                   *tensors.Tensor // products of the bag, padded
	dy                  *tensors.Tensor // ∂/∂y of a chunk
	noWeights, noOthers *tensors.Tensor // initial sums of a batch
}

func newLargeRunner(p *program) *largeRunner {
	return &largeRunner{program: p, chunks: chunks{backend: p.backend, features: p.features}}
}

func (r *largeRunner) finalize() error {
	return errors.Join(r.chunks.finalize(), finalize(r.y, r.dy, r.noWeights, r.noOthers))
}

// prepare allocates the arrays for training.
func (r *largeRunner) prepare() (err error) {
	if r.dy != nil {
		return nil
	}
	size := 0
	for _, form := range r.forms {
		size += form.Size()
	}
	var errs [3]error
	r.dy, errs[0] = zeros(r.backend, chunkRows, r.network.Width)
	r.noWeights, errs[1] = zeros(r.backend, r.forms[r.large.weights].Dimensions...)
	r.noOthers, errs[2] = zeros(r.backend, size-r.forms[r.large.weights].Size())
	return errors.Join(errs[:]...)
}

// products fills r.y with the products of a bag. of returns the products of the chunk that begins at a row.
func (r *largeRunner) products(instances int, of func(row int) (*tensors.Tensor, error)) error {
	width, rows := r.network.Width, paddedRows(instances)
	if r.y == nil || r.y.Shape().Dim(0) != rows {
		if err := finalize(r.y); err != nil {
			return err
		}
		var err error
		if r.y, err = zeros(r.backend, rows, width); err != nil {
			return err
		}
	}
	for row := 0; row < instances; row += chunkRows {
		part, err := of(row)
		if err != nil {
			return err
		}
		err = errors.Join(move(r.y, row*width, part, 0, min(chunkRows, instances-row)*width), finalize(part))
		if err != nil {
			return err
		}
	}
	return nil
}

// move copies n numbers from one array to another.
func move(to *tensors.Tensor, at int, from *tensors.Tensor, start, n int) error {
	var err error
	return errors.Join(tensors.MutableFlatData(to, func(to []float32) {
		err = tensors.ConstFlatData(from, func(from []float32) { copy(to[at:at+n], from[start:]) })
	}), err)
}

// largeFit is a fit on large bags.
type largeFit struct {
	*fitting
	fit    milbench.Fit
	labels map[int]float32 // of the training bags, by index in the task

	numbers, scaling, seed *tensors.Tensor
	state                  []*tensors.Tensor // flat parameters and both moments
	step                   int32             // number of finished steps
	epoch                  int               // number of finished epochs

	met             int             // number of training bags seen in this epoch
	total           *tensors.Tensor // sum of their losses
	weights, others *tensors.Tensor // gradients of the batch so far; nil if there are none

	epochs     []milbench.Epoch
	checkpoint string    // checkpoint file; empty if there is none
	kept       time.Time // time of the last checkpoint; at first, the time when it was looked for
	err        error
}

// newLargeFit returns a fit with its initial parameters.
func newLargeFit(f *fitting, fit milbench.Fit, initial []float32) *largeFit {
	l := &largeFit{fitting: f, fit: fit, labels: map[int]float32{}, state: newState(initial), seed: tensors.FromScalar(dropoutSeed(fit.Seed))}
	labels := f.targets.labels(f.config.target, fit.Train)
	for i, e := range fit.Train {
		l.labels[e.Bag] = labels[i]
	}
	steps := (len(fit.Train) + f.batch - 1) / f.batch
	values := trainingNumbers(f.config, steps)
	l.numbers = tensors.FromFlatDataAndDimensions(values, len(values))
	l.scaling = f.input.scaling(f.program.features)
	return l
}

func (l *largeFit) finalize() error {
	return finalize(append(l.state, l.numbers, l.scaling, l.seed, l.total, l.weights, l.others)...)
}

// scaling returns the standardisation in the form of the graphs, [3, features]: the shift in two parts, and the factor.
func (s Standardisation) scaling(features int) *tensors.Tensor {
	values := make([]float32, 3*features)
	for j := range features {
		shift, factor := s.numbers(j)
		values[j] = float32(shift)
		values[features+j] = float32(shift - float64(values[j]))
		values[2*features+j] = float32(factor)
	}
	return tensors.FromFlatDataAndDimensions(values, 3, features)
}

// step trains on a bag, given by index. values holds the given number of its instances. step updates the parameters after
// the last bag of a batch.
func (r *largeRunner) step(l *largeFit, bag, instances int, values []*tensors.Tensor) (err error) {
	if err := r.prepare(); err != nil {
		return err
	}
	width, size := r.network.Width, len(l.fit.Train)
	first := l.met / l.batch * l.batch // first bag of the batch
	share := 1 / float32(min(l.batch, size-first))
	number := tensors.FromScalar(l.step + 1)
	place := make([]*tensors.Tensor, len(values))
	for k := range place {
		place[k] = tensors.FromFlatDataAndDimensions([]uint32{uint32(l.met - first), uint32(k * chunkRows)}, 2)
	}
	own := []*tensors.Tensor{number, tensors.FromScalar(int32(instances)),
		tensors.FromFlatDataAndDimensions([]float32{l.labels[bag]}, 1), tensors.FromScalar(share)}
	defer func() { err = errors.Join(err, finalize(append(own, place...)...)) }()
	of := func(k int, more ...any) []any {
		return append([]any{l.state[0], l.numbers, l.seed, number, place[k], values[k], l.scaling}, more...)
	}
	err = r.products(instances, func(row int) (*tensors.Tensor, error) { return only(call(r.large.project, of(row/chunkRows))) })
	if err != nil {
		return err
	}

	if l.total == nil {
		l.total = tensors.FromScalar(float32(0))
	}
	others := l.others
	if others == nil {
		others = r.noOthers
	}
	outputs, err := call(r.large.bag, []any{l.state[0], l.numbers, l.seed, number, place[0], r.y, own[1], own[2], own[3], l.total, others})
	if err != nil {
		return err
	}
	by := outputs[2]
	err = finalize(l.total, l.others)
	l.total, l.others = outputs[0], outputs[1]
	defer func() { err = errors.Join(err, finalize(by)) }()
	for k := range values {
		n := min(chunkRows, instances-k*chunkRows)
		err = errors.Join(err, move(r.dy, 0, by, k*chunkRows*width, n*width))
		if n < chunkRows {
			err = errors.Join(err, tensors.MutableFlatData(r.dy, func(flat []float32) { clear(flat[n*width:]) }))
		}
		if err != nil {
			return err
		}
		sum := any(r.noWeights)
		if l.weights != nil {
			if sum, err = graph.DonateTensorBuffer(l.weights, r.backend, 0); err != nil {
				return err
			}
		}
		if l.weights, err = only(call(r.large.back, of(k, r.dy, sum))); err != nil {
			return err
		}
	}
	if l.met++; l.met%l.batch != 0 && l.met < size {
		return nil
	}
	return r.update(l, number)
}

// only returns the output of a graph with a single output.
func only(outputs []*tensors.Tensor, err error) (*tensors.Tensor, error) {
	if err != nil {
		return nil, err
	}
	return outputs[0], nil
}

// update updates the parameters after a batch.
func (r *largeRunner) update(l *largeFit, step *tensors.Tensor) error {
	var args []any
	for _, s := range l.state {
		donated, err := graph.DonateTensorBuffer(s, r.backend, 0)
		if err != nil {
			return err
		}
		args = append(args, donated)
	}
	outputs, err := call(r.large.update, append(args, l.numbers, step, l.weights, l.others))
	if err != nil {
		return err
	}
	copy(l.state, outputs)
	l.step++
	err = finalize(l.weights, l.others)
	l.weights, l.others = nil, nil
	return err
}

// read runs a graph with the inputs of scoreLargeGraph on a bag.
func (r *largeRunner) read(exec *graph.Exec, parameters, numbers, scaling *tensors.Tensor, bag milbench.Instances) ([]*tensors.Tensor, error) {
	err := r.products(bag.Len(), func(row int) (*tensors.Tensor, error) {
		x, err := r.chunks.chunk(0, bag, row)
		if err != nil {
			return nil, err
		}
		return only(call(r.large.see, []any{parameters, numbers, x, scaling}))
	})
	if err != nil {
		return nil, err
	}
	count := tensors.FromScalar(int32(bag.Len()))
	outputs, err := call(exec, []any{parameters, numbers, r.y, count})
	return outputs, errors.Join(err, finalize(count))
}

// train trains fits side by side: each large bag is read once per epoch for all of them. The fits must have the same
// order and draw the same number of instances. after is called for each fit at the end of each of its epochs.
func (r *largeRunner) train(ctx context.Context, t Trainer, fits []*largeFit, order uint64, after func(l *largeFit, loss float64) error) error {
	watched := Watched{Fits: len(fits)}
	for _, l := range fits {
		watched.Epochs, watched.Bags = max(watched.Epochs, l.config.Epochs), len(l.bags)
		if t.Checkpoints == "" {
			continue
		}
		var err error
		if l.checkpoint, err = l.checkpointOf(t.Checkpoints); err != nil {
			return err
		}
		l.kept = time.Now()
		if err := l.resume(l.checkpoint); err != nil {
			return err
		}
	}
	for epoch := 1; epoch <= watched.Epochs; epoch++ {
		if !slices.ContainsFunc(fits, func(l *largeFit) bool { return l.trains(epoch) }) {
			continue
		}
		for at, bag := range milbench.Rand(order, "bags", epoch).Perm(watched.Bags) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := r.trainBag(fits, order, epoch, bag); err != nil {
				return err
			}
			if t.Watch != nil {
				watched.Epoch, watched.Bag = epoch, at+1
				t.Watch(watched)
			}
		}
		for _, l := range fits {
			if !l.trains(epoch) {
				continue
			}
			if err := l.end(epoch, after); err != nil {
				return err
			}
		}
	}
	return nil
}

// end ends an epoch.
func (l *largeFit) end(epoch int, after func(l *largeFit, loss float64) error) error {
	loss := float64(tensors.ToScalar[float32](l.total)) / float64(len(l.fit.Train))
	if err := finalize(l.total); err != nil {
		return err
	}
	l.total, l.met, l.epoch = nil, 0, epoch
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		l.err = fmt.Errorf("epoch %d: %w", epoch, errNotFinite)
		return nil
	}
	if err := after(l, loss); err != nil || l.err != nil || l.checkpoint == "" || time.Since(l.kept) < keptAgain {
		return err
	}
	l.kept = time.Now()
	return l.keep(l.checkpoint)
}

// trainLarge does the same as [fitting.train] for one fit on large bags.
func (f *fitting) trainLarge(ctx context.Context, t Trainer, initial []float32, fit milbench.Fit,
	after func(epoch int, loss float64, parameters *tensors.Tensor) error) (parameters []float32, err error) {
	l, r := newLargeFit(f, fit, initial), newLargeRunner(f.program)
	defer func() { err = errors.Join(err, l.finalize(), r.finalize()) }()
	err = attempt(func() error {
		return r.train(ctx, t, []*largeFit{l}, fit.Order, func(l *largeFit, loss float64) error { return after(l.epoch, loss, l.state[0]) })
	})
	if err = errors.Join(err, l.err); err != nil {
		return nil, err
	}
	return tensors.CopyFlatData[float32](l.state[0])
}

// trains reports whether a fit still has to do an epoch.
func (l *largeFit) trains(epoch int) bool {
	return l.err == nil && l.epoch < epoch && epoch <= l.config.Epochs
}

// trainBag passes a bag to the fits that train on it.
func (r *largeRunner) trainBag(fits []*largeFit, order uint64, epoch, bag int) error {
	var values []*tensors.Tensor
	var instances int
	for _, l := range fits {
		if _, trained := l.labels[bag]; !trained || !l.trains(epoch) {
			continue
		}
		if values == nil {
			var err error
			some := draw(l.bags[bag], l.config.Instances, milbench.Rand(order, "instances", epoch, bag))
			if values, err = r.chunks.read(l.bags[bag], some); err != nil {
				return err
			}
			if instances = len(some); some == nil {
				instances = l.bags[bag].Len()
			}
		}
		if err := r.step(l, bag, instances, values); err != nil {
			return err
		}
	}
	return nil
}

// isLarge reports whether a network with the given number of layers processes a bag in chunks.
func isLarge(bag milbench.Instances, layers int) bool {
	return layers > 0 && bag.Len() > largeBag && !milbench.IsSparse(bag)
}

// large reports whether the fits of a layout are trained chunk by chunk. This is so if they draw instances, if bags are
// large on average, or if the set has a large bag and does not fit into memory.
func (l *layout) large(b compute.Backend, bags []milbench.Instances) bool {
	if l.instances > 0 {
		return true
	}
	if l.network.Layers == 0 || slices.ContainsFunc(bags, milbench.IsSparse) {
		return false
	}
	instances := 0
	for _, bag := range bags {
		instances += bag.Len()
	}
	return b.HasSharedBuffers() && instances >= largeMean*len(bags) ||
		l.data() > mostData && slices.ContainsFunc(bags, func(bag milbench.Instances) bool { return isLarge(bag, l.network.Layers) })
}

// perInstance returns about how many numbers per instance the graphs of a large bag hold in training, at most. It was
// measured with bags of 50,000 instances.
func (c Config) perInstance() int {
	n := (6+2*c.Layers)*c.Width + 8*c.Embed + 8*c.Heads*max(c.Inducing, 1)
	if c.Pooling == setFormer {
		n += 8 * c.Embed
	}
	return n
}
