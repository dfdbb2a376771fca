package learner

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"synpool/milbench/mil"
)

// bags returns n bags of one instance.
func bags(n int) (all []mil.Instances) {
	for range n {
		all = append(all, &mil.Dense{Rows: 1, Cols: 1, Values: []float32{0}})
	}
	return all
}

// TestShare also checks that Validate finds what is wrong with a training part alone.
func TestShare(t *testing.T) {
	good := func() Training {
		return Training{Bags: bags(3), Targets: []mil.Target{mil.Labelled(1), mil.Labelled(0), mil.Labelled(0)}}
	}
	alone := good()
	s, rows, err := alone.Share()
	if err != nil || !slices.Equal(rows, []int{0, 1, 2}) || len(s.Bags) != 3 || alone.Validate() != nil {
		t.Fatalf("%v, %v", rows, err)
	}
	more := bags(5)
	part := good()
	part.Shared = NewShared(append(slices.Clone(more), part.Bags[2], part.Bags[0], part.Bags[1], part.Bags[2]))
	if s, rows, err = part.Share(); err != nil || s != part.Shared || !slices.Equal(rows, []int{6, 7, 5}) {
		t.Errorf("%v, %v", rows, err)
	}
	if row, found := s.Row(more[3]); !found || row != 3 {
		t.Errorf("row %d, %v", row, found)
	}
	if _, found := s.Row(bags(1)[0]); found {
		t.Error("a stranger is found")
	}
	for want, spoil := range map[string]func(*Training){
		"2 targets for 3 training bags":                        func(t *Training) { t.Targets = t.Targets[:2] },
		"training bag 1 has label 2":                           func(t *Training) { t.Targets[1].Label = 2 },
		"bag 2 has no instances":                               func(t *Training) { t.Bags[2] = nil },
		"bag 1 has 2 features, bag 0 has":                      func(t *Training) { t.Bags[1] = &mil.Dense{Rows: 1, Cols: 2, Values: []float32{1, 2}} },
		"bag 0: instances of type learner.plain cannot be com": func(t *Training) { t.Bags = []mil.Instances{plain{}}; t.Targets = t.Targets[:1] },
		"training bag 1 is not among those that fits share":    func(t *Training) { t.Shared = NewShared([]mil.Instances{t.Bags[0], t.Bags[2]}) },
		"bag 1: value NaN of feature 1 of instance 1": func(t *Training) {
			t.Shared = NewShared(append(slices.Clone(t.Bags[:1]), &mil.Dense{Rows: 1, Cols: 1, Values: []float32{float32(math.NaN())}}))
			t.Bags, t.Targets = t.Bags[:1], t.Targets[:1]
		},
	} {
		training := good()
		spoil(&training)
		for range 2 {
			if _, _, err := training.Share(); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
		if err := training.Validate(); training.Shared == nil && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// plain is a bag of a type that is not comparable.
type plain []float32

func (plain) Len() int                       { return 0 }
func (plain) Features() int                  { return 1 }
func (plain) Read(int, int, []float32) error { return nil }

// A value is computed once per key, however many goroutines ask for it. After a failure it is tried again.
func TestOnce(t *testing.T) {
	s := NewShared(nil)
	var made atomic.Int32
	var asking sync.WaitGroup
	for i := range 16 {
		asking.Go(func() {
			got, err := Once(s, fmt.Sprint("key ", i%2), func() (int, error) { return int(made.Add(1)), nil })
			again, _ := Once(s, fmt.Sprint("key ", i%2), func() (int, error) { return -1, nil })
			if err != nil || got < 1 || got != again {
				t.Errorf("%d and %d, %v", got, again, err)
			}
		})
	}
	asking.Wait()
	if made.Load() != 2 {
		t.Errorf("made %d times", made.Load())
	}
	boom := errors.New("boom")
	for try := range 3 {
		got, err := Once(s, "fails at first", func() (string, error) {
			if try < 2 {
				return "half", boom
			}
			return "whole", nil
		})
		if try < 2 && (!errors.Is(err, boom) || got != "") || try == 2 && (err != nil || got != "whole") {
			t.Errorf("try %d: %q, %v", try, got, err)
		}
	}
	// Computing a value may request another stored value.
	if got, err := Once(s, "outer", func() (int, error) { return Once(s, "inner", func() (int, error) { return 7, nil }) }); err != nil || got != 7 {
		t.Errorf("%d, %v", got, err)
	}
}

// All who wait for a failing attempt get its error, and the next request tries again.
func TestOnceFailsTogether(t *testing.T) {
	s := NewShared(nil)
	boom := errors.New("boom")
	var tries atomic.Int32
	for range 50 {
		var asking sync.WaitGroup
		for range 4 {
			asking.Go(func() {
				if _, err := Once(s, "key", func() (int, error) { tries.Add(1); return 0, boom }); !errors.Is(err, boom) {
					t.Errorf("error %v", err)
				}
			})
		}
		asking.Wait()
	}
	if n := tries.Load(); n < 50 || n > 200 {
		t.Errorf("%d tries", n)
	}
	if got, err := Once(s, "key", func() (int, error) { return 1, nil }); err != nil || got != 1 {
		t.Errorf("%d, %v", got, err)
	}
}
