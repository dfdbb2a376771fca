package backendtest

import (
	"os"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
)

func TestAll(t *testing.T) {
	var names []string
	var last compute.Backend
	for name, b := range All(t) {
		names = append(names, name)
		last = b
		if IsGo(b) != strings.HasPrefix(name, "go") {
			t.Errorf("%s is the Go backend: %v", name, IsGo(b))
		}
		t.Run(name, func(t *testing.T) {
			sum := graph.MustExecOnce(b, func(x *graph.Node) *graph.Node { return graph.ReduceAllSum(x) }, []float64{1, 2, 4})
			if got := sum.Value(); got != 7.0 {
				t.Errorf("sum is %v, want 7", got)
			}
		})
	}
	if asked := os.Getenv(compute.ConfigEnvVar); asked != "" {
		if len(names) != 1 {
			t.Errorf("GOMLX_BACKEND is %s, backends are %v", asked, names)
		}
	} else if names[0] != "go" || len(names) > 2 {
		t.Errorf("backends are %v, want the Go backend and then at most one other", names)
	}
	if last != Chosen(t) || Chosen(t) != Chosen(t) {
		t.Error("the chosen backend is not shared")
	}
}
