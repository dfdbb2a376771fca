package generate_test

import (
	"fmt"
	"log"
	"strings"

	"synpool/milbench/dataset"
	"synpool/milbench/dataset/generate"
	"synpool/milbench/mil"
)

func ExampleDigitsConfig_Draw() {
	images := generate.Images{Rows: 1, Columns: 1, Pixels: []byte{255, 51, 0}, Labels: []byte{9, 4, 9}}
	c := generate.DefaultDigits()
	c.Bags, c.MeanSize, c.SDSize, c.Seed = 4, 2, 1, 3
	training := generate.Images{Rows: 1, Columns: 1, Pixels: images.Pixels[:2], Labels: images.Labels[:2]} // the last one is for testing
	s, err := c.Draw(training)
	if err != nil {
		log.Fatal(err)
	}
	for i, b := range s.Bags {
		fmt.Println(b.ID, b.Label, b.Instances.(*mil.Dense).Values, s.InstanceLabels[i])
	}
	// Output:
	// 1 1 [1] [1]
	// 2 0 [0.2] [0]
	// 3 0 [0.2 0.2] [0 0]
	// 4 1 [1] [1]
}

func ExampleDrawRaffHolt() {
	s, err := generate.DrawRaffHolt(generate.DefaultRaffHolt(generate.FalseFrequency))
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range []int{0, 1, 999} {
		fmt.Println(s.Bags[b].Split, s.Bags[b].Label, s.Bags[b].Instances.Len())
	}
	// Output:
	// train 1 9
	// train 0 8
	// test 0 43
}

func ExampleDrawNeedle() {
	c := generate.DefaultNeedle()
	c.Rate, c.Size = 0.25, 8
	s, err := generate.DrawNeedle(c)
	if err != nil {
		log.Fatal(err)
	}
	for i, b := range s.Bags[:2] {
		fmt.Println(b.Label, s.InstanceLabels[i])
	}
	// Output:
	// 1 [1 0 0 0 1 0 0 0]
	// 0 [0 0 0 0 0 0 0 0]
}

func ExampleDrawSlides() {
	s, err := generate.DrawSlides(generate.DefaultSlides())
	if err != nil {
		log.Fatal(err)
	}
	for i, b := range s.Bags[:4] {
		places, err := b.Coordinates()
		if err != nil {
			log.Fatal(err)
		}
		tumour := 0.0
		for _, label := range s.InstanceLabels[i] {
			tumour += label
		}
		fmt.Println(b.ID, b.Group, b.Label, b.Instances.Len(), tumour, places[0])
	}
	// Output:
	// slide01 patient01 1 1576 50 [9216 1280]
	// slide02 patient01 1 1405 52 [12032 6400]
	// slide03 patient02 0 956 0 [4096 2048]
	// slide04 patient02 0 546 0 [4096 1792]
}

func ExampleNoise_Apply() {
	s, err := dataset.ReadCSV(strings.NewReader("bag,label,p,q,r,s\na,1,1,2,3,4\nb,0,5,6,7,0\n"), "words")
	if err != nil {
		log.Fatal(err)
	}
	for _, kind := range []generate.NoiseKind{generate.Deletion, generate.Replacement, generate.Swap} {
		noisy, err := generate.Noise{Kind: kind, Level: 0.25, Seed: 1}.Apply(s)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(noisy.Name, noisy.Bags[0].Instances.(*mil.Dense).Values, noisy.Bags[1].Instances.(*mil.Dense).Values)
	}
	// Output:
	// words+deletion(0.25) [0 2 3 4] [5 0 7 0]
	// words+replacement(0.25) [1 2 3 4] [5 6 0 7]
	// words+swap(0.25) [1 4 3 2] [5 7 6 0]
}

func ExampleShuffledLabels() {
	s, err := dataset.Musk1()
	if err != nil {
		log.Fatal(err)
	}
	control, err := generate.ShuffledLabels(s, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(control.Name, control.NumPositive(), "of", len(control.Bags), "positive")
	// Output: musk1-shuffled-1 47 of 92 positive
}
