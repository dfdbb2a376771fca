// Package extending shows how the project is extended: its tests add a learner, a reader, a pooling and a figure from outside.
package extending
