package cell

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"

	"synpool/backend"
	"synpool/internal/disk"
)

// DrawSlides writes an example data set, unless the file exists, and returns its name: slides with cells, four measurements
// per cell, two slides per patient. In the slides of ill patients, one cell is larger and less round than the others are on
// average. The darkness of the stain differs between patients and means nothing.
func DrawSlides(file string, patients int) string {
	return drawSlides(file, patients, "slide", "patient")
}

// DrawFresh writes slides of new patients without labels.
func DrawFresh(file string, patients int) string { return drawSlides(file, patients, "fresh", "other") }

func drawSlides(file string, patients int, slide, of string) string {
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		Check(err)
		return file
	}
	known := slide == "slide"
	random := rand.New(rand.NewPCG(1, uint64(len(of))))
	var text bytes.Buffer
	text.WriteString("bag,label,group,area,roundness,stain,texture\n")
	for patient := range patients {
		ill := patient % 2
		label, stain := []string{"healthy", "ill"}[ill], random.NormFloat64()
		if !known {
			label = "?"
		}
		for k := range 2 {
			for cell := range 6 + random.IntN(18) {
				area, roundness := 100+15*random.NormFloat64(), 0.8+0.06*random.NormFloat64()
				if cell < ill {
					area, roundness = area+40, roundness-0.14
				}
				fmt.Fprintf(&text, "%s%d,%s,%s%d,%.1f,%.3f,%.3f,%.3f\n", slide, 2*patient+k+1, label, of, patient+1,
					area, roundness, stain+random.NormFloat64()/3, random.NormFloat64())
			}
		}
	}
	Check(disk.WriteFile(file, text.Bytes()))
	return file
}

// Numbers prints the backend and then numbers by name, for the test that runs a notebook.
func Numbers(named ...any) {
	fmt.Println("backend", backend.Likely())
	for i := 0; i+1 < len(named); i += 2 {
		fmt.Printf("%v %.4f\n", named[i], named[i+1])
	}
}
