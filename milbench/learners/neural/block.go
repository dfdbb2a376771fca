package neural

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// block trains fits of one group side by side; each fit is a member.
type block struct {
	*blockProgram
	*layout
	bags    []mil.Instances
	moments bagMoments
	fits    []cv.Fit // one per member
	configs []Config

	data    [][]*tensors.Tensor // per bucket: the inputs from blockX on that all blocks share ([layout.arrays]); nil if bags are streamed
	scales  [][]*tensors.Tensor // per bucket: blockFactor and blockShift; nil if sparse bags are streamed
	inputs  []Standardisation   // one per member
	rows    *table              // table for steps that take rows; nil if they do not
	numbers *tensors.Tensor     // [members, numbers]
	seeds   *tensors.Tensor     // [members]
	state   []*tensors.Tensor
	targets []targets   // one per member
	labels  [][]float32 // labels of each member's training bags
	results []learner.Outcome
}

// run trains the block and returns the outcomes of its members, in order. If after is not nil, it is called after each epoch
// with the mean losses of the members.
func (b *block) run(ctx context.Context, after func(epoch int, losses []float32) error) (outcomes []learner.Outcome, err error) {
	defer func() { err = errors.Join(err, b.finalize()) }()
	b.results = make([]learner.Outcome, len(b.fits))
	if err := b.prepare(); err != nil {
		return nil, err
	}
	if err := b.compileRounds(); err != nil {
		return nil, err
	}
	for epoch := 1; epoch <= b.epochs; epoch++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		losses, err := b.train(ctx, epoch)
		if err != nil {
			return nil, err
		}
		left := len(b.fits)
		for m, loss := range losses {
			r := &b.results[m]
			if v := float64(loss); (math.IsNaN(v) || math.IsInf(v, 0)) && r.Err == nil {
				r.Err = fmt.Errorf("epoch %d: %w", epoch, errNotFinite)
			}
			if r.Err != nil {
				left--
			}
		}
		if left == 0 {
			break
		}
		if after != nil {
			if err := after(epoch, losses); err != nil {
				return nil, err
			}
		}
		if err := b.score(ctx, epoch, losses); err != nil {
			return nil, err
		}
	}
	return b.results, nil
}

// compileRounds compiles on a device what train needs for all buckets, at the same time; compileScoring does so for score.
// Elsewhere, and if bags are streamed, each graph is compiled when it is first needed.
func (b *block) compileRounds() error {
	if b.backend.HasSharedBuffers() || b.streams {
		return nil
	}
	var c compiling
	for k, size := range b.buckets {
		order := []int{b.steps[size], len(b.fits), b.batch}
		inputs := slices.Concat(shapesOf(b.state...), shapesOf(b.numbers, b.seeds),
			[]shapes.Shape{shapes.Make(dtypes.Int32, order...), shapes.Make(dtypes.Float32, order...), shapes.Make(dtypes.Int32)}, shapesOf(b.held(k)...))
		c.start(b.round, inputs...)
	}
	c.start(b.current, slices.Concat(shapesOf(b.state...), shapesOf(b.numbers))...)
	return c.wait()
}

func (b *block) compileScoring(parameters []*tensors.Tensor) error {
	if b.backend.HasSharedBuffers() || b.streams {
		return nil
	}
	var c compiling
	for k, size := range b.buckets {
		if slices.ContainsFunc(b.fits, func(f cv.Fit) bool {
			return slices.ContainsFunc(heldOut(f), func(i int) bool { return b.sizes[i] == size })
		}) {
			c.start(b.scoring, slices.Concat(shapesOf(parameters...), shapesOf(b.numbers),
				[]shapes.Shape{shapes.Make(dtypes.Int32, len(b.fits), b.scored(size))}, shapesOf(scoring(b.held(k))...))...)
		}
	}
	return c.wait()
}

func (b *block) finalize() error {
	all := append(append([]*tensors.Tensor{}, b.state...), b.numbers, b.seeds)
	for _, s := range b.scales {
		all = append(all, s...)
	}
	err := finalize(all...)
	if b.rows != nil {
		err = errors.Join(err, b.rows.finalize())
	}
	return err
}

