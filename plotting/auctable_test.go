package plotting

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestAUCTable(t *testing.T) {
	f, err := AUCTable("Mean AUC of five repeats", []string{"musk1", "fox", "brown-creeper"}, []string{"mean pooling", "MI-SVM", "syn, I = 3"},
		[][]float64{{0.91, 0.87, 0.93}, {0.61, math.NaN(), 0.48}, {0.99, 0.99, 0.97}})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "auctable.svg")
	framed(t, "golden", f)
}

func TestAUCTableFits(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ sets, learners int }{{1, 1}, {1, 30}, {24, 1}, {24, 8}, {24, 30}, {100, 100}} {
		var sets, learners []string
		var auc [][]float64
		for i := range c.sets {
			sets = append(sets, fmt.Sprint("set ", i+1))
			row := make([]float64, c.learners)
			for j := range row {
				if row[j] = 1 - random.Float64()/2; random.IntN(20) == 0 {
					row[j] = math.NaN()
				}
			}
			auc = append(auc, row)
		}
		for j := range c.learners {
			learners = append(learners, strings.Repeat("a long name ", j%3)+fmt.Sprint(j+1))
		}
		f, err := AUCTable("Title", sets, learners, auc)
		if err != nil {
			t.Errorf("%d x %d: %v", c.sets, c.learners, err)
			continue
		}
		framed(t, fmt.Sprintf("%d x %d", c.sets, c.learners), f)
	}
	f, err := AUCTable("No values", []string{"a"}, []string{"b", "c"}, [][]float64{{math.NaN(), math.NaN()}})
	if err != nil {
		t.Fatal(err)
	}
	framed(t, "no values", f)
}

func TestAUCTableRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		sets, learners []string
		auc            [][]float64
	}{
		"drawing a table of AUCs: there are no AUC values":        {nil, nil, nil},
		"set 1, learner 2: an AUC of 1.5 is not between 0 and 1":  {[]string{"a"}, []string{"b", "c"}, [][]float64{{1, 1.5}}},
		"set 2, learner 1: an AUC of -0.1 is not between 0 and 1": {[]string{"a", "b"}, []string{"c"}, [][]float64{{1}, {-0.1}}},
		"0 names but the AUC values have 1 of sets":               {nil, []string{"c"}, [][]float64{{1}}},
		"2 names but the AUC values have 1 of learners":           {[]string{"a"}, []string{"b", "c"}, [][]float64{{1}}},
		"set 1 has 1 AUC values but set 2 has 2":                  {[]string{"a", "b"}, []string{"c"}, [][]float64{{1}, {1, 1}}},
		"set 1, learner 1: an AUC of +Inf is not between 0 and 1": {[]string{"a"}, []string{"b"}, [][]float64{{math.Inf(1)}}},
		"101 sets; at most 100 can be told apart":                 {make([]string, 101), []string{"b"}, slices.Repeat([][]float64{{0.5}}, 101)},
	} {
		refused(t, want)(AUCTable("", c.sets, c.learners, c.auc))
	}
}
