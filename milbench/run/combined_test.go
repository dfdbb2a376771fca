package run_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/milbench/run/runtest"
	"synpool/milbench/stats"
)

// TestDoAll performs runs jointly and separately. The results are the same, and fits that several runs request are
// trained once. The set with one more feature is trained separately.
func TestDoAll(t *testing.T) {
	bags := func(change float32, features int) *mil.Set {
		set := runtest.Set("base", 40)
		for i := range set.Bags {
			values := make([]float32, 2*features)
			for k := range values {
				values[k] = float32(i+k) + change
			}
			set.Bags[i].Instances = &mil.Dense{Rows: 2, Cols: features, Values: values}
		}
		return set
	}
	named := func(set *mil.Set, name string) *mil.Set {
		other := *set
		other.Name, other.Checksum = name, "of "+name
		return &other
	}
	clean, noisy, leaked := bags(0, 3), named(bags(0.25, 3), "noise"), named(bags(0, 4), "leak")
	of := func(protocol string, set *mil.Set) run.Run {
		return run.Run{Sets: []*mil.Set{set}, Base: "base", Protocol: cv.Protocol{Name: protocol, Folds: 4, Repeats: 2},
			Settings: runtest.Settings(`{"pooling":"mean"}`, `{"pooling":"max"}`), Seed: 3, Backend: "fake", Version: "v0"}
	}
	runs := []run.Run{
		of("honest", clean),     // 16 fits
		of("best-epoch", clean), // the same
		of("published", clean),  // the same, for the first fold
		of("nested", clean),     // 16 others
		of("honest", leaked),    // 16 others
		of("honest", noisy),     // 16 others
	}
	runs[3].Curves = true
	runtest.RequireTogether(t, func(dir string, l learner.Learner) []run.Run {
		own := slices.Clone(runs)
		for i := range own {
			own[i].Dir, own[i].Learner = dir, l
		}
		return own
	}, runtest.Sharing{Requested: 5*16 + 4, Different: 4 * 16, Curves: 16, Calls: 2})
}