// prepare computes the standardisation of each member and draws its initial parameters.
func (b *block) prepare() error {
	members := len(b.fits)
	b.inputs = make([]Standardisation, members)
	var numbers []float32
	var seeds []uint32
	parameters := make([][]float32, len(b.parts))
	for m, fit := range b.fits {
		targets := b.target.targets(fit.Train)
		b.targets, b.labels = append(b.targets, targets), append(b.labels, targets.labels(b.target, fit.Train))
		if b.configs[m].Standardise {
			b.inputs[m], b.results[m].Err = b.moments.standardisation(fit.Train)
		}
		numbers = append(numbers, trainingNumbers(b.configs[m], epochSteps(b.sizes, fit.Train, b.configs[m].Batch))...)
		seeds = append(seeds, dropoutSeed(fit.Seed))
		values, err := b.initial(b.configs[m], fit)
		if err != nil {
			return err
		}
		for k, part := range b.parts {
			for _, i := range part.parameters {
				parameters[k] = append(parameters[k], values[i]...)
			}
		}
	}
	b.numbers = tensors.FromFlatDataAndDimensions(numbers, members, len(numbers)/members)
	b.seeds = tensors.FromFlatDataAndDimensions(seeds, members)
	b.state = []*tensors.Tensor{
		blockTime: tensors.FromFlatDataAndDimensions(make([]int32, members), members),
		blockDue:  tensors.FromFlatDataAndDimensions(make([]bool, members), members),
		blockLoss: tensors.FromFlatDataAndDimensions(make([]float32, members), members),
	}
	if b.table >= 0 {
		var err error
		if b.rows, err = newTable(b.backend, b.layout, parameters[b.table], b.configs); err != nil {
			return err
		}
	}
	for moment := range 3 {
		for k, part := range b.parts {
			if k == b.table { // a step takes some of its rows
				b.state = append(b.state, nil)
				continue
			}
			values := parameters[k]
			if moment > 0 {
				values = make([]float32, len(values))
			}
			b.state = append(b.state, tensors.FromFlatDataAndDimensions(values, append([]int{members}, part.dims...)...))
		}
	}
	for _, size := range b.buckets {
		if b.streams && b.sparse {
			break
		}
		b.scales = append(b.scales, b.scaling(size, b.layout.bags[size], b.places(size)))
	}
	return nil
}

// initial returns the initial values of each parameter of a fit. The last rows of weights belong to features that no bag has
// and are 0.
func (b *block) initial(c Config, fit cv.Fit) ([][]float32, error) {
	parameters, err := b.program.initial(c, b.setFeatures, weightsSeed(fit.Seed))
	for i, values := range parameters {
		missing := b.forms[i].Size() - len(values)
		if missing != 0 && missing != (b.features-b.setFeatures)*b.network.Width {
			return nil, fmt.Errorf("variable %s has %d numbers for %d features and %d for %d", b.paths[i], len(values), b.setFeatures, b.forms[i].Size(), b.features)
		}
		parameters[i] = append(values, make([]float32, missing)...)
	}
	return parameters, err
}

// arrays returns the inputs for bags of a bucket that all members share: blockX and blockMask, and for sparse bags those from
// blockColumns on. Bags are chosen by index, -1 for none; the arrays have room for a number of places.
func (l *layout) arrays(size bucketSize, bags []mil.Instances, chosen []int, places int) ([]*tensors.Tensor, error) {
	features, width := l.features, l.width(size)
	x := make([]float32, places*size.instances*width)
	mask := make([]bool, places*size.instances)
	var columns, positions []int32 // of sparse bags
	for k, i := range chosen {
		if i < 0 {
			if l.sparse {
				columns = append(columns, slices.Repeat([]int32{int32(features)}, width)...)
				if !l.taken {
					positions = append(positions, slices.Repeat([]int32{int32(width)}, features)...)
				}
			}
			continue
		}
		for j := range bags[i].Len() {
			mask[k*size.instances+j] = true
		}
		at := x[k*size.instances*width:]
		if !l.sparse {
			if err := bags[i].Read(0, bags[i].Len(), at[:bags[i].Len()*width]); err != nil {
				return nil, err
			}
			continue
		}
		place := make([]int32, features) // of each feature in the columns of the bag
		for j := range place {
			place[j] = int32(width)
		}
		for at, j := range l.columns[i] {
			place[j] = int32(at)
		}
		if !l.taken {
			positions = append(positions, place...)
		}
		columns = append(columns, l.columns[i]...)
		columns = append(columns, slices.Repeat([]int32{int32(features)}, width-len(l.columns[i]))...)
		if err := mil.EachValue(bags[i], func(r, j int, v float32) { at[r*width+int(place[j])] = v }); err != nil {
			return nil, err
		}
	}
	data := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(x, places, size.instances, width),
		tensors.FromFlatDataAndDimensions(mask, places, size.instances),
	}
	if l.sparse {
		columns = append(columns, slices.Repeat([]int32{int32(features)}, places*width-len(columns))...)
		data = append(data, tensors.FromFlatDataAndDimensions(columns, places, width), tensors.FromScalar(uint32(l.setFeatures)))
		if !l.taken {
			positions = append(positions, slices.Repeat([]int32{int32(width)}, places*features-len(positions))...)
			data = append(data, tensors.FromFlatDataAndDimensions(positions, places, features))
		}
	}
	return data, nil
}

