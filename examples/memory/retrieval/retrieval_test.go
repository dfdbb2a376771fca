package retrieval_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"synpool/examples/memory/retrieval"
)

// needDigits skips where the digits are not there.
func needDigits(t *testing.T) {
	t.Helper()
	data := os.Getenv("MILBENCH_DATA")
	if _, err := os.Stat(filepath.Join(data, "t10k-images-idx3-ubyte.gz")); err != nil || data == "" {
		t.Skip("no digits: run `milbench data fetch mnist` and set MILBENCH_DATA to the folder it fills")
	}
}

func TestDigits(t *testing.T) {
	needDigits(t)
	digits, err := retrieval.Digits(200)
	if err != nil || len(digits) != 200 {
		t.Fatalf("%d digits, %v", len(digits), err)
	}
	seen := map[string]bool{}
	for _, x := range digits {
		black := 0
		for _, v := range x {
			if v < -1 || v > 1 {
				t.Fatalf("a pixel of %g", v)
			}
			if v == -1 {
				black++
			}
		}
		if len(x) != 784 || black < 400 || black > 784-10 {
			t.Fatalf("a digit of %d pixels, %d of them black", len(x), black)
		}
		seen[fmt.Sprint(x)] = true
	}
	if len(seen) != 200 {
		t.Errorf("%d different digits of 200", len(seen))
	}
	if _, err := retrieval.Digits(100_000); err == nil || !strings.Contains(err.Error(), "different digits in the set mnist") {
		t.Errorf("100,000 digits: %v", err)
	}
}

// TestRecall: digits, which are alike, are beyond the classical network and small powers; the exponential and the
// continuous memory bring them back from a half and from noise, where what is missing carries no information. A black half
// is information, and misleads: to other digits that are dark there.
func TestRecall(t *testing.T) {
	needDigits(t)
	c := retrieval.DefaultDigits()
	c.Stored, c.Cues = []int{24, 100}, 24
	rows, err := c.Recall()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		at := fmt.Sprintf("%s of %d, %s", r.Memory, r.Stored, r.Cue)
		if r.Cues != 24 || r.CueRMS < 0.3 {
			t.Errorf("%s: %d cues at %g from their digits", at, r.Cues, r.CueRMS)
		}
		black := r.Cue == "lower half black"
		switch {
		case r.Memory == "classical" || r.Memory == "polynomial of power 3":
			if r.Failed < 0.9 || r.Nearest > 0.1 {
				t.Errorf("%s: %g fail, %g nearest", at, r.Failed, r.Nearest)
			}
		case r.Memory == "exponential" && !black:
			if r.Wrong != 0 || r.Failed != 0 || r.Nearest != 1 || r.RMS != 0 || r.Updates != 2 {
				t.Errorf("%s: %+v", at, r)
			}
		case strings.HasPrefix(r.Memory, "continuous") && !black:
			if r.Failed != 0 || r.Nearest != 1 || r.RMS > 0.01 || r.Updates > 4 {
				t.Errorf("%s: %+v", at, r)
			}
		case strings.HasPrefix(r.Memory, "synergetic") && !black:
			if r.Nearest < 0.8 || r.Updates < 5 {
				t.Errorf("%s: %+v", at, r)
			}
		case black && r.Memory == "exponential":
			if r.Nearest < 0.5 || r.Nearest == 1 {
				t.Errorf("%s: %g nearest", at, r.Nearest)
			}
		}
	}
	if len(rows) != 2*(4*3+2*3) {
		t.Errorf("%d rows", len(rows))
	}
}

func TestBetaSweep(t *testing.T) {
	needDigits(t)
	c := retrieval.DefaultDigits()
	c.Stored, c.Cues = []int{100}, 20
	points, err := c.BetaSweep()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range points[1:] {
		if before := points[i]; p.Beta <= before.Beta || p.Patterns > before.Patterns+1e-9 || p.ToMean < before.ToMean-1e-9 {
			t.Errorf("%+v after %+v", p, before)
		}
	}
	first, last := points[0], points[len(points)-1]
	if math.Abs(first.Patterns-100) > 1e-6 || first.ToMean > 1e-12 || last.Patterns > 1.001 || last.ToOwn > 1e-3 {
		t.Errorf("from %+v to %+v", first, last)
	}
}

func TestCapacities(t *testing.T) {
	rows, err := retrieval.Capacities(true)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		if r.Share != float64(r.Patterns)/r.Theory || r.Share < 0.7 || r.Share > 1.5 {
			t.Errorf("%+v", r)
		}
		if i > 0 && rows[i-1].Memory == r.Memory && (r.Components <= rows[i-1].Components || r.Patterns <= rows[i-1].Patterns) {
			t.Errorf("%+v after %+v", r, rows[i-1])
		}
	}
	if len(rows) < 12 {
		t.Errorf("%d rows", len(rows))
	}
}

func TestConvergence(t *testing.T) {
	rows, err := retrieval.Convergence()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		// At a distance of 1e-6 the rate is at its limit to about as much; at γ = 1 forward steps are cubic.
		if cubic := r.Direction == "forward" && r.Gamma == 1; cubic && r.Rate > 1e-4 || !cubic && math.Abs(r.Rate-r.Theory) > 1e-4 {
			t.Errorf("%+v", r)
		}
	}
	if len(rows) != 32 {
		t.Errorf("%d rows", len(rows))
	}
}

func TestTables(t *testing.T) {
	type row struct {
		Name   string
		Number float64
		Count  int
		Orders []float64
	}
	rows := []row{{"a, b", 1. / 3, 7, []float64{1, 0.5}}, {"c", 1e-9, 0, nil}}
	var table, text bytes.Buffer
	if err := retrieval.WriteCSV(&table, rows); err != nil {
		t.Fatal(err)
	}
	back, err := csv.NewReader(&table).ReadAll()
	if want := "[[Name Number Count Orders] [a, b 0.3333333333333333 7 1 0.5] [c 1e-09 0 ]]"; err != nil || fmt.Sprint(back) != want {
		t.Errorf("%v (%v), want %v", back, err, want)
	}
	if err := retrieval.WriteTable(&text, rows); err != nil || !strings.HasPrefix(text.String(), "Name  Number  Count  Orders\na, b  0.3333  7      1 0.5\n") {
		t.Errorf("%q (%v)", text.String(), err)
	}
}
