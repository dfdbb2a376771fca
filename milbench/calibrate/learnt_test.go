package calibrate

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
)

func TestLearn(t *testing.T) {
	labels, scores := drawn(rand.New(rand.NewPCG(13, 14)), 600, 2)
	fold := make([]int, len(labels))
	for i := range fold {
		fold[i] = 3 + i%5
		scores[i][0] *= 4 // overconfident
	}
	for _, m := range Methods {
		l, err := Learn(m, 2, labels, scores, fold)
		must(t, err)
		if l.Folds != 5 || l.Before.Bags != 600 || l.After.Bags != 600 {
			t.Errorf("%+v", l)
		}
		if a, b := l.After, l.Before; a.Brier > b.Brier || a.LogLoss > b.LogLoss && m != IsotonicRegression || a.ECE > b.ECE || b.ECE < 2*b.Chance || a.ECE > 2*a.Chance {
			t.Errorf("%s: %+v, before %+v", m, a, b)
		}
		text, err := json.Marshal(l)
		var read Learnt
		if err != nil || json.Unmarshal(text, &read) != nil || !reflect.DeepEqual(&read, l) {
			t.Errorf("%v: read %+v, want %+v", err, read, l)
		}
	}
	if l, err := Learn(Platt, 2, labels[:1], scores[:1], fold[:1]); err == nil {
		t.Errorf("%+v of one bag", l)
	}
	for _, text := range []string{`{}`, `{"calibration":{}}`, `{"calibration":{"method":"temperature","classes":2,"bags":9,"temperature":1},"more":1}`} {
		if err := json.Unmarshal([]byte(text), new(Learnt)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}
