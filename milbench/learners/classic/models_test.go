package classic_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"synpool/internal/alloctest"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/mil"
)

// drawn returns bags of 1 to 6 instances with standard normal features; in sparse bags, a quarter of the features is
// not zero. Two in five bags are positive and have one shifted instance.
func drawn(seed uint64, n, features int, sparse bool) (bags []mil.Instances, targets []mil.Target) {
	rng := rand.New(rand.NewPCG(seed, 5))
	for i := range n {
		d := &mil.Dense{Rows: 1 + rng.IntN(6), Cols: features}
		label := 0
		if i%5 < 2 {
			label = 1
		}
		for k := range d.Rows {
			for j := range features {
				v := rng.NormFloat64()
				if sparse && rng.IntN(4) > 0 {
					v = 0
				}
				if k == 0 && label == 1 && j < 2 {
					v += 2
				}
				d.Values = append(d.Values, float32(v))
			}
		}
		bags, targets = append(bags, mil.Instances(d)), append(targets, mil.Labelled(label))
		if sparse {
			s, err := mil.ToSparse(d)
			if err != nil {
				panic(err) // there is none in memory
			}
			bags[i] = s
		}
	}
	return bags, targets
}

// small returns the default estimator of an entry and those at both ends of its grid, with few trees if they have
// trees.
func small(t testing.TB, e learner.Entry) (all []learner.Estimator) {
	t.Helper()
	some := []learner.Estimator{e.Default()}
	if n := len(e.Grid); n > 0 {
		some = append(some, e.Grid[0], e.Grid[n-1])
	}
	for _, one := range some {
		setting := must(e.Setting(one))
		var values map[string]any
		if err := json.Unmarshal(setting, &values); err != nil {
			t.Fatal(err)
		}
		if _, ok := values["trees"]; ok {
			values["trees"] = 8
		}
		setting = must(json.Marshal(values))
		small := must(e.Parse(setting))
		all = append(all, small)
	}
	return all
}

