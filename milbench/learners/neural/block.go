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
	scales  [][]*tensors.Tensor // blockFactor and blockShift: one pair for dense bags, one per bucket for sparse ones, nil if these are streamed
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

// compileRounds compiles on a device what train needs for all buckets, at the same time. Elsewhere, and if bags are
// streamed, each graph is compiled when it is first needed.
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
	switch {
	case !b.sparse:
		b.scales = [][]*tensors.Tensor{b.scaling()}
	case !b.streams:
		for _, size := range b.buckets {
			b.scales = append(b.scales, b.columnScaling(size, b.layout.bags[size], b.places(size), false))
		}
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

// scaling returns blockFactor and blockShift for dense bags.
func (b *block) scaling() []*tensors.Tensor {
	members := len(b.inputs)
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

// columnScaling returns blockFactor and blockShift for sparse bags of a bucket, chosen as for [layout.arrays]. Members share
// the places, or each has as many of its own.
func (b *block) columnScaling(size bucketSize, chosen []int, places int, own bool) []*tensors.Tensor {
	members, width := len(b.inputs), b.width(size)
	sets := members
	if own {
		sets = 1
	}
	factors := make([]float64, sets*places*width)
	for k, i := range chosen {
		if i < 0 {
			continue
		}
		for s := range sets {
			input := b.inputs[s]
			if own {
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

// held returns the inputs of bucket k, from blockX on, for steps on bags in memory.
func (b *block) held(k int) []*tensors.Tensor {
	return joined(b.data[k], b.scales[min(k, len(b.scales)-1)])
}

// read returns the inputs of a bucket, from blockX on, with the chosen bags, -1 for none. Each member has as many of
// them as the others. The caller frees own.
func (b *block) read(size bucketSize, chosen []int) (inputs, own []*tensors.Tensor, err error) {
	if own, err = b.arrays(size, b.bags, chosen, len(chosen)); err != nil {
		return nil, own, err
	}
	if !b.sparse {
		return joined(own, b.scales[0]), own, nil
	}
	scales := b.columnScaling(size, chosen, len(chosen), true)
	return joined(own, scales), slices.Concat(own, scales), nil
}

// joined puts the arrays of scaling into those of arrays.
func joined(data, scales []*tensors.Tensor) []*tensors.Tensor {
	const shared = blockFactor - blockX
	return slices.Concat(data[:shared], scales, data[shared:])
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
	order := slots(chosen)
	var inputs, own []*tensors.Tensor
	defer func() { _ = finalize(own...) }()
	if b.streams {
		var err error
		if inputs, own, err = b.read(size, chosen); err != nil {
			return err
		}
	} else {
		inputs = b.held(k)
		for slot, i := range chosen {
			if i >= 0 {
				order[slot] = int32(b.at[i])
			}
		}
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
	scores, attention := make([]map[int]mil.Prediction, members), make([]map[int][]attended, members)
	seen, left := make([][]int, members), make([][]int, members) // all bags to score, and those of a size that are not scored yet
	for m, fit := range b.fits {
		scores[m], attention[m], seen[m] = map[int]mil.Prediction{}, map[int][]attended{}, heldOut(fit)
		if b.of.winners {
			seen[m] = append(seen[m], trainBags(fit)...)
		}
	}
	for _, size := range b.scoringSizes() {
		most := 0
		for m := range left {
			left[m] = nil
			for _, i := range seen[m] {
				if wanted[m] && b.sizes[i].scored() == size {
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
			if err := b.scoreBags(size, width, parameters, chosen, scores, attention); err != nil {
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
		if b.of.winners && b.configs[m].chooses() {
			e.Winners = winnersOf(b.configs[m], trainBags(fit), heldOut(fit), attention[m])
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

// slots returns the place of each chosen bag among them, -1 for none.
func slots(chosen []int) []int32 {
	places := make([]int32, len(chosen))
	for slot, i := range chosen {
		places[slot] = -1
		if i >= 0 {
			places[slot] = int32(slot)
		}
	}
	return places
}

// scoreBags scores up to width bags per member, chosen by index, padded to a size.
func (b *block) scoreBags(size bucketSize, width int, parameters []*tensors.Tensor, chosen [][]int, scores []map[int]mil.Prediction, attention []map[int][]attended) error {
	all := slices.Repeat([]int{-1}, len(chosen)*width)
	for m := range chosen {
		copy(all[m*width:], chosen[m])
	}
	inputs, own, err := b.read(size, all)
	index := tensors.FromFlatDataAndDimensions(slots(all), len(chosen), width)
	defer func() { _ = finalize(append(own, index)...) }()
	if err != nil {
		return err
	}
	var args []any
	for _, p := range parameters {
		args = append(args, p)
	}
	args = append(args, b.numbers, index)
	for _, d := range inputs[:min(len(inputs), blockNumbered-blockX)] { // those that scoring needs
		args = append(args, d)
	}
	outputs, err := call(b.scoring, args)
	defer func() { _ = finalize(outputs...) }()
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
	var before, after []float32
	if b.of.winners {
		if before, err = tensors.CopyFlatData[float32](outputs[len(outputs)-2]); err == nil {
			after, err = tensors.CopyFlatData[float32](outputs[len(outputs)-1])
		}
		if err != nil {
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
			if before != nil {
				for h := range heads {
					row := (at*heads + h) * size.instances
					attention[m][i] = append(attention[m][i], attended{before[row:][:b.bags[i].Len()], after[row:][:b.bags[i].Len()]})
				}
			}
			scores[m][i] = s
		}
	}
	return nil
}
