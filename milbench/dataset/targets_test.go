package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/mil"
)

// resealed returns the current checksum of a set.
func resealed(t *testing.T, s *mil.Set) string {
	t.Helper()
	again := *s
	must(t, again.Seal())
	return again.Checksum
}

// labelled returns a file with one instance per bag and these labels.
func labelled(labels ...string) string {
	text := "bag,label,x\n"
	for i, label := range labels {
		text += fmt.Sprintf("b%d,%s,%d\n", i, label, i%7)
	}
	return text
}

// TestTargets: together the labels of a file determine their kind, and they keep their spelling.
func TestTargets(t *testing.T) {
	numbers := make([]string, 25)
	for i := range numbers {
		numbers[i] = fmt.Sprint(i % 22)
	}
	for name, c := range map[string]struct {
		labels  []string
		kind    mil.TargetKind
		classes []string
		targets []mil.Target // targets of the first bags
	}{
		"0 and 1":     {[]string{"0", "1", "1.0"}, mil.BinaryTarget, nil, []mil.Target{{}, {Label: 1}, {Label: 1}}},
		"-1 and 1":    {[]string{"-1", "1", "-1"}, mil.BinaryTarget, nil, []mil.Target{{}, {Label: 1}, {}}},
		"1 and 2":     {[]string{"2", "1", "2"}, mil.BinaryTarget, []string{"1", "2"}, []mil.Target{{Label: 1}, {}, {Label: 1}}},
		"words":       {[]string{"tumour", "normal", " tumour "}, mil.BinaryTarget, []string{"normal", "tumour"}, []mil.Target{{Label: 1}, {}, {Label: 1}}},
		"grades":      {[]string{"g10", "g2", "g1", "g2"}, mil.ClassTarget, []string{"g1", "g2", "g10"}, []mil.Target{{Label: 2}, {Label: 1}, {}, {Label: 1}}},
		"-1, 0 and 1": {[]string{"1", "0", "-1", "0"}, mil.ClassTarget, []string{"-1", "0", "1"}, []mil.Target{{Label: 2}, {Label: 1}, {}, {Label: 1}}},
		"underscores": {[]string{"0_1", "1_0", "0_1"}, mil.BinaryTarget, []string{"0_1", "1_0"}, []mil.Target{{}, {Label: 1}, {}}},
		"rarer":       {[]string{"LUAD", "LUSC", "LUSC"}, mil.BinaryTarget, []string{"LUSC", "LUAD"}, []mil.Target{{Label: 1}, {}, {}}},
		"known":       {[]string{"MSI-H", "MSI-H", "MSS"}, mil.BinaryTarget, []string{"MSS", "MSI-H"}, []mil.Target{{Label: 1}, {Label: 1}, {}}},
		"mixed":       {[]string{"1", "x", "1", "x"}, mil.BinaryTarget, []string{"x", "1"}, []mil.Target{{Label: 1}, {}}},
		"real":        {[]string{"0.5", "1", "0"}, mil.RealTarget, nil, []mil.Target{{Value: 0.5}, {Value: 1}, {}}},
		"many":        {numbers, mil.RealTarget, nil, []mil.Target{{}, {Value: 1}, {Value: 2}}},
	} {
		s, err := ReadCSV(strings.NewReader(labelled(c.labels...)), "toy")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Kind != c.kind || !slices.Equal(s.Classes, c.classes) {
			t.Errorf("%s: %v with the classes %q", name, s.Kind, s.Classes)
		}
		for i, want := range c.targets {
			if s.Bags[i].Target != want {
				t.Errorf("%s: bag %d has target %+v, want %+v", name, i, s.Bags[i].Target, want)
			}
		}
	}
	survival, err := ReadCSV(strings.NewReader("bag,time,x,event\na,3.5,1,1\nb,2,2,false\na,3.50,2,1\n"), "toy")
	if err != nil {
		survival, err = ReadCSV(strings.NewReader("bag,time,x,event\na,3.5,1,1\nb,2,2,false\na,3.5,2,1\n"), "toy")
	}
	if err != nil || survival.Kind != mil.SurvivalTarget || survival.NumFeatures() != 1 ||
		survival.Bags[0].Target != (mil.Target{Value: 3.5, Event: true}) || survival.Bags[1].Target != (mil.Target{Value: 2}) {
		t.Errorf("survival: %+v, %v", survival, err)
	}
	for label, kind := range map[string]mil.TargetKind{"": mil.BinaryTarget, "Time": mil.SurvivalTarget} {
		both, err := Options{Label: label}.ReadCSV(strings.NewReader("bag,label,Time,event,f1\na,0,3,1,1\nb,1,2,0,1\n"), "toy")
		if err != nil || both.Kind != kind || !slices.Equal(both.Features, []string{"f1"}) {
			t.Errorf("label %q: %+v, %v", label, both, err)
		}
	}
}

