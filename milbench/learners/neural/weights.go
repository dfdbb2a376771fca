package neural

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/compute/shapes"

	"synpool/internal/safetensors"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// Weights are the arrays of a network that was trained elsewhere, or exported by [Model.StateDict], with the setting that they have
// the shapes of.
//
// These state dicts of PyTorch are read. "module." and "model." before all names are dropped; ENC.i stands for
// feature_extractor_part2.i, feature_extractor.i, encoder.i or embedding.i, linear layers with ReLU between them; each name has .weight
// [out, in] and .bias.
//
//	attention  ABMIL (Ilse et al. 2018)    ENC.i  attention.0  attention.2  classifier.0 or classifier
//	gated      gated ABMIL                 ENC.i  attention_V.0  attention_U.0  attention_w  classifier.0 or classifier
//	clam       CLAM-SB of two classes      attention_net.0  attention_net.j.attention_a.0  .attention_b.0  .attention_c  classifiers  instance_classifiers.c
//	gated      CLAM-SB of more classes     the same; its instance classifiers are left out
//	attention  CLAM-SB without a gate      attention_net.0  attention_net.j.module.0  .module.2 or .module.3  classifiers
//	hopfield   HopfieldPooling of hflayers ENC.i  P.pooling_weights  P.hopfield.association_core.in_proj_weight, .in_proj_bias, .out_proj  P.hopfield.norm_stored_pattern, .norm_state_pattern, .norm_pattern_projection  classifier
//
// In a torch.nn.Sequential with a HopfieldPooling at place P, the linear layers before it are the encoder and that after it is the
// classifier. Two logits of two classes become their difference, the logit of the second class. The number of heads and β are not
// among the arrays: give the setting Heads and Beta (default one head and 1/√(features per head)).
type Weights struct {
	Pooling  string
	Fields   map[string]any // of the setting, by hyperparameter: layers, width, embed, norm, standardise
	Features int
	Outputs  int
	Notes    []string // what is not as it was in PyTorch, one line each

	Untrained bool // makes a model of the weights as they are, without training

	values map[string][]float32 // by path of the network
	own    map[string]ownArray  // what they were read from, by path; of own arrays alone
	pair   bool                 // the last layer had two outputs
}

// ownArray is an array that [Model.StateDict] wrote.
type ownArray struct {
	name   string
	dims   []int
	turned bool // [out, in] of a layer [in, out]
}

// linear is a linear layer of PyTorch.
type linear struct {
	weight safetensors.Tensor // [out, in]
	bias   []float32
}

func (l linear) out() int { return l.weight.Dims[0] }
func (l linear) in() int  { return l.weight.Dims[1] }

// dict is a state dict in reading.
type dict struct {
	arrays map[string]safetensors.Tensor
	used   map[string]bool
}

// layer returns a linear layer by name; a bias that is not there is 0.
func (d dict) layer(name string) (l linear, err error) {
	w, there := d.arrays[name+".weight"]
	if !there {
		return l, fmt.Errorf("the array %s.weight is missing", name)
	}
	if len(w.Dims) != 2 || w.Dims[0] < 1 || w.Dims[1] < 1 {
		return l, fmt.Errorf("the array %s.weight has shape %v; a linear layer has two axes", name, w.Dims)
	}
	l = linear{w, make([]float32, w.Dims[0])}
	if b, there := d.arrays[name+".bias"]; there {
		if len(b.Values) != l.out() {
			return l, fmt.Errorf("the array %s.bias has %d values for %d outputs", name, len(b.Values), l.out())
		}
		l.bias = b.Values
	}
	d.used[name+".weight"], d.used[name+".bias"] = true, true
	return l, nil
}

// put sets the weights [in, out] and the bias of a layer of the network.
func (w *Weights) put(path string, l linear) {
	turned := make([]float32, len(l.weight.Values))
	for o := range l.out() {
		for i := range l.in() {
			turned[i*l.out()+o] = l.weight.Values[o*l.in()+i]
		}
	}
	w.values[path+"/weights"], w.values[path+"/bias"] = turned, l.bias
}

