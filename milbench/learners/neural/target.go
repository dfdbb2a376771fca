package neural

import (
	"fmt"
	"math"
	"slices"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/batched"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// intervals is the number of intervals of time for survival. The last one is open: the model says nothing about it.
const intervals = 8

// target describes the output of a network for a bag, and its loss.
//
//	binary    one logit; the logistic loss
//	classes   one logit per class; the cross-entropy of their softmax
//	real      one number, standardised by the training part; the squared error, or Huber's loss
//	survival  one logit per interval of time, except for the last of eight: the hazard, which is the probability of the event
//	          in the interval for those who reach it; the negative log-likelihood. Or the logarithm of the risk; Cox's
//	          partial likelihood
//
// The intervals end at quantiles of the observed event times of the training part. Let k be the interval of a time, h_j
// the hazards, and e = 1 for an event. The likelihood is Π over j < k of (1−h_j), times h_k for an event. A censored
// bag counts only the intervals whose end it has reached. The same holds for an event in the last interval: no bag is
// seen to reach its end, so a hazard there would grow without bound. (Gensheimer and Narasimhan, "A scalable
// discrete-time survival model for neural networks", 2019.)
//
// Huber's loss of an error r is r²/2 up to |r| = 1, and |r| − 1/2 beyond. It limits the effect of a few outliers, and so
// does its unit: 1.4826 times the median distance of the targets of the training part from their median, which is the
// standard deviation for a normal distribution. If more than half of the targets are equal, only the others count. The
// loss equals torch.nn.HuberLoss with delta 1. (Huber, "Robust estimation of a location parameter", Annals of
// Mathematical Statistics 35, 1964.)
//
// Cox's loss compares the bags of a batch, with Breslow's approximation of ties. With η_i the log-risk of bag i, t_i
// its time, and d the number of events in the batch:
//
//	L = −1/d Σ over events i of (η_i − log Σ over j with t_j ≥ t_i of exp η_j)
//
// It is 0 for a batch without events. A batch holds bags of one bucket, and the last one of a bucket may hold a single
// bag, which cannot be compared with others. Large bags are trained one at a time, so this loss cannot be used for
// them. (Cox, "Regression models and life-tables", JRSS B 34, 1972; Breslow, "Covariance analysis of censored survival
// data", Biometrics 30, 1974; for networks: Katzman et al., "DeepSurv", BMC Medical Research Methodology 18, 2018.)
type target struct {
	kind      mil.TargetKind
	classes   int    // for a target of classes
	minimised string // name of the loss; "" is the default for the kind of target
	balanced  bool   // the loss of a bag counts by the weight of its class
}

// Names of the losses for real targets and survival.
const (
	squared = "squared"
	huber   = "huber"
	hazards = "hazards"
	cox     = "cox"
)

// kindLosses lists the losses for each kind of target that has several, the default first.
var kindLosses = map[mil.TargetKind][]string{
	mil.RealTarget:     {squared, huber},
	mil.SurvivalTarget: {hazards, cox},
}

// defaultLoss reports whether a loss is the default for a kind of target.
func defaultLoss(name string) bool {
	for _, losses := range kindLosses {
		if name == losses[0] {
			return true
		}
	}
	return false
}

// Class weights that a setting can choose ([Config.ClassWeight]).
const (
	unweighted = "none"
	balanced   = "balanced"
)

// CheckLoss reports a loss or class weights for another kind of target.
func (c Config) CheckLoss(kind mil.TargetKind) error {
	losses := kindLosses[kind]
	switch {
	case c.ClassWeight == balanced && losses != nil:
		return fmt.Errorf("class-weight %s: targets of kind %v have no classes; leave --class-weight out", balanced, kind)
	case c.Loss == "" || slices.Contains(losses, c.Loss):
		return nil
	case losses == nil:
		return fmt.Errorf("loss %s: targets of kind %v have one loss alone; leave --loss out", c.Loss, kind)
	}
	return fmt.Errorf("loss %s: not a loss of targets of kind %v; take %s", c.Loss, kind, strings.Join(losses, " or "))
}

func targetOf(kind mil.TargetKind, classes int) target {
	if kind != mil.ClassTarget {
		classes = 0
	}
	return target{kind: kind, classes: classes}
}

// by returns t with the named loss ([Config.Loss]).
func (t target) by(loss string) target {
	if t.minimised = loss; defaultLoss(loss) {
		t.minimised = ""
	}
	return t
}

// learns returns the target for the loss and the class weights of the setting.
func (c Config) learns(kind mil.TargetKind, classes int) target {
	t := targetOf(kind, classes).by(c.Loss)
	t.balanced = c.ClassWeight == balanced
	return t
}

// outputs returns the number of outputs of a network per bag.
func (t target) outputs() int {
	switch t.kind {
	case mil.ClassTarget:
		return t.classes
	case mil.SurvivalTarget:
		if t.minimised != cox {
			return intervals - 1
		}
	}
	return 1
}

// check reports a setting with a pooling that cannot learn the target.
func (t target) check(c Config) error {
	if c.Pooling == clam && (t.kind == mil.RealTarget || t.kind == mil.SurvivalTarget) {
		return fmt.Errorf("pooling %s clusters instances by classes, and learns no target of kind %v; take %s", c.Pooling, t.kind, gated)
	}
	return c.CheckLoss(t.kind)
}

// checkLarge reports a loss that cannot be used for large bags, because they are trained one at a time.
func (t target) checkLarge() error {
	if t.minimised == cox {
		return fmt.Errorf("loss %s: large bags are trained on one at a time, and it compares those of a batch; take --loss %s", cox, hazards)
	}
	return nil
}

// loss returns the loss of outputs [batch] or [batch, outputs], with labels [batch] ([targets.labels]), in two forms
// that differ only by rounding. The first is reported, the second differentiated. A members axis may come first.
func (t target) loss(outputs, labels *Node) (value, differentiated *Node) {
	switch t.kind {
	case mil.ClassTarget:
		loss := synlayer.CrossEntropy(outputs, labels)
		return loss, loss
	case mil.RealTarget:
		loss := Square(Sub(outputs, labels))
		if t.minimised == huber {
			loss = huberLoss(Sub(outputs, labels))
		}
		return loss, loss
	case mil.SurvivalTarget:
		if t.minimised == cox {
			loss := coxLoss(outputs, labels)
			return loss, loss
		}
		return t.survivalLoss(outputs, labels)
	}
	return batched.LogisticLoss(outputs, labels)
}

// huberLoss returns c·(|r| − c/2) with c = min(|r|, 1).
func huberLoss(r *Node) *Node {
	size := Abs(r)
	bounded := MinScalar(size, 1.0)
	return Mul(bounded, Sub(size, DivScalar(bounded, 2)))
}

// coxLoss returns a share of Cox's loss for each bag, so that the mean over the bags of a batch is the loss of the
// batch. For an event i with log-risks η and n bags it is
//
//	n/d · (log Σ exp η_j − η_i)
//
// and 0 for other bags. Labels are twice the rank of the time, from 1, plus 1 for an event. A place without a bag has
// label 0, so no event is compared with it.
func coxLoss(risks, labels *Node) *Node {
	number := func(of *Node) *Node { return ConvertDType(of, risks.DType()) }
	ranks := Floor(DivScalar(labels, 2))
	events := Sub(labels, MulScalar(ranks, 2))
	square := append(slices.Clone(risks.Shape().Dimensions), risks.Shape().Dim(-1))
	other := func(x *Node) *Node { return BroadcastToDims(ExpandAxes(x, -2), square...) } // along the last axis
	atRisk := GreaterOrEqual(other(ranks), BroadcastToDims(ExpandAxes(ranks, -1), square...))
	shown := Where(atRisk, other(risks), Infinity(risks.Graph(), risks.DType(), -1))
	largest := StopGradient(ReduceMax(shown, -1))
	shifted := Sub(other(risks), BroadcastToDims(ExpandAxes(largest, -1), square...))
	powers := Mul(Exp(Where(atRisk, shifted, ZerosLike(shifted))), number(atRisk))
	share := Div(ReduceAndKeep(number(GreaterThan(ranks, ZerosLike(ranks))), ReduceSum, -1), MaxScalar(ReduceAndKeep(events, ReduceSum, -1), 1))
	losses := Mul(events, Sub(Add(Log(ReduceSum(powers, -1)), largest), risks))
	return Mul(losses, BroadcastToDims(share, losses.Shape().Dimensions...))
}

// survivalLoss returns −log of the likelihood. With the logit l of a hazard h, −log(1−h) = log(1+exp l) and −log h =
// log(1+exp l) − l.
func (t target) survivalLoss(logits, labels *Node) (value, differentiated *Node) {
	number := ConvertDType(Iota(logits.Graph(), logits.Shape(), logits.Rank()-1), logits.DType())
	label := BroadcastToDims(ExpandAxes(labels, -1), logits.Shape().Dimensions...)
	reached := ConvertDType(LessThan(AddScalar(MulScalar(number, 2), 1), AddScalar(label, 0.5)), logits.DType()) // its end, or the event
	happened := ConvertDType(Equal(AddScalar(MulScalar(number, 2), 1), label), logits.DType())
	sum := func(softened *Node) *Node {
		return ReduceSum(Sub(Mul(softened, reached), Mul(logits, happened)), -1)
	}
	value, differentiated = batched.Softened(logits)
	return sum(value), sum(differentiated)
}

// losses returns the loss to minimise for each bag, in both forms of [target.loss].
func losses(c synlayer.Classification, t target, labels *Node) (value, differentiated *Node) {
	if t.balanced {
		classes := Floor(labels)
		share := MulScalar(Sub(labels, classes), 2)
		weights := Div(share, OneMinus(share))
		t.balanced = false
		value, differentiated = losses(c, t, classes)
		return Mul(value, weights), Mul(differentiated, weights)
	}
	if c.Loss == nil {
		return t.loss(c.Logits, labels)
	}
	loss := c.Loss(func(outputs *Node) *Node {
		value, differentiated := t.loss(outputs, labels)
		return synlayer.StraightThrough(differentiated, value)
	}, labels)
	return loss, loss
}

// targets converts the targets of a training part into labels for a network, and its outputs into scores.
type targets struct {
	Mean float64   `json:"mean,omitempty"` // for real targets; the median for Huber's loss
	SD   float64   `json:"sd,omitempty"`   // standard deviation of real targets, or the unit of Huber's loss; 0 means 1
	Ends []float64 `json:"ends,omitempty"` // ends of all intervals of time except the last
}

// targets returns the targets of a training part.
func (t target) targets(train []cv.Example) (s targets) {
	switch t.kind {
	case mil.RealTarget:
		if t.minimised == huber {
			var values []float64
			for _, e := range train {
				values = append(values, e.Value)
			}
			s.Mean, s.SD = mil.Robust(values)
			return s
		}
		n := float64(len(train))
		for _, e := range train {
			s.Mean += e.Value / n
		}
		for _, e := range train {
			s.SD += (e.Value - s.Mean) * (e.Value - s.Mean) / n
		}
		s.SD = math.Sqrt(s.SD)
	case mil.SurvivalTarget:
		if t.minimised == cox {
			return s
		}
		var times []float64
		for _, e := range train {
			if e.Event {
				times = append(times, e.Value)
			}
		}
		slices.Sort(times)
		for k := 1; k < intervals && len(times) > 0; k++ {
			s.Ends = append(s.Ends, times[(k*len(times)+intervals-1)/intervals-1])
		}
	}
	return s
}

// unit returns the divisor of real targets.
func (s targets) unit() float64 {
	if s.SD == 0 {
		return 1
	}
	return s.SD
}

// labels returns the labels that the loss takes for the targets of a training part. With class weights, w/(1+w)/2 is
// added to the number of a class. Its weight w is the number of bags of the rarest class divided by its own: none is above
// 1, because gradients are clipped.
func (s targets) labels(t target, examples []cv.Example) []float32 {
	labels := make([]float32, len(examples))
	if t.minimised == cox {
		var times []float64
		for _, e := range examples {
			times = append(times, e.Value)
		}
		slices.Sort(times)
		times = slices.Compact(times)
		for i, e := range examples {
			k, _ := slices.BinarySearch(times, e.Value)
			if labels[i] = float32(2 * (k + 1)); e.Event {
				labels[i]++
			}
		}
		return labels
	}
	bags := make(map[int]float64) // by class
	for i, e := range examples {
		labels[i] = s.label(t, e.Target)
		bags[e.Label]++
	}
	rarest := float64(len(examples))
	for _, n := range bags {
		rarest = min(rarest, n)
	}
	for i, e := range examples {
		if t.balanced {
			w := rarest / bags[e.Label]
			labels[i] += float32(w / (1 + w) / 2)
		}
	}
	return labels
}

// label returns the label that the loss takes for a target. For survival, it is 2k+1 for an event in interval k, from
// 0, except the last. It is 2k for a bag that has reached the ends of k intervals if no more is known.
func (s targets) label(t target, e mil.Target) float32 {
	switch t.kind {
	case mil.RealTarget:
		return float32((e.Value - s.Mean) / s.unit())
	case mil.SurvivalTarget:
		k, _ := slices.BinarySearch(s.Ends, e.Value) // those that end before the time
		if e.Event && k < len(s.Ends) {
			return float32(2*k + 1)
		}
		for k < len(s.Ends) && s.Ends[k] == e.Value { // it has reached this one, too
			k++
		}
		return float32(2 * k)
	}
	return float32(e.Label)
}

// scores returns the scores of a bag, as [mil.Prediction] defines them. For survival by intervals, the score is
// the logarithm of the cumulative hazard at the last end.
func (s targets) scores(t target, outputs []float32) []float64 {
	scores := make([]float64, len(outputs))
	for k, v := range outputs {
		scores[k] = float64(v)
	}
	switch t.kind {
	case mil.RealTarget:
		scores[0] = s.Mean + s.unit()*scores[0]
	case mil.SurvivalTarget:
		if t.minimised == cox {
			return scores
		}
		hazard := 0.0
		for _, l := range outputs {
			hazard += softplus(l)
		}
		return []float64{math.Log(hazard)}
	}
	return scores
}

// softplus returns log(1+exp l). For the logit l of a hazard h, it is −log(1−h).
func softplus(l float32) float64 {
	return float64(max(l, 0)) + math.Log1p(math.Exp(-math.Abs(float64(l))))
}

// survival returns the survival curve of a bag, or nil if there are no intervals. The probability after the end of
// interval k is the product of 1−h over the hazards up to it. If ends are equal, the last one counts.
func (s targets) survival(outputs []float32) *mil.Survival {
	if s.Ends == nil {
		return nil
	}
	var curve mil.Survival
	hazard := 0.0
	for k, l := range outputs {
		hazard += softplus(l)
		if k+1 < len(s.Ends) && s.Ends[k+1] == s.Ends[k] {
			continue
		}
		curve.Times, curve.Alive = append(curve.Times, s.Ends[k]), append(curve.Alive, math.Exp(-hazard))
	}
	return &curve
}

// check reports impossible numbers.
func (s targets) check(t target) error {
	finite := func(v float64) bool { return v-v == 0 }
	if !finite(s.Mean) || !finite(s.SD) || s.SD < 0 {
		return fmt.Errorf("targets with mean %v and standard deviation %v", s.Mean, s.SD)
	}
	if n := len(s.Ends); n != 0 && (t.kind != mil.SurvivalTarget || t.minimised == cox || n != intervals-1) {
		return fmt.Errorf("%d ends of intervals for a target of kind %v", n, t.kind)
	}
	if !slices.IsSorted(s.Ends) || slices.ContainsFunc(s.Ends, func(v float64) bool { return !finite(v) }) {
		return fmt.Errorf("ends of intervals %v", s.Ends)
	}
	return nil
}
