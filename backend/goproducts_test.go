package backend

import (
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
)

// TestGoProducts runs more large products at a time than there are cores.
func TestGoProducts(t *testing.T) {
	t.Setenv(compute.ConfigEnvVar, goConfig)
	c, err := New()
	must(t, err)
	defer c.Backend.Finalize()
	exec, err := graph.NewExec(c.Backend, func(x *graph.Node) *graph.Node {
		var sums []*graph.Node
		for i := range 16 {
			y := graph.AddScalar(x, float64(i))
			y = graph.Dot(graph.BroadcastToDims(y, 512, 256), graph.BroadcastToDims(y, 256, 512)).Product()
			sums = append(sums, graph.ReduceAllSum(y))
		}
		return graph.ReduceAllSum(graph.Stack(sums, 0))
	})
	must(t, err)
	done := make(chan error, 1)
	go func() {
		for range 3 {
			if _, err := exec.Call1(float32(1)); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the products wait for each other for ever")
	}
}
