package plotting

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"synpool/internal/goldenfile"
	"synpool/internal/large"
)

// tsneCase is a result of scikit-learn, made by testdata/tsne.py.
type tsneCase struct {
	Name         string
	Perplexity   float64
	Labels       []int
	Vectors      [][]float64
	Joint, Exact []float64 // of the pairs i < j
	Places       [][2]float64
	Slopes       []struct {
		Factor, Divergence float64
		Gradient           [][2]float64
	}
	Divergence float64
}

func tsneCases(t testing.TB) []tsneCase {
	t.Helper()
	cases := goldenfile.Read[[]tsneCase](t, "tsne.json")
	if len(cases) != 3 {
		t.Fatalf("tsne.json has %d cases, want 3", len(cases))
	}
	return cases
}

// seeded is a source of randomness.
func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// symmetric returns the matrix of pairs i < j.
func symmetric(n int, pairs []float64) *mat.Dense {
	p := mat.NewDense(n, n, nil)
	for i := range n {
		for j := i + 1; j < n; j++ {
			p.Set(i, j, pairs[0])
			p.Set(j, i, pairs[0])
			pairs = pairs[1:]
		}
	}
	return p
}

// TestJointProbabilities compares with NumPy, whose perplexity is solved to the last digit, and scikit-learn, which stops
// at 1e-5 of the entropy; ours is solved to 1e-10. An error of β is one of p in proportion to p log p.
func TestJointProbabilities(t *testing.T) {
	compared := 0
	for _, c := range tsneCases(t) {
		if c.Joint == nil {
			continue
		}
		centred, _ := centre(c.Vectors)
		got := jointProbabilities(centred, c.Perplexity)
		n := len(c.Vectors)
		for what, want := range map[string]struct {
			p         *mat.Dense
			tolerance float64
		}{"NumPy": {symmetric(n, c.Exact), 1e-9}, "scikit-learn": {symmetric(n, c.Joint), 1e-5}} {
			for i := range n {
				for j := range n {
					g, w := got.At(i, j), want.p.At(i, j)
					if !(math.Abs(g-w) <= want.tolerance*w*(1-math.Log(max(w, 1e-15)))+1e-15) { // scikit-learn has no less than 2e-16
						t.Fatalf("%s: %s: of %d and %d: %v, want %v", c.Name, what, i+1, j+1, g, w)
					}
					compared++
				}
			}
		}
		if sum := mat.Sum(got); math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: the sum is %v", c.Name, sum)
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// TestPerplexity: however distances lie, their entropy is the logarithm of the perplexity.
func TestPerplexity(t *testing.T) {
	random := seeded(2)
	for name, draw := range map[string]func() float64{
		"even": random.Float64, "wide": func() float64 { return math.Exp(20 * random.NormFloat64()) },
		"far": func() float64 { return 1e20 + 1e10*random.Float64() },
		"one near": func() float64 {
			return float64(random.IntN(2)) * (1 + random.Float64())
		},
		"lattice": func() float64 { return float64(1 + random.IntN(40)) },
	} {
		squares := make([]float64, 99)
		for i := range squares {
			squares[i] = draw()
		}
		squares[7] = 1e25 // an outlier
		for _, perplexity := range []float64{55.5, 60, 90, 97.9} {
			before := slices.Clone(squares)
			p := conditionalProbabilities(squares, perplexity)
			entropy, sum := 0.0, floats.Sum(p)
			for _, v := range p {
				if v > 0 {
					entropy -= v * math.Log(v)
				}
			}
			if !(math.Abs(math.Exp(entropy)/perplexity-1) < 1e-9) || math.Abs(sum-1) > 1e-12 {
				t.Errorf("%s: perplexity %v, want %v, of probabilities that sum to %v", name, math.Exp(entropy), perplexity, sum)
			}
			if !slices.Equal(squares, before) {
				t.Errorf("%s: the distances have changed", name)
			}
		}
	}
	// More are equally near than the perplexity: all of them, alike.
	if got := conditionalProbabilities([]float64{3, 1, 1, 1, 1, 2}, 2); !slices.Equal(got, []float64{0, 0.25, 0.25, 0.25, 0.25, 0}) {
		t.Errorf("of ties: %v", got)
	}
	if got := conditionalProbabilities(make([]float64, 4), 2); !slices.Equal(got, same(4, 0.25)) {
		t.Errorf("of zeros: %v", got)
	}
}

// TestKLGradientGolden compares with scikit-learn at given places and probabilities, which both sides take in float64.
func TestKLGradientGolden(t *testing.T) {
	compared := 0
	for _, c := range tsneCases(t) {
		if c.Slopes == nil {
			continue
		}
		p := symmetric(len(c.Vectors), c.Joint)
		for _, s := range c.Slopes {
			if got := klDivergence(p, c.Places); s.Factor == 1 && math.Abs(got-s.Divergence) > 1e-9 {
				t.Errorf("%s: divergence %v, want %v", c.Name, got, s.Divergence)
			}
			for i, got := range klGradient(p, c.Places, s.Factor) {
				for k := range got {
					if want := s.Gradient[i][k]; !(math.Abs(got[k]-want) <= 1e-12) {
						t.Errorf("%s: gradient of %v p at %d is %v, want %v", c.Name, s.Factor, i+1, got, s.Gradient[i])
					}
					compared++
				}
			}
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// TestTSNEDescends: averaged over some seeds, it ends no worse than scikit-learn, and neighbours are of the same group.
// (Single runs differ, because the descent amplifies rounding.)
func TestTSNEDescends(t *testing.T) {
	for _, c := range tsneCases(t) {
		seeds := large.Number(1, 3)
		mean, alike := 0.0, 0.0
		for seed := range uint64(seeds) {
			places, divergence, err := TSNE(c.Vectors, c.Perplexity, 1000, seeded(seed))
			must(t, err)
			if !(divergence > 0) {
				t.Errorf("%s, seed %d: divergence %v", c.Name, seed, divergence)
			}
			mean += divergence / float64(seeds)
			for i := range places {
				if c.Labels[nearest(places, i)] == c.Labels[i] {
					alike += 1 / float64(seeds*len(places))
				}
			}
		}
		t.Logf("%s: divergence %.4f, of scikit-learn %.4f; share of nearest of a group %.3f", c.Name, mean, c.Divergence, alike)
		if mean > 1.05*c.Divergence {
			t.Errorf("%s: divergence %v, that of scikit-learn is %v", c.Name, mean, c.Divergence)
		}
		if alike < 0.9 {
			t.Errorf("%s: %.2f of the places have a nearest one of their group", c.Name, alike)
		}
	}
}

// nearest returns the place that is the nearest to another.
func nearest(places [][2]float64, i int) int {
	at := other(i, 0)
	for j := range places {
		if j != i && distance(places, i, j) < distance(places, i, at) {
			at = j
		}
	}
	return at
}

// distance is that of two places.
func distance(places [][2]float64, i, j int) float64 {
	return math.Hypot(places[i][0]-places[j][0], places[i][1]-places[j][1])
}

// TestTSNESeeds: a seed gives the same bits every time, and another seed others.
func TestTSNESeeds(t *testing.T) {
	c := tsneCases(t)[0]
	before := fmt.Sprint(c.Vectors)
	var all [][][2]float64
	var divergences []float64
	for _, seed := range []uint64{1, 1, 2} {
		places, divergence, err := TSNE(c.Vectors, c.Perplexity, 300, seeded(seed))
		must(t, err)
		all, divergences = append(all, places), append(divergences, divergence)
	}
	if !slices.Equal(all[0], all[1]) || divergences[0] != divergences[1] {
		t.Error("the same seed gives other places")
	}
	if slices.Equal(all[0], all[2]) {
		t.Error("another seed gives the same places")
	}
	if fmt.Sprint(c.Vectors) != before {
		t.Error("the vectors have changed")
	}
}

// TestTSNETurns: vectors that are turned, mirrored, shifted and rescaled have the same similarities and the same initial
// places, up to rounding.
func TestTSNETurns(t *testing.T) {
	c := tsneCases(t)[0]
	n, d := len(c.Vectors), len(c.Vectors[0])
	beginning := func(vectors [][]float64) ([][2]float64, *mat.Dense) {
		centred, _ := centre(vectors)
		y, _, err := components(centred)
		must(t, err)
		begin(y, seeded(1))
		return y, jointProbabilities(centred, c.Perplexity)
	}
	places, p := beginning(c.Vectors)
	random := seeded(3)
	square := mat.NewDense(d, d, nil)
	square.Apply(func(int, int, float64) float64 { return random.NormFloat64() }, square)
	var qr mat.QR
	qr.Factorize(square)
	var turn mat.Dense
	qr.QTo(&turn)
	for _, unit := range []float64{1, -1, 1e90, 1e-90} {
		vectors := make([][]float64, n)
		for i, v := range c.Vectors {
			var turned mat.VecDense
			turned.MulVec(&turn, mat.NewVecDense(d, v))
			for j := range d {
				vectors[i] = append(vectors[i], unit*(turned.AtVec(j)+float64(5-j)))
			}
		}
		gotPlaces, got := beginning(vectors)
		for i := range n {
			for k := range 2 {
				if math.Abs(gotPlaces[i][k]-places[i][k]) > 1e-10*firstSpread {
					t.Fatalf("unit %v: %d begins at %v, not at %v", unit, i+1, gotPlaces[i], places[i])
				}
			}
			for j := range n {
				if math.Abs(got.At(i, j)-p.At(i, j)) > 1e-10*p.At(i, j) {
					t.Fatalf("unit %v: similarity of %d and %d %v, want %v", unit, i+1, j+1, got.At(i, j), p.At(i, j))
				}
			}
		}
	}
}

// TestTSNEOfOddData: places are finite whatever the vectors.
func TestTSNEOfOddData(t *testing.T) {
	random := seeded(4)
	normal := func(n, d int, unit float64) [][]float64 {
		vectors := make([][]float64, n)
		for i := range vectors {
			for range d {
				vectors[i] = append(vectors[i], unit*random.NormFloat64())
			}
		}
		return vectors
	}
	pairs := normal(20, 4, 1)
	for i := range 10 {
		pairs[2*i+1] = slices.Clone(pairs[2*i])
	}
	outlier := normal(20, 4, 1e-9)
	outlier[3][1] = 1e100
	equal, heaps := make([][]float64, 30), make([][]float64, 30)
	for i := range equal {
		equal[i], heaps[i] = []float64{0.1, 0.2, 0.3}, []float64{float64(i % 2), 7}
	}
	for name, c := range map[string]struct {
		vectors    [][]float64
		perplexity float64
	}{
		"three":       {[][]float64{{0, 1}, {2, 3}, {3, 1}}, 1.5},
		"a line":      {[][]float64{{1}, {2}, {4}, {7}, {11}, {16}}, 2},
		"wide":        {normal(6, 300, 1), 3},
		"small":       {normal(20, 3, 1e-310), 5},
		"large":       {normal(20, 3, 1e99), 5},
		"pairs":       {pairs, 4},
		"equal":       {equal, 10},
		"two heaps":   {heaps, 5},
		"an outlier":  {outlier, 5},
		"barely one":  {normal(20, 3, 1), 1.000001},
		"nearly all":  {normal(20, 3, 1), 18.9999},
		"a hundred":   {normal(100, 2, 1), 30},
		"three equal": {[][]float64{{1}, {1}, {1}}, 1.5},
	} {
		places, divergence, err := TSNE(c.vectors, c.perplexity, 1000, seeded(1))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !(divergence >= 0 && divergence < 5) || len(places) != len(c.vectors) {
			t.Errorf("%s: divergence %v", name, divergence)
		}
		for i, p := range places {
			if err := each("coordinate", p[:], drawable); err != nil {
				t.Errorf("%s: place %d: %v", name, i+1, err)
			}
		}
		switch name {
		case "a line": // has left it
			var x, y []float64
			for _, p := range places {
				x, y = append(x, p[0]), append(y, p[1])
			}
			if floats.Max(y)-floats.Min(y) < 1e-3*(floats.Max(x)-floats.Min(x)) {
				t.Errorf("%s: the places are on one, %v", name, places)
			}
		case "pairs": // stay together
			for i := range pairs {
				if got := nearest(places, i); got != i^1 {
					t.Errorf("%s: the nearest to %d is %d", name, i+1, got+1)
				}
			}
		}
	}
}

func TestTSNERefuses(t *testing.T) {
	good := [][]float64{{1, 2}, {3, 4}, {5, 7}, {8, 1}}
	for want, c := range map[string]struct {
		vectors    [][]float64
		perplexity float64
		iterations int
		random     *rand.Rand
	}{
		"embedding by t-SNE: 2 vectors; three at least":              {good[:2], 1.5, 1000, seeded(1)},
		"5001 vectors; at most 5000 can be embedded":                 {make([][]float64, 5001), 30, 1000, seeded(1)},
		"vector 3 has 1 features, vector 1 has 2":                    {[][]float64{{1, 2}, {3, 4}, {5}}, 1.5, 1000, seeded(1)},
		"the perplexity 3; that of 4 vectors is above 1 and below 3": {good, 3, 1000, seeded(1)},
		"the perplexity 1; ":                                         {good, 1, 1000, seeded(1)},
		"the perplexity NaN; ":                                       {good, math.NaN(), 1000, seeded(1)},
		"the perplexity +Inf; ":                                      {good, math.Inf(1), 1000, seeded(1)},
		"250 iterations; give more than the 250":                     {good, 2, 250, seeded(1)},
		"there is no source of randomness":                           {good, 2, 1000, nil},
	} {
		places, divergence, err := TSNE(c.vectors, c.perplexity, c.iterations, c.random)
		if places != nil || divergence != 0 || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
