package interop

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"synpool/milbench/mil"
)

// Columns of scores, as milbench predict writes them. For classes, the class name follows the underscore.
const (
	scoreColumn       = "score"
	probabilityColumn = "probability"
	scorePrefix       = scoreColumn + "_"
	probabilityPrefix = probabilityColumn + "_"
)

const (
	// edge limits how near to 0 and 1 a probability may be, so that logarithms are finite. Others are moved to the
	// limit.
	edge = 1e-12
	// slack is how far the sum of class probabilities may be from 1, to allow for rounding.
	slack = 1e-3
)

// logit returns the log-odds of a probability.
func logit(p float64) float64 { return logOf(p) - logOf(1-p) }

// logOf returns the logarithm of a probability.
func logOf(p float64) float64 { return math.Log(max(p, edge)) }

// reader returns a function that reads the scores of a line, given the header and the kind of target.
func (p *Parts) reader(header line) (func(line) ([]float64, error), error) {
	switch p.Kind {
	case mil.BinaryTarget:
		byClass := slices.ContainsFunc(header.header, func(name string) bool { return classColumn(name) && p.classOf(name) >= 0 })
		alone, err := header.one(scoreColumn, probabilityColumn)
		switch {
		case err != nil:
			return nil, err
		case alone != "" && byClass:
			return nil, fmt.Errorf("both a column %s and columns of classes; keep one", alone)
		case alone == scoreColumn:
			return single(scoreColumn), nil
		case alone == probabilityColumn:
			return func(l line) ([]float64, error) {
				v, err := l.probability(probabilityColumn)
				return []float64{logit(v)}, err
			}, nil
		case !byClass:
			return nil, errors.New("no column score or probability")
		}
		read, err := p.classes(header)
		if err != nil {
			return nil, err
		}
		return func(l line) ([]float64, error) {
			scores, err := read(l)
			if err != nil {
				return nil, err
			}
			return []float64{scores[1] - scores[0]}, nil
		}, nil
	case mil.ClassTarget:
		return p.classes(header)
	case mil.RealTarget:
		column, err := header.one("prediction", "value")
		if err == nil && column == "" {
			err = errors.New("no column prediction or value")
		}
		return single(column), err
	}
	return single("risk"), header.need([]string{"risk"})
}

// one returns the one of two columns that exists, or "" if neither does. Both together are an error.
func (l line) one(a, b string) (string, error) {
	switch {
	case l.has(a) && l.has(b):
		return "", fmt.Errorf("both a column %s and a column %s; keep one", a, b)
	case l.has(a):
		return a, nil
	case l.has(b):
		return b, nil
	}
	return "", nil
}

// single returns a function that reads the number in a column.
func single(column string) func(line) ([]float64, error) {
	return func(l line) ([]float64, error) {
		v, err := l.number(column)
		return []float64{v}, err
	}
}

// probability parses a number from 0 to 1.
func (l line) probability(column string) (float64, error) {
	v, err := l.number(column)
	if err == nil && (v < 0 || v > 1) {
		score := strings.Replace(column, probabilityColumn, scoreColumn, 1)
		err = fmt.Errorf("%s %v; it is from 0 to 1: call the column %s if it is none", column, v, score)
	}
	return v, err
}

// classColumn reports whether a column belongs to a class.
func classColumn(name string) bool {
	return strings.HasPrefix(name, scorePrefix) || strings.HasPrefix(name, probabilityPrefix)
}

// classOf returns the class of a column, or -1 if there is none.
func (p *Parts) classOf(column string) int {
	_, word, _ := strings.Cut(column, "_")
	return slices.Index(p.Classes, word)
}

// classes returns a function that reads one logit per class: the scores, or the logarithms of the probabilities.
func (p *Parts) classes(header line) (func(line) ([]float64, error), error) {
	prefix := ""
	for _, name := range header.header {
		if !classColumn(name) {
			continue
		}
		if p.classOf(name) < 0 {
			return nil, fmt.Errorf("column %s belongs to no class; the classes are %s", name, strings.Join(p.Classes, ", "))
		}
		kind, _, _ := strings.Cut(name, "_")
		if kind += "_"; prefix != "" && prefix != kind {
			return nil, fmt.Errorf("columns %s and %s; keep one kind", scorePrefix+p.Classes[0], probabilityPrefix+p.Classes[0])
		}
		prefix = kind
	}
	if prefix == "" {
		return nil, fmt.Errorf("no columns %s and so on, or %s and so on", scorePrefix+p.Classes[0], probabilityPrefix+p.Classes[0])
	}
	for _, class := range p.Classes {
		if !header.has(prefix + class) {
			return nil, fmt.Errorf("no column %s; each of the classes %s needs one", prefix+class, strings.Join(p.Classes, ", "))
		}
	}
	return func(l line) ([]float64, error) {
		scores, sum := make([]float64, len(p.Classes)), 0.0
		for class, word := range p.Classes {
			var err error
			if prefix == scorePrefix {
				scores[class], err = l.number(prefix + word)
			} else if scores[class], err = l.probability(prefix + word); err == nil {
				sum += scores[class]
				scores[class] = logOf(scores[class])
			}
			if err != nil {
				return nil, err
			}
		}
		if prefix == probabilityPrefix && math.Abs(sum-1) > slack {
			return nil, fmt.Errorf("its probabilities sum to %.4g, not to 1 within %v", sum, slack)
		}
		return scores, nil
	}, nil
}
