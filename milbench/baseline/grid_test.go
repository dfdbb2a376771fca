package baseline_test

import (
	"fmt"
	"testing"
	"time"

	"synpool/milbench"
	"synpool/milbench/baseline"
	"synpool/milbench/dataset"
)

func TestGridTmp(t *testing.T) {
	var configs []baseline.Config
	for _, l := range baseline.Losses {
		for _, c := range []float64{1e-4, 1e-3, 1e-2, 0.1, 1, 10} {
			for _, w := range []bool{true, false} {
				configs = append(configs, baseline.Config{Loss: l, C: c, Weighted: w})
			}
		}
	}
	for _, name := range []string{"musk1", "elephant", "fox", "tiger", "web1", "web4", "needle-0.01", "needle-0.02", "needle-0.05", "needle-0.1", "needle-0.2", "needle-0.5"} {
		e, _ := dataset.Find(name)
		s, err := e.Load()
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		r := aucs(t, s, milbench.Protocol{Name: milbench.HonestProtocol, Folds: 10, Repeats: 1}, configs...)
		fmt.Println(name, time.Since(start), s.Bags[0].Instances.Sparse())
		for i, c := range configs {
			fmt.Printf("   %s C=%g w=%v %.3f", c.Loss, c.C, c.Weighted, r[i])
			if i%4 == 3 {
				fmt.Println()
			}
		}
	}
}
