package corpus

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"synpool/internal/lbfgs"
)

// Logistic is multinomial logistic regression with an L2 penalty. It minimises, over weights W and biases b,
//
//	sum_i s_i * -log softmax(W x_i + b)[y_i]  +  |W|^2 / (2 C)     divided by sum_i s_i
//
// with s_i = 1 or, if Balanced, N / (K N_k) for a text of class k, where N is the number of texts, N_k that of class k, and
// K the number of classes. The biases are not penalised. With two classes the weights of class 0 are zero. It is the same
// model as scikit-learn's LogisticRegression, fitted by L-BFGS from zero.
type Logistic struct {
	C          float64 // inverse strength of the penalty
	Balanced   bool    // give rare classes the same total weight as frequent ones
	Tolerance  float64 // largest derivative allowed at the end
	Iterations int     // maximum number of iterations; reaching it is an error
}

// logisticModel is a fitted [Logistic].
type logisticModel struct {
	weights [][]float64 // [class][column]
	bias    []float64   // [class]
}

// fit finds the weights for rows with the given number of columns and labels 0 to classes-1. Every class must occur.
func (l Logistic) fit(rows []row, columns int, labels []int, classes int) (*logisticModel, error) {
	if !(l.C > 0) || math.IsInf(l.C, 0) || !(l.Tolerance > 0) || l.Iterations < 1 {
		return nil, fmt.Errorf("logistic regression with C %v, tolerance %v and %d iterations; all are above 0 and finite", l.C, l.Tolerance, l.Iterations)
	}
	counts, err := countClasses(labels, len(rows), classes)
	if err != nil {
		return nil, err
	}
	if columns >= largestFit/classes {
		return nil, fmt.Errorf("%d classes of %d columns; at most %d weights and biases can be fitted", classes, columns, largestFit)
	}
	f := objective{rows: rows, labels: labels, columns: columns, classes: classes, free: classes, share: make([]float64, classes)}
	if classes == 2 {
		f.free = 1
	}
	sum := 0.0
	for k, n := range counts {
		f.share[k] = 1
		if l.Balanced {
			f.share[k] = float64(len(rows)) / float64(classes*n)
		}
		sum += f.share[k] * float64(n)
	}
	for k := range f.share {
		f.share[k] /= sum
	}
	f.penalty = 1 / (l.C * sum)

	found, err := lbfgs.Minimise(context.Background(), f.free*(columns+1), f.compute, l.Tolerance, l.Iterations)
	if errors.Is(err, lbfgs.ErrNotConverged) {
		err = fmt.Errorf("%w; allow more iterations or a larger tolerance", err)
	}
	if err != nil {
		return nil, fmt.Errorf("logistic regression: %w", err)
	}
	return f.model(found), nil
}

// largestFit is the maximum number of weights and biases: more is likely a typo.
const largestFit = 1 << 26

// countClasses counts the labels of n texts; each of 0 to classes-1 must occur at least once.
func countClasses(labels []int, n, classes int) ([]int, error) {
	if len(labels) != n {
		return nil, fmt.Errorf("%d labels for %d texts", len(labels), n)
	}
	if classes < 2 {
		return nil, fmt.Errorf("%d classes; there are 2 or more", classes)
	}
	if classes > n {
		return nil, fmt.Errorf("%d classes of %d texts; every class has a text", classes, n)
	}
	counts := make([]int, classes)
	for i, y := range labels {
		if y < 0 || y >= classes {
			return nil, fmt.Errorf("label %d of text %d; labels are from 0 to %d", y, i, classes-1)
		}
		counts[y]++
	}
	if k := slices.Index(counts, 0); k >= 0 {
		return nil, fmt.Errorf("no text of class %d", k)
	}
	return counts, nil
}

// objective is the function that [Logistic] minimises. Its argument has the weights of the last free classes, class by class
// for each column, followed by the biases of these classes.
type objective struct {
	rows    []row
	labels  []int
	columns int
	classes int
	free    int
	share   []float64 // weight of a text of each class in the mean loss
	penalty float64
}

// model returns the weights in x.
func (f *objective) model(x []float64) *logisticModel {
	m := &logisticModel{weights: make([][]float64, f.classes), bias: make([]float64, f.classes)}
	for k := range m.weights {
		m.weights[k] = make([]float64, f.columns)
		if free := k - (f.classes - f.free); free >= 0 {
			for c := range m.weights[k] {
				m.weights[k][c] = x[c*f.free+free]
			}
			m.bias[k] = x[f.columns*f.free+free]
		}
	}
	return m
}

// compute returns the value and sets the gradient, as [lbfgs.Function] says.
func (f *objective) compute(x, gradient []float64) float64 {
	copy(gradient, x)
	weights := f.columns * f.free
	floats.Scale(f.penalty, gradient[:weights])
	clear(gradient[weights:])
	value := f.penalty / 2 * floats.Dot(x[:weights], x[:weights])

	logits := make([]float64, f.classes)
	free := logits[f.classes-f.free:]
	for i, r := range f.rows {
		clear(logits)
		copy(free, x[weights:])
		for j, c := range r.columns {
			floats.AddScaled(free, r.values[j], x[c*f.free:(c+1)*f.free])
		}
		y := f.labels[i]
		norm := floats.LogSumExp(logits)
		value += f.share[y] * (norm - logits[y])
		for k := range logits { // from here on logits holds the derivatives by the logits
			logits[k] = math.Exp(logits[k] - norm)
		}
		logits[y]--
		floats.Scale(f.share[y], free)
		for j, c := range r.columns {
			floats.AddScaled(gradient[c*f.free:(c+1)*f.free], r.values[j], free)
		}
		floats.Add(gradient[weights:], free)
	}
	return value
}

// probabilities returns the probability of each class; one that is NaN is an error.
func (m *logisticModel) probabilities(r row) ([]float64, error) {
	p := slices.Clone(m.bias)
	for k, w := range m.weights {
		for j, c := range r.columns {
			p[k] += w[c] * r.values[j]
		}
	}
	norm := floats.LogSumExp(p)
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return nil, errors.New("the weights of the regression are too large for the text; fit it with a smaller C")
	}
	for k := range p {
		p[k] = math.Exp(p[k] - norm)
	}
	return p, nil
}
