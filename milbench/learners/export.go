package learners

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"synpool/internal/onnx"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// Exportable reports why models of a setting cannot be written as ONNX ([learner.Exporter]), or nil if nothing is known against it.
func Exportable(setting json.RawMessage) error {
	entry, err := Find(learner.Name(setting))
	if err != nil {
		return nil // a network, an ensemble or a portfolio
	}
	estimator, err := entry.Parse(setting)
	if err != nil {
		return err
	}
	if e, says := estimator.(interface{ Exportable() error }); says {
		return e.Exportable()
	}
	return nil
}

// OnlyExportable returns a setting whose models can be written as ONNX: of a portfolio, without the candidates that cannot, whose names
// it returns. Another setting that cannot is an error.
func OnlyExportable(setting json.RawMessage) (rest json.RawMessage, left []string, err error) {
	p, is, err := portfolioOf(setting)
	if err != nil {
		return nil, nil, err
	}
	if !is {
		_, of, err := Members(setting)
		if err == nil {
			err = Exportable(of)
		}
		return setting, nil, err
	}
	p.Candidates = slices.DeleteFunc(slices.Clone(p.Candidates), func(c json.RawMessage) bool {
		out := Exportable(c) != nil
		if name := learner.Name(c); out && !slices.Contains(left, name) {
			left = append(left, name)
		}
		return out
	})
	if rest, err = p.Setting(); len(p.Candidates) == 0 {
		err = fmt.Errorf("no candidate of %s can be written as ONNX", AutoName)
	}
	return rest, left, err
}

// Export implements [learner.Exporter].
func (m *classicModel) Export(g *onnx.Graph, x string) (learner.Exported, error) {
	e, can := m.fitted.(learner.Exporter)
	if !can {
		return learner.Exported{}, fmt.Errorf("%s: %w", m.entry.Name, learner.ErrNoExport)
	}
	out, err := e.Export(g, x)
	if err != nil {
		err = fmt.Errorf("%s: %w", m.entry.Name, err)
	}
	return out, err
}

// Export implements [learner.Exporter].
func (m *joinedModel) Export(g *onnx.Graph, x string) (out learner.Exported, err error) {
	classes := m.card.Target == mil.ClassTarget
	var scores, instances, perClass, alive []string
	total := 0.
	for k, one := range m.models {
		e, can := one.(learner.Exporter)
		if !can {
			return out, fmt.Errorf("member %d: %w", k+1, learner.ErrNoExport)
		}
		part, err := e.Export(g, x)
		if err != nil {
			return out, fmt.Errorf("member %d: %w", k+1, err)
		}
		w := m.card.Members[k].Weight
		weighed := func(values string) string { return g.Op("Mul", values, g.Double(w)) }
		scores = append(scores, part.Scores)
		if part.Alive != "" && m.combination == nil {
			alive, out.Times = append(alive, weighed(part.Alive)), part.Times
		}
		out.Unscored = out.Unscored || part.Unscored
		if part.Instances == "" || classes && part.ClassInstances == "" {
			continue
		}
		total += w
		scaled := func(values string) string {
			if m.combination != nil {
				values = standardised(g, values)
			}
			return weighed(values)
		}
		if instances = append(instances, scaled(part.Instances)); classes {
			perClass = append(perClass, scaled(part.ClassInstances))
		}
	}
	sum := func(list []string) string {
		all := list[0]
		for _, one := range list[1:] {
			all = g.Op("Add", all, one)
		}
		return all
	}
	if m.combination == nil {
		out.Scores = g.Op("Mul", sum(scores), g.Double(1/float64(len(scores))))
		if alive != nil {
			out.Alive = sum(alive)
		}
	} else {
		out.Scores = m.combination.export(g, scores)
	}
	if out.Unscored { // the mean over the others would be another one
		return out, nil
	}
	if instances != nil {
		out.Instances = g.Op("Div", sum(instances), g.Double(total))
	}
	if perClass != nil {
		out.ClassInstances = g.Op("Div", sum(perClass), g.Double(total))
		best := g.With("ArgMax", []onnx.Attribute{{Name: "axis", Value: int64(0)}, {Name: "keepdims", Value: int64(0)}}, out.Scores)
		out.Instances = g.Op("Gather", out.ClassInstances, best)
	}
	return out, nil
}

// standardised adds [addStandardised] without its factor, over the last axis.
func standardised(g *onnx.Graph, values string) string {
	change := g.Op("Sub", values, g.Reduce("ReduceMean", values, true, -1))
	sd := g.Op("Sqrt", g.Reduce("ReduceMean", g.Op("Mul", change, change), true, -1))
	spread := g.Op("Greater", sd, g.Double(0))
	return g.Op("Where", spread, g.Op("Div", change, g.Op("Where", spread, sd, g.Double(1))), g.Double(0))
}

