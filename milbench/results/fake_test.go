package results

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// fake makes up the results of a study of 2 sets x 3 settings x 2 repeats x 4 folds = 48 fits.
type fake struct {
	protocol         string
	settings         []string
	seed             uint64
	version, backend string
	curves           bool
}

const (
	fakeTotal   = 48
	fakeFolds   = 4
	fakeRepeats = 2
	fakeEpochs  = 4
)

// fakeSets lists the sets with their numbers of bags; every third bag is positive.
var fakeSets = []struct {
	name string
	bags int
}{{"first", 40}, {"second", 31}}

func newFake() fake {
	return fake{protocol: cv.HonestProtocol, seed: 1, version: "v0", backend: "fake",
		settings: []string{`{"iterations":-3,"pooling":"syn"}`, `{"iterations":3,"pooling":"syn"}`, `{"pooling":"mean"}`}}
}

func fakeChecksum(set int) string { return fmt.Sprintf("%064x", 1000+set) }

// results returns the results of all fits, with different wall times. Scores depend on what trains the fit and on the
// bag.
func (f fake) results() (all []Result) {
	for set, s := range fakeSets {
		for repeat := range fakeRepeats {
			for fold := range fakeFolds {
				for _, setting := range f.settings {
					r := Result{Set: s.name, Checksum: fakeChecksum(set), Protocol: f.protocol, Folds: fakeFolds, FoldsRun: fakeFolds, Repeat: repeat, Fold: fold,
						Seed: f.seed, Config: json.RawMessage(setting), Epoch: fakeEpochs, Backend: f.backend, Version: f.version, Revision: "0",
						WallS: 0.001 + rand.Float64()}
					switch f.protocol {
					case cv.NestedProtocol:
						r.Epoch = 1 + (repeat+fold)%fakeEpochs
						r.Validation = f.scored(r, s.bags, fold+1)
						for i := range r.Validation {
							r.Validation[i].Winners = nil
						}
					case cv.PublishedProtocol:
						if r.FoldsRun, r.Optimistic = 1, true; fold > 0 {
							continue
						}
					}
					r.Bags = f.scored(r, s.bags, fold)
					all = append(all, withID(r))
				}
			}
		}
	}
	return all
}

// scored returns the bags of a fold.
func (f fake) scored(r Result, bags, fold int) (part []ScoredBag) {
	random := cv.Rand(f.seed, "fake "+r.Set+r.Protocol+string(r.Config), r.Repeat, r.Fold, fold%fakeFolds)
	for i := range bags {
		if i/3%fakeFolds != fold%fakeFolds { // three bags in a row, one of them positive, are in a fold
			continue
		}
		label := 0
		if i%3 == 0 {
			label = 1
		}
		part = append(part, ScoredBag{ID: fmt.Sprint(r.Set, "-", i), Target: mil.Labelled(label),
			Scores: []float64{float64(label) + 1.5*random.NormFloat64()}, Winners: []int{0, i}})
	}
	return part
}

// curve returns the curve of a fit.
func (fake) curve(r Result) Curve {
	half, none := 0.5, 0.0
	return Curve{Fit: r.Fit, Set: r.Set, Repeat: r.Repeat, Fold: r.Fold, Config: r.Config, Loss: []float64{4, 2, 1, 1 + float64(r.Fold)}, WinnersChanged: []*float64{nil, &none, &half, &none}}
}

// write appends results, and curves if requested, to a folder.
func (f fake) write(t testing.TB, dir string, all []Result) {
	t.Helper()
	file, err := Open(dir)
	must(t, err)
	if f.curves {
		if _, err := file.OpenCurves(); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range all {
		if f.curves {
			must(t, file.AppendCurve(f.curve(r)))
		}
		must(t, file.Append(r))
	}
	must(t, file.Close())
}

// folder returns a new folder of all results.
func (f fake) folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	f.write(t, dir, f.results())
	return dir
}

// shard writes the results of every shards-th fit, from the given one on, to an attempt in dir, and returns their number.
func (f fake) shard(t testing.TB, dir string, shard, shards int) int {
	t.Helper()
	finished, err := Finished(dir, nil)
	must(t, err)
	var own []Result
	for i, r := range f.results() {
		if i%shards == shard && !finished[r.Fit] {
			own = append(own, r)
		}
	}
	if len(own) > 0 {
		f.write(t, AttemptDir(dir, shard, shards), own)
	}
	return len(own)
}

// ofKind makes up a result with four bags for a kind of target. Classes have names, and there is one score per class.
func ofKind(kind mil.TargetKind) Result {
	r := newFake().results()[0]
	r.Target, r.Bags = kind, nil
	for i := range 4 {
		b := ScoredBag{ID: fmt.Sprint("bag", i), Scores: []float64{float64(i) - 1.5}}
		switch kind {
		case mil.BinaryTarget:
			r.Classes, b.Label = []string{"benign", "malignant"}, i%2
		case mil.ClassTarget:
			r.Classes, b.Label = []string{"early", "late", "never"}, i%3
			b.Scores = []float64{float64(i), 0.5, -2}
		case mil.RealTarget:
			b.Value = 0.25 - float64(i)
		case mil.SurvivalTarget:
			b.Value, b.Event = 12.5*float64(i), i%2 == 0
		}
		r.Bags = append(r.Bags, b)
	}
	r.Checksum = fmt.Sprintf("%064x", 2000+int(kind))
	r.Set = kind.String()
	return withID(r)
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tabulated returns the table of results.
func tabulated(t *testing.T, list []Result) Table {
	t.Helper()
	table, err := Tabulate(list)
	must(t, err)
	return table
}
