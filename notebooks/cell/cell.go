// Package cell holds what the cells of the notebooks share. A cell of a GoNB notebook is a program of its own: an error ends
// it with one line, and what a later cell reads is kept in files.
package cell

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
)

// Must returns v, or ends the cell with the error if there is one.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Folder is where the cells of a notebook keep what later ones read.
type Folder string

// Temporary returns the folder of that name below that of temporary files.
func Temporary(name string) Folder { return Folder(filepath.Join(os.TempDir(), "synpool", name)) }

// Clear makes the folder, and empties it if it is there.
func (f Folder) Clear() {
	Check(os.RemoveAll(string(f)))
	Check(os.MkdirAll(string(f), 0o777))
}

// File returns the path of a file in the folder.
func (f Folder) File(name string) string { return filepath.Join(string(f), name) }

// Keep keeps a number that the text speaks of, for [Folder.Numbers].
func (f Folder) Keep(name string, value float64) {
	Check(os.MkdirAll(string(f), 0o777))
	Check(os.WriteFile(f.File(name+".number"), fmt.Appendf(nil, "%s %.6g\n", name, value), 0o666))
}

// Note prints a number and keeps it.
func (f Folder) Note(name string, value float64) {
	fmt.Printf("%s %.4f\n", name, value)
	f.Keep(name, value)
}

// Numbers prints the numbers that were kept, by name, after the backend that they were computed on.
func (f Folder) Numbers(backend string) {
	fmt.Println("backend", backend)
	for _, file := range Must(filepath.Glob(f.File("*.number"))) {
		fmt.Print(string(Must(os.ReadFile(file))))
	}
}

var duration = regexp.MustCompile(`, (\d+h)?(\d+m)?\d+(\.\d+)?(ms|s)( left)?\b`)

// Log returns a writer that prints the log of a training without its durations, which differ from run to run. Each write
// must hold whole lines.
func Log() io.Writer { return timeless{os.Stdout} }

type timeless struct{ to io.Writer }

func (t timeless) Write(line []byte) (int, error) {
	if _, err := t.to.Write(duration.ReplaceAll(line, nil)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// Doubles returns the values of an instance as numbers to compute with and to plot.
func Doubles(row []float32) []float64 {
	values := make([]float64, len(row))
	for i, v := range row {
		values[i] = float64(v)
	}
	return values
}