// saved returns the entries whose models can be saved.
func saved() (entries []learner.Entry) {
	for _, e := range learners.Classic() {
		if e.Model != nil {
			entries = append(entries, e)
		}
	}
	return entries
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// TestModels checks that a model read from its JSON predicts the same. Scores of new bags are bit-identical. Scores of
// training bags may differ by rounding, 1e-12, because the distances between these bags may have been summed in a
// different order.
func TestModels(t *testing.T) {
	const features, train = 4, 24
	for _, sparse := range []bool{false, true} {
		bags, targets := drawn(1, 40, features, sparse)
		for _, e := range saved() {
			for i, estimator := range small(t, e) {
				t.Run(fmt.Sprintf("%s %d sparse %v", e.Name, i, sparse), func(t *testing.T) {
					m := must(estimator.Fit(t.Context(), learner.Training{Bags: bags[:train], Targets: targets[:train], Classes: 2, Seed: 3}))
					text := must(json.Marshal(m))
					read := must(e.ReadModel(text))
					if v, ok := read.(interface{ Validate() error }); ok { // once more changes nothing
						if err := v.Validate(); err != nil {
							t.Error(err)
						}
					}
					if again, err := json.Marshal(read); err != nil || string(again) != string(text) {
						t.Errorf("written again it differs (%v)", err)
					}
					for k, bag := range bags {
						want := must(learner.Predict(m, bag, true))
						got := must(learner.Predict(read, bag, true))
						if len(want.Scores) != 1 || len(want.Instances) != bag.Len() {
							t.Fatalf("bag %d of %d instances: %+v", k, bag.Len(), want)
						}
						if k >= train && !(sameBits(got.Scores, want.Scores) && sameBits(got.Instances, want.Instances)) {
							t.Errorf("bag %d: %+v, before it was saved %+v", k, got, want)
						}
						if d := math.Abs(got.Scores[0] - want.Scores[0]); !(d <= 1e-12*max(1, math.Abs(want.Scores[0]))) {
							t.Errorf("training bag %d: %v, before it was saved %v", k, got.Scores[0], want.Scores[0])
						}
					}
					wide, _ := drawn(1, 1, features+1, sparse)
					nan := &mil.Dense{Rows: 1, Cols: features, Values: []float32{0, 0, 0, float32(math.NaN())}}
					wrong := []mil.Instances{wide[0], nan, &mil.Dense{Cols: features}, &mil.Sparse{Cols: features, RowStart: []int{0}}}
					for k, bag := range wrong {
						for _, m := range []learner.Model{m, read} {
							if p, err := learner.Predict(m, bag, true); err == nil || strings.Contains(err.Error(), "\n") {
								t.Errorf("wrong bag %d: %+v, %v", k, p, err)
							}
						}
					}
					unread := e.Model()
					if err := json.Unmarshal(text, unread); err != nil {
						t.Fatal(err)
					}
					_, _ = unread.Predict(bags[0]) // without Validate it may be an error and is no panic
				})
			}
		}
	}
	for _, e := range learners.Classic() {
		if _, err := e.ReadModel([]byte("null")); err == nil || !strings.HasPrefix(err.Error(), "model of "+e.Name+": ") {
			t.Errorf("%s: error %v", e.Name, err)
		}
	}
}

// edit is a change to the JSON of a model.
type edit struct {
	name string
	with any
	gone bool // remove the field instead
	bad  bool // must be refused
}

// edits returns changes of a value. A value of another type, a shorter one or an absent one must be refused; other
// numbers may be valid.
func edits(value any, field bool) (all []edit) {
	var other any = true
	if _, ok := value.(bool); ok {
		other = "true"
	}
	all = append(all, edit{name: "an object", with: map[string]any{}, bad: true}, edit{name: "another type", with: other, bad: true})
	if field {
		all = append(all, edit{name: "null", bad: true}, edit{name: "removed", gone: true, bad: true})
	}
	switch v := value.(type) {
	case json.Number:
		all = append(all, edit{name: "NaN", with: "NaN", bad: true}, edit{name: "1e400", with: json.Number("1e400"), bad: true})
		for _, n := range []string{"-1", "0", "1", "1e300", "-1e300", "2147483648", "9223372036854775807", "1e-300", "0.5"} {
			all = append(all, edit{name: n, with: json.Number(n)})
		}
	case string:
		all = append(all, edit{name: "empty", with: "", bad: true}, edit{name: "x", with: "x", bad: true}, edit{name: "a number", with: json.Number("1"), bad: true})
		if b, err := base64.StdEncoding.DecodeString(v); err == nil && len(b) >= 4 && len(b)%4 == 0 {
			encode := func(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
			nan := binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.NaN()))
			nan32 := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.NaN())))
			all = append(all,
				edit{name: "a byte less", with: encode(b[1:]), bad: true},
				edit{name: "a word less", with: encode(b[4:]), bad: true},
				edit{name: "a word more", with: encode(append(slices.Clone(b), b[:4]...)), bad: true},
				edit{name: "no base64", with: v[1:], bad: true},
				edit{name: "NaN at the end", with: encode(append(slices.Clone(b[:len(b)-min(8, len(b))]), nan[8-min(8, len(b)):]...)), bad: len(b) >= 8 && len(b)%8 == 0},
				edit{name: "NaN32", with: encode(append(slices.Clone(b[:len(b)-4]), nan32...))},
				edit{name: "ones", with: encode(slices.Repeat([]byte{0xff}, len(b)))},
				edit{name: "zeros", with: encode(make([]byte, len(b)))},
			)
			if len(b) >= 16 {
				all = append(all, edit{name: "two words less", with: encode(b[8:]), bad: true})
			}
		}
	case []any:
		all = append(all, edit{name: "empty", with: []any{}, bad: true}, edit{name: "one less", with: v[1:], bad: true},
			edit{name: "one more", with: append(slices.Clone(v), v[0]), bad: true}, edit{name: "a string", with: "AAAA", bad: true})
	}
	return all
}

// mayBeAbsent lists fields that are absent unless a bag or a model is sparse.
var mayBeAbsent = []string{"sparse", "start", "columns"}