// scaling returns blockFactor and blockShift for bags of a bucket, chosen as for [layout.arrays].
func (b *block) scaling(size bucketSize, chosen []int, places int) []*tensors.Tensor {
	members := len(b.inputs)
	if !b.sparse {
		shifts, factors := make([]float64, members*b.features), make([]float64, members*b.features)
		for m, input := range b.inputs {
			for j := range b.features {
				shifts[m*b.features+j], factors[m*b.features+j] = input.numbers(j)
			}
		}
		return []*tensors.Tensor{
			tensors.FromFlatDataAndDimensions(factors, members, b.features),
			tensors.FromFlatDataAndDimensions(shifts, members, b.features),
		}
	}
	width, sets := b.width(size), members
	if b.streams { // each place belongs to one member
		sets = 1
	}
	factors := make([]float64, sets*places*width)
	for k, i := range chosen {
		if i < 0 {
			continue
		}
		for s := range sets {
			input := b.inputs[s]
			if b.streams {
				input = b.inputs[k/(places/members)]
			}
			for at, j := range b.columns[i] {
				_, factors[(s*places+k)*width+at] = input.numbers(int(j))
			}
		}
	}
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(factors, sets, places, width),
		tensors.FromFlatDataAndDimensions(make([]float64, members), members, 1),
	}
}

// held returns the inputs of bucket k, from blockX on.
func (b *block) held(k int) []*tensors.Tensor { return joined(b.data[k], b.scales[k]) }

// joined puts the arrays of scaling into those of arrays.
func joined(data, scales []*tensors.Tensor) []*tensors.Tensor {
	const shared = blockFactor - blockX
	return slices.Concat(data[:shared], scales, data[shared:])
}

// scoring returns those of the inputs that scoring needs.
func scoring(inputs []*tensors.Tensor) []*tensors.Tensor {
	return inputs[:min(len(inputs), blockNumbered-blockX)]
}

// given returns the inputs of bucket k for a step, or for scoring, on chosen bags, -1 for none, and the place of each in
// them. The caller frees own: if bags are streamed, they are read now.
func (b *block) given(k int, chosen []int) (inputs []*tensors.Tensor, places []int32, own []*tensors.Tensor, err error) {
	places = make([]int32, len(chosen))
	for slot, i := range chosen {
		switch {
		case i < 0:
			places[slot] = -1
		case b.streams:
			places[slot] = int32(slot)
		default:
			places[slot] = int32(b.at[i])
		}
	}
	if !b.streams {
		return b.held(k), places, nil, nil
	}
	size := b.buckets[k]
	if own, err = b.arrays(size, b.bags, chosen, len(chosen)); err != nil {
		return nil, nil, own, err
	}
	data := own
	if b.scales != nil {
		return joined(data, b.scales[k]), places, own, nil
	}
	scales := b.scaling(size, chosen, len(chosen))
	return joined(data, scales), places, slices.Concat(own, scales), nil
}

// train runs one epoch and returns the mean loss over each member's bags.
func (b *block) train(ctx context.Context, epoch int) ([]float32, error) {
	members := len(b.fits)
	orders := make([]order, members)
	for m, fit := range b.fits {
		orders[m] = epochOrder(b.sizes, fit.Train, b.configs[m].Batch, epoch, orderRand(fit.Seed, epoch))
	}
	if err := finalize(b.state[blockLoss]); err != nil {
		return nil, err
	}
	b.state[blockLoss] = tensors.FromFlatDataAndDimensions(make([]float32, members), members)
	for r := range rounds {
		for k, size := range b.buckets {
			batches := make([][][]int, members)
			for m := range batches {
				batches[m] = orders[m][r][size]
			}
			if err := b.trainBucket(ctx, k, batches); err != nil {
				return nil, err
			}
		}
	}
	losses, err := tensors.CopyFlatData[float32](b.state[blockLoss])
	for m := range losses {
		losses[m] /= float32(len(b.fits[m].Train))
	}
	return losses, err
}