// difference returns the layer of the second output less the first.
func (l linear) difference() linear {
	one := linear{safetensors.Tensor{Dims: []int{1, l.in()}}, []float32{l.bias[1] - l.bias[0]}}
	for i := range l.in() {
		one.weight.Values = append(one.weight.Values, l.weight.Values[l.in()+i]-l.weight.Values[i])
	}
	return one
}

// matching returns the names of layers that match a pattern with one number, by the number.
func (d dict) matching(pattern string) (names []string) {
	p := regexp.MustCompile(`^` + pattern + `\.weight$`)
	number := map[string]int{}
	for name := range d.arrays {
		if found := p.FindStringSubmatch(name); found != nil {
			layer := strings.TrimSuffix(name, ".weight")
			number[layer], _ = strconv.Atoi(found[1])
			names = append(names, layer)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return number[a] - number[b] })
	return names
}

// has reports whether an array is there.
func (d dict) has(name string) bool { _, there := d.arrays[name]; return there }

// ReadWeights reads a file of safetensors. The error names the array that is missing, left over or of another shape.
func ReadWeights(data []byte) (*Weights, error) {
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return nil, errors.New("a file of torch.save, it seems; write the weights with safetensors.torch.save_file(model.state_dict(), FILE)")
	}
	arrays, metadata, err := safetensors.Decode(data)
	if err != nil {
		return nil, err
	}
	if text := metadata[settingKey]; text != "" {
		return ownWeights(arrays, text)
	}
	for _, prefix := range []string{"module.", "model."} {
		inside := len(arrays) > 0
		for name := range arrays {
			inside = inside && strings.HasPrefix(name, prefix)
		}
		if inside {
			bare := map[string]safetensors.Tensor{}
			for name, t := range arrays {
				bare[strings.TrimPrefix(name, prefix)] = t
			}
			arrays = bare
		}
	}
	d := dict{arrays, map[string]bool{}}
	w := &Weights{values: map[string][]float32{}, Fields: map[string]any{"standardise": false}}
	if err := w.read(d); err != nil {
		return nil, err
	}
	if err := d.leftOver(w.Pooling); err != nil {
		return nil, err
	}
	return w, nil
}

// leftOver reports an array that was not taken.
func (d dict) leftOver(pooling string) error {
	var left []string
	for name := range d.arrays {
		if !d.used[name] {
			left = append(left, name)
		}
	}
	if slices.Sort(left); left != nil {
		return fmt.Errorf("the array %s has no place in the network of pooling %s (%d such arrays): leave it out, or rename it as the documentation of --from says", left[0], pooling, len(left))
	}
	return nil
}

