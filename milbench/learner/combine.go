package learner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"synpool/milbench"
	"synpool/milbench/judge"
)

// held are the labels of bags that models had not seen when they scored them, inner fold by inner fold.
type held struct {
	labels []int // 0 or 1
	bags   int   // different ones
	starts []int // fold k is starts[k]:starts[k+1]
}

// heldOf returns what the inner folds of a fit hold out.
func heldOf(fit milbench.Fit) held {
	label := make(map[int]int, len(fit.Train))
	for _, e := range fit.Train {
		label[e.Bag] = e.Label
	}
	h := held{starts: []int{0}}
	seen := make(map[int]bool)
	for _, part := range fit.Inner {
		for _, b := range part {
			h.labels = append(h.labels, label[b])
			seen[b] = true
		}
		h.starts = append(h.starts, len(h.labels))
	}
	h.bags = len(seen)
	return h
}

// auc is the mean over the folds that hold both classes of the AUC of scores; where none does, that of all together.
func (h held) auc(scores []float64) (float64, error) {
	sum, n := 0.0, 0
	for k, from := range h.starts[:len(h.starts)-1] {
		labels := h.labels[from:h.starts[k+1]]
		if !slices.Contains(labels, 0) || !slices.Contains(labels, 1) {
			continue
		}
		auc, err := judge.AUC(labels, scores[from:h.starts[k+1]])
		if err != nil {
			return 0, err
		}
		sum, n = sum+auc, n+1
	}
	if n == 0 {
		return judge.AUC(h.labels, scores)
	}
	return sum / float64(n), nil
}

// ranker maps scores of one model to what compares with those of others: the normal quantile of their rank among its scores of held-out
// bags, linear between two of these.
type ranker []float64 // ascending

func newRanker(scores []float64) ranker {
	r := slices.Clone(scores)
	slices.Sort(r)
	return slices.Compact(r)
}

// of returns the normal quantile of a score's rank. It rises with the score, beyond all held-out scores too.
func (r ranker) of(score float64) float64 {
	n := float64(len(r))
	k, found := slices.BinarySearch(r, score)
	rank := float64(k) // held-out scores below, and how far the score is to the next
	spread := r[len(r)-1] - r[0]
	switch {
	case found:
		rank += 0.5
	case k == 0:
		rank = 0.5 / (1 + (r[0]-score)/max(spread, math.SmallestNonzeroFloat64))
	case k == len(r):
		rank = n - 0.5/(1+(score-r[len(r)-1])/max(spread, math.SmallestNonzeroFloat64))
	default:
		rank += (score-r[k-1])/(r[k]-r[k-1]) - 0.5
	}
	return math.Sqrt2 * math.Erfinv(2*min(max(rank/n, 1e-9), 1-1e-9)-1)
}

// Combination joins the scores of models to one.
type Combination struct {
	Weights []float64 // of each model, sum 1; 0 of those that do not count
	AUC     []float64 // of each model, inside
	rankers []ranker
	slope   float64
	shift   float64
}

// doubt is by how many standard errors of the best model's AUC inside the AUC of another is less that weighs e times less. Small
// differences among models are chance, and what is chance is joined, not chosen.
const doubt = 1.5

// error returns DeLong's standard error of the AUC of scores, of bags that are held out several times as if once; where a class has a single
// bag, that of an AUC of a half.
func (h held) error(scores []float64) float64 {
	again := math.Sqrt(float64(len(h.labels)) / float64(max(h.bags, 1)))
	if _, se, err := judge.DeLong(h.labels, scores); err == nil {
		return max(se*again, 1/float64(len(h.labels)))
	}
	return math.Sqrt(1 / 12.0)
}

// combinationJSON is a [Combination] as it is stored.
type combinationJSON struct {
	Weights []float64   `json:"weights"`
	AUC     []float64   `json:"auc"`
	Rankers [][]float64 `json:"rankers"` // of each model, its scores of held-out bags, ascending
	Slope   float64     `json:"slope"`
	Shift   float64     `json:"shift"`
}

// MarshalJSON implements [json.Marshaler].
func (c *Combination) MarshalJSON() ([]byte, error) {
	j := combinationJSON{Weights: c.Weights, AUC: c.AUC, Slope: c.slope, Shift: c.shift}
	for _, r := range c.rankers {
		j.Rankers = append(j.Rankers, r)
	}
	return json.Marshal(j)
}

