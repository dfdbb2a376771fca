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

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
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

// deviceMean is the same on other devices, where a step of many fits takes hardly longer than that of one. It was not
// varied there.
const deviceMean = 1024

// fewestRows is the minimum number of rows that the products of a bag are padded to.
const fewestRows = 256

// finelyPadded is the number of rows above which [paddedRows] saves memory.
const finelyPadded = 1 << 16

// paddedRows returns the number of rows that the products of a large bag are padded to. A graph is compiled for each: scoring,
// which is rare, takes powers of two, and training a number between two of them, too. For larger bags there are three between, so
// that memory grows by a quarter at most.
func paddedRows(instances int, training bool) int {
	instances = max(instances, fewestRows)
	digits := 1
	if training {
		digits = 2
	}
	if instances > finelyPadded {
		digits = 3
	}
	unit := 1 << (bits.Len(uint(instances-1)) - digits)
	return (instances + unit - 1) / unit * unit
}

// chunks holds the values of a bag in chunks. Zeros fill up the last one.
type chunks struct {
	backend  compute.Backend
	features int
	all      []*tensors.Tensor // as many as the largest bag so far needed
}

// read reads a whole bag, or some of its instances in order.
func (c *chunks) read(bag mil.Instances, some []int) ([]*tensors.Tensor, error) {
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
func (c *chunks) chunk(k int, bag mil.Instances, start int) (*tensors.Tensor, error) {
	if k == len(c.all) {
		t, err := zeros(c.backend, chunkRows, c.features)
		if err != nil {
			return nil, err
		}
		c.all = append(c.all, t)
	}
	end := min(start+chunkRows, bag.Len())
	var unread error
	err := tensors.MutableFlatData(c.all[k], func(flat []float32) {
		unread = bag.Read(start, end, flat)
		clear(flat[(end-start)*c.features:])
	})
	return c.all[k], errors.Join(err, unread)
}

func (c *chunks) finalize() error { return finalize(c.all...) }

// chosen holds some instances of a bag, in order.
type chosen struct {
	mil.Instances
	rows []int
}

func (c chosen) Len() int { return len(c.rows) }

// Read implements [mil.Instances]. It reads all rows from the first to the last one; reading them one by one takes
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
func draw(bag mil.Instances, n int, random *rand.Rand) []int {
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
	device              *resident // nil on a CPU; owned by the caller
	chunks              chunks
	y                   *tensors.Tensor // products of the bag, padded
	dy                  *tensors.Tensor // ∂/∂y of a chunk
	noWeights, noOthers *tensors.Tensor // initial sums of a batch
}

func newLargeRunner(p *program, device *resident) *largeRunner {
	return &largeRunner{program: p, device: device, chunks: chunks{backend: p.backend, features: p.features}}
}

// values are those of a bag, in chunks or, on a device, in one array.
type values struct {
	instances int
	chunks    []*tensors.Tensor
	whole     *tensors.Tensor
}

// values returns those of a bag, given by index, or of some of its instances in order.
func (r *largeRunner) values(l *largeFit, bag int, some []int) (v values, err error) {
	if v.instances = len(some); some == nil {
		v.instances = l.bags[bag].Len()
	}
	if r.device.takes(v.instances, l.config.perInstance()) {
		v.whole, err = r.device.values(bag, l.bags[bag], some)
	} else {
		v.chunks, err = r.chunks.read(l.bags[bag], some)
	}
	return v, err
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
func (r *largeRunner) products(instances int, training bool, of func(row int) (*tensors.Tensor, error)) error {
	width, rows := r.network.Width, paddedRows(instances, training)
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
	var inner error
	err := tensors.MutableFlatData(to, func(to []float32) {
		inner = tensors.ConstFlatData(from, func(from []float32) { copy(to[at:at+n], from[start:]) })
	})
	return errors.Join(err, inner)
}

// largeFit is a fit on large bags.
type largeFit struct {
	*fitting
	fit    cv.Fit
	labels map[int]float32 // of the training bags, by index in the task

	numbers, scaling, seed *tensors.Tensor
	state                  []*tensors.Tensor // flat parameters and both moments
	step                   int32             // number of finished steps
	epoch                  int               // number of finished epochs

	met             int             // number of training bags seen in this epoch
	total           *tensors.Tensor // sum of their losses
	weights, others *tensors.Tensor // gradients of the batch so far; nil if there are none

	epochs     []learner.Epoch
	checkpoint string    // checkpoint file; empty if there is none
	kept       time.Time // time of the last checkpoint; at first, the time when it was looked for
	err        error
}

// newLargeFit returns a fit with its initial parameters.
func newLargeFit(f *fitting, fit cv.Fit, initial []float32) *largeFit {
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

// step trains on a bag, given by index. step updates the parameters after the last bag of a batch.
func (r *largeRunner) step(l *largeFit, bag int, v values) (err error) {
	if err := r.prepare(); err != nil {
		return err
	}
	size := len(l.fit.Train)
	first := l.met / l.batch * l.batch // first bag of the batch
	number := tensors.FromScalar(l.step + 1)
	own := []*tensors.Tensor{number, tensors.FromScalar(int32(v.instances)),
		tensors.FromFlatDataAndDimensions([]float32{l.labels[bag]}, 1), tensors.FromScalar(1 / float32(min(l.batch, size-first)))}
	if l.total == nil {
		l.total = tensors.FromScalar(float32(0))
	}
	others := l.others
	if others == nil {
		others = r.noOthers
	}
	place := make([]*tensors.Tensor, max(1, len(v.chunks)))
	for k := range place {
		place[k] = tensors.FromFlatDataAndDimensions([]uint32{uint32(l.met - first), uint32(k * chunkRows)}, 2)
	}
	defer func() { err = errors.Join(err, finalize(append(own, place...)...)) }()
	common := []any{own[1], own[2], own[3], l.total, others}
	if v.whole != nil {
		err = r.stepWhole(l, v, number, place[0], common)
	} else {
		err = r.stepChunks(l, v, number, place, common)
	}
	if err != nil {
		return err
	}
	if l.met++; l.met%l.batch != 0 && l.met < size {
		return nil
	}
	return r.update(l, number)
}

// sum returns the sum of ∂/∂W of the batch so far, for a graph that adds to it.
func (r *largeRunner) sum(l *largeFit) (any, error) {
	if l.weights == nil {
		return r.noWeights, nil
	}
	return graph.DonateTensorBuffer(l.weights, r.backend, 0)
}

// replace replaces the total of the losses and ∂/∂θ.
func (l *largeFit) replace(outputs []*tensors.Tensor) error {
	err := finalize(l.total, l.others)
	l.total, l.others = outputs[0], outputs[1]
	return err
}

// stepWhole does a step up to the update on a bag in one array.
func (r *largeRunner) stepWhole(l *largeFit, v values, number, place *tensors.Tensor, common []any) error {
	sum, err := r.sum(l)
	if err != nil {
		return err
	}
	inputs := append([]any{l.state[0], l.numbers, l.seed, number, place, v.whole, l.scaling}, common...)
	outputs, err := call(r.large.whole, append(inputs, sum))
	if err != nil {
		return err
	}
	l.weights = outputs[2]
	return l.replace(outputs)
}

// stepChunks does the same on a bag in chunks.
func (r *largeRunner) stepChunks(l *largeFit, v values, number *tensors.Tensor, place []*tensors.Tensor, common []any) (err error) {
	of := func(k int, more ...any) []any {
		return append([]any{l.state[0], l.numbers, l.seed, number, place[k], v.chunks[k], l.scaling}, more...)
	}
	err = r.products(v.instances, true, func(row int) (*tensors.Tensor, error) { return only(call(r.large.project, of(row/chunkRows))) })
	if err != nil {
		return err
	}
	outputs, err := call(r.large.bag, append([]any{l.state[0], l.numbers, l.seed, number, place[0], r.y}, common...))
	if err != nil {
		return err
	}
	by, width := outputs[2], r.network.Width
	err = l.replace(outputs)
	defer func() { err = errors.Join(err, finalize(by)) }()
	for k := range v.chunks {
		n := min(chunkRows, v.instances-k*chunkRows)
		err = errors.Join(err, move(r.dy, 0, by, k*chunkRows*width, n*width))
		if n < chunkRows {
			err = errors.Join(err, tensors.MutableFlatData(r.dy, func(flat []float32) { clear(flat[n*width:]) }))
		}
		if err != nil {
			return err
		}
		sum, err := r.sum(l)
		if err != nil {
			return err
		}
		if l.weights, err = only(call(r.large.back, of(k, r.dy, sum))); err != nil {
			return err
		}
	}
	return nil
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

// read returns the outputs of scoreGraph, or of poolGraph, for a bag, given by index.
func (r *largeRunner) read(pool bool, c Config, parameters, numbers, scaling *tensors.Tensor, index int, bag mil.Instances) (outputs []*tensors.Tensor, err error) {
	exec, whole := r.large.score, r.large.wholeScore
	if pool {
		exec, whole = r.large.pool, r.large.wholePool
	}
	count := tensors.FromScalar(int32(bag.Len()))
	defer func() { err = errors.Join(err, finalize(count)) }()
	if r.device.takes(bag.Len(), c.perInstance()) {
		x, err := r.device.values(index, bag, nil)
		if err != nil {
			return nil, err
		}
		return call(whole, []any{parameters, numbers, x, scaling, count})
	}
	y := shapes.Make(dtypes.Float32, paddedRows(bag.Len(), false), r.network.Width)
	// What compiles takes memory, which it gives back before y and all that the graph makes of it need theirs.
	if _, err := exec.Compile(parameters.Shape(), numbers.Shape(), y, count.Shape()); err != nil {
		return nil, err
	}
	err = r.products(bag.Len(), false, func(row int) (*tensors.Tensor, error) {
		x, err := r.chunks.chunk(0, bag, row)
		if err != nil {
			return nil, err
		}
		return only(call(r.large.see, []any{parameters, numbers, x, scaling}))
	})
	if err != nil {
		return nil, err
	}
	return call(exec, []any{parameters, numbers, r.y, count})
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
	if r.device != nil && slices.ContainsFunc(fits, func(l *largeFit) bool { return l.trains(l.config.Epochs) }) {
		if err := r.compile(fits[0]); err != nil {
			return err
		}
	}
	for epoch := 1; epoch <= watched.Epochs; epoch++ {
		if !slices.ContainsFunc(fits, func(l *largeFit) bool { return l.trains(epoch) }) {
			continue
		}
		for at, bag := range cv.Rand(order, "bags", epoch).Perm(watched.Bags) {
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

// trainLarge trains one fit on large bags and returns its parameters.
func (f *fitting) trainLarge(ctx context.Context, t Trainer, initial []float32, fit cv.Fit, after func(epoch int, loss float64) error) (parameters []float32, err error) {
	l, r := newLargeFit(f, fit, initial), newLargeRunner(f.program, f.device)
	defer func() { err = errors.Join(err, l.finalize(), r.finalize()) }()
	err = attempt(func() error {
		return r.train(ctx, t, []*largeFit{l}, fit.Order, func(l *largeFit, loss float64) error { return after(l.epoch, loss) })
	})
	if err = errors.Join(err, l.err); err != nil {
		return nil, err
	}
	return tensors.CopyFlatData[float32](l.state[0])
}

// drawn returns the number of instances of a bag that train in each epoch.
func (f *fitting) drawn(bag mil.Instances) int {
	if f.config.Instances > 0 {
		return min(bag.Len(), f.config.Instances)
	}
	return bag.Len()
}

// trains reports whether a fit still has to do an epoch.
func (l *largeFit) trains(epoch int) bool {
	return l.err == nil && l.epoch < epoch && epoch <= l.config.Epochs
}

// trainBag passes a bag to the fits that train on it.
func (r *largeRunner) trainBag(fits []*largeFit, order uint64, epoch, bag int) error {
	var v values
	for _, l := range fits {
		if _, trained := l.labels[bag]; !trained || !l.trains(epoch) {
			continue
		}
		if v.instances == 0 {
			var err error
			if v, err = r.values(l, bag, draw(l.bags[bag], l.config.Instances, cv.Rand(order, "instances", epoch, bag))); err != nil {
				return err
			}
		}
		if err := r.step(l, bag, v); err != nil {
			return err
		}
	}
	return nil
}

// isLarge reports whether a network with the given number of layers processes a bag in chunks.
func isLarge(bag mil.Instances, layers int) bool {
	return layers > 0 && bag.Len() > largeBag && !mil.IsSparse(bag)
}

// large reports whether the fits of a layout are trained chunk by chunk. This is so if they draw instances, if bags are
// large on average, or if the set has a large bag and does not fit into memory.
func (l *layout) large(b compute.Backend, bags []mil.Instances) bool {
	if l.instances > 0 {
		return true
	}
	if l.network.Layers == 0 || slices.ContainsFunc(bags, mil.IsSparse) {
		return false
	}
	instances := 0
	for _, bag := range bags {
		instances += bag.Len()
	}
	mean := largeMean
	if !b.HasSharedBuffers() {
		mean = deviceMean
	}
	return instances >= mean*len(bags) ||
		l.data() > mostData && slices.ContainsFunc(bags, func(bag mil.Instances) bool { return isLarge(bag, l.network.Layers) })
}

// perInstance returns about how many numbers per instance the graphs of a large bag hold in training, at most, without its
// features. It was measured with bags of 50,000 instances in chunks.
func (c Config) perInstance() int {
	n := (6+2*c.Layers)*c.Width + 8*c.Embed + 8*c.Heads*max(c.Inducing, 1)
	if c.Pooling == setFormer {
		n += 8 * c.Embed
	}
	return n
}