// read recognises the network and takes its arrays.
func (w *Weights) read(d dict) error {
	encoder := d.matching(`(?:feature_extractor_part2|feature_extractor|encoder|embedding)\.(\d+)`)
	classifier := "classifier"
	if d.has("classifier.0.weight") {
		classifier = "classifier.0"
	}
	var attention [3]string // of the hidden layer, its gate and the score; no gate is ""
	place := ""
	for name := range d.arrays {
		if p, is := strings.CutSuffix(name, "pooling_weights"); is {
			w.Pooling, place = "hopfield", p
		}
	}
	clamGate, clamPlain := d.matching(`attention_net\.(\d+)\.attention_a\.0`), d.matching(`attention_net\.(\d+)\.module\.0`)
	switch {
	case w.Pooling != "":
		if at, err := strconv.Atoi(strings.TrimSuffix(place, ".")); err == nil { // in a Sequential
			for _, name := range d.matching(`(\d+)`) {
				if n, _ := strconv.Atoi(name); n < at {
					encoder = append(encoder, name)
				} else {
					classifier = name
				}
			}
		}
	case len(clamGate) == 1:
		stem := strings.TrimSuffix(clamGate[0], ".attention_a.0")
		w.Pooling, attention = gated, [3]string{stem + ".attention_a.0", stem + ".attention_b.0", stem + ".attention_c"}
	case len(clamPlain) == 1:
		stem := strings.TrimSuffix(clamPlain[0], ".0")
		score := stem + ".2"
		if d.has(stem + ".3.weight") {
			score = stem + ".3"
		}
		w.Pooling, attention = "attention", [3]string{stem + ".0", "", score}
	case d.has("attention_V.0.weight"):
		w.Pooling, attention = gated, [3]string{"attention_V.0", "attention_U.0", "attention_w"}
	case d.has("attention.0.weight"):
		w.Pooling, attention = "attention", [3]string{"attention.0", "", "attention.2"}
	default:
		names := slices.Sorted(maps.Keys(d.arrays))
		return fmt.Errorf("no network that is known has the arrays %.300s; --from reads ABMIL, gated ABMIL, CLAM-SB, hflayers' HopfieldPooling, and what milbench export wrote", strings.Join(names, ", "))
	}
	ofCLAM := len(clamGate)+len(clamPlain) == 1
	if ofCLAM {
		encoder, classifier = []string{"attention_net.0"}, "classifiers"
	}
	if d.has("feature_extractor_part1.0.weight") {
		return errors.New("the array feature_extractor_part1.0.weight is of a convolution of images: compute the features of the instances with it, and leave its arrays out")
	}
	features := 0
	for i, name := range encoder {
		l, err := d.layer(name)
		if err != nil {
			return err
		}
		switch {
		case i == 0:
			w.Features = l.in()
		case l.in() != features:
			return fmt.Errorf("the array %s.weight takes %d features, and the layer before it gives %d", name, l.in(), features)
		}
		if features = l.out(); i > 0 && features != w.Fields["width"] {
			return fmt.Errorf("the layers before the pooling have %v and %d features; here they all have the same number", w.Fields["width"], features)
		}
		w.Fields["width"] = features
		w.put(fmt.Sprintf("/embedding_%d", i), l)
	}
	w.Fields["layers"] = len(encoder)
	var err error
	if w.Pooling == "hopfield" {
		err = w.readHopfield(d, place, &features)
	} else {
		err = w.readAttention(d, attention, &features)
	}
	if err != nil {
		return err
	}
	if w.Features == 0 {
		w.Features = features
	}
	last, err := d.layer(classifier)
	if err != nil {
		return err
	}
	if last.in() != features {
		return fmt.Errorf("the array %s.weight takes %d features, and the pooling gives %d", classifier, last.in(), features)
	}
	return w.readClassifier(d, last, ofCLAM && w.Pooling == gated)
}

// readAttention takes the arrays of attention pooling.
func (w *Weights) readAttention(d dict, names [3]string, features *int) error {
	for k, path := range []string{"/pooling/tanh", "/pooling/gate", "/pooling/score"} {
		if names[k] == "" {
			continue
		}
		l, err := d.layer(names[k])
		if err != nil {
			return err
		}
		want := *features
		if k == 2 {
			want = w.Fields["embed"].(int)
		}
		if want == 0 { // no layer before the pooling
			want, *features = l.in(), l.in()
		}
		switch {
		case l.in() != want:
			return fmt.Errorf("the array %s.weight takes %d features, not %d", names[k], l.in(), want)
		case k == 1 && l.out() != w.Fields["embed"]:
			return fmt.Errorf("the array %s.weight gives %d features, not %v", names[k], l.out(), w.Fields["embed"])
		case k == 2 && l.out() != 1:
			return fmt.Errorf("the array %s.weight has %d attention branches; one can be read", names[k], l.out())
		}
		if k == 0 {
			w.Fields["embed"] = l.out()
		}
		w.put(path, l)
	}
	return nil
}