// trainBucket takes the steps in bucket k, given the batches of each member, in one call or one call per step.
func (b *block) trainBucket(ctx context.Context, k int, batches [][][]int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !b.single {
		return b.trainBatches(k, batches)
	}
	most := 0
	for m := range batches {
		most = max(most, len(batches[m]))
	}
	for s := range most {
		if err := ctx.Err(); err != nil {
			return err
		}
		step := make([][][]int, len(batches))
		for m := range step {
			if s < len(batches[m]) {
				step[m] = batches[m][s : s+1]
			}
		}
		if err := b.trainBatches(k, step); err != nil {
			return err
		}
	}
	return nil
}

// trainBatches takes several steps in one call.
func (b *block) trainBatches(k int, batches [][][]int) error {
	size := b.buckets[k]
	members, steps := len(b.fits), b.steps[size]
	chosen, labels := slices.Repeat([]int{-1}, steps*members*b.batch), make([]float32, steps*members*b.batch)
	count := 0
	bags := make([]int, members) // of the last step, by index in the task
	for m, fit := range b.fits {
		count, bags[m] = max(count, len(batches[m])), -1
		for s, batch := range batches[m] {
			for j, i := range batch {
				at := (s*members+m)*b.batch + j
				chosen[at], labels[at] = fit.Train[i].Bag, b.labels[m][i]
				bags[m] = fit.Train[i].Bag
			}
		}
	}
	if count == 0 {
		return nil
	}
	inputs, order, own, err := b.given(k, chosen)
	defer func() { _ = finalize(own...) }()
	if err != nil {
		return err
	}
	var taken tableCall
	if b.rows != nil {
		c, err := b.rows.take(size, bags)
		if err != nil {
			return err
		}
		taken = *c
	}
	var args []any
	for i, s := range b.state {
		if moment, ok := b.tableMoment(i); ok {
			args = append(args, taken.rows[moment])
			continue
		}
		donated, err := DonateTensorBuffer(s, b.backend, 0)
		if err != nil {
			return err
		}
		args = append(args, donated)
	}
	step := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(order, steps, members, b.batch),
		tensors.FromFlatDataAndDimensions(labels, steps, members, b.batch),
		tensors.FromScalar(int32(count)),
	}
	own = append(own, step...)
	args = append(args, b.numbers, b.seeds)
	for _, t := range slices.Concat(step, inputs) {
		args = append(args, t)
	}
	if b.rows != nil {
		args = append(args, taken.missed)
	}
	outputs, err := call(b.round, args)
	if err == nil {
		b.state = outputs
		if b.rows != nil {
			for i := range b.state {
				if moment, ok := b.tableMoment(i); ok {
					taken.rows[moment], b.state[i] = b.state[i], nil
				}
			}
			err = errors.Join(b.rows.put(size, taken.rows), finalize(taken.rows[:]...))
		}
	}
	return err
}

// tableMoment reports whether position i of the state is for rows of the table, and for which of its arrays.
func (b *block) tableMoment(i int) (moment int, ok bool) {
	if b.table < 0 || i < blockArrays || (i-blockArrays)%len(b.parts) != b.table {
		return 0, false
	}
	return (i - blockArrays) / len(b.parts), true
}

