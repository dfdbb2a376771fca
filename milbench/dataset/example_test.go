package dataset_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"synpool/milbench/dataset"
	"synpool/milbench/mil"
)

func ExampleMusk1() {
	s, err := dataset.Musk1()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(s.Bags), "bags,", s.NumPositive(), "positive,", s.NumInstances(), "instances,", s.NumFeatures(), "features")
	fmt.Println(s.Bags[0].ID, s.Bags[0].Label, s.Bags[0].Instances.Len())
	// Output:
	// 92 bags, 47 positive, 476 instances, 166 features
	// MUSK-188 1 4
}

func ExampleReadFile() {
	s, err := dataset.ReadFile(filepath.Join("testdata", "columbia.mat"))
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range s.Bags {
		fmt.Println("bag", b.ID, "label", b.Label, "instances", b.Instances.Len())
	}
	// Output:
	// bag 7 label 1 instances 3
	// bag 3 label 0 instances 3
	// bag 9 label 1 instances 1
}

func ExampleReadTransposed() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	var paths []string
	for name, text := range map[string]string{"a-data": "3\t5\t8\n4\t12\t15\n", "b-bags": "A\nA\nB\n", "c-labels": "1\n1\n0\n"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	s, err := dataset.ReadTransposed(paths[0], paths[1], paths[2])
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range s.Bags {
		fmt.Println("bag", b.ID, "label", b.Label, "instances", b.Instances.Len(), "features", b.Instances.Features())
	}
	// Output:
	// bag A label 1 instances 2 features 2
	// bag B label 0 instances 1 features 2
}

func ExampleOptions_unlabelled() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "new.csv")
	if err := os.WriteFile(file, []byte("bag,width,height\nA,3,4\nA,5,12\nB,8,15\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	s, err := dataset.Options{Unlabelled: true}.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range s.Bags {
		fmt.Println("bag", b.ID, "instances", b.Instances.Len())
	}
	// Output:
	// bag A instances 2
	// bag B instances 1
}

func ExampleReadMATLAB() {
	f, err := os.Open(filepath.Join("testdata", "refused", "struct.mat"))
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	_, err = dataset.ReadMATLAB(f, "struct.mat")
	fmt.Println(err)
	// Output:
	// struct.mat: no bags: found data (struct 1x1); save a cell array of N x 2 with instances and label, or features, labels and bag_ids
}

func ExampleReadC45() {
	s, err := dataset.ReadC45(strings.NewReader(`
MUSK-188,188_1+1,42,-198,-109,1.
MUSK-188,188_1+2,42,-191,-142,1.
NON-MUSK-199,199_1+1,45,-102,-54,0.
`), "two molecules")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Bags[0].ID, s.Bags[0].Label, s.Bags[0].Instances.(*mil.Dense).Values)
	fmt.Println(s.Bags[1].ID, s.Bags[1].Label, s.Bags[1].Instances.(*mil.Dense).Values)
	// Output:
	// MUSK-188 1 [42 -198 -109 42 -191 -142]
	// NON-MUSK-199 0 [45 -102 -54]
}

const slides = `bag,label,group,instance_label,area,roundness
slide1,1,patient1,1,310,0.7
slide1,1,patient1,0,120,0.9
slide2,0,patient2,0,140,0.8
`

func ExampleReadCSV() {
	s, err := dataset.ReadCSV(strings.NewReader(slides), "slides")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Features)
	for i, b := range s.Bags {
		fmt.Println(b.ID, b.Label, b.Group, b.Instances.(*mil.Dense).Values, s.InstanceLabels[i])
	}
	// Output:
	// [area roundness]
	// slide1 1 patient1 [310 0.7 120 0.9] [1 0]
	// slide2 0 patient2 [140 0.8] [0]
}

func ExampleWriteCSV() {
	s, err := dataset.ReadCSV(strings.NewReader(slides), "slides")
	if err != nil {
		log.Fatal(err)
	}
	s.InstanceLabels = nil
	if err := dataset.WriteCSV(os.Stdout, s); err != nil {
		log.Fatal(err)
	}
	// Output:
	// bag,label,group,area,roundness
	// slide1,1,patient1,310,0.7
	// slide1,1,patient1,120,0.9
	// slide2,0,patient2,140,0.8
}

func ExampleParseColumn() {
	for _, text := range []string{"last", "3", "zero"} {
		c, err := dataset.ParseColumn(text)
		fmt.Println(int(c), err)
	}
	// Output:
	// -1 <nil>
	// 3 <nil>
	// 0 column "zero": give last or the number of a column, from 1
}

func ExampleMoveInstanceLabels() {
	s, err := dataset.ReadCSV(strings.NewReader("1,bag1,0.5,3,0\n1,bag1,0.7,2,1\n0,bag2,0.1,9,0\n"), "leaky")
	if err != nil {
		log.Fatal(err)
	}
	clean, err := dataset.MoveInstanceLabels(s, dataset.LastColumn)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.NumFeatures(), clean.NumFeatures(), clean.InstanceLabels)
	// Output:
	// 3 2 [[0 1] [0]]
}

// Two images of a row of three pixels.
func ExampleReadImages() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	images, labels := filepath.Join(folder, "images"), filepath.Join(folder, "labels")
	for file, data := range map[string]string{
		images: "\x00\x00\x08\x03" + "\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x03" + "\x00\x80\xff\x01\x02\x03",
		labels: "\x00\x00\x08\x01" + "\x00\x00\x00\x02" + "\x07\x04",
	} {
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	read, err := dataset.ReadImages(images, labels)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d images of %dx%d, pixels %d, labels %d\n", len(read.Labels), read.Rows, read.Columns, read.Pixels, read.Labels)
	// Output:
	// 2 images of 1x3, pixels [0 128 255 1 2 3], labels [7 4]
}

func ExampleSetPositive() {
	s, err := dataset.ReadCSV(strings.NewReader("bag,label,area\nslide1,tumour,3\nslide2,normal,5\n"), "slides")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Kind, s.Classes, s.Bags[0].Label)
	err = dataset.SetPositive(s, "normal")
	fmt.Println(s.Classes, s.Bags[0].Label, err)
	// Output:
	// binary [normal tumour] 1
	// [tumour normal] 0 <nil>
}
