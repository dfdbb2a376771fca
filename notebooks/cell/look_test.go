package cell

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench/dataset/generate"
	"synpool/plotting"
)

// TestHead: the first instances stand with their bags, and the rest is counted.
func TestHead(t *testing.T) {
	bags := Open(put(t, "cells.csv", "bag,label,patient,area,note\na,ill,p1,1.5,2\na,ill,p1,2.5,3\nb,well,p2,0.25,4\n")).Group("patient")
	wants(t, printed(t, func() { Show(bags.Head(2)) }), "bag  target  group  instance  area  note", "a    ill     p1     0         1.5   2", "and 1 more instance")
	if said := printed(t, func() { Show(bags.Head()) }); strings.Contains(said, "more") || !strings.Contains(said, "b    well    p2     0         0.25") {
		t.Error(said)
	}
}

// TestDescribe: classes, sizes, missing values and quartiles are those of the file, for each kind of target.
func TestDescribe(t *testing.T) {
	text := "bag,label,area\n"
	for i := range 20 {
		text += fmt.Sprintf("b%d,%s,%d\nb%d,%[2]s,\n", i, []string{"ill", "well"}[i%2], i, i)
	}
	said := printed(t, func() { Show(Open(put(t, "missing.csv", text)).Describe()) })
	wants(t, said, "10 well, 10 ill", "2 to 2, median 2", "area     20       0      4.75  9.5     14.25  19       ██████████", "40")
	said = printed(t, func() {
		Show(Open(put(t, "counts.csv", "bag,target,area,x\na,0.5,1,1\nb,1.5,2,2\nc,2.5,3,3\n")).Describe("x"))
	})
	wants(t, said, "target     numbers 0.5 to 2.5, median 1.5", "and 1 more feature")
	said = printed(t, func() {
		times := Open(put(t, "times.csv", "bag,time,event,area\na,5,1,1\nb,6,0,2\nc,7,1,3\n"))
		Show(times.Head(), times)
	})
	wants(t, said, "over 6", "times 5 to 7, median 6", "2 events")
	if got := histogram([]float64{0, 0, 0, 1, 10}); got != "█▃·······▃" || histogram([]float64{2, 2}) != "" {
		t.Errorf("%q", got)
	}
}

// TestWhere: bags are chosen by label, group and size, also one after another, and what is wrong ends the cell.
func TestWhere(t *testing.T) {
	all := Open(slides(t, "slides.csv", 8, true))
	for _, c := range []struct {
		bags *Bags
		want string
	}{
		{all.Where("label", "tumour"), "slide2 slide4 slide6 slide8"},
		{all.Where("label", "!= tumour").Where("group", "p1"), "slide3"},
		{all.Where("group", "!= p0").Only("slide8", "slide3"), "slide3 slide8"},
	} {
		if got := strings.Join(c.bags.Names(), " "); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	for _, bag := range all.Where("size", ">= 10").Set().Bags {
		if bag.Instances.Len() < 10 {
			t.Errorf("%s has %d", bag.ID, bag.Instances.Len())
		}
	}
	for want, bags := range map[string]*Bags{
		`no field "lable" of a bag; did you mean "label"?`: all.Where("lable", "tumour"),
		"no bag has label ill; values are normal, tumour":  all.Where("label", "ill"),
		"it is no number": all.Where("label", "> ill"),
	} {
		if _, err := bags.read(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestSplit: both parts have the shares of the classes, no group is in both, and a model of one is judged on the other.
func TestSplit(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	train, test := Open(slides(t, "slides.csv", 40, true)).Split(4)
	groups := map[string]bool{}
	for _, bag := range train.Set().Bags {
		groups[bag.Group] = true
	}
	for _, bag := range test.Set().Bags {
		if groups[bag.Group] {
			t.Errorf("%s is in both", bag.Group)
		}
	}
	if n, positive := len(test.Names()), test.Set().NumPositive(); n != 10 || positive != 5 || len(train.Names()) != 30 {
		t.Errorf("%d bags, %d positive", n, positive)
	}
	said := printed(t, func() { Show(Train(train, StatisticsTrees).Evaluate(test)) })
	wants(t, said, "10 bags (5 normal, 5 tumour; positive is tumour), 5 groups", "AUC", "called tumour")
}

// TestInstancesJudged: where labels of tiles are known, a comparison and an evaluation have figures of them.
func TestInstancesJudged(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	c := generate.DefaultSlides()
	c.LeastTiles, c.MostTiles, c.Features = 20, 30, 4
	bags := Made(Must(generate.DrawSlides(c)))
	wants(t, printed(t, func() { Show(Compare(bags, StatisticsTrees).Folds(2)) }), "AUC of instances", "AP of instances", "Dice of instances", "FROC")
	said := printed(t, func() {
		Show(Train(bags.Except("patient01", "patient02"), StatisticsTrees).Evaluate(bags.Only("patient01", "patient02")))
	})
	wants(t, said, "bags with both kinds: 2; lesions: 2; judged: the score that Explain returns", "pooled instance AP", "sensitivity at 0.25")
}

// TestFeatures: pooled features are one vector for each bag, and shares of a bag are 1 together.
func TestFeatures(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	bags := Open(slides(t, "slides.csv", 20, true))
	trained := Train(bags, Softmax.Epochs(2))
	var vectors, shares [][]float64
	var figure *plotting.Figure
	printed(t, func() {
		vectors, shares = trained.Features(bags), trained.Shares(bags)
		figure = TSNE("Pooled features", vectors, bags.Classes()...)
	})
	if len(vectors) != 20 || len(vectors[0]) < 2 || slices.Equal(vectors[0], vectors[1]) {
		t.Errorf("%d vectors", len(vectors))
	}
	for i, bag := range bags.Set().Bags {
		if sum := floats.Sum(shares[i]); len(shares[i]) != bag.Instances.Len() || math.Abs(sum-1) > 1e-6 {
			t.Errorf("%s: %d shares of %v", bag.ID, len(shares[i]), sum)
		}
	}
	numbers := Open(put(t, "counts.csv", "bag,target,area,x\na,0.5,1,1\nb,1.5,2,5\nc,2.5,3,3\n"))
	for _, f := range []*plotting.Figure{figure, bags.Figure(), numbers.Figure(), Hist("Sizes", "instances", vectors[0]), Line("Loss", "epoch", "loss", map[string][]float64{"a": {3, 2, 1}}),
		Scatter("Two", "first", "second", []float64{1, 2}, []float64{3, 1})} {
		var drawing bytes.Buffer
		if err := f.Write(&drawing, plotting.SVG); err != nil || drawing.Len() < 1000 {
			t.Errorf("%d bytes, %v", drawing.Len(), err)
		}
	}
}

// TestMissingShown: an explanation names what is missing among its instances, and nothing else.
func TestMissingShown(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	var text strings.Builder
	text.WriteString("bag,label,area,edge\n")
	for i := range 24 {
		fmt.Fprintf(&text, "b%d,%d,%d,1\nb%d,%d,2,3\n", i, i%2, 5*(i%2), i, i%2)
	}
	file := put(t, "holes.csv", strings.Replace(text.String(), "b3,1,2,3", "b3,1,2,", 1))
	bags := Open(file).Median().KeepLeak()
	trained := Train(bags, Named("instance"))
	if said := printed(t, func() { Show(trained.Explain(bags.Find("b2"))) }); strings.Contains(said, "missing") {
		t.Error(said)
	}
	wants(t, printed(t, func() { Show(trained.Explain(bags.Find("b3"))) }), "edge=missing")
}
