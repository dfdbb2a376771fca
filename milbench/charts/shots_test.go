package charts

import (
	"strings"
	"testing"

	"synpool/milbench/results"
)

// shot returns fits as of so many training bags of each class.
func shot(fits []results.Result, shots int) (of []results.Result) {
	for _, r := range fits {
		r.Shots = shots
		of = append(of, r)
	}
	return of
}

// TestShots: a line per setting, without the results of all bags.
func TestShots(t *testing.T) {
	fits := append(shot(binaryFits, 8), shot(binaryFits, 2)...)
	figure, err := Shots(append(fits, binaryFits...))
	if err != nil {
		t.Fatal(err)
	}
	text := drawnText(t, figure)
	for _, want := range []string{"|Few training bags: set of binary|", "|training bags of each class|", "|AUC|", "|max|", "|mean|"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if figure, err = Shots(append(fits, shot(classFits, 2)...), "set of binary"); err != nil || !strings.Contains(drawnText(t, figure), "|max|") {
		t.Error(err)
	}
	for want, of := range map[string][]results.Result{
		"milbench run --shots 1,2,4 makes some":           binaryFits,
		"sets with different figures, AUC and macro AUC;": append(fits, shot(classFits, 2)...),
		"no repeat is complete yet":                       shot(binaryFits[:1], 2),
	} {
		if _, err := Shots(of); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