// score scores the held-out bags of the members that want scores for this epoch, and adds the epoch to their results.
func (b *block) score(ctx context.Context, epoch int, losses []float32) error {
	members := len(b.fits)
	wanted := make([]bool, members)
	for m := range wanted {
		wanted[m] = b.results[m].Err == nil && (b.fits[m].EveryEpoch || epoch == b.epochs)
	}
	if !slices.Contains(wanted, true) {
		return nil
	}
	parameters, err := b.latest()
	defer func() { _ = finalize(parameters...) }()
	if err != nil {
		return err
	}
	if err := b.compileScoring(parameters); err != nil {
		return err
	}
	scores := make([]map[int]mil.Prediction, members)
	left := make([][]int, members) // held-out bags of the bucket that are not scored yet
	for m := range scores {
		scores[m] = map[int]mil.Prediction{}
	}
	for k, size := range b.buckets {
		most := 0
		for m, fit := range b.fits {
			left[m] = nil
			for _, i := range heldOut(fit) {
				if wanted[m] && b.sizes[i] == size {
					left[m] = append(left[m], i)
				}
			}
			most = max(most, len(left[m]))
		}
		width := b.scored(size)
		for first := 0; first < most; first += width {
			chosen := make([][]int, members)
			for m := range chosen {
				chosen[m] = left[m][min(first, len(left[m])):min(first+width, len(left[m]))]
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := b.scoreBags(k, width, parameters, chosen, scores); err != nil {
				return err
			}
		}
	}
	for m, fit := range b.fits {
		if !wanted[m] {
			continue
		}
		e := learner.Epoch{Number: epoch, Loss: float64(losses[m])}
		for _, i := range fit.Validation {
			s := scores[m][i]
			s.Instances = nil
			e.Validation = append(e.Validation, s)
		}
		for _, i := range fit.Test {
			e.Test = append(e.Test, scores[m][i])
		}
		b.results[m].Epochs = append(b.results[m].Epochs, e)
	}
	return nil
}

// latest returns the parameters of all members, part by part.
func (b *block) latest() ([]*tensors.Tensor, error) {
	var args []any
	for i, s := range b.state {
		if moment, ok := b.tableMoment(i); ok {
			s = b.rows.arrays[moment]
		}
		args = append(args, s)
	}
	args = append(args, b.numbers)
	if b.rows != nil {
		missed, err := b.rows.current()
		if err != nil {
			return nil, err
		}
		args = append(args, missed)
	}
	return call(b.current, args)
}

// flat returns the parameters of a block's only member as a [Model] has them.
func (b *block) flat() (all []float32, err error) {
	parts, err := b.latest()
	defer func() { err = errors.Join(err, finalize(parts...)) }()
	if err != nil {
		return nil, err
	}
	pieces := make([][]float32, len(b.paths))
	for k, part := range b.parts {
		values, err := tensors.CopyFlatData[float32](parts[k])
		if err != nil {
			return nil, err
		}
		for _, i := range part.parameters {
			pieces[i], values = values[:b.forms[i].Size()], values[b.forms[i].Size():]
			if b.paths[i] == firstWeights { // without the features that no bag has
				pieces[i] = pieces[i][:len(pieces[i])-(b.features-b.setFeatures)*b.network.Width]
			}
		}
	}
	return slices.Concat(pieces...), nil
}

// scoreBags scores up to width bags of bucket k per member, chosen by index.
func (b *block) scoreBags(k, width int, parameters []*tensors.Tensor, chosen [][]int, scores []map[int]mil.Prediction) error {
	all := slices.Repeat([]int{-1}, len(chosen)*width)
	for m := range chosen {
		copy(all[m*width:], chosen[m])
	}
	inputs, order, own, err := b.given(k, all)
	defer func() { _ = finalize(own...) }()
	if err != nil {
		return err
	}
	index := tensors.FromFlatDataAndDimensions(order, len(chosen), width)
	var args []any
	for _, p := range parameters {
		args = append(args, p)
	}
	args = append(args, b.numbers, index)
	for _, d := range scoring(inputs) {
		args = append(args, d)
	}
	outputs, err := call(b.scoring, args)
	defer func() { _ = finalize(append(outputs, index)...) }()
	if err != nil {
		return err
	}
	logits, err := tensors.CopyFlatData[float32](outputs[0])
	if err != nil {
		return err
	}
	winners, err := tensors.CopyFlatData[int32](outputs[1])
	if err != nil {
		return err
	}
	var weights []float32
	if b.of.weights {
		if weights, err = tensors.CopyFlatData[float32](outputs[2]); err != nil {
			return err
		}
	}
	each := b.target.outputs()
	count := len(logits) / each
	heads, instances := len(winners)/count, len(weights)/count
	for m := range chosen {
		for j, i := range chosen[m] {
			at := m*width + j
			outputs := logits[at*each:][:each]
			s := mil.Prediction{Scores: b.targets[m].scores(b.target, outputs), Survival: b.targets[m].survival(outputs)}
			if !s.Finite() && b.results[m].Err == nil {
				b.results[m].Err = fmt.Errorf("bag %d: %w", i, errScoreNotFinite)
			}
			if b.configs[m].chooses() {
				for h := range heads {
					s.Winners = append(s.Winners, int(winners[at*heads+h]))
				}
			}
			if weights != nil {
				for _, w := range weights[at*instances:][:b.bags[i].Len()] {
					s.Instances = append(s.Instances, float64(w))
				}
			}
			scores[m][i] = s
		}
	}
	return nil
}