// Bags without a label, and labels spelt in two ways, are refused: they would become classes.
func TestTargetsRefused(t *testing.T) {
	for _, c := range []struct {
		labels []string
		want   string
	}{
		{[]string{"0", "1", "nan", "1"}, `toy: bag b2 has no label ("nan" counts as a missing value); give it one, call the class by another word, or leave the bag out`},
		{[]string{"1", "NA"}, `toy: bag b1 has no label ("NA" counts as a missing value)`},
		{[]string{"a", "b", "?"}, `toy: bag b2 has no label ("?" counts as a missing value)`},
		{[]string{"er;pr", "none;her2"}, `toy: bag b0 has several labels, "er;pr": one label at a time`},
		{[]string{"er", "er|her2", "er"}, `toy: bag b1 has several labels, "er|her2"`},
		{[]string{"yes", "no", "Yes"}, `toy: bag b2 has label "Yes", and there is "yes"; write labels of one class alike`},
		{[]string{"class", "0", "1", "0", "1"}, `toy: bag b0 has label "class", and the labels of all other bags are numbers; correct it`},
	} {
		if _, err := ReadCSV(strings.NewReader(labelled(c.labels...)), "toy"); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.labels, err, c.want)
		}
	}
	// In a file to score, a column called time is a feature if the model uses it.
	s, err := Options{Unlabelled: true, Features: []string{"time", "event", "x"}}.ReadCSV(strings.NewReader("bag,time,event,x\na,3,1,2\n"), "toy")
	if err != nil || !slices.Equal(s.Features, []string{"time", "event", "x"}) {
		t.Errorf("%+v, %v", s, err)
	}
}

// WriteCSV refuses targets that ReadCSV would read differently.
func TestWriteCSVTargets(t *testing.T) {
	bags := func(labels ...int) (all []mil.Bag) {
		for i, label := range labels {
			all = append(all, mil.Bag{ID: fmt.Sprint("b", i), Target: mil.Labelled(label), Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{1}}})
		}
		return all
	}
	three := bags(0, 0, 0)
	for i := range three {
		three[i].Target = mil.Target{Value: float64(i)}
	}
	for name, s := range map[string]*mil.Set{
		"flipped": {Classes: []string{"yes", "no"}, Bags: bags(0, 1)},
		"order":   {Kind: mil.ClassTarget, Classes: []string{"low", "mid", "high"}, Bags: bags(0, 1, 2, 0)},
		"real":    {Kind: mil.RealTarget, Bags: three},
		"spaces":  {Classes: []string{"a", " a"}, Bags: bags(0, 1)},
		"time":    {Kind: mil.SurvivalTarget, Features: []string{"time"}, Bags: bags(0, 0)},
	} {
		var b strings.Builder
		if err := WriteCSV(&b, s); err == nil || b.Len() > 0 {
			t.Errorf("%s: no error, %q", name, &b)
		}
	}
	var b strings.Builder
	if err := WriteCSV(&b, &mil.Set{Kind: mil.ClassTarget, Classes: []string{"high", "low", "mid"}, Bags: bags(0, 1, 2, 0)}); err != nil {
		t.Error(err)
	}
}

// TestKnownPositive: the second word of each pair is positive, in either order.
func TestKnownPositive(t *testing.T) {
	for _, pair := range strings.Split("- +|no yes|No Yes|n y|f t|false true|control case|ctrl case|low high|grade low grade high|MSS MSI-H|MSS MSI|MSI-L MSI-H|pMMR dMMR|wt mut|WT mutated|wild-type mutant|"+
		"wild type mutation|normal tumor|normal tumour|benign malignant|healthy ill|healthy cancer|non-responder responder|Nonresponder Responder|non responder responder|no response response|"+
		"negative positive|neg pos|ER- ER+|HER2-negative HER2-positive|her2 neg her2 pos|non-musk musk|absent present|alive dead|living deceased|no relapse relapse|inactive active|NR R|KRAS wt KRAS mut|not amplified amplified", "|") {
		words := strings.Fields(pair)
		a, b := strings.Join(words[:len(words)/2], " "), strings.Join(words[len(words)/2:], " ")
		if len(words)%2 != 0 {
			a, b = strings.Join(words[:2], " "), words[2]
		}
		if KnownPositive(a, b) <= 0 || KnownPositive(b, a) >= 0 {
			t.Errorf("%q and %q: %d", a, b, KnownPositive(a, b))
		}
	}
	for _, pair := range [][2]string{{"LUAD", "LUSC"}, {"a", "b"}, {"female", "male"}, {"positive", "yes"}, {"nodular", "superficial"}} {
		if got := KnownPositive(pair[0], pair[1]); got != 0 {
			t.Errorf("%q: %d", pair, got)
		}
	}
}

