package plotting

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/r2"
	"gonum.org/v1/gonum/stat"
)

// mostEmbedded is the maximum number of vectors for t-SNE: its time and memory grow with the square of that number.
const mostEmbedded = 5000

// Settings of the gradient descent. They are scikit-learn's, except for the minimum learning rate: with its value of 50, a
// few hundred vectors overshoot and end at a divergence up to a tenth higher.
const (
	exaggeration = 12.0 // early exaggeration: factor of the similarities of vectors, which makes groups form
	exaggerated  = 250  // number of iterations with exaggeration
	leastRate    = 20.0
	firstSpread  = 1e-4 // initial standard deviation of the places along the first principal component
	firstNoise   = 0.01 // standard deviation of the initial noise, as a share of firstSpread
)

// TSNE embeds n vectors of the same length in the plane by t-SNE, so that similar vectors get nearby places. The places
// minimise the Kullback-Leibler divergence between the similarities p of the vectors and q of the places, which is returned
// in nats:
//
//	divergence = Σᵢ Σⱼ pᵢⱼ log(pᵢⱼ / qᵢⱼ)
//	qᵢⱼ = (1 + |yᵢ − yⱼ|²)⁻¹ / Σₖ Σₗ (1 + |yₖ − yₗ|²)⁻¹, k ≠ l
//	pᵢⱼ = (p(j|i) + p(i|j)) / 2n
//	p(j|i) = exp(−βᵢ |xᵢ − xⱼ|²) / Σₖ exp(−βᵢ |xᵢ − xₖ|²), k ≠ i
//
// βᵢ is chosen so that the entropy of p(·|i) is the logarithm of the perplexity. The perplexity is roughly the number of
// neighbours taken into account; it must be above 1 and below n − 1, and is commonly 5 to 50. The unit of the vectors does
// not matter. The unit of the places has no meaning, nor do the sizes of groups and the gaps between them.
//
// The method is from van der Maaten and Hinton, "Visualizing data using t-SNE", Journal of Machine Learning Research 9
// (2008), with the exact gradient. Its time grows with n²: some seconds for 1000 vectors; at most 5000 are allowed. The
// momentum is 0.5 in the first 250 iterations, with p multiplied by 12, and then 0.8, with gains; 1000 iterations in total
// are common. The learning rate is n/48, but at least 20. Like in scikit-learn, places start at those of [PCA], plus noise
// from random of a hundredth of their spread, which spreads out equal vectors and vectors on a line. The same seed gives the
// same places on the same kind of processor. A structure that does not appear with other seeds is chance.
func TSNE(vectors [][]float64, perplexity float64, iterations int, random *rand.Rand) (places [][2]float64, divergence float64, err error) {
	defer about(&err, "embedding by t-SNE")
	n := len(vectors)
	if n < 3 {
		return nil, 0, fmt.Errorf("%d vectors; three at least are needed", n)
	}
	if n > mostEmbedded {
		return nil, 0, fmt.Errorf("%d vectors; at most %d can be embedded; take a sample", n, mostEmbedded)
	}
	if err := checkVectors(vectors); err != nil {
		return nil, 0, err
	}
	switch {
	case !(1 < perplexity && perplexity < float64(n-1)):
		return nil, 0, fmt.Errorf("the perplexity %v; that of %d vectors is above 1 and below %d", perplexity, n, n-1)
	case iterations <= exaggerated:
		return nil, 0, fmt.Errorf("%d iterations; give more than the %d that exaggerate, such as 1000", iterations, exaggerated)
	case random == nil:
		return nil, 0, errors.New("there is no source of randomness; give rand.New(rand.NewPCG(seed, 0))")
	}
	centred, _ := centre(vectors)
	y, _, err := components(centred)
	if err != nil {
		return nil, 0, err
	}
	begin(y, random)
	p := jointProbabilities(centred, perplexity)

	rate := max(float64(n)/(4*exaggeration), leastRate)
	descend(p, y, exaggerated, rate, 0.5, exaggeration)
	descend(p, y, iterations-exaggerated, rate, 0.8, 1)
	return y, klDivergence(p, y), nil
}

// descend moves places against the gradient, with p multiplied by factor. Each coordinate has its own gain, which grows
// while the coordinate goes downhill and shrinks once it has gone too far.
func descend(p *mat.Dense, y [][2]float64, iterations int, rate, momentum, factor float64) {
	update, gains := make([][2]float64, len(y)), make([][2]float64, len(y))
	for i := range gains {
		gains[i] = [2]float64{1, 1}
	}
	for range iterations {
		for i, g := range klGradient(p, y, factor) {
			for k := range g {
				if g[k]*update[i][k] < 0 {
					gains[i][k] += 0.2
				} else {
					gains[i][k] = max(0.8*gains[i][k], 0.01)
				}
				update[i][k] = momentum*update[i][k] - rate*gains[i][k]*g[k]
				y[i][k] += update[i][k]
			}
		}
	}
}

