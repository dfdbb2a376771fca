package learners

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// holed returns the set of shifted with every fourth value of the feature q missing, and with a word that occurs in
// only one bag.
func holed(t *testing.T, bags int, sparse bool) *mil.Set {
	t.Helper()
	set := shifted(t, bags, false)
	n := 0
	for i := range set.Bags {
		d := set.Bags[i].Instances.(*mil.Dense)
		wide := &mil.Dense{Rows: d.Rows, Cols: 5}
		for k := range d.Rows {
			row := append(slices.Clone(d.Row(k)), 0, 0)
			if i == 3 {
				row[4] = 1
			}
			if n++; n%4 == 0 {
				row[1], row[3] = 0, 1
			}
			wide.Values = append(wide.Values, row...)
		}
		set.Bags[i].Instances = wide
		if sparse {
			s := must(mil.ToSparse(wide))
			set.Bags[i].Instances = s
		}
	}
	set.Features, set.Missing = append(set.Features, "q=missing", "s=rare"), []mil.Missing{{Feature: 1, Indicator: 3}}
	set.Words = []int{4}
	if err := set.Seal(); err != nil {
		t.Fatal(err)
	}
	return set
}

// TestPrepared checks that each fit gives the same as alone on a set whose missing values were replaced by the median
// of its training part.
func TestPrepared(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		set := holed(t, 24, sparse)
		protocol := cv.Protocol{Name: cv.NestedProtocol, Inner: 3, Folds: 4, Repeats: 2}
		var fits []cv.Fit
		for _, name := range []string{"statistics-svm", "statistics-trees", "instance", AutoName} {
			settings := must(Settings(false, name))
			if name == AutoName {
				settings[0] = smallPortfolio(t, 3, `{"pooling":"plain"}`)
			}
			some := must(protocol.Fits(set, settings[:1], 7))
			fits = append(fits, some...)
		}
		all := All(plainNetworks{}, Resources{Workers: 2})
		task := cv.NewTask(set, fits)
		got := learn(t, all, task)
		if _, err := all.Plan(task); err != nil {
			t.Fatal(err)
		}
		values, lacking := map[float32]bool{}, false
		for i, fit := range fits {
			var part []mil.Instances
			for _, e := range fit.Train {
				part = append(part, set.Bags[e.Bag].Instances)
			}
			medians := must(mil.Medians(part, set.Missing))
			values[medians[0].Value] = true
			filled := cv.NewTask(set, []cv.Fit{fit})
			filled.Missing, filled.Words, filled.Bags = nil, nil, nil
			rare := slices.ContainsFunc(fit.Train, func(e cv.Example) bool { return e.Bag == 3 })
			lacking = lacking || !rare
			for _, b := range set.Bags {
				d := &mil.Dense{Rows: b.Instances.Len(), Cols: 5}
				if err := mil.EachRow(b.Instances, func(_ int, row []float32) { d.Values = append(d.Values, row...) }); err != nil {
					t.Fatal(err)
				}
				for k := range d.Rows {
					if row := d.Row(k); row[3] == 1 {
						row[1] = medians[0].Value
					}
					if !rare {
						d.Row(k)[4] = 0
					}
				}
				var x mil.Instances = d
				if sparse {
					x = must(mil.ToSparse(d))
				}
				filled.Bags = append(filled.Bags, x)
			}
			want := learn(t, all, filled)[0]
			if got[i].Err != nil || want.Err != nil || !reflect.DeepEqual(got[i].Epochs, want.Epochs) {
				t.Fatalf("fit %d: %+v, %v; by hand %+v, %v", i, got[i].Epochs, got[i].Err, want.Epochs, want.Err)
			}
		}
		if len(values) < 4 || !lacking {
			t.Errorf("training parts have %d medians, one lacks the word: %t; the test sees too little", len(values), lacking)
		}
	}
}

// TestTrainPrepared checks that a model keeps the medians of its training.
func TestTrainPrepared(t *testing.T) {
	set := holed(t, 20, false)
	medians := must(mil.Medians(set.Instances(), set.Missing))
	filled := must(set.Impute(medians))
	trainer := Trainer{Resources: Resources{Workers: 1}}
	for _, name := range []string{"statistics-trees", AutoName} {
		settings := must(Settings(false, name))
		if name == AutoName {
			settings[0] = smallPortfolio(t, 3)
		}
		m := must(trainer.Train(context.Background(), settings[0], set, 1, nil))
		dir := t.TempDir()
		if err := m.Save(dir); err != nil {
			t.Fatal(err)
		}
		read := must(trainer.Load(dir))
		if got := read.About().Missing; !reflect.DeepEqual(got, medians) || medians[0].Value == 0 {
			t.Errorf("%s: missing %+v, want %+v", name, got, medians)
		}
		got := must(read.Predict(context.Background(), filled.Instances(), false))
		plain := *filled
		plain.Missing, plain.Words = nil, nil
		other := must(trainer.Train(context.Background(), settings[0], &plain, 1, nil))
		if want, err := other.Predict(context.Background(), filled.Instances(), false); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v, %v", name, got, want, err)
		}
	}
}
