package training

import (
	"testing"

	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
)

// BenchmarkStep times a step of training, with the images handed over and the loss read.
func BenchmarkStep(b *testing.B) {
	for name, backend := range backendtest.All(b) {
		for _, c := range []struct {
			what     string
			settings Settings
		}{{"quick", Quick()}, {"full", Full()}} {
			b.Run(name+"/"+c.what, func(b *testing.B) {
				trainer := c.settings.trainer(backend, model.NewStore())
				batch := blocks(c.settings.Batch)
				for range 3 { // compiles, and warms up
					if _, err := trainStep(trainer, batch, 0.5); err != nil {
						b.Fatal(err)
					}
				}
				for b.Loop() {
					if _, err := trainStep(trainer, batch, 0.5); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
