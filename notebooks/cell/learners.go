package cell

import (
	"encoding/json"
	"maps"

	"synpool/milbench"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
)

// Learner is a learner with its setting. Methods return a changed copy:
//
//	Syn(3).Width(64).Epochs(30)
type Learner struct {
	name   string // of a learner or pooling
	fields map[string]any
	fixed  json.RawMessage // a complete setting instead
}

// Networks, by their pooling, and learners of whole bags. For others use [Named].
var (
	Mean            = Learner{name: "mean"}
	Max             = Learner{name: "max"}
	Softmax         = Learner{name: "softmax"}
	Attention       = Learner{name: "attention"}
	Gated           = Learner{name: "gated"}
	Auto            = Learner{name: learners.AutoName}
	StatisticsSVM   = Learner{name: "statistics-svm"}
	StatisticsTrees = Learner{name: "statistics-trees"}
)

// Syn is SynPooling with the given number of steps: positive numbers concentrate the weights, negative ones distract them.
// Its γ is 0.5, without a layer norm; With("gamma", 1.0) has the γ of the paper.
func Syn(steps int) Learner {
	return Learner{name: "syn", fields: map[string]any{"iterations": steps}}
}

// Named returns the learner or pooling with a name used by milbench: "miles", "clam", "instance".
func Named(name string) Learner { return Learner{name: name} }

// With sets a field of the setting, by its name in milbench.
func (l Learner) With(field string, value any) Learner {
	if l.fields = maps.Clone(l.fields); l.fields == nil {
		l.fields = make(map[string]any)
	}
	l.fields[field] = value
	return l
}

// Epochs sets how often a network sees each training bag.
func (l Learner) Epochs(n int) Learner { return l.With("epochs", n) }

// Width sets the number of features of each layer.
func (l Learner) Width(n int) Learner { return l.With("width", n) }

// Layers sets the number of layers before the pooling.
func (l Learner) Layers(n int) Learner { return l.With("layers", n) }

// Batch sets the number of bags per step.
func (l Learner) Batch(n int) Learner { return l.With("batch", n) }

// Rate sets the learning rate.
func (l Learner) Rate(rate float64) Learner { return l.With("lr", rate) }

// Dropout sets the share of features that is dropped in training.
func (l Learner) Dropout(share float64) Learner { return l.With("dropout", share) }

// Loss sets the loss that a network minimises, if there are several for its kind of target.
func (l Learner) Loss(name string) Learner { return l.With("loss", name) }

// Setting returns the complete setting in the form used in results.
func (l Learner) Setting() json.RawMessage { return Must(l.setting()) }

func (l Learner) setting() (json.RawMessage, error) {
	if l.fixed != nil {
		return cv.Replace(l.fixed, l.fields)
	}
	return milbench.Setting(l.name, l.fields)
}

// String returns the name of the learner.
func (l Learner) String() string {
	if l.fixed != nil {
		return learner.Name(l.fixed)
	}
	return l.name
}
