package audit

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"

	"synpool/milbench/mil"
)

// eachBag calls work for the bags on all cores, and take with the results, one after another and in order.
func eachBag[T any](bags []mil.Bag, work func(x mil.Instances) (T, error), take func(i int, result T)) error {
	workers := runtime.GOMAXPROCS(0)
	results, errs := make([]T, 2*workers), make([]error, 2*workers) // of a few bags at a time, because results may be large
	for first := 0; first < len(bags); first += len(results) {
		some := bags[first:min(first+len(results), len(bags))]
		var next atomic.Int64
		var running sync.WaitGroup
		for range min(workers, len(some)) {
			running.Go(func() {
				for i := int(next.Add(1)) - 1; i < len(some); i = int(next.Add(1)) - 1 {
					results[i], errs[i] = work(some[i].Instances)
				}
			})
		}
		running.Wait()
		if err := cmp.Or(errs[:len(some)]...); err != nil {
			return err
		}
		for i := range some {
			take(first+i, results[i])
		}
	}
	return nil
}