// export adds [combination.Score].
func (c *combination) export(g *onnx.Graph, scores []string) string {
	all := ""
	add := func(values string, w float64) {
		if values = g.Op("Mul", values, g.Double(w)); all != "" {
			values = g.Op("Add", all, values)
		}
		all = values
	}
	for m, w := range c.Weights {
		switch {
		case w == 0:
		case c.Rankers != nil:
			add(c.Rankers[m].export(g, scores[m]), w)
		case c.Curves != nil:
			add(c.Curves[m].Export(g, logOddsOf(g, scores[m], c.width())), w)
		default:
			add(scores[m], w)
		}
	}
	switch c.Kind {
	case mil.ClassTarget:
		return g.Op("Log", g.Op("Max", all, g.Double(leastProbability)))
	case mil.SurvivalTarget:
		return all
	}
	return g.Op("Add", g.Op("Mul", all, g.Double(c.Slope)), g.Double(c.Shift))
}

// logOddsOf adds the log-odds of each of n classes: its score less the logarithm of the sum of the exponentials of the others.
func logOddsOf(g *onnx.Graph, scores string, n int) string {
	own := make([]float64, n*n) // −∞ on the diagonal leaves out the class itself
	for k := range n {
		own[k*n+k] = math.Inf(-1)
	}
	others := g.Op("Add", scores, g.Doubles(own, n, n))
	largest := g.Reduce("ReduceMax", others, true, 1)
	sum := g.Reduce("ReduceSum", g.Op("Exp", g.Op("Sub", others, largest)), false, 1)
	return g.Op("Sub", scores, g.Op("Add", g.Op("Squeeze", largest, g.Ints(1)), g.Op("Log", sum)))
}

// export adds [ranker.of] of a score [1].
func (r ranker) export(g *onnx.Graph, score string) string {
	n := len(r)
	first, last := g.Double(r[0]), g.Double(r[n-1])
	list := g.Doubles(r, n)
	double := func(b string) string { return g.Cast(b, onnx.Double) }
	below := g.Reduce("ReduceSum", double(g.Op("Less", list, score)), true, 0) // held-out scores below
	spread := g.Double(max(r[n-1]-r[0], math.SmallestNonzeroFloat64))
	value := func(place string) string {
		within := g.Op("Min", g.Op("Max", place, g.Double(0)), g.Double(float64(n-1)))
		return g.Op("Gather", list, g.Cast(within, onnx.Int64))
	}
	low, high := value(g.Op("Sub", below, g.Double(1))), value(below)
	found := g.Op("Equal", high, score)
	tail := func(distance string) string { // 0.5 / (1 + distance/spread)
		return g.Op("Div", g.Double(0.5), g.Op("Add", g.Double(1), g.Op("Div", distance, spread)))
	}
	width := g.Op("Sub", high, low)
	width = g.Op("Where", g.Op("Greater", width, g.Double(0)), width, g.Double(1))
	rank := g.Op("Sub", g.Op("Add", below, g.Op("Div", g.Op("Sub", score, low), width)), g.Double(0.5))
	rank = g.Op("Where", g.Op("Greater", score, last), g.Op("Sub", g.Double(float64(n)), tail(g.Op("Sub", score, last))), rank)
	rank = g.Op("Where", g.Op("Less", score, first), tail(g.Op("Sub", first, score)), rank)
	rank = g.Op("Where", found, g.Op("Add", below, g.Double(0.5)), rank)
	p := g.Op("Div", rank, g.Double(float64(n)))
	return normalQuantile(g, g.Op("Min", g.Op("Max", p, g.Double(1e-9)), g.Double(1-1e-9)))
}

// normalQuantile adds the quantile of the standard normal distribution at p from 1e-9 to 1 − 1e-9, to a relative error of 1e-15:
// ratios of polynomials around 1/2 and in the tails.
//
// Source: M. J. Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics 37 (1988).
func normalQuantile(g *onnx.Graph, p string) string {
	polynomial := func(x string, coefficients ...float64) string { // the lowest first
		y := g.Double(coefficients[len(coefficients)-1])
		for k := len(coefficients) - 2; k >= 0; k-- {
			y = g.Op("Add", g.Op("Mul", y, x), g.Double(coefficients[k]))
		}
		return y
	}
	q := g.Op("Sub", p, g.Double(0.5))
	r := g.Op("Sub", g.Double(0.180625), g.Op("Mul", q, q))
	middle := g.Op("Mul", q, g.Op("Div",
		polynomial(r, 3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
			4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3),
		polynomial(r, 1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
			2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3)))
	far := g.Op("Sub", g.Op("Sqrt", g.Op("Neg", g.Op("Log", g.Op("Min", p, g.Op("Sub", g.Double(1), p))))), g.Double(1.6))
	tail := g.Op("Mul", g.Op("Sign", q), g.Op("Div",
		polynomial(far, 1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
			1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4),
		polynomial(far, 1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
			1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9)))
	return g.Op("Where", g.Op("LessOrEqual", g.Op("Abs", q), g.Double(0.425)), middle, tail)
}
