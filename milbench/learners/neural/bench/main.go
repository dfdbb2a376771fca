// Command bench trains many fits of one setting on one set, and prints the time and memory that it took as one line of
// JSON. It is milbench's part of compare.py, which runs it beside PyTorch and JAX.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"synpool/backend"
	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/learner"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// line is the printed result.
type line struct {
	Side           string            `json:"side"`
	Set            string            `json:"set"`
	Width          int               `json:"width"`
	Batch          int               `json:"batch"`
	Fits           int               `json:"fits"`
	Epochs         int               `json:"epochs"`
	Cores          int               `json:"cores"`
	Members        int               `json:"members"` // fits per block
	Bags           int               `json:"bags"`    // number of bags trained, over all fits and epochs
	Seconds        float64           `json:"seconds"` // wall time of training with compiled graphs
	USPerBag       float64           `json:"us_per_bag"`
	PlanMB         uint64            `json:"plan_mb"`         // planned peak memory
	CompileSeconds float64           `json:"compile_seconds"` // extra time of the first block of a core, compared with later ones
	WallSeconds    float64           `json:"wall_seconds"`    // from the cold start of the process
	AUC            float64           `json:"auc"`
	AUCSE          float64           `json:"auc_se"`
	Backend        string            `json:"backend"`
	Versions       map[string]string `json:"versions"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	start := time.Now()
	name := flag.String("set", "elephant", "named set, or musk2-even: Musk 2's instances in bags of 64, which need no padding")
	data := flag.String("data", "", "folder of the sets")
	width := flag.Int("width", 256, "features of the hidden layer")
	batch := flag.Int("batch", 1, "bags per step")
	fits := flag.Int("fits", 50, "fits: ten folds per repeat; for web1, one seed per fit")
	epochs := flag.Int("epochs", 50, "epochs per fit")
	cores := flag.Int("cores", runtime.GOMAXPROCS(0), "pinned clients")
	curves := flag.Bool("curves", false, "score the held-out bags after every epoch")
	flag.Parse()
	if *data != "" {
		if err := os.Setenv("MILBENCH_DATA", *data); err != nil {
			return err
		}
	}
	set, err := open(*name)
	if err != nil {
		return err
	}
	config, err := neural.DefaultConfig("syn")
	if err != nil {
		return err
	}
	config.Width, config.Batch, config.Epochs = *width, *batch, *epochs
	task, err := newTask(set, config, *fits)
	if err != nil {
		return err
	}
	for i := range task.Fits {
		task.Fits[i].EveryEpoch = *curves
	}
	if err := os.Setenv(backend.CacheVariable, "off"); err != nil { // compiling is measured, too
		return err
	}
	choice, err := backend.New()
	if err != nil {
		return err
	}
	defer choice.Backend.Finalize()
	pinned := choice.Cores(*cores)
	if pinned.Note != "" {
		fmt.Fprintln(os.Stderr, pinned.Note)
	}
	trainer := neural.Trainer{Backend: choice.Backend, Workers: pinned.Workers, Run: pinned.Run}
	plan, err := trainer.Plan(task)
	if err != nil {
		return err
	}
	out := line{Side: "milbench", Set: *name, Width: *width, Batch: *batch, Fits: len(task.Fits), Epochs: *epochs, Cores: pinned.Workers,
		Members: plan.Members, PlanMB: plan.Memory / 1e6, Backend: choice.Config, Versions: versions()}
	var aucs, walls []float64
	learning := time.Now()
	err = trainer.Learn(context.Background(), task, func(o learner.Outcome) error {
		if o.Err != nil {
			return o.Err
		}
		fit := task.Fits[o.Fit]
		auc, err := testAUC(set, fit, o.Epochs[len(o.Epochs)-1])
		aucs = append(aucs, auc)
		walls = append(walls, o.Wall.Seconds())
		out.Bags += *epochs * len(fit.Train)
		return err
	})
	if err != nil {
		return err
	}
	out.WallSeconds = time.Since(start).Seconds()
	if out.AUC, out.AUCSE, err = meanSE(aucs); err != nil {
		return err
	}
	// The first block of each core compiles; the later ones do not.
	cold := min(len(walls), plan.Workers*plan.Members)
	if warm := slices.Sorted(slices.Values(walls[cold:])); len(warm) > 0 {
		out.CompileSeconds = max(0, slices.Max(walls[:cold])-warm[len(warm)/2]) * float64(plan.Members)
	}
	trained := out.WallSeconds - learning.Sub(start).Seconds()
	if cold == len(walls) { // every core has trained one block: compilation is the difference to one epoch of training
		short := config
		short.Epochs = 1
		one, err := newTask(set, short, *fits)
		if err != nil {
			return err
		}
		again := time.Now()
		if err := trainer.Learn(context.Background(), one, func(o learner.Outcome) error { return o.Err }); err != nil {
			return err
		}
		first := time.Since(again).Seconds()
		out.CompileSeconds = max(0, first-(trained-first)/float64(max(*epochs-1, 1)))
	}
	out.Seconds = trained - out.CompileSeconds
	out.USPerBag = out.Seconds / float64(out.Bags) * 1e6
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	_, err = fmt.Println(string(text))
	return err
}

// open returns a set without the column that leaks the label.
func open(name string) (*mil.Set, error) {
	stored, err := dataset.Open(strings.TrimSuffix(name, evenSuffix))
	if err != nil {
		return nil, err
	}
	set, err := stored.Set(dataset.NoColumn)
	if err == nil && strings.HasSuffix(name, evenSuffix) {
		return even(set)
	}
	return set, err
}

// evenSuffix asks for a set's instances in bags that need no padding.
const evenSuffix = "-even"

// even distributes the instances of a set over full bags of 64, with alternating labels.
func even(set *mil.Set) (*mil.Set, error) {
	const size = 64
	dealt := &mil.Set{Name: set.Name + evenSuffix}
	var all []float32
	for _, b := range set.Bags {
		if err := mil.EachRow(b.Instances, func(_ int, row []float32) { all = append(all, row...) }); err != nil {
			return nil, err
		}
	}
	features := set.NumFeatures()
	for chunk := range slices.Chunk(all, size*features) {
		if len(chunk) == size*features {
			i := len(dealt.Bags)
			dealt.Bags = append(dealt.Bags, mil.Bag{ID: fmt.Sprint(i + 1), Target: mil.Labelled(i % 2),
				Instances: &mil.Dense{Rows: size, Cols: features, Values: chunk}})
		}
	}
	return dealt, dealt.Seal()
}

// newTask returns the first fits of the honest protocol.
func newTask(set *mil.Set, config neural.Config, fits int) (cv.Task, error) {
	setting, err := json.Marshal(config)
	if err != nil {
		return cv.Task{}, err
	}
	protocol := cv.Honest()
	folds := protocol.Folds
	if set.HasSplit() {
		folds = 1
	}
	protocol.Repeats = (fits + folds - 1) / folds
	all, err := protocol.Fits(set, []json.RawMessage{setting}, 1)
	if err != nil {
		return cv.Task{}, err
	}
	return cv.NewTask(set, all[:fits]), nil
}

func testAUC(set *mil.Set, fit cv.Fit, epoch learner.Epoch) (float64, error) {
	var labels []int
	var scores []float64
	for k, i := range fit.Test {
		labels = append(labels, set.Bags[i].Label)
		scores = append(scores, epoch.Test[k].Scores[0])
	}
	return stats.AUC(labels, scores)
}

// meanSE returns the mean and its standard error, which is 0 for a single value.
func meanSE(values []float64) (mean, se float64, err error) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	if len(values) < 2 {
		return mean, 0, nil
	}
	sd, err := stats.SD(values)
	return mean, sd / math.Sqrt(float64(len(values))), err
}

// versions returns the versions of Go and GoMLX.
func versions() map[string]string {
	found := map[string]string{"go": runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if strings.HasPrefix(m.Path, "github.com/gomlx/") {
				found[m.Path] = m.Version
			}
		}
	}
	return found
}
