package learner

import (
	"errors"

	"synpool/internal/onnx"
)

// ErrNoExport is the error of a model of a learner that does not say how to export it.
var ErrNoExport = errors.New("its models cannot be written as ONNX: give the model a method Export (learner.Exporter)")

// MostLeftOut limits the instances of a bag that are scored by leaving each one out. Each instance needs one prediction.
const MostLeftOut = 2000

// Exporter is a [Model] that can be written as a graph of ONNX.
type Exporter interface {
	// Export adds what the model computes of a bag to a graph. The name x stands for the bag's instances, float64
	// [instances, features] with float32 precision, without missing values. An error says why the model cannot be written.
	Export(g *onnx.Graph, x string) (Exported, error)
}

// Exported names what a model computes of a bag, in a graph of ONNX. Values are float64.
type Exported struct {
	Scores         string // [outputs], see [synpool/milbench/mil.Prediction]
	Weights        string // [heads, instances]; "" without
	Instances      string // [instances]; "" without
	ClassInstances string // [classes, instances]; "" without

	Unscored bool // the model scores instances, and the graph does not

	Alive string    // survival curve [times]; "" without
	Times []float64 // of the curve
}
