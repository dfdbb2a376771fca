package backend_test

import (
	"fmt"
	"os"

	"github.com/gomlx/gomlx/core/graph"

	"synpool/backend"
)

func ExampleNew() {
	os.Setenv("GOMLX_BACKEND", "go")
	choice, err := backend.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(choice)
	square := graph.MustExecOnce(choice.Backend, func(x *graph.Node) *graph.Node { return graph.Mul(x, x) }, 3.0)
	fmt.Println(square.Value())
	// Output:
	// backend go: GOMLX_BACKEND asks for it
	// 9
}

func ExampleChoice_String() {
	choice := backend.Choice{Config: "go", Reason: "no XLA plugin is installed", Hint: "milbench backend install"}
	fmt.Println(choice)
	// Output:
	// backend go: no XLA plugin is installed; for a faster one: milbench backend install
}
