package results

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"synpool/internal/large"
)

// rowsOf returns rows of one set with an AUC for each fold of each repeat.
func rowsOf(folds int, aucs map[string][][]float64) []Row {
	var rows []Row
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
		repeats, found := aucs[name]
		if !found {
			continue
		}
		r := Row{Set: "set", Setting: name, Protocol: "honest", Folds: folds, FoldsRun: folds, N: len(repeats), Checksum: "c", folds: make(map[foldKey]float64)}
		for repeat, list := range repeats {
			for fold, auc := range list {
				r.folds[foldKey{repeatKey{1, repeat}, fold}] = auc
				r.Mean += auc / float64(len(list)*len(repeats))
			}
		}
		rows = append(rows, r)
	}
	return rows
}

func TestVerdict(t *testing.T) {
	high, tie, low := []float64{.9, .95, .92, .97, .91}, []float64{.95, .9, .92, .91, .97}, []float64{.6, .66, .61, .64, .63}
	for _, c := range []struct {
		name string
		rows []Row
		want string
	}{
		{"worse and tied", rowsOf(5, map[string][][]float64{"a": {low, low}, "b": {high, tie}, "c": {tie, high}}),
			"set: b, c have the largest AUC, 0.930. Worse beyond chance: a (by 0.302)."},
		{"chance", rowsOf(5, map[string][][]float64{"a": {high}, "b": {{.88, .96, .9, .97, .92}}}),
			"set: a has the largest AUC, 0.930. Cannot be told apart from it (AUCs smaller by up to 0.004): b."},
		{"a difference without spread", rowsOf(3, map[string][][]float64{"a": {{.9, .9, .9}}, "b": {{.8, .8, .8}}}),
			"set: a has the largest AUC, 0.900. Cannot be told apart from it (AUCs smaller by up to 0.100): b."},
		{"perhaps worse", rowsOf(5, map[string][][]float64{"a": {high}, "b": {{.93, .96, .92, .97, .92}}, "c": {{.75, .85, .82, .8, .88}}}),
			"set: b has the largest AUC, 0.940. Cannot be told apart from it (AUCs smaller by up to 0.010): a. Perhaps worse (p < 0.05 each, not adjusted for the 3 comparisons): c (by 0.120)."},
		{"repeats that are missing", rowsOf(5, map[string][][]float64{"a": {high, tie}, "b": {low}}), ""},
		{"one row", rowsOf(5, map[string][][]float64{"a": {high}}), ""},
	} {
		got, err := Table{Rows: c.rows}.verdicts()
		if err != nil || strings.Join(got, "\n") != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}

	// 20 bags per class: a ranks all right, c one of each wrongly, d one in four, b one in two.
	split := rowsOf(1, map[string][][]float64{"a": {{1}}, "b": {{.5}}, "c": {{.95}}, "d": {{.75}}})
	for i, every := range []int{0, 2, 20, 4} {
		for k := range 40 {
			label := k % 2
			score := float64(label)
			if every > 0 && k/2%every == 0 {
				score = 1 - score
			}
			split[i].labels = append(split[i].labels, label)
			if k == 0 {
				split[i].scores = [][]float64{nil}
			}
			split[i].scores[0] = append(split[i].scores[0], score)
		}
	}
	got, err := Table{Rows: split}.verdicts()
	if want := "set: a has the largest AUC, 1.000. Cannot be told apart from it (AUCs smaller by up to 0.050): c. Worse beyond chance: d (by 0.250), b (by 0.500)."; err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("official split: %q, %v, want %q", got, err, want)
	}
	split[0].Leaked = true
	if got, err := (Table{Rows: split}).verdicts(); err != nil || len(got) > 0 {
		t.Errorf("a leaked set: %q, %v", got, err)
	}
}

// Nine rows are equally good, and the folds of one repeat are as similar as the corrected test assumes. At most 5 %
// of the tables may call a row worse. With 400 tables, 0.05 plus four standard errors is 0.094; tests against the
// best row only reach 0.12.
func TestVerdictsUnderChance(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	tables, wrong := large.Number(400, 4000), 0
	for range tables {
		aucs := make(map[string][][]float64)
		for k := range 9 {
			shared := rng.NormFloat64() * 0.0316 // the variance shared by folds is 1/(k-1) of the rest of a fold's variance: 1/10 of the total for 10 folds
			var folds []float64
			for range 10 {
				folds = append(folds, 0.8+shared+rng.NormFloat64()*0.0949)
			}
			aucs[fmt.Sprintf("%c", 'a'+k)] = [][]float64{folds}
		}
		text, err := verdict(rowsOf(10, aucs))
		must(t, err)
		if strings.Contains(text, "Worse") {
			wrong++
		}
	}
	if share := float64(wrong) / float64(tables); share > 0.094 {
		t.Errorf("%.3f of tables call a row worse", share)
	}
}