// UnmarshalJSON implements [json.Unmarshaler]. What does not fit together is an error.
func (c *Combination) UnmarshalJSON(data []byte) error {
	var j combinationJSON
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return err
	}
	n, sum := len(j.Weights), 0.0
	if n == 0 || len(j.AUC) != n || len(j.Rankers) != n {
		return fmt.Errorf("%d weights, %d AUCs and %d lists of scores", n, len(j.AUC), len(j.Rankers))
	}
	*c = Combination{Weights: j.Weights, AUC: j.AUC, slope: j.Slope, shift: j.Shift}
	for m, r := range j.Rankers {
		if len(r) == 0 || !slices.IsSorted(r) {
			return fmt.Errorf("scores of model %d that do not ascend", m+1)
		}
		if w, auc := j.Weights[m], j.AUC[m]; w < 0 || auc < 0 || auc > 1 {
			return fmt.Errorf("model %d has weight %v and AUC %v", m+1, w, auc)
		}
		sum += j.Weights[m]
		c.rankers = append(c.rankers, slices.Compact(r))
	}
	if math.Abs(sum-1) > 1e-6 || !(j.Slope > 0) {
		return fmt.Errorf("weights that sum to %v, and a slope of %v", sum, j.Slope)
	}
	return nil
}

// some returns the combination of some of the models, which are all that count.
func (c *Combination) some(models []int) *Combination {
	s := &Combination{slope: c.slope, shift: c.shift}
	for _, m := range models {
		s.Weights, s.AUC, s.rankers = append(s.Weights, c.Weights[m]), append(s.AUC, c.AUC[m]), append(s.rankers, c.rankers[m])
	}
	return s
}

// negligible is the weight, relative to the largest, below which a model does not count.
const negligible = 0.05

// combine weighs models by their scores of held-out bags: models[m][k] of bag k. A model weighs exp(AUC / (doubt SE)), with the AUC as mean over inner
// folds and the standard error SE of the best one's; scores are joined as normal quantiles of
// their ranks, and the mean is made a logit by logistic regression on the held-out bags (J. Platt, "Probabilistic outputs for support
// vector machines", 1999).
func combine(h held, models [][]float64) (*Combination, error) {
	c := &Combination{Weights: make([]float64, len(models)), AUC: make([]float64, len(models)), rankers: make([]ranker, len(models))}
	best := 0
	for m, scores := range models {
		if len(scores) != len(h.labels) || len(scores) == 0 {
			return nil, fmt.Errorf("%d scores of %d held-out bags", len(scores), len(h.labels))
		}
		c.rankers[m] = newRanker(scores)
		var err error
		if c.AUC[m], err = h.auc(scores); err != nil {
			return nil, err
		}
		if c.AUC[m] > c.AUC[best] {
			best = m
		}
	}
	sharpness, sum := doubt*h.error(models[best]), 0.0
	for m := range models {
		if w := math.Exp((c.AUC[m] - c.AUC[best]) / sharpness); w >= negligible {
			c.Weights[m] = w
		}
	}
	for _, w := range c.Weights {
		sum += w
	}
	for m := range c.Weights {
		c.Weights[m] /= sum
	}
	joined := make([]float64, len(h.labels))
	one := make([]float64, len(models))
	for k := range joined {
		for m := range models {
			one[m] = models[m][k]
		}
		joined[k] = c.join(one)
	}
	c.slope, c.shift = platt(joined, h.labels)
	return c, nil
}

// join returns the weighted mean of the models' quantiles.
func (c *Combination) join(scores []float64) float64 {
	sum := 0.0
	for m, w := range c.Weights {
		if w > 0 {
			sum += w * c.rankers[m].of(scores[m])
		}
	}
	return sum
}

// Score returns the logit of a bag from the scores of the models; scores of models that do not count are ignored.
func (c *Combination) Score(scores []float64) float64 { return c.slope*c.join(scores) + c.shift }

// platt returns slope and shift of the logit of positive by logistic regression on values, with Platt's targets, by Newton's method. A slope
// that is not above 0, of values that say nothing, becomes a small one, so that the order stays.
func platt(values []float64, labels []int) (slope, shift float64) {
	positive := 0.0
	for _, l := range labels {
		positive += float64(l)
	}
	negative := float64(len(labels)) - positive
	targets := [2]float64{1 / (negative + 2), (positive + 1) / (positive + 2)}
	slope, shift = 1, 0
	for range 100 {
		var gs, gb, hss, hsb, hbb float64
		for i, v := range values {
			p := 1 / (1 + math.Exp(-slope*v-shift))
			d, h := p-targets[labels[i]], max(p*(1-p), 1e-12)
			gs, gb = gs+d*v, gb+d
			hss, hsb, hbb = hss+h*v*v, hsb+h*v, hbb+h
		}
		gs, hss = gs+1e-3*slope, hss+1e-3 // a slight penalty: values may all be one
		det := hss*hbb - hsb*hsb
		if !(det > 0) {
			break
		}
		ds, db := (hbb*gs-hsb*gb)/det, (hss*gb-hsb*gs)/det
		slope, shift = slope-min(max(ds, -2), 2), shift-min(max(db, -2), 2)
		if math.Abs(ds)+math.Abs(db) < 1e-10 {
			break
		}
	}
	return max(slope, 1e-3), shift
}
