package plotting

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"synpool/internal/goldenfile"
)

// TestPCAGolden compares with NumPy; testdata/pca.py says how. Both sides round in float64, 1e-9 of values up to 30.
func TestPCAGolden(t *testing.T) {
	cases := goldenfile.Read[[]struct {
		Name            string
		Vectors, Places [][]float64
		Shares          [2]float64
	}](t, "pca.json")
	if len(cases) != 4 {
		t.Fatalf("%d cases, want 4", len(cases))
	}
	for _, c := range cases {
		places, shares, err := PCA(c.Vectors)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if len(places) != len(c.Places) {
			t.Fatalf("%s: %d places, want %d", c.Name, len(places), len(c.Places))
		}
		for i, p := range places {
			for k, got := range p {
				if want := c.Places[i][k]; !(math.Abs(got-want) < 1e-9) {
					t.Errorf("%s: vector %d along component %d is %v, want %v", c.Name, i+1, k+1, got, want)
				}
			}
		}
		for k, got := range shares {
			if !(math.Abs(got-c.Shares[k]) < 1e-12) {
				t.Errorf("%s: share %d is %v, want %v", c.Name, k+1, got, c.Shares[k])
			}
		}
	}
}

// TestPCAKeepsPlanes: points of a plane in a space keep their distances, whatever the unit and the origin.
func TestPCAKeepsPlanes(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, unit := range []float64{1, 1e-90, 1e90, 1e-3} {
		var flat [][2]float64
		var vectors [][]float64
		for range 25 {
			a, b := 3*random.NormFloat64(), random.NormFloat64()
			flat = append(flat, [2]float64{a, b})
			// Along (2, 1, 2, 0) / 3 and (1, −2, 0, 2) / 3, which are at right angles.
			vectors = append(vectors, []float64{
				unit * (5 + (2*a+b)/3), unit * (-4 + (a-2*b)/3), unit * (2*a/3 + 1), unit * 2 * b / 3, 0, 8 * unit,
			})
		}
		places, shares, err := PCA(vectors)
		must(t, err)
		if math.Abs(shares[0]+shares[1]-1) > 1e-12 || shares[0] <= shares[1] {
			t.Errorf("unit %v: the shares of a plane are %v", unit, shares)
		}
		for i := range flat {
			for j := range i {
				want := math.Hypot(flat[i][0]-flat[j][0], flat[i][1]-flat[j][1])
				got := math.Hypot(places[i][0]-places[j][0], places[i][1]-places[j][1]) / unit
				if !(math.Abs(got-want) < 1e-9) {
					t.Fatalf("unit %v: %d and %d are %v apart, want %v", unit, i+1, j+1, got, want)
				}
			}
		}
	}
}

func TestPCAOfLittle(t *testing.T) {
	for name, vectors := range map[string][][]float64{
		"equal": {{0.1, 0.2, 0.3}, {0.1, 0.2, 0.3}, {0.1, 0.2, 0.3}},
		"zero":  {{0, 0}, {0, 0}},
		"large": {{1e99, 1}, {1e99, 1}},
	} {
		places, shares, err := PCA(vectors)
		if err != nil || shares != [2]float64{} || len(places) != len(vectors) {
			t.Errorf("%s: shares %v, %v", name, shares, err)
		}
		for _, p := range places {
			if p != [2]float64{} {
				t.Errorf("%s: place %v", name, p)
			}
		}
	}
	places, shares, err := PCA([][]float64{{1, 5}, {1, 7}, {1, 12}})
	want := [][2]float64{{-3, 0}, {-1, 0}, {4, 0}}
	if err != nil || math.Abs(shares[0]-1) > 1e-12 || shares[1] != 0 {
		t.Fatalf("one direction: shares %v, %v", shares, err)
	}
	for i, p := range places {
		if math.Abs(p[0]-want[i][0]) > 1e-12 || p[1] != 0 {
			t.Errorf("one direction: %v, want %v", p, want[i])
		}
	}
}

func TestPCARefuses(t *testing.T) {
	for want, vectors := range map[string][][]float64{
		"finding principal components: 1 vectors; two at least": {{1, 2}},
		"the vectors have no features":                          {{}, {}},
		"vector 2 has 1 features, vector 1 has 2":               {{1, 2}, {3}},
		"vector 2, feature 1: NaN is not a number":              {{1, 2}, {math.NaN(), 2}},
		"vector 1, feature 2: -Inf is not a number":             {{1, math.Inf(-1)}, {3, 2}},
		"vector 1, feature 1: 1e+101 is not a number":           {{1e101, 2}, {3, 2}},
	} {
		places, _, err := PCA(vectors)
		if places != nil || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
