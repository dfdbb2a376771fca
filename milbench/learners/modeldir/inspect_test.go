package modeldir

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/mil"
)

// someFacts returns facts about the model of a number.
func someFacts() Facts {
	return Facts{
		Learner: "number", Setting: []byte(`{"learner":"number"}`), Version: "v1", Revision: "abc",
		Data: mil.Profile{Bags: 60, Instances: 100, Units: 12, Groups: 12, Concentration: 0.1, Classes: []mil.ClassNumber{{Name: "no", Bags: 48}, {Name: "yes", Bags: 12}},
			Features: []mil.FeatureProfile{{Name: "a", Mean: 1, SD: 2, Least: -1, Largest: 3}, {Name: "b", Largest: 1}}},
		Judge: "milbench run one --out results",
	}
}

// described saves the model of a number with facts.
func described(dir string, n int, facts *Facts) error {
	c := newNumberCard(n)
	c.Facts = facts
	return Save(dir, c, func(folder string) error { return WriteJSON(folder, "number.json", n) })
}

func TestFacts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	saveParts(t, dir, 4)
	if c, setting, err := Inspect(dir); err != nil || c.Facts != nil || setting != nil || c.NumFeatures != 2 {
		t.Errorf("a card without facts: %+v, %s, %v", c, setting, err)
	}
	facts := someFacts()
	must(t, described(dir, 5, &facts))
	c, _, err := Inspect(dir)
	if err != nil || c.Facts == nil || len(c.Facts.Limits) == 0 {
		t.Fatalf("%+v, %v", c.Facts, err)
	}
	facts.Setting = c.Facts.Setting // indented
	if !reflect.DeepEqual(*c.Facts, facts) {
		t.Errorf("%+v, want %+v", *c.Facts, facts)
	}
	bad := someFacts()
	bad.Data.Features = bad.Data.Features[:1]
	if err := described(dir, 6, &bad); err == nil || !strings.Contains(err.Error(), "1 profiles for 2 features") {
		t.Errorf("error %v", err)
	}
	bad = someFacts()
	bad.Operating = []OperatingPoint{{Wanted: 2}}
	if err := described(dir, 6, &bad); err == nil || !strings.Contains(err.Error(), "a share of 2") {
		t.Errorf("error %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
	wantNumber(t, dir, 5)
}

// TestInspectDamaged checks that the error for a damaged card has one line and names the file.
func TestInspectDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	facts := someFacts()
	must(t, described(dir, 1, &facts))
	path := filepath.Join(dir, cardName)
	good, _ := os.ReadFile(path)
	for name, text := range map[string][]byte{
		"cut off": good[:len(good)/2], "empty": nil, "other numbers": bytes.Replace(good, []byte(`"bags": 48`), []byte(`"bags": 49`), 1), "a list": []byte("[]"), "null": []byte("null"),
	} {
		must(t, os.WriteFile(path, text, 0o666))
		if _, _, err := Inspect(dir); !errors.Is(err, ErrNoModel) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, _, err := Inspect(t.TempDir()); !errors.Is(err, ErrNoModel) {
		t.Errorf("no card: %v", err)
	}
}

// TestLimits checks that each limit follows from a fact and is absent without it.
func TestLimits(t *testing.T) {
	limits := func(change func(c *Card)) []string {
		c := newNumberCard(1).Card
		f := someFacts()
		c.Facts = &f
		change(&c)
		return c.limits()
	}
	has := func(list []string, part string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, part) })
	}
	judged := []Judged{{Protocol: "honest"}}
	for _, c := range []struct {
		part     string
		with, no func(c *Card)
	}{
		{"leaks the labels", func(c *Card) { c.Leaked = true }, func(*Card) {}},
		{"nobody has measured", func(*Card) {}, func(c *Card) { c.Facts.Judged = judged }},
		{"optimistic", func(c *Card) { c.Facts.Judged = []Judged{{Optimistic: true}} }, func(c *Card) { c.Facts.Judged = append(judged, Judged{Optimistic: true}) }},
		{"of 60 training bags 12 are of class yes. On so few its errors can be measured to about ±28", func(*Card) {}, func(c *Card) {
			c.Facts.Data.Classes = []mil.ClassNumber{{Name: "no", Bags: 90}, {Name: "yes", Bags: 50}}
		}},
		{"from 12 groups only", func(*Card) {}, func(c *Card) { c.Facts.Data.Groups = 50 }},
		{"name no groups", func(c *Card) { c.Facts.Data.Groups = 0 }, func(*Card) {}},
		{"than those of one, until milbench evaluate", func(*Card) {}, nil},
		{"ranges: a -1 to 3, b 0 to 1.", func(*Card) {}, func(c *Card) { c.Facts.Data.Features = nil }},
		{"other classes than no, yes", func(*Card) {}, func(c *Card) { c.Facts.Data.Classes = nil }},
		{"not calibrated", func(*Card) {}, func(c *Card) { c.Facts.Calibration = "Platt" }},
		{"not calibrated", func(c *Card) { c.Target = mil.ClassTarget }, func(c *Card) { c.Target = mil.RealTarget }},
		{"Not a medical device", func(*Card) {}, nil},
	} {
		if list := limits(c.with); !has(list, c.part) {
			t.Errorf("no %q among %q", c.part, list)
		}
		if c.no != nil && has(limits(c.no), c.part) {
			t.Errorf("%q does not follow", c.part)
		}
	}
}