// TestCorruptModels checks that corrupt models cause errors and no panics.
func TestCorruptModels(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		bags, targets := drawn(2, 16, 3, sparse)
		for _, e := range saved() {
			estimator := small(t, e)[0]
			m := must(estimator.Fit(t.Context(), learner.Training{Bags: bags[:12], Targets: targets[:12], Classes: 2, Seed: 3}))
			text := must(json.Marshal(m))
			var root any
			d := json.NewDecoder(strings.NewReader(string(text)))
			d.UseNumber()
			if err := d.Decode(&root); err != nil {
				t.Fatal(err)
			}
			tried, refused := 0, 0
			try := func(path string, c edit) {
				changed := must(json.Marshal(root))
				tried++
				read, err := e.ReadModel(changed)
				if err != nil {
					if refused++; strings.Contains(err.Error(), "\n") {
						t.Errorf("%s, sparse %v, %s %s: %v", e.Name, sparse, path, c.name, err)
					}
					return
				}
				if c.bad {
					t.Errorf("%s, sparse %v: %s is accepted as %s", e.Name, sparse, path, c.name)
				}
				for _, bag := range bags[10:] {
					if p, err := learner.Predict(read, bag, true); err == nil && (len(p.Scores) != 1 || p.Scores[0]-p.Scores[0] != 0) {
						t.Errorf("%s, %s %s: %+v", e.Name, path, c.name, p)
					}
				}
			}
			var visit func(path string, at any, field bool, set func(v any, gone bool))
			visit = func(path string, at any, field bool, set func(v any, gone bool)) {
				for _, c := range edits(at, field) {
					name := path[strings.LastIndexByte(path, '.')+1:]
					if slices.Contains(mayBeAbsent, name) && (c.gone || c.name == "null" || c.name == "another type" || c.name == "empty") {
						c.bad = false
					}
					set(c.with, c.gone)
					try(path, c)
				}
				set(at, false)
				switch at := at.(type) {
				case map[string]any:
					for name, v := range at {
						visit(path+"."+name, v, true, func(v any, gone bool) {
							if at[name] = v; gone {
								delete(at, name)
							}
						})
					}
				case []any:
					for k, v := range at {
						if k < 2 || k == len(at)-1 {
							visit(fmt.Sprintf("%s[%d]", path, k), v, false, func(v any, _ bool) { at[k] = v })
						}
					}
				}
			}
			visit("", root, false, func(v any, _ bool) { root = v })
			if tried < 40 || refused < tried/2 {
				t.Errorf("%s: %d of %d changes were refused", e.Name, refused, tried)
			}
			t.Logf("%s, sparse %v: %d of %d changes refused", e.Name, sparse, refused, tried)
			for cut := 0; cut < len(text); cut += 1 + len(text)/50 {
				if _, err := e.ReadModel(text[:cut]); err == nil {
					t.Errorf("%s: %d of %d bytes are a model", e.Name, cut, len(text))
				}
			}
		}
	}
}

// FuzzModel reads arbitrary text as the model of each learner. It returns an error of one line, or a model that
// predicts or says why not. It never panics, and needs no more memory than the text may take.
func FuzzModel(f *testing.F) {
	entries := saved()
	var probes []mil.Instances
	for _, sparse := range []bool{false, true} {
		bags, targets := drawn(3, 10, 2, sparse)
		probes = append(probes, bags[8:]...)
		for i, e := range entries {
			m := must(small(f, e)[0].Fit(f.Context(), learner.Training{Bags: bags[:6], Targets: targets[:6], Classes: 2}))
			text := must(json.Marshal(m))
			f.Add(uint8(i), text)
			f.Add(uint8(i), text[:len(text)/2])
		}
	}
	for i := range entries {
		f.Add(uint8(i), []byte("{}"))
		f.Add(uint8(i), []byte("null"))
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		e := entries[int(which)%len(entries)]
		alloctest.Bounded(t, text, 4096, func() {
			m, err := e.ReadModel(text)
			if err != nil {
				if strings.Contains(err.Error(), "\n") || strings.Count(err.Error(), "model of") != 1 {
					t.Errorf("error %q", err)
				}
				return
			}
			for _, bag := range probes {
				p, err := learner.Predict(m, bag, true)
				if err == nil && (len(p.Scores) != 1 || len(p.Instances) != bag.Len()) {
					t.Errorf("%+v of %d instances", p, bag.Len())
				}
			}
		})
	})
}
