package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"synpool/internal/spelling"
)

// Method is a calibration method.
type Method string

// The calibration methods.
const (
	Temperature        Method = "temperature" // logits divided by one number
	Platt              Method = "platt"       // a sigmoid of a·score + b, see [Sigmoid]
	IsotonicRegression Method = "isotonic"    // the increasing function closest to the labels, see [Isotonic]
)

// Methods lists the methods.
var Methods = []Method{Temperature, Platt, IsotonicRegression}

// ParseMethod returns the method with the given name. The error for an unknown name suggests the nearest one.
func ParseMethod(name string) (Method, error) {
	if slices.Contains(Methods, Method(name)) {
		return Method(name), nil
	}
	return "", fmt.Errorf("%q: no such calibration; %s", name, spelling.Hint(Method(name), Methods))
}

// Calibration maps the scores of a bag to probabilities. [Fit] learns one, and it can be stored as JSON. Of the last
// three fields only that of its method is set.
type Calibration struct {
	Method  Method `json:"method"`
	Classes int    `json:"classes"` // 2 for a binary target
	Bags    int    `json:"bags"`    // number of bags it was learnt from

	// T divides logits, see [Fit].
	T float64 `json:"temperature,omitempty"`
	// Sigmoids and Isotonic have one curve for a binary target, and one-against-rest curves for each of several
	// classes.
	Sigmoids []Sigmoid  `json:"platt,omitempty"`
	Isotonic []Isotonic `json:"isotonic,omitempty"`
}

// maxScore limits the magnitude of scores, so that squares do not overflow.
const maxScore = 1e100

// ErrOneClass is wrapped by the error for bags that lack a class.
var ErrOneClass = errors.New("bags of every class are needed")

// Fit learns a calibration from labels and scores of held-out bags. Scores are [bags][1] for a binary target (2
// classes), otherwise [bags][classes]. With z the scores of a bag:
//
//	temperature  p = 1/(1+exp(−z/T)), for classes the softmax of z/T; T maximises the likelihood
//	platt        p = 1/(1+exp(−(a z + b))), with a and b as in [Sigmoid]
//	isotonic     p increases with z and is closest to the labels, as in [Isotonic]
//
// With several classes, Platt's and isotonic curves are learnt for each class against the rest, and the probabilities
// are divided by their sum, as in scikit-learn's CalibratedClassifierCV. Each curve uses only the score of its own
// class, so for logits a temperature is nearly always better.
//
// T is between e^−10 and e^10, as in scikit-learn. It is at the lower bound if the scores separate the classes at 0,
// and at the upper bound if they say nothing about the labels.
//
// Errors name the bag whose scores are not finite or whose label is invalid, or say that a class has no bag
// ([ErrOneClass]).
//
// Sources: C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, "On calibration of modern neural networks", ICML (2017);
// J. C. Platt, "Probabilistic outputs for support vector machines and comparisons to regularized likelihood methods",
// Advances in Large Margin Classifiers (1999); B. Zadrozny and C. Elkan, "Transforming classifier scores into
// accurate multiclass probability estimates", KDD (2002).
func Fit(method Method, classes int, labels []int, scores [][]float64) (*Calibration, error) {
	if _, err := ParseMethod(string(method)); err != nil {
		return nil, err
	}
	if err := check(classes, labels, scores); err != nil {
		return nil, err
	}
	c := &Calibration{Method: method, Classes: classes, Bags: len(labels)}
	if method == Temperature {
		c.T = temperature(labels, scores)
		return c, nil
	}
	one, positive := make([]float64, len(labels)), make([]bool, len(labels))
	for k := range width(classes) {
		class := k
		if classes == 2 {
			class = 1
		}
		for i, row := range scores {
			one[i], positive[i] = row[k], labels[i] == class
		}
		if method == IsotonicRegression {
			c.Isotonic = append(c.Isotonic, fitIsotonic(positive, one))
			continue
		}
		sigmoid, err := fitSigmoid(positive, one)
		if err != nil {
			return nil, err
		}
		c.Sigmoids = append(c.Sigmoids, sigmoid)
	}
	return c, nil
}

