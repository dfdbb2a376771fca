package cluster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"

	"synpool/milbench"
	"synpool/milbench/cluster"
)

// twoGroups returns a plan with two settings on a set under 10-fold cross-validation, for the given number of
// repeats.
func twoGroups(repeats int) *cluster.Plan {
	p := &cluster.Plan{
		Format: cluster.Format, Version: "v0.1.0", Backend: "xla:cpu", Cores: 1, Seed: 1, Shards: 1,
		Settings: []json.RawMessage{[]byte(`{"pooling":"max"}`), []byte(`{"pooling":"mean"}`)},
		Sets:     []cluster.Set{{Name: "musk1", Checksum: "d4", Source: "musk1"}},
		Arms:     []cluster.Arm{{Protocol: milbench.Protocol{Name: milbench.HonestProtocol, Folds: 10, Repeats: repeats}, Folds: 10, FoldsRun: 10, Settings: []int{0, 1}}},
		Groups:   []cluster.Group{{Members: 25, Compile: 6, Block: 10, Memory: 400e6}, {Members: 25, Compile: 6, Block: 20, Memory: 500e6}},
	}
	for setting := range 2 {
		for repeat := range repeats {
			for fold := range 10 {
				id, err := milbench.FitID("d4", milbench.HonestProtocol, 10, repeat, fold, 1, p.Settings[setting])
				if err != nil {
					log.Fatal(err)
				}
				p.Fits = append(p.Fits, cluster.Fit{ID: id, Setting: setting, Repeat: repeat, Fold: fold,
					Seed: milbench.SplitSeed(1, "fit", repeat, fold), Group: setting, Training: 10*repeat + fold, Networks: 1})
			}
		}
	}
	return p
}

func ExamplePlan_Divide() {
	p := twoGroups(20) // 8 blocks of 10 s and 8 of 20 s
	p.Divide(3)
	for i, c := range p.Costs() {
		fmt.Printf("shard %d: %d fits in %d blocks, %.0f s including %.0f s to compile; groups %v\n", i, c.Fits, c.Blocks, c.Seconds(), c.Compile, c.Groups)
	}
	// Output:
	// shard 0: 200 fits in 8 blocks, 86 s including 6 s to compile; groups [{0 8}]
	// shard 1: 100 fits in 4 blocks, 86 s including 6 s to compile; groups [{1 4}]
	// shard 2: 100 fits in 4 blocks, 86 s including 6 s to compile; groups [{1 4}]
}

func ExamplePlan_Keep() {
	p := twoGroups(20)
	done := make(map[string]bool)
	for _, f := range p.Fits[:390] {
		done[f.ID] = true
	}
	rest := p.Keep(func(id string) bool { return !done[id] })
	fmt.Println(len(rest.Fits), "fits are missing, in", rest.Shards, "shard;", p.SameStudy(rest))
	fmt.Println(p.Keep(func(string) bool { return false }))
	// Output:
	// 10 fits are missing, in 1 shard; <nil>
	// <nil>
}

func ExampleRead() {
	var file bytes.Buffer
	if err := twoGroups(1).Write(&file); err != nil {
		fmt.Println(err)
		return
	}
	p, err := cluster.Read(bytes.NewReader(file.Bytes()))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(p.Fits), "fits of", p.Sources(p.Fits), "in", p.Shards, "shard")
	_, err = cluster.Read(bytes.NewReader(bytes.Replace(file.Bytes(), []byte(`"fold":3`), []byte(`"fold":4`), 1)))
	fmt.Println(err)
	// Output:
	// 20 fits of [musk1] in 1 shard
	// fit 4 (8fe604a7dd230e7c): seed 4842794504094247554 is not that of repeat 0, fold 4 of a study of seed 1
}

func ExamplePlan_SameStudy() {
	p, q := twoGroups(1), twoGroups(1)
	q.Seed = 2
	fmt.Println(p.SameStudy(q))
	// Output: one has seed 1, the other 2
}
