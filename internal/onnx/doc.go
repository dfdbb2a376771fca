// Package onnx writes, reads and evaluates models in the ONNX format.
//
// A [Graph] is built node by node ([Graph.Add]), written with [Model.Encode] and read with [Decode]. [Graph.Run] evaluates it in
// plain Go, with the operators that exported models of this module use, which are listed in ops.go; other runtimes, such as
// onnxruntime, read the same files. Operators are those of version 18 of ONNX's own set and of version 3 of ai.onnx.ml.
//
// Specification: https://onnx.ai/onnx/repo-docs/IR.html and https://onnx.ai/onnx/operators/.
package onnx
