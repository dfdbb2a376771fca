// Command roundtrip exports a model of every pooling and every learner, reads it back in Go, and writes what onnxruntime must
// compute, for roundtrip.py.
//
//	go run ./internal/roundtrip -out cases && python3 internal/roundtrip/roundtrip.py cases
//
// Each case is trained briefly on a generated set, and on the named sets where they are (-sets). Scores, probabilities, weights and
// scores of instances of the model that was trained are compared with those of the file, on the bags of the set and on hostile ones:
// one instance, all instances equal, large values, and 50,000 instances for models that take them. The error is relative above 1.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"synpool/internal/onnx"
	"synpool/milbench"
	"synpool/milbench/calibrate"
	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/export"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
)

// tolerance is the largest difference, relative above 1. Networks compute in float32, and two programs add in another order. Where
// float32 does not determine a result to this, because large values cancel, or layer norms and Syn steps multiply what was rounded, a
// difference of [roundings] times what is changed by rounding all values and weights once is allowed: between a value and its score
// lie about so many operations that round.
const (
	tolerance = 1e-5
	roundings = 16
	most      = 1e-2 // is never allowed
)

func main() {
	out := flag.String("out", "", "folder for the cases")
	sets := flag.String("sets", "musk1,musk2,elephant,fox,tiger,web1", "named sets, apart from the generated ones")
	only := flag.String("only", "", "regular expression of the names of the cases (default all)")
	quick := flag.Bool("quick", false, "generated sets alone, and small bags")
	flag.Parse()
	if *out == "" {
		log.Fatal("give -out a folder")
	}
	named := strings.Split(*sets, ",")
	if *quick {
		named = nil
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal(err)
	}
	if err := run(context.Background(), *out, named, !*quick, chosen.MatchString, func(line string) { fmt.Println(line) }); err != nil {
		log.Fatal(err)
	}
}

// task is a model to export.
type task struct {
	name      string
	set       *mil.Set
	setting   json.RawMessage
	calibrate calibrate.Method
	batch     bool // also exported with a mask
	made      bool // features are made of columns, so that no others are possible
	few       bool // without scores of instances, because it scores a sample of them
}

// run writes the cases of which the name is wanted to a folder and returns an error for those that differ in Go.
func run(ctx context.Context, folder string, named []string, large bool, wanted func(name string) bool, report func(string)) error {
	machine := &milbench.Machine{}
	defer machine.Close()
	tasks, err := tasks(folder, named)
	if err != nil {
		return err
	}
	var wrong []error
	for _, t := range tasks {
		if !wanted(t.name) {
			continue
		}
		worst, err := t.write(ctx, folder, machine, large)
		if err != nil {
			err = fmt.Errorf("%s: %w", t.name, err)
			wrong = append(wrong, err)
			report(err.Error())
			continue
		}
		report(fmt.Sprintf("%-34s %.2g", t.name, worst))
	}
	return errors.Join(wrong...)
}

