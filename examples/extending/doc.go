// Package extending shows how to extend the project: its tests add a learner, a reader, a pooling and a figure from outside.
package extending