// width returns the number of scores per bag.
func width(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

// check returns an error if a calibration cannot be learnt from this data.
func check(classes int, labels []int, scores [][]float64) error {
	switch {
	case classes < 2:
		return fmt.Errorf("%d classes; a calibration needs at least 2, and targets that are real numbers or times have none", classes)
	case len(labels) != len(scores):
		return fmt.Errorf("%d labels and scores of %d bags", len(labels), len(scores))
	case len(labels) == 0:
		return errors.New("no bags")
	}
	count := make([]int, classes)
	for i, y := range labels {
		if y < 0 || y >= classes {
			return fmt.Errorf("bag %d has label %d; labels are 0 to %d", i, y, classes-1)
		}
		count[y]++
		if err := checkScores(classes, scores[i]); err != nil {
			return fmt.Errorf("bag %d: %w", i, err)
		}
	}
	for k, n := range count {
		if n == 0 {
			return fmt.Errorf("no bag of class %d among %d: %w", k, len(labels), ErrOneClass)
		}
	}
	return nil
}

// checkScores returns an error if the scores of a bag are invalid.
func checkScores(classes int, scores []float64) error {
	if len(scores) != width(classes) {
		return fmt.Errorf("%d scores, not %d", len(scores), width(classes))
	}
	for _, s := range scores {
		if !(math.Abs(s) <= maxScore) {
			return fmt.Errorf("its score is %v; it must be a number of at most %.0e", s, maxScore)
		}
	}
	return nil
}

// Probabilities returns the probabilities of a bag with these scores. For a binary target it is only that of the
// positive class; for several classes there is one each, and their sum is 1. Scores that are not finite, or too few
// or too many, are an error.
func (c *Calibration) Probabilities(scores []float64) ([]float64, error) {
	if err := checkScores(c.Classes, scores); err != nil {
		return nil, err
	}
	if c.Method == Temperature {
		return softmax(scores, 1/c.T), nil
	}
	p, sum := make([]float64, len(scores)), 0.0
	for k, s := range scores {
		if c.Method == Platt {
			p[k] = c.Sigmoids[k].Probability(s)
		} else {
			p[k] = c.Isotonic[k].Probability(s)
		}
		sum += p[k]
	}
	if c.Classes == 2 {
		return p, nil
	}
	for k := range p {
		if sum > 0 {
			p[k] /= sum
		} else {
			p[k] = 1 / float64(len(p)) // as in scikit-learn
		}
	}
	return p, nil
}

// Uncalibrated interprets scores as logits and returns the probabilities in the form of [Calibration.Probabilities]:
// 1/(1+exp(−score)), or for classes the softmax. They are meaningless if the scores are not logits.
func Uncalibrated(scores []float64) []float64 { return softmax(scores, 1) }

// Formula returns the formula for the probability of a score z in one line, for messages.
func (c *Calibration) Formula() string {
	switch {
	case c.Method == Temperature && c.Classes == 2:
		return fmt.Sprintf("1/(1+exp(-z/%.4g)) of a score z", c.T)
	case c.Method == Temperature:
		return fmt.Sprintf("softmax of the scores divided by %.4g", c.T)
	case c.Classes > 2:
		return fmt.Sprintf("a curve for each of %d classes, divided by their sum", c.Classes)
	case c.Method == Platt:
		return fmt.Sprintf("1/(1+exp(-(%.4g z %+.4g))) of a score z", c.Sigmoids[0].A, c.Sigmoids[0].B)
	}
	return fmt.Sprintf("between %d points that rise with the score", len(c.Isotonic[0].Scores))
}

// Inverted reports whether the probability decreases as the score increases. Then the scores rank held-out bags worse
// than chance.
func (c *Calibration) Inverted() bool {
	return slices.ContainsFunc(c.Sigmoids, func(s Sigmoid) bool { return s.A < 0 })
}

// AtBound reports whether the temperature is at one of its bounds, see [Fit].
func (c *Calibration) AtBound() bool {
	return c.Method == Temperature && math.Abs(math.Log(c.T)) > maxLogT-1e-6
}

// fewForIsotonic is about the number of bags that isotonic regression needs (scikit-learn, user guide).
const fewForIsotonic = 1000

// Warning says why the probabilities may be of little use, "" if nothing is known against them.
func (c *Calibration) Warning() string {
	switch {
	case c.Method == IsotonicRegression && c.Bags < fewForIsotonic:
		return fmt.Sprintf("isotonic regression needs about %d bags and with %d also learns their noise; platt and temperature need fewer",
			fewForIsotonic, c.Bags)
	case c.Inverted() && c.Classes > 2:
		return "bags with a higher score for a class belong to it less often, for at least one class; temperature uses the scores of all classes"
	case c.Inverted():
		return "held-out bags with higher scores are less often positive: the model orders new bags worse than chance"
	case c.AtBound():
		return fmt.Sprintf("the temperature %.2g is at its bound: held-out scores separate the classes perfectly or carry no information; try platt", c.T)
	}
	return ""
}

// Validate returns an error if c cannot be a result of [Fit].
func (c *Calibration) Validate() error {
	if _, err := ParseMethod(string(c.Method)); err != nil {
		return err
	}
	if c.Classes < 2 || c.Bags < c.Classes {
		return fmt.Errorf("a calibration of %d classes by %d bags", c.Classes, c.Bags)
	}
	want := map[Method]int{c.Method: width(c.Classes)}
	if len(c.Sigmoids) != want[Platt] || len(c.Isotonic) != want[IsotonicRegression] || (c.T != 0) != (c.Method == Temperature) {
		return fmt.Errorf("a calibration by %s of %d classes has %d sigmoids, %d isotonic curves and temperature %v",
			c.Method, c.Classes, len(c.Sigmoids), len(c.Isotonic), c.T)
	}
	if c.Method == Temperature && !(c.T >= math.Exp(-maxLogT) && c.T <= math.Exp(maxLogT)) {
		return fmt.Errorf("temperature %v is not within e^-10 to e^10", c.T)
	}
	for k, s := range c.Sigmoids {
		if err := s.validate(); err != nil {
			return fmt.Errorf("curve %d: %w", k, err)
		}
	}
	for k, s := range c.Isotonic {
		if err := s.validate(c.Bags); err != nil {
			return fmt.Errorf("curve %d: %w", k, err)
		}
	}
	return nil
}

// UnmarshalJSON implements [json.Unmarshaler]. It rejects unknown fields and calibrations that fail
// [Calibration.Validate].
func (c *Calibration) UnmarshalJSON(data []byte) error {
	type plain Calibration
	var read plain
	if err := strict(data, &read); err != nil {
		return err
	}
	*c = Calibration(read)
	return c.Validate()
}
