package neural

import (
	"errors"
	"sync"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/backend"
	"synpool/milbench/mil"
)

// resident holds whole bags in the memory of a device that is not a CPU, each in one array of [residentRows] rows. Chunks
// and their products would be copied between the memories of the device and of the process at each step. The least
// recently used bags make room for others.
type resident struct {
	backend  compute.Backend
	features int
	most     int64 // bytes of all bags
	bytes    int64
	uses     int
	bags     map[int]*residentBag // by index in the task; drawn instances have the index drawnBag
}

type residentBag struct {
	values *tensors.Tensor
	used   int // larger if later
}

// drawnBag is the index of drawn instances, which are used for one bag in one epoch.
const drawnBag = -1

// Bags may take residentShare of a device's memory, and a step of one bag the rest. If a plugin does not say how much
// memory there is, it is residentMemory, which tests make smaller.
const residentShare = 0.6

var residentMemory int64 = 4 << 30

// fewestResident is the minimum of [residentRows].
const fewestResident = 1024

// residentRows returns the number of rows that a bag on a device is padded to, a power of two: a graph serves all bags of
// the same number of rows, and compiling costs more than padding.
func residentRows(instances int) int { return powerOfTwo(max(instances, fewestResident)) }

// newResident returns nil for a backend on the CPU.
func newResident(b compute.Backend, features int) *resident {
	if b.HasSharedBuffers() {
		return nil
	}
	memory := backend.DeviceMemory()
	if memory == 0 {
		memory = residentMemory
	}
	return &resident{backend: b, features: features, most: int64(residentShare * float64(memory)), bags: map[int]*residentBag{}}
}

// takes reports whether a step on a whole bag fits into the memory that bags leave free, given the numbers per instance of
// [Config.perInstance]. A step holds the bag, its standardised values, and those after dropout.
func (r *resident) takes(instances, perInstance int) bool {
	if r == nil {
		return false
	}
	bag, step := int64(residentRows(instances)*r.features), int64(residentRows(instances)*perInstance)
	return 4*bag <= r.most && 4*(3*bag+step) <= int64(float64(r.most)*(1-residentShare)/residentShare)
}

// values returns a bag, or some of its instances in order.
func (r *resident) values(index int, bag mil.Instances, some []int) (*tensors.Tensor, error) {
	if some != nil {
		index, bag = drawnBag, chosen{bag, some}
		if err := r.drop(drawnBag); err != nil {
			return nil, err
		}
	}
	r.uses++
	if held := r.bags[index]; held != nil {
		held.used = r.uses
		return held.values, nil
	}
	rows := residentRows(bag.Len())
	for size := 4 * int64(rows*r.features); r.bytes+size > r.most && len(r.bags) > 0; {
		oldest := drawnBag
		for i, held := range r.bags {
			if first := r.bags[oldest]; first == nil || held.used < first.used {
				oldest = i
			}
		}
		if err := r.drop(oldest); err != nil {
			return nil, err
		}
	}
	t := tensors.FromShape(shapes.Make(dtypes.Float32, rows, r.features))
	var unread error
	err := tensors.MutableFlatData(t, func(flat []float32) { unread = bag.Read(0, bag.Len(), flat) })
	if err = errors.Join(err, unread); err == nil {
		err = t.MaterializeOnDevice(r.backend, false, 0)
	}
	if err != nil {
		return nil, errors.Join(err, finalize(t))
	}
	t.FinalizeLocal()
	r.bytes += 4 * int64(rows*r.features)
	r.bags[index] = &residentBag{t, r.uses}
	return t, nil
}

// drop frees the bag of an index, if it is there.
func (r *resident) drop(index int) error {
	held := r.bags[index]
	if held == nil {
		return nil
	}
	delete(r.bags, index)
	r.bytes -= 4 * int64(held.values.Shape().Size())
	return finalize(held.values)
}

func (r *resident) finalize() (err error) {
	if r != nil {
		for index := range r.bags {
			err = errors.Join(err, r.drop(index))
		}
	}
	return err
}

// compile compiles at the same time all graphs that a fit needs for whole bags.
func (r *largeRunner) compile(l *largeFit) error {
	train, score := map[int]bool{}, map[int]bool{}
	for _, e := range l.fit.Train {
		if n := l.drawn(l.bags[e.Bag]); r.device.takes(n, l.config.perInstance()) {
			train[residentRows(n)] = true
		}
	}
	for _, i := range heldOut(l.fit) {
		if bag := l.bags[i]; isLarge(bag, l.config.Layers) && r.device.takes(bag.Len(), l.config.perInstance()) {
			score[residentRows(bag.Len())] = true
		}
	}
	float := func(dims ...int) shapes.Shape { return shapes.Make(dtypes.Float32, dims...) }
	integer, state, w := shapes.Make(dtypes.Int32), l.state[0].Shape(), r.forms[r.large.weights]
	others, scaling := float(state.Size()-w.Size()), float(3, r.features)
	var c compiling
	for rows := range train {
		c.start(r.large.whole, state, l.numbers.Shape(), l.seed.Shape(), integer, shapes.Make(dtypes.Uint32, 2), float(rows, r.features), scaling,
			integer, float(1), float(), float(), others, w)
	}
	if len(train) > 0 {
		c.start(r.large.update, state, state, state, l.numbers.Shape(), integer, w, others)
	}
	for rows := range score {
		c.start(r.large.wholeScore, state, float(len(networkNumbers(l.config))), float(rows, r.features), scaling, integer)
	}
	return c.wait()
}

// compiling compiles graphs at the same time. A device waits for its graphs, and the cores beside it have nothing else to do;
// a worker on a CPU has one core.
type compiling struct {
	running sync.WaitGroup
	mu      sync.Mutex
	errs    []error
}

// start compiles the graph of exec for inputs of the given shapes, unless it is there.
func (c *compiling) start(exec *graph.Exec, inputs ...shapes.Shape) {
	c.running.Go(func() {
		err := attempt(func() error { _, err := exec.Compile(inputs...); return err })
		c.mu.Lock()
		defer c.mu.Unlock()
		c.errs = append(c.errs, err)
	})
}

func (c *compiling) wait() error {
	c.running.Wait()
	return errors.Join(c.errs...)
}

// shapesOf returns the shapes of arrays.
func shapesOf(all ...*tensors.Tensor) (list []shapes.Shape) {
	for _, t := range all {
		list = append(list, t.Shape())
	}
	return list
}
