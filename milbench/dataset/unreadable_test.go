package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/mil"
)

// unreadable is instances in a file that no longer exists.
type unreadable struct{ of mil.Instances }

var errGone = errors.New("gone")

func (u *unreadable) Len() int                       { return u.of.Len() }
func (u *unreadable) Features() int                  { return u.of.Features() }
func (u *unreadable) Read(int, int, []float32) error { return errGone }

// TestUnreadable: functions that read bags return the error of a bag that cannot be read.
func TestUnreadable(t *testing.T) {
	s := &mil.Set{Name: "toy"}
	for i := range 2 {
		rows := &mil.Dense{Rows: 1, Cols: 2, Values: []float32{1, 2}}
		s.Bags = append(s.Bags, mil.Bag{ID: fmt.Sprint(i), Target: mil.Labelled(i), Instances: &unreadable{rows}})
	}
	source := &Source{Stored: s}
	_, leaked := source.Leaked()
	_, moved := MoveInstanceLabels(s, 1)
	_, seal := sealed(s, s.Validate)
	for what, err := range map[string]error{
		"a leaked column": leaked, "instance labels": moved, "a checksum": seal, "CSV": WriteCSV(io.Discard, s),
		"a column less": (&without{s.Bags[0].Instances, 0}).Read(0, 1, make([]float32, 1)),
	} {
		if !errors.Is(err, errGone) {
			t.Errorf("%s: error %v", what, err)
		}
	}
}

// failing is a writer that runs out of room after n bytes.
type failing int

func (f *failing) Write(b []byte) (int, error) {
	if *f -= failing(len(b)); *f < 0 {
		return 0, errGone
	}
	return len(b), nil
}

// TestWriteCSVSurvival: times and events come back, and a writer that fails is an error.
func TestWriteCSVSurvival(t *testing.T) {
	s := &mil.Set{Name: "toy", Kind: mil.SurvivalTarget, Features: []string{"x"}}
	for i := range 3 {
		rows := &mil.Dense{Rows: 2000, Cols: 1, Values: slices.Repeat([]float32{0.25}, 2000)}
		s.Bags = append(s.Bags, mil.Bag{ID: fmt.Sprint("b", i), Target: mil.Target{Value: 1.5 + float64(i), Event: i == 1}, Instances: rows})
	}
	var b strings.Builder
	must(t, WriteCSV(&b, s))
	read, err := ReadCSV(strings.NewReader(b.String()), "toy")
	if err != nil || read.Kind != s.Kind || read.Bags[1].Target != s.Bags[1].Target || read.Bags[2].Target != s.Bags[2].Target {
		t.Errorf("%v", err)
	}
	room := failing(5000)
	if err := WriteCSV(&room, s); !errors.Is(err, errGone) {
		t.Errorf("error %v", err)
	}
	if err := WriteCSV(&room, &mil.Set{Name: "none"}); err == nil {
		t.Error("a set without bags is written")
	}
}
