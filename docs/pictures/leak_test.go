package pictures

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"gonum.org/v1/gonum/stat"

	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/dataset/generate"
	"synpool/milbench/learner"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
	archives "synpool/paper/results"
)

// goBackend returns the backend that rounds alike on all machines of one architecture.
func goBackend(t *testing.T) compute.Backend {
	t.Helper()
	b, err := gobackend.New("ops_sequential")
	must(t, err)
	t.Cleanup(b.Finalize)
	return b
}

// testCurves trains gated attention on a set, and returns the test AUC of each fold after each epoch.
func testCurves(t *testing.T, set *mil.Set, folds, epochs int) [][]float64 {
	t.Helper()
	config, err := neural.PresetConfig(neural.SmallPreset, "gated")
	must(t, err)
	config.Epochs = epochs
	setting, err := json.Marshal(config)
	must(t, err)
	protocol := cv.BestEpoch()
	protocol.Folds, protocol.Repeats = folds, 1
	fits, err := protocol.Fits(set, []json.RawMessage{setting}, 1)
	must(t, err)
	task := cv.NewTask(set, fits)
	curves := make([][]float64, folds)
	err = neural.Trainer{Backend: goBackend(t), Workers: 1}.Learn(t.Context(), task, func(o learner.Outcome) error {
		if o.Err != nil {
			return o.Err
		}
		var labels []int
		for _, bag := range task.Fits[o.Fit].Test {
			labels = append(labels, set.Bags[bag].Target.Label)
		}
		for _, epoch := range o.Epochs {
			var scores []float64
			for _, prediction := range epoch.Test {
				scores = append(scores, prediction.Scores[0])
			}
			auc, err := stats.AUC(labels, scores)
			if err != nil {
				return err
			}
			curves[o.Fit] = append(curves[o.Fit], auc)
		}
		return nil
	})
	must(t, err)
	return curves
}

// published returns what the committed results report on shuffled labels under a protocol, a mean over settings, sets and shuffles, and how many sets and
// shuffles of each these are.
func published(t *testing.T, protocol string) (mean float64, sets, shuffles int) {
	t.Helper()
	archive, err := archives.Archive("published")
	must(t, err)
	table, err := results.Tabulate(slices.DeleteFunc(archive.Results, func(r results.Result) bool {
		return r.Protocol != protocol || !strings.Contains(r.Set, "-shuffled")
	}))
	must(t, err)
	var aucs []float64
	draws := map[string]map[string]bool{}
	for _, row := range table.Rows {
		set, draw, _ := strings.Cut(row.Set, "-shuffled")
		aucs = append(aucs, row.Mean)
		if draws[set] == nil {
			draws[set] = map[string]bool{}
		}
		draws[set][draw] = true
	}
	for _, of := range draws {
		if shuffles = len(of); shuffles*len(draws) < 2 {
			t.Fatalf("shuffles of the labels: %v", draws)
		}
	}
	for set, of := range draws {
		if len(of) != shuffles {
			t.Errorf("%s has %d shuffles of the labels, another set %d", set, len(of), shuffles)
		}
	}
	return stat.Mean(aucs, nil), len(draws), shuffles
}

// TestLeak draws what it reports to choose the best test epoch where there is nothing to learn.
func TestLeak(t *testing.T) {
	if runtime.GOARCH != "amd64" { // other processors round differently
		return
	}
	const folds, epochs = 5, 30
	set, err := dataset.Musk1()
	must(t, err)
	if set, err = generate.ShuffledLabels(set, 1); err != nil {
		t.Fatal(err)
	}
	curves := testCurves(t, set, folds, epochs)
	var best, last []float64
	for _, curve := range curves {
		best, last = append(best, slices.Max(curve)), append(last, curve[epochs-1])
	}
	chosen, honest := stat.Mean(best, nil), stat.Mean(last, nil)
	all, sets, shuffles := published(t, cv.BestEpochProtocol)
	fixed, _, _ := published(t, cv.HonestProtocol)

	p := &picture{height: 560, title: "How a leak works: choosing the best test epoch reports an AUC that is not there",
		desc: fmt.Sprintf("The labels of Musk 1 were shuffled, so there is nothing to learn and the true AUC is 0.5. Five curves, one per fold, show the test AUC of gated attention over %d epochs; they wander around 0.5. "+
			"The mean of the five largest values is %.2f, that of the five last ones %.2f. In the committed results, over %d sets and %d shuffles each, the best test epoch reports %.3f and the last epoch %.3f.",
			epochs, chosen, honest, sets, shuffles, all, fixed)}
	const left, right, top, bottom = 62, 616, 100, 316
	low := 1.0
	for _, curve := range curves {
		low = min(low, slices.Min(curve))
	}
	low = math.Floor(low*10) / 10
	x := func(epoch int) float64 { return left + (right-left)*float64(epoch-1)/(epochs-1) }
	y := func(auc float64) float64 { return bottom - (bottom-top)*(auc-low)/(1-low) }
	p.text(20, 32, "head", "A leak: the test part chooses the epoch")
	p.text(20, 56, "", "Labels of Musk 1 are shuffled. There is nothing to learn, so the true AUC is 0.5.")
	for _, tick := range []float64{0.25, 0.5, 0.75, 1} {
		if tick < low {
			continue
		}
		p.line(left, y(tick), right, y(tick), map[bool]string{true: "dash", false: "thin"}[tick == 0.5])
		p.text(left-8, y(tick)+5, "end minor", "%.2f", tick)
	}
	p.text(20, 84, "minor", "Test AUC of each fold. Mean of the best epochs %.2f, of the last ones %.2f.", chosen, honest)
	for _, epoch := range []int{1, 10, 20, 30} {
		p.text(x(epoch), bottom+22, "middle minor", "%d", epoch)
	}
	p.text((left+right)/2, bottom+42, "middle minor", "epoch")
	for _, curve := range curves {
		var d strings.Builder
		for i, auc := range curve {
			fmt.Fprintf(&d, "%s%s %s", map[bool]string{true: "M", false: "L"}[i == 0], at(x(i+1)), at(y(auc)))
		}
		p.path("curve", d.String())
	}
	for _, curve := range curves {
		most := slices.Max(curve)
		p.dot(x(slices.Index(curve, most)+1), y(most), 6, "two")
		p.dot(x(epochs), y(curve[epochs-1]), 4.5, "three")
	}
	p.text(20, 386, "bold", "Mean over %d sets with %d shuffles each, committed results", sets, shuffles)
	const from, long, half = 226, 356, 226 + 38 + 356/2
	for i, row := range []struct {
		class, name string
		auc         float64
	}{{"two", "reported: best test epoch", all}, {"three", "honest: last epoch", fixed}} {
		y := 400 + 30*float64(i)
		p.dot(28, y+10, 6, row.class)
		p.text(44, y+15, "", "%s", row.name)
		p.bar(from, y, long, 20, row.auc, row.class)
	}
	p.line(half, 394, half, 456, "dash")
	p.text(half, 472, "middle minor", "truth: 0.50")
	p.box(12, 488, width-24, 60, 8, "panel")
	p.lines(24, 512, "", "A choice needs a part of its own. The nested protocol chooses inside the",
		"training part, and scores the test part once.")
	p.keep(t, "leak.svg")
}