// readHopfield takes the arrays of hflayers' HopfieldPooling at a place.
func (w *Weights) readHopfield(d dict, place string, features *int) error {
	query, core := d.arrays[place+"pooling_weights"], place+"hopfield.association_core"
	d.used[place+"pooling_weights"] = true
	n := len(query.Values)
	if len(query.Dims) != 3 || query.Dims[0] != 1 || query.Dims[1] != 1 || n == 0 {
		return fmt.Errorf("the array %spooling_weights has shape %v; one state pattern can be read, [1, 1, features]", place, query.Dims)
	}
	if *features != 0 && n != *features {
		return fmt.Errorf("the array %spooling_weights has %d features, and the layer before it gives %d", place, n, *features)
	}
	*features = n
	w.values["/pooling/query"] = query.Values
	joint, bias := d.arrays[core+".in_proj_weight"], d.arrays[core+".in_proj_bias"]
	d.used[core+".in_proj_weight"], d.used[core+".in_proj_bias"] = true, true
	if len(joint.Dims) != 2 || joint.Dims[0]%3 != 0 || joint.Dims[1] != n {
		return fmt.Errorf("the array %s.in_proj_weight has shape %v, want [3 times the hidden size and heads, %d]", core, joint.Dims, n)
	}
	embed := joint.Dims[0] / 3
	w.Fields["embed"] = embed
	if bias.Values == nil {
		bias.Values = make([]float32, 3*embed)
	}
	if len(bias.Values) != 3*embed {
		return fmt.Errorf("the array %s.in_proj_bias has %d values, want %d", core, len(bias.Values), 3*embed)
	}
	for k, path := range []string{"/pooling/query_projection", "/pooling/key_projection", "/pooling/value_projection"} {
		w.put(path, linear{safetensors.Tensor{Dims: []int{embed, n}, Values: joint.Values[k*embed*n : (k+1)*embed*n]}, bias.Values[k*embed : (k+1)*embed]})
	}
	out, err := d.layer(core + ".out_proj")
	if err != nil {
		return err
	}
	if out.in() != embed || out.out() != n {
		return fmt.Errorf("the array %s.out_proj.weight has shape %v, want [%d, %d]", core, out.weight.Dims, n, embed)
	}
	w.put("/pooling/output", out)
	norms := 0
	for name, path := range map[string]string{"norm_stored_pattern": "key_norm", "norm_pattern_projection": "value_norm", "norm_state_pattern": "query_norm"} {
		gain, there := d.arrays[place+"hopfield."+name+".weight"]
		shift := d.arrays[place+"hopfield."+name+".bias"]
		d.used[place+"hopfield."+name+".weight"], d.used[place+"hopfield."+name+".bias"] = true, true
		if there {
			norms++
			if len(gain.Values) != n || len(shift.Values) != n {
				return fmt.Errorf("the array %shopfield.%s.weight has shape %v, want [%d]", place, name, gain.Dims, n)
			}
			w.values["/pooling/"+path+"/gain"], w.values["/pooling/"+path+"/bias"] = gain.Values, shift.Values
		}
	}
	if norms != 0 && norms != 3 {
		return errors.New("some layer norms of the HopfieldPooling are there and others are not; here all are, or none")
	}
	if w.Fields["norm"] = norms == 3; norms == 0 {
		w.Notes = append(w.Notes, "the HopfieldPooling has no arrays of layer norms: it is taken to have none, also if it normalises without them (affine=False)")
	}
	return nil
}

// readClassifier takes the last layer: of two outputs their difference. pairs says that CLAM's instance classifiers may be there.
func (w *Weights) readClassifier(d dict, last linear, pairs bool) error {
	if w.Outputs = last.out(); w.Outputs == 2 {
		last, w.Outputs, w.pair = last.difference(), 1, true
	}
	instance := d.matching(`instance_classifiers\.(\d+)`)
	if len(instance) == 0 {
		w.put("/classifier", last)
		return nil
	}
	var each []linear
	for _, name := range instance {
		l, err := d.layer(name)
		if err != nil {
			return err
		}
		if l.out() != 2 || l.in() != last.in() {
			return fmt.Errorf("the array %s.weight has shape %v, want [2, %d]", name, l.weight.Dims, last.in())
		}
		each = append(each, l.difference())
	}
	if !pairs || w.Outputs != 1 || len(each) != 2 {
		w.Notes = append(w.Notes, "the instance classifiers of CLAM are left out: scores do not depend on them, and training here has no instance loss")
		w.put("/classifier", last)
		return nil
	}
	w.Pooling = clam
	w.put("/pooling/classifier", last)
	w.put("/pooling/instance", linear{
		safetensors.Tensor{Dims: []int{2, last.in()}, Values: slices.Concat(each[0].weight.Values, each[1].weight.Values)},
		slices.Concat(each[0].bias, each[1].bias),
	})
	return nil
}

// settingKey is the metadata with the setting of a model that [Model.StateDict] wrote.
const settingKey = "milbench.setting"