// TestDoAllErrors: no runs, and two folders.
func TestDoAllErrors(t *testing.T) {
	a, b := runtest.Run(t.TempDir(), &runtest.Learner{}), runtest.Run(t.TempDir(), &runtest.Learner{})
	for want, runs := range map[string][]run.Run{"no runs": nil, "one folder": {a, b}} {
		if _, err := run.DoAll(context.Background(), runs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}

// weighing is a learner that weighs instances by their values.
type weighing struct{ asked bool }

func (*weighing) Takes() learner.Takes {
	return learner.Takes{Kinds: []mil.TargetKind{mil.BinaryTarget, mil.RealTarget}, Dense: true}
}

func (*weighing) Plan(cv.Task) (learner.Plan, error) { return learner.Plan{}, nil }

func (l *weighing) Learn(_ context.Context, task cv.Task, done func(learner.Outcome) error) error {
	for i, fit := range task.Fits {
		l.asked = l.asked || fit.Instances
		var held, test []mil.Prediction
		for _, b := range fit.HeldOut() {
			held = append(held, mil.Scored(float64(b)))
		}
		for _, b := range fit.Test {
			one := mil.Scored(float64(b))
			if fit.Instances {
				for _, v := range task.Bags[b].(*mil.Dense).Values {
					one.Instances = append(one.Instances, float64(v))
				}
			}
			test = append(test, one)
		}
		if err := done(learner.Outcome{Fit: i, Epochs: []learner.Epoch{{Number: 1, Validation: held, Test: test}}}); err != nil {
			return err
		}
	}
	return nil
}

// kept returns the results in a folder, and what an archive keeps of them.
func kept(t *testing.T, dir string) (found, archived []results.Result) {
	t.Helper()
	found, err := results.Read(dir)
	must(t, err)
	var b strings.Builder
	must(t, (results.Archive{Experiment: "mine", Results: found}).Write(&b))
	archive, err := results.ReadArchive(strings.NewReader(b.String()))
	must(t, err)
	return found, archive.Results
}

// TestInstanceFigures follows the figures of instances from the labels of a set to the table, and the AUC to the archive. It
// asks for no instance scores if instance labels equal the bag labels.
func TestInstanceFigures(t *testing.T) {
	set := runtest.Set("witnesses", 30)
	for i := range set.Bags {
		// 3 of the 4 pairs of a positive and another instance are in order. Otsu's threshold takes 3 and 4, which are two lesions.
		set.Bags[i].Instances = &mil.Dense{Rows: 4, Cols: 1, Values: []float32{1, 2, 3, 4}}
		set.Bags[i].Tile, set.Bags[i].Coordinates = 1, func() ([][2]float64, error) { return [][2]float64{{0, 0}, {2, 0}, {4, 0}, {6, 0}}, nil }
		labels := []float64{0, 1, 0, 1}
		if set.Bags[i].Label == 0 {
			labels = make([]float64, 4)
		}
		set.InstanceLabels = append(set.InstanceLabels, labels)
	}
	on := func(l learner.Learner) run.Run {
		r := runtest.Run(t.TempDir(), l)
		r.Sets, r.Settings = []*mil.Set{set}, runtest.Settings(`{"pooling":"mean"}`)
		return r
	}
	r := on(&weighing{})
	finish(t, r)
	found, archived := kept(t, r.Dir)
	for _, list := range [][]results.Result{found, archived} {
		for _, r := range list {
			if r.InstanceAUC == nil || *r.InstanceAUC != 0.75 {
				t.Fatalf("AUC of instances %v, want 0.75", r.InstanceAUC)
			}
		}
	}
	for _, r := range found {
		for _, b := range r.Localised.Bags {
			if b.AUC != 0.75 || math.Abs(b.AP-5./6) > 1e-12 || b.Dice != 0.5 {
				t.Fatalf("bag %s: %+v, want 0.75, 5/6 and 0.5", b.ID, b)
			}
		}
		// Of a positive and a negative bag: 4 finds one lesion of two with half a false positive per bag.
		var labels []int
		var scores []float64
		positives := 0.0
		for _, b := range r.Bags {
			labels, scores = append(labels, 0, b.Label, 0, b.Label), append(scores, 1, 2, 3, 4)
			positives += float64(b.Label)
		}
		auc, err := stats.AUC(labels, scores)
		must(t, err)
		share := positives / float64(len(r.Bags)) // lesions found at 4 are half of all, false positives the other bags
		sensitivity := 0.5
		if rate := 0.25; rate < 1-share {
			sensitivity = 0.5 * rate / (1 - share)
		}
		if math.Abs(r.Localised.AUC-auc) > 1e-12 || len(r.Localised.FROC) != 6 || math.Abs(r.Localised.FROC[0]-sensitivity) > 1e-12 || r.Localised.FROC[5] != 1 {
			t.Fatalf("%+v, want a pooled AUC of %v and a first sensitivity of %v", r.Localised, auc, sensitivity)
		}
		alone := positives == 1 // without the only positive bag there is no figure
		if !alone && len(r.Localised.Without) != len(r.Bags) || alone && r.Localised.Without != nil {
			t.Fatalf("figures without %d bags of %d, %v positive", len(r.Localised.Without), len(r.Bags), positives)
		}
		for u, without := range r.Localised.Without {
			auc, err := stats.AUC(slices.Delete(slices.Clone(labels), 4*u, 4*u+4), slices.Delete(slices.Clone(scores), 4*u, 4*u+4))
			must(t, err)
			if without.Bag != r.Bags[u].ID || math.Abs(without.AUC-auc) > 1e-12 || without.FROC == 0 {
				t.Fatalf("%+v, want bag %s and an AUC of %v", without, r.Bags[u].ID, auc)
			}
		}
	}
	table, err := results.Tabulate(found)
	must(t, err)
	for format, want := range map[string]string{"md": " 0.750 |    0.833 |      0.500 | ", "tex": "& 0.750 & 0.833 & 0.500 &", "csv": ",0.750000,,,0.833333,,,0.500000,,,", "json": `"instance_auc": 0.75`, "html": "FROC: share"} {
		var b strings.Builder
		if err := table.Write(&b, format); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v, want %s in\n%s", format, err, want, b.String())
		}
	}
	found[0].Localised.Labels = "others"
	found[1].Localised = nil
	table, err = results.Tabulate(found)
	must(t, err)
	for _, want := range []string{fmt.Sprintf("%d of %d fits have figures of instances", len(found)-1, len(found)), "judged by 2 different labels of instances"} {
		if !slices.ContainsFunc(table.Notes, func(note string) bool { return strings.Contains(note, want) }) {
			t.Errorf("no note with %q: %q", want, table.Notes)
		}
	}
	for i := range set.InstanceLabels {
		for k := range set.InstanceLabels[i] {
			set.InstanceLabels[i][k] = float64(set.Bags[i].Label)
		}
	}
	l := &weighing{}
	if _, err := on(l).Do(context.Background()); err != nil || l.asked {
		t.Errorf("scores of instances asked for: %v, %v", l.asked, err)
	}
}

// TestGroup follows the group AUC from a set of patients to the table and the archive, and compares it with a
// count over all pairs.
func TestGroup(t *testing.T) {
	set := runtest.Set("patients", 60)
	random := cv.Rand(3, "scores")
	group := map[string]string{}
	for i := range set.Bags {
		b := &set.Bags[i]
		b.Group = fmt.Sprint("patient ", i/4) // with bags of both classes, and of one
		b.Target = mil.Labelled([]int{0, 0, 0, 0, 0, 1, 0, 1}[i%8])
		b.Instances = &mil.Dense{Rows: 1, Cols: 1, Values: []float32{float32(b.Label) + float32(random.NormFloat64())}}
		group[b.ID] = b.Group
	}
	r := runtest.Run(t.TempDir(), &weighing{})
	r.Sets, r.Settings = []*mil.Set{set}, runtest.Settings(`{"pooling":"mean"}`)
	r.Protocol.Folds = 3
	finish(t, r)
	found, archived := kept(t, r.Dir)
	for k, list := range [][]results.Result{found, archived} {
		for _, r := range list {
			scores, positive := map[string][]float64{}, map[string]bool{}
			for _, bag := range r.Bags {
				g := group[bag.ID]
				scores[g], positive[g] = append(scores[g], bag.Scores[0]), positive[g] || bag.Label == 1
			}
			share := func(of func([]float64) float64) float64 {
				won, pairs := 0.0, 0.0
				for a, isPositive := range positive {
					for b, other := range positive {
						if !isPositive || other {
							continue
						}
						pairs++
						switch x, y := of(scores[a]), of(scores[b]); {
						case x > y:
							won++
						case x == y:
							won += 0.5
						}
					}
				}
				return won / pairs
			}
			mean := share(func(x []float64) float64 { return stat.Mean(x, nil) })
			most := share(func(x []float64) float64 { return slices.Max(x) })
			if r.Group == nil || math.Abs(r.Group.Mean-mean) > 1e-5 || math.Abs(r.Group.Max-most) > 1e-5 {
				t.Fatalf("list %d: AUC of groups %v, want %v and %v", k, r.Group, mean, most)
			}
		}
	}
	table, err := results.Tabulate(found)
	must(t, err)
	for format, want := range map[string]string{"md": "group AUC", "tex": "group AUC", "csv": "group_auc_mean,group_auc_max", "json": `"group_auc": {`} {
		var b strings.Builder
		if err := table.Write(&b, format); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v, want %s in\n%s", format, err, want, b.String())
		}
	}
	set.Bags[3].Group = "" // as if only duplicates were grouped
	other := runtest.Run(t.TempDir(), &weighing{})
	other.Sets, other.Settings, other.Protocol.Folds = r.Sets, r.Settings, 3
	finish(t, other)
	if found, err = results.Read(other.Dir); err != nil || found[0].Group != nil {
		t.Errorf("an AUC of groups %v where a bag has no group, %v", found[0].Group, err)
	}
}

