package localise

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Rates are the mean numbers of false positives per bag at which CAMELYON16 reads the FROC curve.
var Rates = [...]float64{0.25, 0.5, 1, 2, 4, 8}

// Figures are figures of the scores of instances, each from 0 to 1. NaN stands for an undefined one: no instance is positive
// or, for the AUC, none is negative.
type Figures struct {
	// AUC is the area under the ROC curve, and AP the average precision, of all instances as one list. Ties are as in
	// [synpool/milbench/stats.AUC] and [synpool/milbench/stats.AveragePrecision].
	AUC, AP float64

	// Dice is the overlap of the positive instances with those above a threshold:
	//
	//	Dice = 2 TP / (2 TP + FP + FN)
	//
	// The threshold is Otsu's, which knows the scores and no label: of all ways to split the distinct scores into low
	// and high ones, the one with the largest variance between both parts,
	//
	//	w0 w1 (m1 - m0)²
	//
	// with shares w and means m of the parts; of equal ones, the one with the fewest high scores. If all scores are equal, no
	// instance is above it. Source: N. Otsu, "A threshold selection method from gray-level histograms", IEEE Transactions on
	// Systems, Man, and Cybernetics 9 (1979), here without a histogram.
	Dice float64

	FROC *FROC // nil if the lesions are unknown; NaN in it if there are none
}

// FROC are points of the free-response ROC curve. At a threshold, a lesion is found if at least one of its instances has a score
// at or above it, and each negative instance with such a score is a false positive. Points of the curve are
//
//	(false positives of all bags / bags, lesions found / lesions)
//
// for each distinct score, after (0, 0). Bags without lesions count, too. Between two points the curve is straight; if several
// have the same false positives, the one with the most lesions counts. CAMELYON16 reads sensitivities at [Rates], and their mean
// is the score: B. Ehteshami Bejnordi et al., "Diagnostic assessment of deep learning algorithms for detection of lymph node
// metastases in women with breast cancer", JAMA 318 (2017).
//
// There, detections are points that the authors of a method choose, and small lesions do not count. Here each instance is a
// detection, and every lesion counts. The lowest score belongs to the curve; the program of CAMELYON16 leaves it out.
type FROC struct {
	Sensitivity [len(Rates)]float64 // at each of Rates
	Mean        float64
}

// Pool has the instances of bags in the order of their scores.
type Pool struct {
	bags      []Bag
	sorted    []pooled
	positives []int     // of each bag
	sums      []float64 // of the centred scores of each bag
	lesions   bool      // known wherever an instance is positive
}

// pooled is an instance.
type pooled struct {
	score    float64 // less the mean of all
	bag      int32
	positive bool
	first    bool // of its lesion, with the largest score
	last     bool // of the instances with this score
}

// NewPool returns the instances of bags.
func NewPool(bags []Bag) *Pool {
	p := &Pool{bags: bags, lesions: true}
	mean, n := 0.0, 0
	for _, b := range bags {
		mean, n = mean+floats.Sum(b.Scores), n+len(b.Scores)
	}
	mean /= float64(n)
	for i, b := range bags {
		best := make([]int, b.Lesions) // the instance with the largest score of each lesion
		for k := range best {
			best[k] = -1
		}
		for k, lesion := range b.Lesion {
			if lesion >= 0 && (best[lesion] < 0 || b.Scores[k] > b.Scores[best[lesion]]) {
				best[lesion] = k
			}
		}
		sum := 0.0
		for k, score := range b.Scores {
			p.lesions = p.lesions && (b.Lesion != nil || !b.Positive[k])
			first := b.Lesion != nil && b.Lesion[k] >= 0 && best[b.Lesion[k]] == k
			p.sorted = append(p.sorted, pooled{score: score - mean, bag: int32(i), positive: b.Positive[k], first: first})
			sum += score - mean
		}
		p.positives, p.sums = append(p.positives, b.Positives()), append(p.sums, sum)
	}
	slices.SortStableFunc(p.sorted, func(a, b pooled) int { return cmp.Compare(b.score, a.score) })
	for i := range p.sorted {
		p.sorted[i].last = i+1 == len(p.sorted) || p.sorted[i+1].score != p.sorted[i].score
	}
	return p
}

// Figures returns the figures of the bags, each taken as often as counts says; nil means once.
func (p *Pool) Figures(counts []int) Figures {
	if counts == nil {
		counts = slices.Repeat([]int{1}, len(p.bags))
	}
	var bags, lesions, positives, all, sum float64
	for i, b := range p.bags {
		c := float64(counts[i])
		bags, lesions, positives = bags+c, lesions+c*float64(b.Lesions), positives+c*float64(p.positives[i])
		all, sum = all+c*float64(len(b.Scores)), sum+c*p.sums[i]
	}
	negatives := all - positives

	var (
		tp, fp, found float64 // at or above the score
		newTP, newFP  float64 // at the score
		above         float64 // sum of the scores at or above it
		won           float64 // pairs in order
		precision     float64 // sum over the positive instances
		between       float64 // the largest variance, up to a factor
		dice          float64
		f             FROC
		rate          int
		point         [2]float64 // false positives per bag and sensitivity at the last point
	)
	for _, one := range p.sorted {
		c := float64(counts[one.bag])
		above += c * one.score
		if one.positive {
			newTP += c
		} else {
			newFP += c
		}
		if one.first {
			found += c
		}
		if !one.last || newTP+newFP == 0 {
			continue
		}
		won += newFP * (tp + newTP/2)
		tp, fp = tp+newTP, fp+newFP
		precision += newTP * (tp / (tp + fp))
		newTP, newFP = 0, 0
		if high := tp + fp; high < all {
			d := above*all - sum*high
			if v := d * d / (high * (all - high)); v > between*(1+1e-9) {
				between, dice = v, 2*tp/(tp+fp+positives)
			}
		}
		x, y := fp/bags, found/lesions
		for ; rate < len(Rates) && Rates[rate] < x; rate++ {
			f.Sensitivity[rate] = min(y, point[1]+(y-point[1])*(Rates[rate]-point[0])/(x-point[0]))
		}
		point = [2]float64{x, y}
	}
	for ; rate < len(Rates); rate++ {
		f.Sensitivity[rate] = point[1]
	}
	f.Mean = floats.Sum(f.Sensitivity[:]) / float64(len(Rates))

	figures := Figures{AUC: won / (positives * negatives), AP: precision / positives, Dice: dice} // 0/0 is NaN
	if positives == 0 {
		figures.AP, figures.Dice = math.NaN(), math.NaN()
	}
	if p.lesions {
		figures.FROC = &f
	}
	return figures
}

// Without returns the figures of the bags without those of each unit, for a jackknife over units ([synpool/milbench/mil.Units]).
func (p *Pool) Without(units [][]int) []Figures {
	all := make([]Figures, len(units))
	counts := slices.Repeat([]int{1}, len(p.bags))
	for u, unit := range units {
		for _, i := range unit {
			counts[i] = 0
		}
		all[u] = p.Figures(counts)
		for _, i := range unit {
			counts[i] = 1
		}
	}
	return all
}
