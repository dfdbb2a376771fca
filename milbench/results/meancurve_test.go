package results

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestMeanCurves(t *testing.T) {
	share := func(v float64) *float64 { return &v }
	one := Curve{Fit: "a", Set: "web2", Config: json.RawMessage(`{"pooling":"syn"}`), Loss: []float64{3, 2, 1}, WinnersChanged: []*float64{nil, share(0.5), share(0.25)}}
	two := Curve{Fit: "b", Set: "web2", Fold: 1, Config: json.RawMessage(`{ "pooling": "syn" }`), Loss: []float64{5, 2, 3}, WinnersChanged: []*float64{nil, share(0.125), share(0.75)}}
	mean := Curve{Fit: "c", Set: "web10", Config: json.RawMessage(`{"pooling":"mean"}`), Loss: []float64{1}, WinnersChanged: []*float64{nil}}
	got, err := MeanCurves([]Curve{mean, two, one})
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	syn := got[0]
	if syn.Set != "web2" || syn.Fits != 2 || !slices.Equal(syn.Loss, []float64{4, 2, 2}) || !slices.Equal(syn.WinnersChanged, []float64{0.3125, 0.5}) ||
		math.Abs(syn.Least-(0.25+0.125)/2) > 1e-15 {
		t.Errorf("%+v", syn)
	}
	if got[1].Set != "web10" || got[1].WinnersChanged != nil || got[1].Least != 0 {
		t.Errorf("without winners: %+v", got[1])
	}
	two.Loss, two.WinnersChanged = two.Loss[:2], two.WinnersChanged[:2]
	if _, err := MeanCurves([]Curve{one, two}); err == nil || !strings.Contains(err.Error(), "over 3 and over 2 epochs") {
		t.Errorf("curves of unequal length: %v", err)
	}
}
