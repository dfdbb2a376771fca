package backend_test

import (
	"fmt"
	"os"

	"github.com/gomlx/compute"
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

func ExampleChoice_Cores() {
	os.Setenv("GOMLX_BACKEND", "go")
	choice, err := backend.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	cores := choice.Cores(1)
	fmt.Printf("%d worker, note %q\n", cores.Workers, cores.Note)
	// Output:
	// 1 worker, note ""
}

func ExampleCores_Run() {
	os.Setenv("GOMLX_BACKEND", "go")
	choice, err := backend.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	// Workers take the next number until none is left.
	numbers := make(chan int, 4)
	for i := range cap(numbers) {
		numbers <- i
	}
	close(numbers)
	squares := make([]float32, cap(numbers))
	err = choice.Cores(2).Run(func(b compute.Backend) error {
		square, err := graph.NewExec(b, func(x *graph.Node) *graph.Node { return graph.Mul(x, x) })
		if err != nil {
			return err
		}
		defer square.Finalize()
		for i := range numbers {
			y, err := square.Call1(float32(i))
			if err != nil {
				return err
			}
			squares[i] = y.Value().(float32)
			if err := y.FinalizeAll(); err != nil {
				return err
			}
		}
		return nil
	})
	fmt.Println(squares, err)
	// Output:
	// [0 1 4 9] <nil>
}

func ExampleFreeMemory() {
	if free, ok := backend.FreeMemory(); ok {
		fmt.Fprintf(os.Stderr, "%d MB are free\n", free/1e6)
	}
	// Output:
}

// Every program has the backend in pure Go; XLA is there with cgo.
func ExampleBuilt() {
	fmt.Println(backend.Built()[0])
	// Output: go
}
