package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"synpool/internal/disk"
	"synpool/internal/onnx"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
)

// Model is a model that was read from a file of ONNX, a [learners.Model].
type Model struct {
	card    modeldir.Card
	about   about
	columns columns
	graph   *onnx.Graph
	name    string
}

// Load reads a file that [ONNX] made. A damaged file, or one of another program, is an error of one line.
func Load(file string) (*Model, error) {
	m, err := load(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

func load(file string) (*Model, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, errors.Unwrap(err)
	case info.Size() > onnx.MostBytes:
		return nil, onnx.ErrTooLarge
	}
	data, err := disk.ReadFile(file)
	if err != nil {
		return nil, err
	}
	read, err := onnx.Decode(data)
	if err != nil {
		return nil, err
	}
	m := &Model{graph: read.Graph, name: file}
	if read.Get(cardKey) == "" {
		return nil, errors.New("it was not written by milbench export: it lacks the description of its features and classes")
	}
	sum := ""
	for key, into := range map[string]any{cardKey: &m.card, aboutKey: &m.about, checksumKey: &sum} {
		if err := json.Unmarshal([]byte(read.Get(key)), into); err != nil {
			return nil, modeldir.Damaged("its metadata %s: %v", key, err)
		}
	}
	found, err := constants(m.graph)
	switch {
	case err != nil:
		return nil, err
	case found != sum:
		return nil, modeldir.Damaged("its numbers are not those that were written")
	case m.about.Batch:
		return nil, errors.New("it was exported with --batch, for several bags at once; export the model without it to use it here")
	}
	if err := m.card.Validate(); err != nil {
		return nil, modeldir.Damaged("its card: %v", err)
	}
	m.columns = columnsOf(&m.card)
	return m, nil
}

// About implements [learners.Model].
func (m *Model) About() learners.About {
	a := learners.AboutCard(&m.card, m.about.Setting)
	a.Logits = m.about.Logits
	return a
}

// Card implements [learners.Model].
func (m *Model) Card() *modeldir.Card { return &m.card }

// Save implements [learners.Model]. It is an error: a file of ONNX is kept as it is.
func (m *Model) Save(string) error {
	return errors.New("a model that was read from a file of ONNX cannot be saved as another one; copy " + m.name)
}

// Predict implements [learners.Model]. Winners are the instances with the largest weights; Syn steps that round weights to the same
// value make the first of them the winner.
func (m *Model) Predict(ctx context.Context, bags []mil.Instances, instances bool) ([]mil.Prediction, error) {
	if err := m.card.Check(bags); err != nil {
		return nil, err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(m.graph.Outputs, func(o onnx.Info) bool { return o.Name == name })
	}
	if instances && !has(instanceName) {
		return nil, fmt.Errorf("%s has %w", m.name, learners.ErrNoInstances)
	}
	wanted := []string{scoreName, weightsName, aliveName}
	if instances {
		wanted = append(wanted, instanceName, classesName)
	}
	graph := m.graph.Only(wanted...)
	all := make([]mil.Prediction, len(bags))
	for i, bag := range bags {
		inputs, err := m.columns.inputs(bag)
		if err != nil {
			return nil, &modeldir.BagError{Bag: i, Err: err}
		}
		out, err := graph.Run(ctx, inputs)
		if err != nil {
			return nil, &modeldir.BagError{Bag: i, Err: err}
		}
		rows := func(name string, count int) (list [][]float64, err error) {
			t := out[name]
			if t == nil {
				return nil, nil
			}
			values, is := t.Data.([]float64)
			if n := bag.Len(); !is || count > 0 && len(values) != count || count < 0 && len(values)%n != 0 {
				return nil, fmt.Errorf("its output %s has %d values of type %d", name, len(values), t.Type())
			}
			if count > 0 {
				return [][]float64{values}, nil
			}
			return slices.Collect(slices.Chunk(values, bag.Len())), nil
		}
		p := &all[i]
		scores, err := rows(scoreName, width(&m.card))
		if err == nil && scores == nil {
			err = errors.New("it has no output " + scoreName)
		}
		if err != nil {
			return nil, modeldir.Damaged("%v", err)
		}
		p.Scores = scores[0]
		if !p.Finite() {
			return nil, &modeldir.BagError{Bag: i, Err: errors.New("its score is not finite")}
		}
		if p.Weights, err = rows(weightsName, -1); err != nil {
			return nil, modeldir.Damaged("%v", err)
		}
		for _, w := range p.Weights {
			if slices.Min(w) < slices.Max(w) {
				p.Winners = append(p.Winners, slices.Index(w, slices.Max(w)))
			}
		}
		if len(m.about.Times) > 0 {
			alive, err := rows(aliveName, len(m.about.Times))
			if err != nil {
				return nil, modeldir.Damaged("%v", err)
			}
			if alive != nil {
				p.Survival = &mil.Survival{Times: m.about.Times, Alive: alive[0]}
			}
		}
		one, err := rows(instanceName, -1)
		if err == nil && one != nil {
			if p.Instances = one[0]; math.IsNaN(p.Instances[0]) {
				return nil, &modeldir.BagError{Bag: i, Err: fmt.Errorf("%d instances; the model scores instances only in bags of at most %d, and larger bags only as a whole (without --instances)", bag.Len(), learner.MostLeftOut)}
			}
		}
		if err == nil {
			p.ClassInstances, err = rows(classesName, -1)
		}
		if n := len(p.ClassInstances); err == nil && n > 0 && n != width(&m.card) {
			err = fmt.Errorf("its output %s has %d rows for %d classes", classesName, n, width(&m.card))
		}
		if err != nil {
			return nil, modeldir.Damaged("%v", err)
		}
	}
	return all, nil
}

// Run evaluates the graph on a bag of features. It returns the inputs, which are the columns that the features were made of, and
// the named outputs.
func (m *Model) Run(ctx context.Context, bag mil.Instances, names ...string) (inputs, outputs map[string]*onnx.Tensor, err error) {
	if inputs, err = m.columns.inputs(bag); err != nil {
		return nil, nil, err
	}
	outputs, err = m.graph.Only(names...).Run(ctx, inputs)
	return inputs, outputs, err
}

// inputs returns the inputs of a graph for a bag of features: the columns that they were made of.
func (c columns) inputs(bag mil.Instances) (map[string]*onnx.Tensor, error) {
	n, width := bag.Len(), len(c.numbers)
	wide, narrow := make([]float64, 0, n*width), make([]float32, 0, n*width)
	texts := make([][]string, len(c.words))
	indicator := map[int]int{}
	for _, m := range c.card.Missing {
		indicator[m.Feature] = m.Indicator
	}
	err := mil.EachRow(bag, func(_ int, row []float32) {
		for _, j := range c.numbers {
			v := float64(row[j])
			if k, may := indicator[j]; may && row[k] != 0 {
				v = math.NaN()
			}
			if c.card.Centre != nil {
				v += c.card.Centre[j]
			}
			wide, narrow = append(wide, v), append(narrow, float32(v))
		}
		for k, w := range c.words {
			text := ""
			for at, j := range w.features {
				if row[j] != 0 {
					text = w.texts[at]
				}
			}
			texts[k] = append(texts[k], text)
		}
	})
	if err != nil {
		return nil, err
	}
	inputs := map[string]*onnx.Tensor{instancesName: onnx.NewTensor(narrow, n, width)}
	if c.card.Centre != nil {
		inputs[instancesName] = onnx.NewTensor(wide, n, width)
	}
	for k, w := range c.words {
		inputs[wordsPrefix+w.name] = onnx.NewTensor(texts[k], n)
	}
	return inputs, nil
}
