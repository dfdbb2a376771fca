package results

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestMeanCurves(t *testing.T) {
	of := func(set string, shares ...float64) Curve {
		return Curve{Set: set, Config: json.RawMessage(`{ "pooling": "syn" }`), Loss: make([]float64, len(shares)+1), Changes: []Changes{{Part: "train", Way: "before", Shares: shares}}}
	}
	got, err := MeanCurves([]Curve{of("web10", 0.5), of("web2", 0.5, 0.25), of("web2", 0.125, 0.75)})
	config := json.RawMessage(`{"pooling":"syn"}`)
	want := []MeanCurve{
		{"web2", config, 2, []Changes{{"train", "before", []float64{0.3125, 0.5}, (0.25 + 0.125) / 2}}},
		{"web10", config, 1, []Changes{{"train", "before", []float64{0.5}, 0.5}}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if _, err := MeanCurves([]Curve{of("web2", 0.5, 0.5), of("web2", 0.5)}); err == nil || !strings.Contains(err.Error(), "over 3 and over 2 epochs") {
		t.Errorf("curves of unequal length: %v", err)
	}
}
