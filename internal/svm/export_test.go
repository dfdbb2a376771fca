package svm

import "context"

// FitShrinking is CSVC.Fit for a kernel with its rows in memory and no weights, setting examples aside from n on.
func FitShrinking(ctx context.Context, s CSVC, k Kernel, positive []bool, n int) (*Machine, error) {
	d, err := s.dual(positive, nil)
	if err != nil {
		return nil, err
	}
	m, err := fitShrinking(ctx, d, k, s.Tolerance, s.MaxIterations, s.CacheBytes, n)
	return m.negated(), err
}

// RegressShrinking is SVR.Fit in the same way.
func RegressShrinking(ctx context.Context, s SVR, k Kernel, targets []float64, n int) (*Machine, error) {
	d, err := s.dual(targets)
	if err != nil {
		return nil, err
	}
	return fitShrinking(ctx, d, k, s.Tolerance, s.MaxIterations, s.CacheBytes, n)
}

func fitShrinking(ctx context.Context, d dual, k Kernel, tolerance float64, iterations int, bytes int64, n int) (*Machine, error) {
	o, err := newSMO(k.(viewer), d, bytes)
	if err != nil {
		return nil, err
	}
	o.shrinkFrom = n
	return o.solve(ctx, tolerance, iterations)
}