// begin returns the initial places, made from those of PCA. Their signs are determined from the places, because the signs of
// PCA depend on the directions of the features.
func begin(places [][2]float64, random *rand.Rand) {
	column, scale := make([]float64, len(places)), 0.0
	for k := range 2 {
		for i, at := range places {
			column[i] = at[k]
		}
		if k == 0 {
			if sd := stat.StdDev(column, nil); sd > 0 {
				scale = firstSpread / sd
			}
		}
		sign := math.Copysign(scale, largestOf(column))
		for i := range places {
			places[i][k] = sign*places[i][k] + firstNoise*firstSpread*random.NormFloat64()
		}
	}
}

// jointProbabilities returns the similarities pᵢⱼ of vectors whose largest value is about 1.
func jointProbabilities(vectors *mat.Dense, perplexity float64) *mat.Dense {
	n, d := vectors.Dims()
	p := mat.NewDense(n, n, nil)
	difference, squares := make([]float64, d), make([]float64, n-1) // to the other vectors
	for i := range n {
		for k := range squares {
			floats.SubTo(difference, vectors.RawRowView(i), vectors.RawRowView(other(i, k)))
			squares[k] = floats.Dot(difference, difference)
			if squares[k] < 1e-26 {
				squares[k] = 0 // only rounding errors
			}
		}
		for k, c := range conditionalProbabilities(squares, perplexity) {
			j, share := other(i, k), c/float64(2*n)
			p.Set(i, j, p.At(i, j)+share)
			p.Set(j, i, p.At(j, i)+share)
		}
	}
	return p
}

// other returns the index of the k-th vector when the i-th is left out.
func other(i, k int) int {
	if k < i {
		return k
	}
	return k + 1
}

// conditionalProbabilities returns the probabilities p(j|i) of the other vectors, given their squared distances.
func conditionalProbabilities(squares []float64, perplexity float64) []float64 {
	// Distances minus the smallest one, in units of that to the last neighbour within the perplexity, have a β of about 1.
	sorted := slices.Sorted(slices.Values(squares))
	nearest, unit := sorted[0], sorted[int(perplexity)]-sorted[0]
	p := make([]float64, len(squares))
	if unit == 0 { // more neighbours are equally near than the perplexity; an infinite β comes closest to it
		for k, s := range squares {
			if s == nearest {
				p[k] = 1
			}
		}
		floats.Scale(1/floats.Sum(p), p)
		return p
	}
	low, beta, high := 0.0, 1.0, math.Inf(1)
	for range 200 {
		sum, mean := 0.0, 0.0
		for k, s := range squares {
			s = (s - nearest) / unit
			p[k] = math.Exp(-beta * s)
			sum += p[k]
			mean += s * p[k]
		}
		mean /= sum
		floats.Scale(1/sum, p)
		excess := math.Log(sum) + beta*mean - math.Log(perplexity) // excess entropy
		if math.Abs(excess) < 1e-10 {
			break
		}
		if excess > 0 {
			low = beta
		} else {
			high = beta
		}
		if beta = (low + high) / 2; math.IsInf(high, 1) {
			beta = 2 * low
		}
	}
	return p
}

// klGradient returns the gradient of the divergence at places, with p multiplied by a factor f: 4 Σⱼ (f pᵢⱼ − qᵢⱼ) (yᵢ − yⱼ)
// / (1 + |yᵢ − yⱼ|²).
func klGradient(p *mat.Dense, y [][2]float64, factor float64) [][2]float64 {
	pulls, pushes, sum := make([]r2.Vec, len(y)), make([]r2.Vec, len(y)), 0.0
	for i, a := range y {
		var pull, push r2.Vec
		row := p.RawRowView(i)
		for j, b := range y {
			if j == i {
				continue
			}
			d := r2.Vec{X: a[0] - b[0], Y: a[1] - b[1]}
			w := 1 / (1 + r2.Norm2(d))
			pull = r2.Add(pull, r2.Scale(row[j]*w, d))
			push = r2.Add(push, r2.Scale(w*w, d))
			sum += w
		}
		pulls[i], pushes[i] = pull, push
	}
	gradient := make([][2]float64, len(y))
	for i := range gradient {
		g := r2.Sub(r2.Scale(4*factor, pulls[i]), r2.Scale(4/sum, pushes[i]))
		gradient[i] = [2]float64{g.X, g.Y}
	}
	return gradient
}

// klDivergence returns Σᵢ Σⱼ pᵢⱼ log(pᵢⱼ / qᵢⱼ) in nats; p sums to 1.
func klDivergence(p *mat.Dense, y [][2]float64) float64 {
	divergence, sum := 0.0, 0.0
	for i, a := range y {
		for j, b := range y {
			if j == i {
				continue
			}
			inverse := 1 + r2.Norm2(r2.Vec{X: a[0] - b[0], Y: a[1] - b[1]})
			sum += 1 / inverse
			if v := p.At(i, j); v > 0 {
				divergence += v * math.Log(v*inverse)
			}
		}
	}
	return max(divergence+math.Log(sum), 0)
}
