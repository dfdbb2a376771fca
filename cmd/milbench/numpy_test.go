package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"synpool/milbench/dataset"
	"synpool/milbench/mil"
)

// arrays writes a set as a folder of NumPy arrays of float64, and its bags without labels as another.
func arrays(t *testing.T, s *mil.Set) (labelled, unlabelled string) {
	t.Helper()
	labelled, unlabelled = filepath.Join(t.TempDir(), "toy"), t.TempDir()
	if err := os.Mkdir(labelled, 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(path string, data []byte) {
		put(t, path, data)
	}
	list := "bag,label\n"
	for _, b := range s.Bags {
		list += fmt.Sprintf("%s,%d\n", b.ID, b.Label)
		header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }\n", b.Instances.Len(), b.Instances.Features())
		data := append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header))), header...)
		for _, v := range b.Instances.(*mil.Dense).Values {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(float64(v)))
		}
		write(filepath.Join(labelled, b.ID+".npy"), data)
		write(filepath.Join(unlabelled, b.ID+".npy"), data)
	}
	write(filepath.Join(labelled, "labels.csv"), []byte(list))
	return labelled, unlabelled
}

// A folder of NumPy arrays stands wherever a file may.
func TestNumPyFolder(t *testing.T) {
	file := write(t, "toy.csv", toy(false))
	s, err := dataset.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	folder, unlabelled := arrays(t, s)
	want, _ := succeed(t, "audit", file)
	if got, _ := succeed(t, "audit", folder); got != want {
		t.Errorf("audit of the folder\n%s\nof the file\n%s", got, want)
	}
	refuse(t, exitUse, "holds the same bags as", "run", file, folder, "--out", newFolder(t))
	prints(t, "| toy ", "run", folder, "--learner", "statistics-svm", "--folds", "2", "--repeats", "1", "--out", newFolder(t))
	model, _ := trained(t, with(folder, "--pooling", "max")...)
	scores := predictions(t, model, file)
	for _, bags := range []string{folder, unlabelled} {
		all := map[string]float64{}
		for _, b := range predictions(t, model, bags) {
			all[b.Bag] = *b.Score
		}
		for _, b := range scores {
			if got, is := all[b.Bag]; !is || len(all) != len(scores) || math.Abs(got-*b.Score) > 1e-5 {
				t.Errorf("bag %s of %s: score %v, want %v", b.Bag, bags, got, *b.Score)
			}
		}
	}
	refuse(t, exitUse, "no table of its bags", "audit", unlabelled)
}