func TestSetPositive(t *testing.T) {
	for _, c := range []struct {
		labels   []string
		positive string
		want     []string // classes
		label    int      // label of the first bag
		changed  bool     // whether the set changes
	}{
		{[]string{"tumour", "normal"}, "tumour", []string{"normal", "tumour"}, 1, false},
		{[]string{"tumour", "normal"}, "normal", []string{"tumour", "normal"}, 0, true},
		{[]string{"0", "1"}, "1", nil, 0, false},
		{[]string{"0", "1"}, "0", []string{"1", "0"}, 1, true},
		{[]string{"0.0", "1.0"}, "1.0", nil, 0, false},
		{[]string{"-1", "1"}, "-1", []string{"1", "0"}, 1, true},
	} {
		s, err := ReadCSV(strings.NewReader(labelled(c.labels...)), "toy")
		must(t, err)
		before := s.Checksum
		if err := SetPositive(s, c.positive); err != nil || !slices.Equal(s.Classes, c.want) || s.Bags[0].Label != c.label || s.NumPositive() != 1 {
			t.Errorf("%q of %q: classes %q, first label %d, %v", c.positive, c.labels, s.Classes, s.Bags[0].Label, err)
		}
		if c.changed != (s.Checksum != before) || s.Checksum != resealed(t, s) {
			t.Errorf("%q of %q: checksum %s after %s", c.positive, c.labels, s.Checksum, before)
		}
	}
	for want, c := range map[string]struct {
		labels   []string
		positive string
	}{
		`toy: no bag has label "tumor"; did you mean "tumour"?`:                  {[]string{"tumour", "normal"}, "tumor"},
		`toy: no bag has label "2"; the labels are 0 and 1`:                      {[]string{"-1", "1"}, "2"},
		`toy: no bag has label "yes"; the labels are 0 and 1`:                    {[]string{"0", "1"}, "yes"},
		"toy: a positive class needs two classes; the target is of kind classes": {[]string{"a", "b", "c", "a"}, "a"},
	} {
		s, err := ReadCSV(strings.NewReader(labelled(c.labels...)), "toy")
		must(t, err)
		if err := SetPositive(s, c.positive); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestFarTargets: targets far from the others are named, whatever their unit; others are not.
func TestFarTargets(t *testing.T) {
	for want, table := range map[string]string{
		"toy: 1 of 12 targets are far from the others: b11 -999; are they right?":   "bag,target,x\n%s,-999,1\n",
		"toy: 1 of 12 targets are far from the others: b11 1000.5; are they right?": "bag,target,x\n%s,1000.5,1\n",
		"toy: 1 of 12 targets are far from the others: b11 1; are they right?":      "bag,target,x\n%s,1,1\n",
		"toy: 1 of 12 targets are far from the others: b11 9999; are they right?":   "bag,time,event,x\n%s,9999,1,1\n",
		"": "bag,target,x\n%s,12.5,1\n",
	} {
		text, unit := strings.Replace(table, "%s", "b11", 1), ".5"
		if strings.Contains(want, "b11 1;") {
			unit = ".5e-9"
		}
		for i := range 11 {
			text += fmt.Sprintf("b%d,%d%s,%s%d\n", i, i+1, unit, strings.Repeat("1,", strings.Count(table, "event")), i*i%7)
		}
		var notes []string
		_, err := Options{Note: func(note string) { notes = append(notes, note) }}.ReadCSV(strings.NewReader(text), "toy")
		far := slices.DeleteFunc(notes, func(note string) bool { return !strings.Contains(note, "far from") })
		if err != nil || strings.Join(far, "\n") != want {
			t.Errorf("%q: %q, %v", want, far, err)
		}
	}
}
