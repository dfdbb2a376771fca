package results

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"synpool/internal/spelling"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// Rope is the default half-width of the region of practical equivalence: a difference of 0.01 in the main figure.
const Rope = 0.01

// sure is the probability needed to decide a comparison.
const sure = 0.95

// fewestSets is the number of sets needed for a test over sets. With fewer, the Wilcoxon test cannot reach p < 0.05.
const fewestSets = 6

// Verdict is the conclusion from comparing two settings.
type Verdict string

// Verdicts. "The same in practice" differs from "cannot tell".
const (
	BetterVerdict Verdict = "better" // A is better by more than the rope with probability 0.95
	SameVerdict   Verdict = "same"   // within the rope with probability 0.95
	WorseVerdict  Verdict = "worse"
	OpenVerdict   Verdict = "open" // cannot tell: none of the others is probable enough
)

// verdictOf returns the verdict for a posterior.
func verdictOf(p stats.Posterior) Verdict {
	switch {
	case p.Better >= sure:
		return BetterVerdict
	case p.Worse >= sure:
		return WorseVerdict
	case p.Equal >= sure:
		return SameVerdict
	}
	return OpenVerdict
}

// Difference is the difference between two settings on one set, in the main figure for its kind of target.
type Difference struct {
	Set      string  `json:"set"`
	Protocol string  `json:"protocol"`
	Figure   string  `json:"figure"`
	A        string  `json:"a"`
	B        string  `json:"b"`
	MeanA    float64 `json:"mean_a"` // mean over the pairs
	MeanB    float64 `json:"mean_b"`

	// Pairs is the number of folds, over all repeats, that both settings have. For a single fold, the comparison is
	// over bags and Pairs is their number.
	Pairs int      `json:"pairs"`
	Over  Interval `json:"over"` // folds or bags

	// Difference is the mean of A minus that of B. Its interval at 95 % is from [stats.CorrectedT], or over bags
	// from [stats.DeLongDifference].
	Difference float64 `json:"difference"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	P          float64 `json:"p"` // two-sided p-value for no difference

	Posterior stats.Posterior `json:"posterior"` // from [stats.BayesCorrelatedT]; over bags, from a normal distribution
	Verdict   Verdict         `json:"verdict"`

	setting string // identity of B
}

// Overall is the difference between two settings over all sets that both have, for one main figure.
type Overall struct {
	Figure string `json:"figure"`
	A      string `json:"a"`
	B      string `json:"b"`
	Sets   int    `json:"sets"`

	// Numbers of sets where A is better, the same or worse. The rest is open.
	Wins   int `json:"wins"`
	Ties   int `json:"ties"`
	Losses int `json:"losses"`
	Open   int `json:"open"`

	Difference float64 `json:"difference"` // mean over the sets

	// With six or more sets: the p-value from [stats.Wilcoxon] and the posterior from [stats.BayesSignedRank], with
	// the sets as pairs.
	P         *float64         `json:"p"`
	Posterior *stats.Posterior `json:"posterior"`
	Verdict   Verdict          `json:"verdict,omitempty"`
}

// Comparison compares the settings of a table with one of them.
type Comparison struct {
	Reference string       `json:"reference"`
	Chosen    bool         `json:"chosen"` // the reference was chosen as the best by the same figures, so it looks better than it is
	Rope      float64      `json:"rope"`
	Sets      []Difference `json:"sets"`
	Over      []Overall    `json:"over"`
	Notes     []string     `json:"notes"`
}

// identity identifies settings across sets: by their config or, if a validation part chooses it, by their name.
func (r Row) identity() string { return cmp.Or(string(r.Config), r.Setting) }

// Compare compares each setting with a reference, given by its name in the table. Without a name, the reference is
// the setting with the best mean rank over sets and protocols.
//
// Two rows are compared over the folds of all repeats that both have, where they share training and test bags. With
// an official split or a single fold they are compared over its bags; this needs a binary target. rope is the
// half-width of the region of practical equivalence, in the unit of the figure. Rows that cannot be compared are
// noted.
func (t Table) Compare(reference string, rope float64) (Comparison, error) {
	c := Comparison{Rope: rope, Chosen: reference == ""}
	if !(rope >= 0) || math.IsInf(rope, 1) {
		return c, fmt.Errorf("a region of practical equivalence of %v; give a difference of at least 0, say %v", rope, Rope)
	}
	id, err := t.reference(reference)
	if err != nil {
		return c, err
	}
	for rows := range t.comparisons() {
		at := slices.IndexFunc(rows, func(r Row) bool { return r.identity() == id })
		if at < 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("%s, %s: the reference is not there", rows[0].Set, rows[0].Protocol))
			continue
		}
		c.Reference = cmp.Or(c.Reference, rows[at].Setting)
		for i, r := range rows {
			if i == at {
				continue
			}
			if r.Leaked {
				c.Notes = append(c.Notes, fmt.Sprintf("%s: LEAKED, so that no difference means anything", r.Set))
				break
			}
			d, err := rows[at].less(r, rope)
			if errors.Is(err, errUncomparable) {
				c.Notes = append(c.Notes, fmt.Sprintf("%s, %s: %v", r.Set, r.Setting, err))
				continue
			}
			if err != nil {
				return c, fmt.Errorf("%s, %s: %w", r.Set, r.Setting, err)
			}
			c.Sets = append(c.Sets, d)
		}
	}
	if len(c.Sets) == 0 {
		return c, errors.New("there is nothing to compare: two settings on the same folds of a set are needed")
	}
	c.Over, err = overall(c.Sets, rope)
	if c.Chosen {
		c.Notes = append(c.Notes, fmt.Sprintf("the reference, %s, was chosen because its figures are the best, so it seems better than it is; name one that you had in mind before", c.Reference))
	}
	return c, err
}

// reference returns the identity of the named setting or, without a name, of the one with the best mean rank.
func (t Table) reference(name string) (string, error) {
	var names []string
	for _, r := range t.Rows {
		if name != "" && r.Setting == name {
			return r.identity(), nil
		}
		if !slices.Contains(names, r.Setting) {
			names = append(names, r.Setting)
		}
	}
	if name != "" {
		if near := spelling.Nearest(name, names); near != "" {
			return "", fmt.Errorf("%q is no setting of the table; did you mean %q?", name, near)
		}
		return "", fmt.Errorf("%q is no setting of the table; it has %s", name, strings.Join(names, ", "))
	}
	sums, counts := make(map[string]float64), make(map[string]int)
	for rows := range t.comparisons() {
		if len(rows) < 2 {
			continue
		}
		for _, r := range rows {
			rank := 1.0
			for _, s := range rows {
				if s.Mean > r.Mean+tied {
					rank++
				}
			}
			sums[r.identity()] += rank
			counts[r.identity()]++
		}
	}
	best := ""
	for _, r := range t.Rows { // in order, to break ties
		id := r.identity()
		switch {
		case counts[id] == 0:
		case best == "", counts[id] > counts[best],
			counts[id] == counts[best] && sums[id] < sums[best]-tied:
			best = id
		}
	}
	return best, nil
}

// errUncomparable is wrapped by errors that prevent comparing two rows.
var errUncomparable = errors.New("cannot be compared")

// less returns the difference between two rows of the same set and protocol.
func (r Row) less(s Row, rope float64) (Difference, error) {
	d := Difference{Set: r.Set, Protocol: r.Protocol, Figure: r.Figure, A: r.Setting, B: s.Setting, setting: s.identity()}
	if r.overFolds() && s.overFolds() {
		var a, b []float64
		for _, key := range slices.SortedFunc(maps.Keys(r.folds), foldKey.compare) {
			if other, both := s.folds[key]; both {
				a, b = append(a, r.folds[key]), append(b, other)
			}
		}
		return d.overFolds(a, b, 1/float64(r.Folds-1), rope)
	}
	if r.Target != mil.BinaryTarget || len(r.scores) == 0 || len(r.scores) != len(s.scores) {
		return d, fmt.Errorf("%w: of a single fold, that takes a binary target and as many repeats of both", errUncomparable)
	}
	difference, se, err := stats.DeLongDifference(r.labels, r.scores, s.scores)
	if stats.Undefined(err) {
		return d, fmt.Errorf("%w: %v", errUncomparable, err)
	}
	if err != nil {
		return d, err
	}
	d.MeanA, d.MeanB, d.Pairs, d.Over, d.Difference = r.Mean, s.Mean, len(r.labels), OverBags, difference
	half := distuv.UnitNormal.Quantile((1+level)/2) * se
	d.Low, d.High, d.P = difference-half, difference+half, 1
	if se > 0 {
		normal := distuv.Normal{Mu: difference, Sigma: se}
		d.P = math.Erfc(math.Abs(difference) / se / math.Sqrt2)
		d.Posterior = stats.Posterior{Better: normal.Survival(rope), Worse: normal.CDF(-rope)}
		d.Posterior.Equal = max(0, 1-d.Posterior.Better-d.Posterior.Worse)
	} else {
		d.Posterior = stats.Posterior{Equal: 1}
	}
	d.Verdict = verdictOf(d.Posterior)
	return d, nil
}

// overFolds completes a difference from the figures of both settings in the same folds.
func (d Difference) overFolds(a, b []float64, testToTrain, rope float64) (Difference, error) {
	if len(a) < 2 {
		return d, fmt.Errorf("%w: both have %d folds in common; run them with the same --seed, --folds and --repeats", errUncomparable, len(a))
	}
	d.MeanA, d.MeanB, d.Pairs, d.Over = stat.Mean(a, nil), stat.Mean(b, nil), len(a), OverFolds
	d.Difference = d.MeanA - d.MeanB
	d.Low, d.High, d.P = d.Difference, d.Difference, 1
	test, err := stats.CorrectedT(a, b, testToTrain)
	switch {
	case errors.Is(err, stats.ErrSameDifference):
	case err != nil:
		return d, err
	default:
		if d.Low, d.High, err = test.Interval(level); err != nil {
			return d, err
		}
		d.P = test.P
	}
	if d.Posterior, err = stats.BayesCorrelatedT(a, b, testToTrain, rope); err != nil {
		return d, err
	}
	d.Verdict = verdictOf(d.Posterior)
	return d, nil
}

// overall summarises differences over sets, for each setting and figure.
func overall(sets []Difference, rope float64) (list []Overall, err error) {
	type key struct{ setting, figure string }
	at := make(map[key]int)
	var means [][2][]float64 // of A and of B in each set
	for _, d := range sets {
		k := key{d.setting, d.Figure}
		i, known := at[k]
		if !known {
			i = len(list)
			at[k] = i
			list, means = append(list, Overall{Figure: d.Figure, A: d.A, B: d.B}), append(means, [2][]float64{})
		}
		means[i][0], means[i][1] = append(means[i][0], d.MeanA), append(means[i][1], d.MeanB)
		o := &list[i]
		o.Sets++
		switch d.Verdict {
		case BetterVerdict:
			o.Wins++
		case SameVerdict:
			o.Ties++
		case WorseVerdict:
			o.Losses++
		default:
			o.Open++
		}
	}
	for i, v := range means {
		o := &list[i]
		o.Difference = stat.Mean(v[0], nil) - stat.Mean(v[1], nil)
		if o.Sets < fewestSets {
			continue
		}
		test, err := stats.Wilcoxon(v[0], v[1])
		if err != nil {
			return nil, err
		}
		bayes := stats.DefaultBayesSignedRank()
		bayes.Rope = rope
		posterior, err := bayes.Compare(v[0], v[1], 1)
		if err != nil {
			return nil, err
		}
		o.P, o.Posterior, o.Verdict = &test.P, &posterior, verdictOf(posterior)
	}
	return slices.DeleteFunc(list, func(o Overall) bool { return o.Sets < 2 }), nil
}
