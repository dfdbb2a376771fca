package results

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// TestCompareKinds: the better setting wins for every kind of target, according to the tests of package stats on the
// folds.
func TestCompareKinds(t *testing.T) {
	for kind := range mil.SurvivalTarget + 1 {
		list := kindResults(kind)
		table := tabulated(t, list)
		var figures [2][]float64
		for i, r := range list {
			v, err := r.Figure()
			must(t, err)
			figures[1-i/6] = append(figures[1-i/6], v)
		}
		c, err := table.Compare("good", 0.02)
		if err != nil || len(c.Sets) != 1 || len(c.Over) != 0 || c.Chosen || c.Reference != "good" {
			t.Fatalf("%v: %+v, %v", kind, c, err)
		}
		d := c.Sets[0]
		test, err := stats.CorrectedT(figures[0], figures[1], 1)
		must(t, err)
		posterior, err := stats.BayesCorrelatedT(figures[0], figures[1], 1, 0.02)
		must(t, err)
		if d.B != "bad" || d.Pairs != 6 || d.Over != OverFolds || d.Figure != FigureName(kind) || math.Abs(d.Difference-test.Difference) > 1e-12 ||
			math.Abs(d.P-test.P) > 1e-12 || d.Posterior != posterior || d.Low > d.Difference || d.High < d.Difference {
			t.Errorf("%v: %+v; want %+v and %+v", kind, d, test, posterior)
		}
		if back, err := table.Compare("bad", 0.02); err != nil || math.Abs(back.Sets[0].Difference+d.Difference) > 1e-12 || math.Abs(back.Sets[0].Posterior.Worse-d.Posterior.Better) > 1e-12 {
			t.Errorf("%v: exchanged: %+v, %v", kind, back, err)
		}
		if best, err := table.Compare("", 0.02); err != nil || best.Reference != "good" || !best.Chosen || !strings.Contains(strings.Join(best.Notes, ""), "seems better than it is") {
			t.Errorf("%v: %+v, %v", kind, best, err)
		}
	}
}

// manySets returns the results of two settings on several sets: AUC 1 for a, and 1 or less for b.
func manySets(sets int) (list []Result) {
	for s := range sets {
		for _, setting := range []string{"a", "b"} {
			for repeat := range 4 {
				for fold := range 5 {
					scores := []float64{1, 2, 3, 4, 5, 6}
					if setting == "b" && (s+fold+repeat)%3 > 0 {
						scores = []float64{1, 2, 5, 4, 3, 6}
					}
					r := sample(fmt.Sprint("set", s), fmt.Sprintf(`{"pooling":%q}`, setting), repeat, fold, []int{0, 0, 0, 1, 1, 1}, scores)
					r.Checksum, r.Folds, r.FoldsRun = fmt.Sprintf("%064x", 500+s), 5, 5
					list = append(list, withID(r))
				}
			}
		}
	}
	return list
}

// TestCompareOver: with six or more sets there are tests over the sets' means, with fewer only the counts.
func TestCompareOver(t *testing.T) {
	for _, sets := range []int{3, 8} {
		table := tabulated(t, manySets(sets))
		c, err := table.Compare("a", 0.01)
		if err != nil || len(c.Over) != 1 {
			t.Fatalf("%+v, %v", c, err)
		}
		o := c.Over[0]
		if o.Sets != sets || o.Wins+o.Ties+o.Losses+o.Open != sets || o.Losses > 0 || o.A != "a" || o.B != "b" || o.Difference <= 0.01 {
			t.Errorf("%+v", o)
		}
		if (o.P != nil) != (sets == 8) || (o.Posterior != nil) != (sets == 8) {
			t.Errorf("of %d sets: %+v", sets, o)
		}
		if sets == 8 && (*o.P > 0.05 || o.Verdict != BetterVerdict) {
			t.Errorf("p %v, verdict %s", *o.P, o.Verdict)
		}
		var b strings.Builder
		if err := c.Write(&b); err != nil || strings.Contains(b.String(), "too few sets: 6 are needed") != (sets == 3) {
			t.Errorf("%v\n%s", err, b.String())
		}
	}
}

// TestCompareVerdicts: "the same in practice" differs from "cannot tell".
func TestCompareVerdicts(t *testing.T) {
	for _, c := range []struct {
		name string
		b    func(fold, repeat int) []float64
		rope float64
		want Verdict
	}{
		{"the same scores", func(int, int) []float64 { return []float64{1, 2, 3, 4} }, 0.01, SameVerdict},
		{"other scores now and then", func(fold, repeat int) []float64 {
			if (fold+repeat)%4 == 0 {
				return []float64{1, 3, 2, 4}
			}
			return []float64{1, 2, 3, 4}
		}, 0.01, OpenVerdict},
		{"far below", func(int, int) []float64 { return []float64{4, 3, 2, 1} }, 0.01, BetterVerdict},
		{"far below, within a wide rope", func(int, int) []float64 { return []float64{4, 3, 2, 1} }, 1.5, SameVerdict},
	} {
		var list []Result
		for repeat := range 2 {
			for fold := range 2 {
				list = append(list, sample("set", `{"pooling":"a"}`, repeat, fold, four, []float64{1, 2, 3, 4}), sample("set", `{"pooling":"b"}`, repeat, fold, four, c.b(fold, repeat)))
			}
		}
		table := tabulated(t, list)
		got, err := table.Compare("a", c.rope)
		if err != nil || got.Sets[0].Verdict != c.want {
			t.Errorf("%s: %+v, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	table := tabulated(t, kindResults(mil.RealTarget))
	for name, c := range map[string]struct {
		table Table
		with  string
		rope  float64
		want  string
	}{
		"name":    {table, "god", 0.01, `"god" is no setting of the table; did you mean "good"?`},
		"unknown": {table, "transformer", 0.01, `"transformer" is no setting of the table; it has bad, good`},
		"rope":    {table, "", -1, "a region of practical equivalence of -1"},
		"NaN":     {table, "", math.NaN(), "a region of practical equivalence of NaN"},
		"one":     {Table{Rows: table.Rows[:1]}, "", 0.01, "there is nothing to compare"},
	} {
		if got, err := c.table.Compare(c.with, c.rope); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v; want %q", name, got, err, c.want)
		}
	}
	single := []Row{table.Rows[0], table.Rows[1]} // not binary: there is no test over bags
	for i := range single {
		single[i].Folds, single[i].FoldsRun = 1, 1
	}
	if _, err := (Table{Rows: single}).Compare("good", 0.01); err == nil || !strings.Contains(err.Error(), "nothing to compare") {
		t.Error(err)
	}
}