// tasks returns the models: each pooling and learner for each kind of target that it takes.
func tasks(folder string, named []string) (list []task, err error) {
	kinds := []mil.TargetKind{mil.BinaryTarget, mil.ClassTarget, mil.RealTarget, mil.SurvivalTarget}
	sets := map[mil.TargetKind]*mil.Set{}
	for _, k := range kinds {
		if sets[k], err = generated(k); err != nil {
			return nil, err
		}
	}
	add := func(name string, set *mil.Set, setting json.RawMessage, err error) *task {
		if err != nil {
			panic(fmt.Sprintf("%s: %v", name, err)) // the settings are those of this file
		}
		list = append(list, task{name: name, set: set, setting: setting, batch: true})
		return &list[len(list)-1]
	}
	for _, pooling := range neural.Poolings {
		for _, k := range kinds {
			if pooling == "clam" && k != mil.BinaryTarget && k != mil.ClassTarget {
				continue // it clusters instances by classes
			}
			s, err := milbench.Setting(pooling, map[string]any{"epochs": 3})
			add(fmt.Sprintf("%s-%v", pooling, k), sets[k], s, err)
		}
	}
	for _, gamma := range []float64{0.5, 1} {
		for _, steps := range []int{-20, -3, -1, 0, 1, 3, 20} {
			s, err := milbench.Setting("syn", map[string]any{"epochs": 3, "gamma": gamma, "iterations": steps})
			add(fmt.Sprintf("syn-gamma%v-I%d", gamma, steps), sets[mil.BinaryTarget], s, err)
		}
	}
	for _, more := range []map[string]any{{"norm": true}, {"renormalise": true}, {"layers": 0}, {"layers": 2}, {"standardise": false}} {
		fields := map[string]any{"epochs": 3}
		name := "syn"
		for key, v := range more {
			fields[key] = v
			name += fmt.Sprintf("-%s-%v", key, v)
		}
		s, err := milbench.Setting("syn", fields)
		add(name, sets[mil.BinaryTarget], s, err)
	}
	for name, fields := range map[string]map[string]any{
		"attention": {"weights": "sparsemax"}, "gated": {"weights": "entmax15"}, "mean": {"layers": 0, "hidden": 16},
	} {
		fields["epochs"] = 3
		s, err := milbench.Setting(name, fields)
		add(name+"-varied", sets[mil.BinaryTarget], s, err)
	}
	s, err := milbench.Setting("gated", map[string]any{"epochs": 3, "loss": "cox", "batch": 4})
	add("gated-cox", sets[mil.SurvivalTarget], s, err)
	for _, e := range learners.Classic() {
		for _, k := range e.Takes().Kinds {
			all, err := e.Settings()
			if err != nil {
				return nil, err
			}
			def, err := e.Setting(e.Default())
			if err != nil {
				return nil, err
			}
			if all = append([]json.RawMessage{def}, all...); k != mil.BinaryTarget {
				all = all[:1]
			}
			for n, s := range all {
				if learners.Exportable(s) == nil {
					add(fmt.Sprintf("%s-%v-%d", e.Name, k, n), sets[k], s, nil)
				}
			}
		}
	}
	for _, k := range kinds[:3] {
		for _, d := range []string{"mean-min", "hausdorff", "min-hausdorff"} {
			s, err := milbench.Setting("distance-svm", map[string]any{"distance": d})
			add(fmt.Sprintf("distance-svm-%s-%v", d, k), sets[k], s, err)
		}
		s, err := learners.Settings(false, learners.AutoName)
		if err != nil {
			return nil, err
		}
		one, _, err := learners.OnlyExportable(s[0])
		add(fmt.Sprintf("auto-%v", k), sets[k], one, err)
		s2, err := milbench.Setting("statistics-trees", map[string]any{"statistics": "min max mean sd q10 median q75"})
		if err == nil {
			s2, err = cv.Replace(s2, map[string]any{"members": 3})
		}
		add(fmt.Sprintf("ensemble-trees-%v", k), sets[k], s2, err)
	}
	for _, k := range kinds {
		s, err := milbench.Setting("gated", map[string]any{"epochs": 2})
		if err == nil {
			s, err = cv.Replace(s, map[string]any{"members": 3})
		}
		add(fmt.Sprintf("ensemble-gated-%v", k), sets[k], s, err)
	}
	for _, m := range calibrate.Methods {
		for _, k := range kinds[:2] {
			s, err := milbench.Setting("statistics-trees", nil)
			add(fmt.Sprintf("calibrated-%s-%v", m, k), sets[k], s, err).calibrate = m
		}
	}
	s, err = milbench.Setting("statistics-svm", map[string]any{"instances": 3})
	add("few-instances", sets[mil.BinaryTarget], s, err).few = true
	tables, err := table(folder)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"gated", "statistics-trees"} {
		s, err := milbench.Setting(name, nil)
		add("table-"+name, tables, s, err).made = true
	}
	for _, name := range named {
		set, err := milbench.Open(name, milbench.Reading{})
		if err != nil {
			return nil, err
		}
		for _, learner := range []string{"syn", "gated", "statistics-svm", "miles"} {
			if learner == "miles" && len(set.Bags) != 92 { // Musk 1: elsewhere scores of instances take minutes
				continue
			}
			var fields map[string]any
			if slices.Contains(neural.Poolings, learner) {
				fields = map[string]any{"epochs": 3}
			}
			s, err := milbench.Setting(learner, fields)
			add(name+"-"+learner, set, s, err).batch = false
		}
	}
	return list, nil
}

// generated returns 40 bags of 1 to 8 instances with 6 features.
func generated(kind mil.TargetKind) (*mil.Set, error) {
	rng := rand.New(rand.NewPCG(uint64(kind)+1, 7))
	set := &mil.Set{Name: fmt.Sprintf("generated-%v", kind), Kind: kind}
	if kind == mil.ClassTarget {
		set.Classes = []string{"low", "mid", "top"}
	}
	for i := range 40 {
		d := &mil.Dense{Rows: 1 + rng.IntN(8), Cols: 6}
		sum := 0.
		for range d.Rows * d.Cols {
			v := rng.NormFloat64()*float64(1+i%3) + 3
			d.Values = append(d.Values, float32(v))
			sum += v / float64(d.Rows*d.Cols)
		}
		b := mil.Bag{ID: fmt.Sprint("bag", i), Instances: d}
		switch kind {
		case mil.BinaryTarget:
			b.Label = i % 2
		case mil.ClassTarget:
			b.Label = i % 3
		case mil.RealTarget:
			b.Value = 100 + 10*sum
		case mil.SurvivalTarget:
			b.Value, b.Event = 1+rng.ExpFloat64()*10, i%4 != 0
		}
		set.Bags = append(set.Bags, b)
	}
	if err := set.Seal(); err != nil {
		return nil, err
	}
	return set, nil
}