// TestOtherTargets: results contain the kind of target and the targets, and every protocol chooses
// by the main figure of the kind.
func TestOtherTargets(t *testing.T) {
	set := runtest.Set("grades", 30)
	set.Kind = mil.RealTarget
	for i := range set.Bags {
		set.Bags[i].Target = mil.Target{Value: float64(i) / 4}
	}
	r := runtest.Run(t.TempDir(), &weighing{})
	r.Sets, r.Curves = []*mil.Set{set}, true
	if sum, err := r.Do(context.Background()); err != nil || sum.Done != 24 {
		t.Fatalf("%+v, %v", sum, err)
	}
	found, err := results.Read(r.Dir)
	if err != nil || len(found) != 24 {
		t.Fatalf("%d results, %v", len(found), err)
	}
	for _, one := range found {
		for _, b := range one.Bags {
			if one.Target != mil.RealTarget || b.Value != b.Scores[0]/4 || b.Label != 0 || b.Event {
				t.Fatalf("%v: bag %+v", one.Target, b)
			}
		}
	}
	table, err := results.Tabulate(found)
	if err != nil || len(table.Rows) != 3 || table.Rows[0].Figure != "R²" {
		t.Errorf("%+v, %v", table, err)
	}
	for _, protocol := range []string{cv.NestedProtocol, cv.PublishedProtocol, cv.BestEpochProtocol} {
		r := runtest.Run(t.TempDir(), &weighing{})
		r.Sets, r.Protocol.Name = []*mil.Set{set}, protocol
		if sum, err := r.Do(context.Background()); err != nil || sum.Done != sum.Total {
			t.Fatalf("%s: %+v, %v", protocol, sum, err)
		}
	}
}
