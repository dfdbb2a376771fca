package learner

import (
	"fmt"
	"math"
	"testing"
)

// TestTimeOf checks that a further worker waits until the first has prepared a group, or prepares it for itself.
func TestTimeOf(t *testing.T) {
	for _, c := range []struct {
		g    Group
		want float64
	}{
		{Group{Blocks: 8, Compile: 12, Block: 2}, 20},              // each compiles
		{Group{Blocks: 8, Compile: 12, Join: 0.5, Block: 2}, 20.5}, // the second begins half a second later
		{Group{Blocks: 4, Compile: 12, Block: 2}, 20},              // it does not pay to compile for three blocks
		{Group{Blocks: 4, Compile: 12, Join: 0.5, Block: 2}, 16.5},
	} {
		if got := TimeOf([]Group{c.g}, 2).Seconds(); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: %v s, want %v", c.g, got, c.want)
		}
	}
}

func ExampleTimeOf() {
	groups := []Group{{Blocks: 3, Compile: 2, Block: 1}, {Blocks: 3, Compile: 2, Block: 1}}
	fmt.Println(TimeOf(groups, 1), TimeOf(groups, 2))
	// Output: 10s 5s
}