// ownWeights reads what [Model.StateDict] wrote.
func ownWeights(arrays map[string]safetensors.Tensor, text string) (*Weights, error) {
	var c Config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return nil, fmt.Errorf("its metadata %s: %w", settingKey, err)
	}
	w := &Weights{Pooling: c.Pooling, Fields: map[string]any{}, values: map[string][]float32{}, own: map[string]ownArray{}}
	for _, h := range Hyperparameters(c.Pooling) {
		w.Fields[h.Name] = h.value(&c).Interface()
	}
	d := dict{arrays, map[string]bool{}}
	if slices.Contains([]string{"attention", gated, clam, "hopfield"}, c.Pooling) && (c.Pooling != clam || d.has("classifiers.weight")) {
		bare := &Weights{values: map[string][]float32{}, Fields: map[string]any{}}
		if err := bare.read(d); err != nil {
			return nil, err
		}
		w.values, w.Features, w.Outputs, w.pair = bare.values, bare.Features, bare.Outputs, bare.pair
		return w, d.leftOver(w.Pooling)
	}
	for name, t := range arrays {
		path := "/" + strings.ReplaceAll(name, ".", "/")
		if stem, is := strings.CutSuffix(path, "/weight"); is {
			if len(t.Dims) != 2 {
				return nil, fmt.Errorf("the array %s has shape %v; a linear layer has two axes", name, t.Dims)
			}
			w.put(stem, linear{t, make([]float32, t.Dims[0])})
			w.own[stem+"/weights"] = ownArray{name, t.Dims, true}
			if b, there := arrays[strings.TrimSuffix(name, ".weight")+".bias"]; there {
				w.values[stem+"/bias"] = b.Values
			}
			if stem == "/embedding_0" {
				w.Features = t.Dims[1]
			}
			continue
		}
		if w.values[path] == nil {
			w.values[path], w.own[path] = t.Values, ownArray{name, t.Dims, false}
		}
	}
	return w, nil
}

// Setting returns the setting of the weights with the fields of another on top, which must not change shapes.
func (w *Weights) Setting(preset string, fields map[string]any) (Config, error) {
	grid := Grid{"pooling": {w.Pooling}, "preset": {preset}}
	for name, v := range w.Fields {
		grid[name] = []any{v}
	}
	for name, v := range fields {
		if given, fixed := w.Fields[name]; fixed && given != v && slices.Contains([]string{"layers", "width", "embed", "norm", "standardise"}, name) {
			return Config{}, fmt.Errorf("%s: the weights have %v; leave it out", name, given)
		}
		grid[name] = []any{v}
	}
	if grid["heads"] == nil && w.Pooling == "hopfield" {
		grid["heads"] = []any{1}
	}
	if grid["beta"] == nil && w.Pooling == "hopfield" {
		if heads, is := grid["heads"][0].(int); is && heads > 0 {
			grid["beta"] = []any{1 / math.Sqrt(float64(w.Fields["embed"].(int))/float64(heads))}
		}
	}
	configs, err := grid.Configs()
	if err != nil {
		return Config{}, err
	}
	return configs[0], nil
}

// forTargets returns the weights for a network of standardised real targets: they give targets in their own unit.
func (w *Weights) forTargets(kind mil.TargetKind, s targets) (*Weights, error) {
	if kind == mil.SurvivalTarget {
		return nil, errors.New("--from: the outputs for survival are hazards in intervals of time that depend on the bags; weights from elsewhere have others")
	}
	if kind != mil.RealTarget {
		return w, nil
	}
	last, there := w.values["/classifier/weights"]
	if w.pair {
		return nil, errors.New("--from: the last layer has two outputs, those of two classes; a number has one")
	}
	if !there {
		return nil, fmt.Errorf("--from: pooling %s has no last layer for numbers", w.Pooling)
	}
	scaled := *w
	scaled.values = maps.Clone(w.values)
	l := linear{safetensors.Tensor{Dims: []int{1, len(last)}, Values: last}, w.values["/classifier/bias"]}.scaled(1/s.unit(), -s.Mean/s.unit())
	scaled.values["/classifier/weights"], scaled.values["/classifier/bias"] = l.weight.Values, l.bias
	return &scaled, nil
}

