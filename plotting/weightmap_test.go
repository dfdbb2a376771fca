package plotting

import "testing"

func TestWeightMap(t *testing.T) {
	f, err := WeightMap("Assignments", WeightAxis{Of: "class capsule", Names: []string{"zero", "one"}}, WeightAxis{Of: "part"},
		[][]float64{{0.1, 0.7, 0.5}, {0.9, 0.3, 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "weightmap.svg")
	framed(t, "golden", f)
}

func TestWeightMapRefuses(t *testing.T) {
	weights := [][]float64{{1, 0}}
	for want, c := range map[string]struct {
		rows, columns WeightAxis
		weights       [][]float64
	}{
		"need to be of something":                 {WeightAxis{}, WeightAxis{Of: "part"}, weights},
		"there are no weights":                    {WeightAxis{Of: "class"}, WeightAxis{Of: "part"}, nil},
		"3 names but the weights have 2 of parts": {WeightAxis{Of: "class"}, WeightAxis{"part", []string{"a", "b", "c"}}, weights},
		"class 1 has 2 weights but class 2 has 1": {WeightAxis{Of: "class"}, WeightAxis{Of: "part"}, [][]float64{{1, 2}, {3}}},
		"401 parts; at most 400 can be told":      {WeightAxis{Of: "class"}, WeightAxis{Of: "part"}, [][]float64{make([]float64, 401)}},
	} {
		f, err := WeightMap("", c.rows, c.columns, c.weights)
		refuses(t, f, err, "drawing a map of weights", want)
	}
}
