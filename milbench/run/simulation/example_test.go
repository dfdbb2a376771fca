package simulation_test

import (
	"context"
	"fmt"
	"strings"

	"synpool/milbench/run/simulation"
)

func ExampleCluster_Best() {
	work, err := simulation.NewWork(simulation.Measured(), 10_000)
	if err != nil {
		fmt.Println(err)
		return
	}
	cluster := simulation.Default()
	cluster.Nodes = 16
	cost, err := cluster.Best(context.Background(), work, simulation.Search{Simulations: 20, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	alone := work.Seconds() / float64(cluster.Cores)
	fmt.Printf("more shards than nodes: %v\n", cost.Shards > cluster.Nodes)
	fmt.Printf("times as fast as one node that waits for nothing: from 8 to 16: %v\n", cost.Wall < alone/8 && cost.Wall > alone/16)
	// Output:
	// more shards than nodes: true
	// times as fast as one node that waits for nothing: from 8 to 16: true
}

func ExampleCluster_Simulate() {
	group := simulation.Group{Name: "fits of ten minutes", Fits: 12, Blocks: 12, Runs: []simulation.Run{{Compile: 60, Block: 600}}}
	work, err := simulation.NewWork([]simulation.Group{group}, 12)
	if err != nil {
		fmt.Println(err)
		return
	}
	shards, err := work.Cut(4)
	if err != nil {
		fmt.Println(err)
		return
	}
	cluster := simulation.Default()
	cluster.Nodes, cluster.Cores, cluster.Wait, cluster.Failures, cluster.Stragglers = 2, 1, 0, 0, 0
	outcome, err := cluster.Simulate(shards, 1)
	fmt.Printf("%.1f s, of node time %.0f s (%v)\n", outcome.Wall, outcome.NodeSeconds, err)
	// Output: 3730.1 s, of node time 7460 s (<nil>)
}

func ExampleStopsAt() {
	var costs []simulation.Cost
	for i, nodes := range simulation.Doublings(4) {
		costs = append(costs, simulation.Cost{Nodes: nodes, Wall: []float64{100, 52, 50}[i]})
	}
	fmt.Println(simulation.StopsAt(costs))
	// Output: 2 <nil>
}

func ExampleReadGroups() {
	line := `{"set":"elephant","width":256,"batch":1,"epochs":50,"fits":50,"members":5,"cores":2,"seconds":25,"compile_seconds":7.5}`
	groups, err := simulation.ReadGroups(strings.NewReader(line), "runs.jsonl")
	fmt.Printf("%+v %v\n", groups, err)
	// Output: [{Name:elephant, width 256, batch 1 Fits:50 Blocks:10 Runs:[{Compile:7.5 Block:5}]}] <nil>
}

func ExampleCluster_Cost() {
	work, err := simulation.NewWork(simulation.Measured(), 1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	cluster := simulation.Default()
	cluster.Nodes = 4
	few, err := cluster.Cost(context.Background(), work, 4, simulation.Search{Simulations: 50, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	cluster.Failures = 1 // per node and hour
	often, err := cluster.Cost(context.Background(), work, 4, simulation.Search{Simulations: 50, Seed: 1})
	fmt.Println(few.Shards, often.Lost > few.Lost, often.Wall > few.Wall, err)
	// Output: 4 true true <nil>
}

func ExampleDeviations() {
	runs := []simulation.Run{{Compile: 6, Block: 2}, {Compile: 10, Block: 4}}
	fmt.Println(simulation.Deviations([]simulation.Group{{Name: "a", Fits: 5, Blocks: 1, Runs: runs}}))
	// Output: [{0.75 0.6666666666666666} {1.25 1.3333333333333333}]
}

func ExampleWork_Cut() {
	group := simulation.Group{Name: "a", Fits: 50, Blocks: 10, Runs: []simulation.Run{{Compile: 8, Block: 5}}}
	work, err := simulation.NewWork([]simulation.Group{group}, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	shards, err := work.Cut(3)
	fmt.Println(work.Blocks(), work.Seconds(), shards.Len(), err)
	// Output: 20 116 3 <nil>
}
