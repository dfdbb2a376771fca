package learner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"synpool/internal/schedule"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// Epoch has the scores after one training epoch, in the order of [cv.Fit.HeldOut] and [cv.Fit.Test].
type Epoch struct {
	Number     int     // from 1
	Loss       float64 // mean training loss over the training bags
	Validation []mil.Prediction
	Test       []mil.Prediction
	Winners    []Winners // if [cv.Fit.Winners] asks for them
}

// Winners are the instances with the largest weight, of each bag of a part and each head in turn.
type Winners struct {
	Part string // the bags: "train" or "held-out"
	Way  string // the weights: "before" the Syn steps, or after them in "float32", in float32 correctly "rounded", in "float64"
	Of   []int
}

// Outcome is a finished fit.
type Outcome struct {
	Fit    int     // index in [cv.Task.Fits]
	Epochs []Epoch // every epoch, or only the last
	Wall   time.Duration
	Err    error // why this fit failed; other fits continue

	Portfolio []Weighted // for a fit that joins models: the models with weight
}

// Weighted is a model that has weight in a joined model.
type Weighted struct {
	Setting json.RawMessage `json:"config"`
	Weight  float64         `json:"weight"` // weights of all models sum to 1
	// Figure is the main figure for the kind of target (AUC, macro AUC, R², concordance) on held-out bags of the
	// training part, averaged over inner folds. Files call it "auc" for every kind.
	Figure float64 `json:"auc"`
	Epoch  int     `json:"epoch"` // from 1, see [Epoch]
}

// Learner trains fits and scores bags. Networks, classical learners and ensembles implement it.
type Learner interface {
	// Takes returns the kinds of tasks that the learner can learn.
	Takes() Takes

	// Learn trains all fits of a task, in any order or together, and passes each outcome to done when it finishes.
	// Calls of done do not overlap. Learn returns after the last fit, or earlier with an error: the context's,
	// done's, or one that concerns the whole task.
	Learn(ctx context.Context, task cv.Task, done func(Outcome) error) error

	// Plan estimates the cost of a task's fits without training. It returns an error if the learner cannot learn the
	// task or if the task does not fit into its memory. Fits with invalid settings are in no group.
	Plan(task cv.Task) (Plan, error)
}

// Takes describes the tasks that a learner can learn.
type Takes struct {
	Name          string           // name of the learner, for messages
	Kinds         []mil.TargetKind // kinds of targets
	Dense, Sparse bool             // which instances it takes
	MaxInstances  int              // per bag; 0 means no limit
	MaxFeatures   int              // 0 means no limit
}

// Check returns an error if the learner cannot learn the task. The error says what the learner takes instead.
func (t Takes) Check(task cv.Task) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s: %s %s", cmp.Or(task.Name, "task"), cmp.Or(t.Name, "the learner"), fmt.Sprintf(format, args...))
	}
	if !slices.Contains(t.Kinds, task.Kind) {
		var kinds []string
		for _, k := range t.Kinds {
			kinds = append(kinds, k.String())
		}
		return fail("cannot learn targets of kind %v; it learns: %s", task.Kind, strings.Join(kinds, ", "))
	}
	for _, x := range task.Bags {
		switch sparse := mil.IsSparse(x); {
		case sparse && !t.Sparse:
			return fail("takes no sparse bags")
		case !sparse && !t.Dense:
			return fail("takes sparse bags alone")
		case t.MaxInstances > 0 && x.Len() > t.MaxInstances:
			return fail("takes bags of at most %d instances; the largest has %d: \"instances\":%[1]d in its setting takes so many of each; or take a learner without a bound, statistics-trees say",
				t.MaxInstances, slices.MaxFunc(task.Bags, func(a, b mil.Instances) int { return a.Len() - b.Len() }).Len())
		case t.MaxFeatures > 0 && x.Features() > t.MaxFeatures:
			return fail("takes at most %d features; there are %d", t.MaxFeatures, x.Features())
		}
	}
	return nil
}

// Plan is the estimated cost of a task's fits.
type Plan struct {
	Fits    int
	Blocks  int           // a block has fits that are trained side by side; a fit alone counts as one
	Members int           // number of fits in the largest block
	Workers int           // blocks trained at once
	Memory  uint64        // approximate peak, in bytes
	Time    time.Duration // approximate, on cores at 4 GHz
	Note    string        // one line on how memory use was kept within the limit, or ""
	Groups  []Group
}

// Group is a group of fits with a common preparation, such as compiling shared graphs.
type Group struct {
	Fits    []int   // indices in the task; for an ensemble one entry per member
	Members int     // fits per block; 1 if each is trained alone
	Blocks  int     // the last block may be partly empty and takes as long
	Compile float64 // approximate seconds until the first block can start, for example to compile graphs
	Block   float64 // approximate seconds per block on one core
	Memory  uint64  // approximate peak in bytes, with all workers of the plan
	Join    float64 // approximate seconds until an additional worker can start; 0 means the same as Compile
}

// TimeOf estimates how long a number of workers needs for the blocks of groups.
func TimeOf(groups []Group, workers int) time.Duration {
	var all []schedule.Group[struct{}]
	for _, g := range groups {
		all = append(all, schedule.Group[struct{}]{Jobs: make([]struct{}, g.Blocks), Each: g.Block, First: g.Compile, Join: cmp.Or(g.Join, g.Compile)})
	}
	return schedule.New(all...).Time(workers)
}
