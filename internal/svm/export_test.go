package svm

import "context"

// FitShrinking is CSVC.Fit for a kernel with its rows in memory and no weights, setting examples aside from n on.
func FitShrinking(ctx context.Context, s CSVC, k Kernel, positive []bool, n int) (*Machine, error) {
	cost, err := costs(s.C, positive, nil)
	if err != nil {
		return nil, err
	}
	o, err := newSMO(k.(viewer), positive, cost, s.CacheBytes)
	if err != nil {
		return nil, err
	}
	o.shrinkFrom = n
	if err := o.run(ctx, s.Tolerance, s.MaxIterations); err != nil {
		return nil, err
	}
	return o.machine(), nil
}
