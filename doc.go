// Package synpool is the root of a toolkit for attention pooling and multiple-instance learning (MIL) in Go.
//
// It holds no code. The layer and every pooling of a bag are in synlayer, the benchmark in milbench and its children,
// the choice of a GoMLX backend in backend, the figures in plotting, and the command in cmd/milbench.
package synpool