// fill replaces initial values of parameters by the weights.
func (w *Weights) fill(paths []string, forms []shapes.Shape, parameters [][]float32) error {
	for i, path := range paths {
		values := w.values[path]
		if from, known := w.own[path]; known {
			want := slices.Clone(forms[i].Dimensions)
			if from.turned {
				slices.Reverse(want)
			}
			if !slices.Equal(from.dims, want) {
				return fmt.Errorf("--from: the array %s has shape %v, and that of a network for these bags %v; the weights take bags of %d features",
					from.name, from.dims, want, w.Features)
			}
		}
		if len(values) != len(parameters[i]) {
			return fmt.Errorf("--from: the weights have %d numbers for %s, and a network for these bags %d; it takes bags of %d features and %d outputs",
				len(values), path, len(parameters[i]), w.Features, max(w.Outputs, 1))
		}
		copy(parameters[i], values)
	}
	return nil
}

// StateDict returns the parameters of the network for PyTorch: those of attention, gated, clam with two classes and hopfield with the
// names of [Weights], and those of other poolings by their paths. Scaling of features and of real targets is part of the first and the
// last layer, so that the network takes features as they are in files.
func (m *Model) StateDict() ([]byte, error) {
	c := m.card.Config
	p := map[string]linear{}
	other := map[string]safetensors.Tensor{}
	start := 0
	for i, form := range m.program.forms {
		path, values := m.program.paths[i], m.parameters[start:start+form.Size()]
		start += form.Size()
		stem, dense := strings.CutSuffix(path, "/weights")
		switch {
		case dense && form.Rank() == 2:
			in, out := form.Dimensions[0], form.Dimensions[1]
			l := linear{safetensors.Tensor{Dims: []int{out, in}, Values: make([]float32, in*out)}, p[stem].bias}
			for a := range in {
				for b := range out {
					l.weight.Values[b*in+a] = values[a*out+b]
				}
			}
			p[stem] = l
		case strings.HasSuffix(path, "/bias") && !strings.Contains(path, "norm"):
			stem = strings.TrimSuffix(path, "/bias")
			p[stem] = linear{p[stem].weight, slices.Clone(values)}
		default:
			other[path] = safetensors.Tensor{Dims: form.Dimensions, Values: values}
		}
	}
	if err := m.foldScaling(p); err != nil {
		return nil, err
	}
	c.Standardise = false
	setting, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	arrays := map[string]safetensors.Tensor{}
	put := func(name string, l linear) {
		arrays[name+".weight"], arrays[name+".bias"] = l.weight, safetensors.Tensor{Dims: []int{len(l.bias)}, Values: l.bias}
	}
	named := map[string]string{"/classifier": "classifier.0"}
	for i := range c.Layers {
		named[fmt.Sprintf("/embedding_%d", i)] = fmt.Sprintf("feature_extractor_part2.%d", 2*i)
	}
	binary := c.target.outputs() == 1
	switch {
	case c.Pooling == "attention":
		named["/pooling/tanh"], named["/pooling/score"] = "attention.0", "attention.2"
	case c.Pooling == gated:
		named["/pooling/tanh"], named["/pooling/gate"], named["/pooling/score"] = "attention_V.0", "attention_U.0", "attention_w"
	case c.Pooling == clam && binary && c.Layers == 1:
		named = map[string]string{"/embedding_0": "attention_net.0", "/pooling/tanh": "attention_net.3.attention_a.0",
			"/pooling/gate": "attention_net.3.attention_b.0", "/pooling/score": "attention_net.3.attention_c", "/pooling/classifier": "classifiers"}
		p["/pooling/classifier"] = p["/pooling/classifier"].pair(0)
		for k := range 2 {
			put(fmt.Sprintf("instance_classifiers.%d", k), p["/pooling/instance"].pair(k))
		}
		delete(p, "/pooling/instance")
	case c.Pooling == "hopfield":
		core := "pooling.hopfield.association_core"
		var joint, bias []float32
		for _, path := range []string{"/pooling/query_projection", "/pooling/key_projection", "/pooling/value_projection"} {
			joint, bias = append(joint, p[path].weight.Values...), append(bias, p[path].bias...)
			delete(p, path)
		}
		n := len(bias)
		arrays[core+".in_proj_weight"] = safetensors.Tensor{Dims: []int{n, len(joint) / n}, Values: joint}
		arrays[core+".in_proj_bias"] = safetensors.Tensor{Dims: []int{n}, Values: bias}
		named["/pooling/output"] = core + ".out_proj"
		query := other["/pooling/query"].Values
		arrays["pooling.pooling_weights"] = safetensors.Tensor{Dims: []int{1, 1, len(query)}, Values: query}
		for path, name := range map[string]string{"key_norm": "norm_stored_pattern", "value_norm": "norm_pattern_projection", "query_norm": "norm_state_pattern"} {
			if gain, there := other["/pooling/"+path+"/gain"]; there {
				arrays["pooling.hopfield."+name+".weight"], arrays["pooling.hopfield."+name+".bias"] = gain, other["/pooling/"+path+"/bias"]
			}
		}
		clear(other)
	default:
		named = map[string]string{}
	}
	for path, l := range p {
		name, there := named[path]
		if !there {
			name = strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", ".")
		}
		put(name, l)
	}
	for path, t := range other {
		arrays[strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", ".")] = t
	}
	return safetensors.Encode(arrays, map[string]string{"format": "pt", settingKey: string(setting), "milbench.set": m.card.Set})
}

// pair returns the layer of two outputs whose difference is an output of l: the first is 0.
func (l linear) pair(output int) linear {
	n := l.in()
	two := linear{safetensors.Tensor{Dims: []int{2, n}, Values: make([]float32, n, 2*n)}, []float32{0, l.bias[output]}}
	two.weight.Values = append(two.weight.Values, l.weight.Values[output*n:(output+1)*n]...)
	return two
}

// foldScaling makes the scaling of features part of the first layer, and that of real targets part of the last.
func (m *Model) foldScaling(p map[string]linear) error {
	s, c := m.card.Standardisation, m.card.Config
	switch {
	case m.card.Centre != nil:
		return errors.New("its features have a centre, such as that of dates, which no layer can hold: export it as ONNX")
	case (s.Shift != nil || s.Factor != nil) && c.Layers == 0:
		return errors.New("it scales features and has no dense layer that could do so instead: train with --layers 1 or --standardise false, or export it as ONNX")
	case c.Weights != "" && c.Weights != synlayer.SoftmaxWeights:
		return fmt.Errorf("its attention weights are those of %s, and the networks of these arrays have a softmax: export it as ONNX", c.Weights)
	case m.card.Target == mil.SurvivalTarget:
		return errors.New("its outputs are hazards in intervals of time, which arrays alone do not say: export it as ONNX")
	}
	if s.Shift != nil || s.Factor != nil {
		l := p["/embedding_0"]
		l.weight.Values, l.bias = slices.Clone(l.weight.Values), slices.Clone(l.bias)
		for o := range l.out() {
			less := 0.
			for j := range l.in() {
				shift, factor := s.numbers(j)
				at := o*l.in() + j
				less += float64(l.weight.Values[at]) * factor * shift
				l.weight.Values[at] = float32(float64(l.weight.Values[at]) * factor)
			}
			l.bias[o] = float32(float64(l.bias[o]) - less)
		}
		p["/embedding_0"] = l
	}
	if m.card.Target == mil.RealTarget {
		l, there := p["/classifier"]
		if !there {
			return fmt.Errorf("pooling %s has no last layer that could hold the unit of the numbers: export it as ONNX", c.Pooling)
		}
		p["/classifier"] = l.scaled(m.card.Targets.unit(), m.card.Targets.Mean)
	}
	return nil
}

// scaled returns the layer whose outputs are those of l times a factor, plus a shift.
func (l linear) scaled(factor, shift float64) linear {
	out := linear{safetensors.Tensor{Dims: l.weight.Dims, Values: slices.Clone(l.weight.Values)}, slices.Clone(l.bias)}
	for i, v := range out.weight.Values {
		out.weight.Values[i] = float32(float64(v) * factor)
	}
	for i, v := range out.bias {
		out.bias[i] = float32(float64(v)*factor + shift)
	}
	return out
}