// table writes a table with missing values, words, and a date, whose digits float32 would lose, to a folder and reads it.
func table(folder string) (*mil.Set, error) {
	rng := rand.New(rand.NewPCG(3, 9))
	var b strings.Builder
	b.WriteString("bag,label,size,colour,weight,when\n")
	for i := range 160 {
		x, colour, y := fmt.Sprintf("%.4f", rng.NormFloat64()+float64(i/4%2)), []string{"red", "green", "blue", ""}[rng.IntN(4)], fmt.Sprintf("%.3f", rng.Float64())
		if rng.IntN(6) == 0 {
			x = ""
		}
		if rng.IntN(9) == 0 {
			y = ""
		}
		fmt.Fprintf(&b, "b%d,%d,%s,%s,%s,%d\n", i/4, i/4%2, x, colour, y, 1_700_000_000+rng.IntN(100_000))
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	file := filepath.Join(folder, "table.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		return nil, err
	}
	return milbench.Open(file, milbench.Reading{Options: dataset.Options{Categorical: []string{"colour"}, Median: true}})
}

// number is a number of JSON that may be none.
type number float64

// MarshalJSON writes NaN as null.
func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// checked is a bag of a case: the inputs of the graph, and what it must return.
type checked struct {
	Rows    int                 `json:"rows"`
	Columns []number            `json:"columns"` // [rows, columns], row by row
	Words   map[string][]string `json:"words"`
	Want    map[string][]number `json:"want"`
	Allowed map[string]float64  `json:"allowed"` // the difference of each output
}

// write trains a model, exports it, compares the file with the model, and writes the case. It returns the largest difference in Go.
func (t task) write(ctx context.Context, folder string, machine *milbench.Machine, large bool) (worst float64, err error) {
	m, err := milbench.Train(ctx, t.set, milbench.Training{Setting: t.setting, Seed: 1, Calibrate: t.calibrate}, machine)
	if err != nil {
		return 0, err
	}
	at := filepath.Join(folder, t.name)
	if err := os.MkdirAll(at, 0o777); err != nil {
		return 0, err
	}
	file := filepath.Join(at, "model.onnx")
	if err := m.Export(file, false); err != nil {
		return 0, err
	}
	if t.batch {
		if err := m.Export(filepath.Join(at, "batch.onnx"), true); err != nil {
			return 0, err
		}
	}
	read, err := milbench.Load(file, machine)
	if err != nil {
		return 0, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	graph, err := onnx.Decode(data)
	if err != nil {
		return 0, err
	}
	set, err := m.Fill(t.set, t.set.Name)
	if err != nil {
		return 0, err
	}
	bags := set.Instances()
	if len(bags) > 30 {
		bags = bags[:30]
	}
	regular := len(bags)
	if !t.made {
		bags = append(slices.Clone(bags), hostile(set.NumFeatures(), large && takes(m))...)
	}
	var all []checked
	for k, bag := range bags {
		instances := bag.Len() <= 200 && !t.few
		want, err := m.Learned.Predict(ctx, []mil.Instances{bag}, instances)
		if errors.Is(err, learners.ErrNoInstances) {
			instances = false
			want, err = m.Learned.Predict(ctx, []mil.Instances{bag}, false)
		}
		if err != nil && k >= regular {
			continue // a hostile bag that the model refuses
		}
		if err != nil {
			return 0, err
		}
		wanted, err := expected(m, want[0], instances)
		if err != nil {
			return 0, err
		}
		names := slices.Sorted(maps.Keys(wanted)) // scores of the instances of a large bag take long
		inputs, got, err := read.Learned.(*export.Model).Run(ctx, bag, names...)
		if err != nil {
			return 0, err
		}
		c := checked{Rows: bag.Len(), Words: map[string][]string{}, Want: map[string][]number{}, Allowed: map[string]float64{}}
		for name, t := range inputs {
			switch data := t.Data.(type) {
			case []string:
				c.Words[name] = data
			case []float32:
				for _, v := range data {
					c.Columns = append(c.Columns, number(v))
				}
			case []float64:
				c.Columns = numbers(data)
			}
		}
		others, err := rounded(graph.Graph.Only(names...)).Run(ctx, roundedInputs(inputs))
		if err != nil {
			return 0, err
		}
		for name, values := range wanted {
			c.Want[name] = numbers(values)
			has := []float64{}
			if t := got[name]; t != nil {
				has = t.Data.([]float64)
			}
			if len(has) != len(values) {
				return 0, fmt.Errorf("output %s has %d values, the model %d", name, len(has), len(values))
			}
			c.Allowed[name] = min(max(tolerance, roundings*difference(others[name].Data.([]float64), has)), most)
			d := difference(has, values)
			if worst = max(worst, d); !(d <= c.Allowed[name]) {
				return 0, fmt.Errorf("bag %d: the output %s of the Go runtime differs by %.2g, allowed is %.2g", k, name, d, c.Allowed[name])
			}
		}
		all = append(all, c)
	}
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(all); err != nil {
		return 0, err
	}
	return worst, os.WriteFile(filepath.Join(at, "bags.json"), text.Bytes(), 0o666)
}

// difference returns the largest difference of values from those wanted, relative above 1.
func difference(values, wanted []float64) (worst float64) {
	for i, v := range wanted {
		worst = max(worst, math.Abs(values[i]-v)/max(1, math.Abs(v)))
	}
	return worst
}

// nudged returns the tensor, if it is of many float32 values, with all one rounding off, each in a random direction.
func nudged(t *onnx.Tensor) *onnx.Tensor {
	values, is := t.Data.([]float32)
	if !is || len(values) < 3 {
		return t
	}
	rng := rand.New(rand.NewPCG(11, 13))
	moved := slices.Clone(values)
	for i, v := range moved {
		if v != 0 {
			moved[i] = math.Nextafter32(v, float32(math.Inf(2*rng.IntN(2)-1)))
		}
	}
	return onnx.NewTensor(moved, t.Dims...)
}

// rounded returns a graph with nudged constants.
func rounded(g *onnx.Graph) *onnx.Graph {
	moved := *g
	moved.Constants = slices.Clone(g.Constants)
	for i, c := range moved.Constants {
		moved.Constants[i].Tensor = nudged(c.Tensor)
	}
	return &moved
}

func roundedInputs(inputs map[string]*onnx.Tensor) map[string]*onnx.Tensor {
	moved := map[string]*onnx.Tensor{}
	for name, t := range inputs {
		moved[name] = nudged(t)
	}
	return moved
}

// expected returns the outputs that a file must have for a bag, by name.
func expected(m *milbench.Model, p mil.Prediction, instances bool) (map[string][]float64, error) {
	want := map[string][]float64{"score": p.Scores}
	if p.Weights != nil {
		want["weights"] = slices.Concat(p.Weights...)
	}
	if p.Survival != nil {
		want["alive"] = p.Survival.Alive
	}
	if instances && p.Instances != nil {
		want["instance_score"] = p.Instances
	}
	about := m.About()
	if instances && p.ClassInstances != nil && about.Target == mil.ClassTarget {
		want["class_instance_score"] = slices.Concat(p.ClassInstances...)
	}
	l, err := m.Calibration()
	switch {
	case err != nil || about.Target != mil.BinaryTarget && about.Target != mil.ClassTarget:
	case l != nil:
		want["probability"], err = l.Calibration.Probabilities(p.Scores)
	case about.Logits:
		want["probability"] = calibrate.Uncalibrated(p.Scores)
	}
	return want, err
}

func numbers(values []float64) []number {
	out := make([]number, len(values))
	for i, v := range values {
		out[i] = number(v)
	}
	return out
}

// takes reports whether a model takes bags of 50,000 instances.
func takes(m *milbench.Model) bool {
	return learners.Trainer{}.NeedsNetworks(m.About().Setting) || learner.Name(m.About().Setting) == "statistics-svm"
}

// hostile returns bags that models seldom see.
func hostile(features int, large bool) []mil.Instances {
	bag := func(rows int, value func(i int) float64) mil.Instances {
		d := &mil.Dense{Rows: rows, Cols: features}
		for i := range rows * features {
			d.Values = append(d.Values, float32(value(i)))
		}
		return d
	}
	rng := rand.New(rand.NewPCG(5, 5))
	normal := func(int) float64 { return rng.NormFloat64() }
	list := []mil.Instances{
		bag(1, normal),
		bag(5, func(int) float64 { return 2 }),
		bag(3, func(i int) float64 { return 1e6 * float64(1-2*(i%2)) }),
		bag(4, func(int) float64 { return 0 }),
	}
	if large && features < 10 {
		list = append(list, bag(50_000, normal))
	}
	return list
}
