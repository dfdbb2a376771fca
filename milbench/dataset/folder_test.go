package dataset

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"synpool/internal/alloctest"
	"synpool/internal/large"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// folderBags lists the bags written by testdata/folder_bags.py.
var folderBags = []string{"clam", "trident", "other", "stored", "packed", "plain", "tensor", "dictionary", "only", "turned", "part"}

// requireFolderBags compares a set with what was written.
func requireFolderBags(t *testing.T, s *mil.Set, err error) {
	t.Helper()
	must(t, err)
	if len(s.Bags) != len(folderBags) || s.NumFeatures() != 5 {
		t.Fatalf("%d bags of %d features", len(s.Bags), s.NumFeatures())
	}
	for k, b := range s.Bags {
		if b.ID != folderBags[k] || b.Label != k%2 || b.Instances.Len() != 3+k {
			t.Errorf("bag %d: %s, label %d, %d instances", k, b.ID, b.Label, b.Instances.Len())
		}
		for i, row := range rowsOf(t, b.Instances) {
			for j, v := range row {
				if want := float64(k) + float64(i)/2 - float64(j)/4; v != want {
					t.Errorf("%s, row %d, column %d: %v, want %v", b.ID, i, j, v, want)
				}
			}
		}
	}
}

// TestReadFolder reads what h5py and NumPy wrote, in memory, in pieces and from a single file, using the table in the
// folder.
func TestReadFolder(t *testing.T) {
	var notes []string
	o := Options{Note: func(text string) { notes = append(notes, text) }}
	s, err := o.ReadFile("testdata/folder")
	requireFolderBags(t, s, err)
	if !slices.Equal(s.Classes, []string{"benign", "tumor"}) || s.Bags[3].Group != "p1" || s.Name != "folder" {
		t.Errorf("classes %q, group %q, name %q", s.Classes, s.Bags[3].Group, s.Name)
	}
	if said := strings.Join(notes, "\n"); !strings.Contains(said, "the table of bags is slides.tsv") || !strings.Contains(said, "slide_id") {
		t.Errorf("notes %q", notes)
	}
	if _, held := s.Bags[0].Instances.(*mil.Dense); !held {
		t.Errorf("a small set is not in memory: %T", s.Bags[0].Instances)
	}

	one := Options{Labels: "testdata/folder/slides.tsv"}
	s, err = one.ReadFile("testdata/set.h5")
	requireFolderBags(t, s, err)
	if s.Name != "set" {
		t.Errorf("name %q", s.Name)
	}

	defer func(before int64) { mostHeld = before }(mostHeld)
	mostHeld = 40
	s, err = one.ReadFile("testdata/set.h5")
	requireFolderBags(t, s, err)
	if _, inFile := s.Bags[0].Instances.(*hdf5Array); !inFile {
		t.Errorf("a large set is in memory: %T", s.Bags[0].Instances)
	}
	part := make([]float32, 2*5)
	if err := s.Bags[4].Instances.Read(5, 7, part); err != nil || part[0] != 4+2.5 || part[9] != 4+3-1 {
		t.Errorf("%v, %v", part, err)
	}
	_, err = o.ReadFile("testdata/folder")
	requireOneLine(t, err, filepath.FromSlash("testdata/folder/packed.npz"), "compressed, and the set is too large for memory")
}

// TestCoordinates reads the positions of instances from the files of CLAM and TRIDENT and of NumPy and PyTorch; other
// files have none.
func TestCoordinates(t *testing.T) {
	s, err := ReadFile("testdata/folder")
	must(t, err)
	located := map[string]int{"clam": 256, "trident": 512, "stored": 0, "dictionary": 0} // with the side of a tile
	for _, b := range s.Bags {
		want, is := located[b.ID]
		if (b.Coordinates != nil) != is {
			t.Errorf("bag %s: coordinates are there: %v", b.ID, b.Coordinates != nil)
			continue
		}
		if !is {
			continue
		}
		all, err := b.Coordinates()
		if err != nil || len(all) != b.Instances.Len() {
			t.Fatalf("bag %s: %d coordinates, error %v", b.ID, len(all), err)
		}
		if b.Tile != float64(want) {
			t.Errorf("bag %s: tiles of side %v, want %d", b.ID, b.Tile, want)
		}
		if want = 0; b.ID == "clam" {
			want = 1 // coordinates count from here, and are 0 in the other files
		}
		for i, at := range all {
			if at != [2]float64{float64(want * 2 * i), float64(want * (2*i + 1))} {
				t.Errorf("bag %s: instance %d is at %v", b.ID, i, at)
			}
		}
		delete(located, b.ID)
	}
	if len(located) > 0 {
		t.Errorf("bags without coordinates: %v", located)
	}
}

// TestReadFolderRefuses: what cannot be read is named with its file.
func TestReadFolderRefuses(t *testing.T) {
	table := []byte("bag,label\na,0\nb,1\n")
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("testdata/folder", name))
		must(t, err)
		return b
	}
	clam, stored, packed, tensor := read("clam.h5"), read("stored.npz"), read("packed.npz"), read("tensor.pt")
	for _, c := range []struct {
		files      map[string][]byte
		file, want string
	}{
		{map[string][]byte{"a.h5": clam, "a.npz": stored, "b.h5": clam}, "a.npz", "bag a is in this file and in"},
		{map[string][]byte{"a.h5": []byte("text"), "b.h5": clam}, "a.h5", "no HDF5 file: the file is damaged; fetch it again or save it again"},
		{map[string][]byte{"a.h5": clam[:len(clam)-1], "b.h5": clam}, "a.h5", "ends early"},
		{map[string][]byte{"a.npz": stored[:len(stored)-1], "b.h5": clam}, "a.npz", "no archive of arrays"},
		{map[string][]byte{"a.npz": bytes.Replace(stored, []byte("features.npy"), []byte("position.npy"), -1), "b.h5": clam}, "a.npz", "only position, which says where instances are, and no features; give the files of the features"},
		{map[string][]byte{"a.npz": slices.Concat(packed[:60], []byte{1, 2, 3}, packed[63:]), "b.h5": clam}, "a.npz", "array arr_0"},
		{map[string][]byte{"a.pt": tensor[:len(tensor)-1], "b.h5": clam}, "a.pt", "no file of torch.save"},
		{map[string][]byte{"a.pt": stored, "b.h5": clam}, "a.pt", "no file of torch.save; save the tensor"},
		{map[string][]byte{"a.pt": []byte("\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."), "b.h5": clam}, "a.pt", "a file of PyTorch before 1.6"},
		{map[string][]byte{"a.pt": bytes.ReplaceAll(tensor, []byte("FloatStorage"), []byte("OtherStorage")), "b.h5": clam}, "a.pt", "damaged"},
		{map[string][]byte{"a.pt": bytes.ReplaceAll(tensor, []byte("data.pkl"), []byte("fata.pkl")), "b.h5": clam}, "a.pt", "no file of torch.save"},
	} {
		c.files[listName] = table
		folder := numpyFolder(t, c.files)
		_, err := ReadFile(folder)
		requireOneLine(t, err, filepath.Join(folder, c.file), c.want)
	}
	above := numpyFolder(t, map[string][]byte{listName: table})
	must(t, os.Mkdir(filepath.Join(above, "h5_files"), 0o777))
	must(t, os.WriteFile(filepath.Join(above, "h5_files", "a.h5"), clam, 0o666))
	_, err := ReadFile(above)
	requireOneLine(t, err, above, "the bags are in a folder of it; give "+filepath.Join(above, "h5_files")+" --labels "+filepath.Join(above, listName))
	_, err = ReadFile("testdata/set.h5")
	requireOneLine(t, err, "testdata/set.h5", "no labels; name the table of its bags with --labels")
	_, err = ReadFile("testdata/folder/clam.h5")
	requireOneLine(t, err, "testdata/folder/clam.h5", "one bag; give the folder")
	_, err = Options{Labels: "missing.csv"}.ReadFile("testdata/folder")
	requireOneLine(t, err, "--labels", "missing.csv")
	_, err = Options{Labels: "x.csv"}.ReadFile("testdata/cells.mat")
	requireOneLine(t, err, "testdata/cells.mat", "no folder of bags and no HDF5 file; --labels x.csv is for those")
}

// FuzzReadBag: a modified bag file is either read or gives a one-line error, using little memory.
func FuzzReadBag(f *testing.F) {
	for _, name := range []string{"clam.h5", "trident.h5", "other.hdf5", "stored.npz", "packed.npz", "tensor.pt", "dictionary.pt", "part.pt"} {
		b, err := os.ReadFile(filepath.Join("testdata/folder", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, filepath.Ext(name), 30, byte(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, extension string, at int, change byte) {
		if len(b) == 0 || !slices.Contains(strings.Split(bagExtensions(), ", "), extension) {
			return
		}
		b = slices.Clone(b)
		b[(at%len(b)+len(b))%len(b)] ^= change
		path := written(t, "bag"+extension, b)
		requireBag(t, path, b)
	})
}

// requireBag requires that a modified bag file is read, or gives a one-line error that starts with its name, using
// little memory.
func requireBag(t *testing.T, path string, b []byte) {
	t.Helper()
	for _, form := range bagForms {
		if form.extension != filepath.Ext(path) {
			continue
		}
		alloctest.Bounded(t, b, 2<<10, func() {
			c, err := form.file(path, path).open(Options{}.features)
			x := c.features
			if err == nil && x.Features() <= 1<<16 {
				err = x.Read(0, min(x.Len(), 10), make([]float32, min(x.Len(), 10)*x.Features()))
			}
			if err != nil {
				requireOneLine(t, err, path, "")
			}
		})
	}
}

// TestBagFilesDamaged truncates every file at many lengths, which must be an error, and changes bytes in it.
func TestBagFilesDamaged(t *testing.T) {
	var files []string
	for _, form := range bagForms {
		for _, folder := range []string{"folder", "torch", "numpy"} {
			some, err := filepath.Glob(filepath.Join("testdata", folder, "*"+form.extension))
			must(t, err)
			files = append(files, some...)
		}
	}
	if len(files) < 60 {
		t.Fatalf("%d files", len(files))
	}
	changes, random := large.Number(20, 500), cv.Rand(1, "damage")
	for _, file := range files {
		whole, err := os.ReadFile(file)
		must(t, err)
		path := filepath.Join(t.TempDir(), "bag"+filepath.Ext(file))
		write := func(b []byte) {
			must(t, os.WriteFile(path, b, 0o600))
		}
		for n := 0; n < len(whole); n += 1 + len(whole)/changes {
			write(whole[:n])
			requireBag(t, path, whole)
			if s, err := (Options{Unlabelled: true}).ReadFile(filepath.Dir(path)); err == nil {
				t.Errorf("%s: %d of %d bytes were read: %+v", file, n, len(whole), s)
			}
		}
		for range changes {
			b := slices.Clone(whole)
			for range 1 + random.IntN(3) {
				b[random.IntN(len(b))] ^= byte(1 + random.IntN(255))
			}
			write(b)
			requireBag(t, path, b)
		}
	}
}

// TestSplitFile: a file of ids, as CLAM writes for each fold, assigns bags to the parts; val counts as train.
func TestSplitFile(t *testing.T) {
	var notes []string
	read := func(text string) (*mil.Set, error) {
		return Options{Split: written(t, "splits_0.csv", []byte(text)), Note: func(note string) { notes = append(notes, note) }}.ReadFile("testdata/folder")
	}
	s, err := read(",train,val,test\n0,clam,plain,packed\n1,trident,,tensor\n2,other,,dictionary\n3,stored,,only\n4,turned,,part\n5,elsewhere,,\n")
	must(t, err)
	for _, b := range s.Bags {
		want := mil.TrainPart
		if slices.Contains([]string{"packed", "tensor", "dictionary", "only", "part"}, b.ID) {
			want = mil.TestPart
		}
		if b.Split != want {
			t.Errorf("%s is in %s", b.ID, b.Split)
		}
	}
	if !strings.Contains(notes[len(notes)-1], "1 ids are of no bag") {
		t.Errorf("%q", notes)
	}
	for text, want := range map[string]string{
		"train,test\nclam,trident\n":               "is in no part of",
		"train,test\nclam,clam\n":                  "line 2: bag clam is in both parts",
		"train,val\nclam,clam\n":                   "no columns train and test",
		",train,val,test\nclam,True,False,False\n": `line 2: "True" is not a bag id; give the file that CLAM writes beside this one`,
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	_, err = Options{Split: "nothing.csv"}.ReadFile("testdata/folder")
	requireOneLine(t, err, filepath.FromSlash("testdata/folder/slides.tsv"), "no column \"nothing.csv\"")
}

// TestLayouts: features and coordinates are found under other names and in other groups, and attributes say how large tiles
// are, in the spellings of CLAM, TRIDENT, STAMP and others (testdata/folder_bags.py).
func TestLayouts(t *testing.T) {
	var notes []string
	o := Options{Unlabelled: true, Note: func(text string) { notes = append(notes, text) }}
	s, err := o.ReadFile("testdata/layouts.h5")
	if err != nil || len(s.Bags) != 10 {
		t.Fatalf("%d bags, %v", len(s.Bags), err)
	}
	for _, b := range s.Bags {
		if want, _, _ := strings.Cut(b.ID, " "); strconv.FormatFloat(b.Tile, 'g', -1, 64) != want {
			t.Errorf("%s: a tile of side %v", b.ID, b.Tile)
		}
		if rows := rowsOf(t, b.Instances); len(rows) != 3 || !slices.Equal(rows[2], []float64{1, 0.75, 0.5, 0.25, 0}) {
			t.Errorf("%s: %v", b.ID, rows)
		}
		if b.Coordinates == nil {
			t.Errorf("%s: no coordinates", b.ID)
		} else if all, err := b.Coordinates(); err != nil || all[2] != [2]float64{4, 5} {
			t.Errorf("%s: coordinates %v, %v", b.ID, all, err)
		}
	}
	said := strings.Join(notes, "\n")
	for _, want := range []string{"the array of features is encoder/20x/features in 1 of 10 bags, encoder/embedding in 1 of 10 bags, feats in 1 of 10 bags", "1024 (patch_size times downsample) in 1 of 10 bags", "not known (patch_size without the downsample of patch_level 2)"} {
		if !strings.Contains(said, want) {
			t.Errorf("notes %s; want %q", said, want)
		}
	}
	for _, c := range []struct {
		array  string
		arrays []candidate
		want   string // the name, or a part of the error
	}{
		{"", []candidate{{"coords", 9, 2, false}, {"imgs", 9, 64, false}, {"uni", 9, 4, true}}, "uni"},
		{"", []candidate{{"a", 9, 64, true}, {"b", 9, 64, true}, {"coords", 9, 2, true}}, "several arrays may be the features: a, b; name one with --features"},
		{"b", []candidate{{"a", 9, 64, true}, {"x/b", 9, 64, true}}, "x/b"},
		{"c", []candidate{{"a", 9, 64, true}, {"coords", 9, 2, false}}, "--features c: no such array; there are a"},
		{"", []candidate{{"a/features", 9, 4, true}, {"b/features", 9, 4, true}}, "several arrays may be the features: a/features, b/features"},
		{"", []candidate{{"attention_scores", 9, 1, true}, {"coords", 9, 2, false}}, "no array called features of two dimensions; there are attention_scores; --features takes one of them"},
		{"", []candidate{{"tiles", 9, 2, false}}, "there are tiles; --features takes one of them"},
		{"", []candidate{{"x_y/tile_positions", 9, 2, true}}, "only x_y/tile_positions, which says where instances are"},
	} {
		at, err := Options{Array: c.array}.features(c.arrays)
		if err == nil && c.arrays[at].name != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %d, %v, want %s", c.arrays, at, err, c.want)
		}
	}
}

// TestInstanceLabels: labels of instances are read from files of every form, and not used unless each bag has them
// (testdata/folder_bags.py).
func TestInstanceLabels(t *testing.T) {
	var notes []string
	o := Options{Note: func(text string) { notes = append(notes, text) }}
	s, err := o.ReadFile("testdata/tiles")
	must(t, err)
	if len(s.Bags) != 8 || len(s.InstanceLabels) != 8 || s.NumFeatures() != 5 {
		t.Fatalf("%d bags of %d features, %d with labels of instances", len(s.Bags), s.NumFeatures(), len(s.InstanceLabels))
	}
	for i, b := range s.Bags {
		want := make([]float64, b.Instances.Len())
		if b.Label == 1 {
			want[len(want)-1] = 1
		}
		if !slices.Equal(s.InstanceLabels[i], want) {
			t.Errorf("bag %s: labels of instances %v, want %v", b.ID, s.InstanceLabels[i], want)
		}
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "labels of instances, which no model sees: inst_labels, tile_labels, patch_labels, instance_label, y_inst") {
		t.Errorf("notes %q", notes)
	}
	folder := t.TempDir()
	must(t, os.CopyFS(folder, os.DirFS("testdata/tiles")))
	data, err := os.ReadFile("testdata/folder/clam.h5") // 3 instances without labels
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, "none7.h5"), data, 0o666))
	s, err = o.ReadFile(folder)
	unused := "labels of instances are not used: " + filepath.Join(folder, "none7")
	if err != nil || s.InstanceLabels != nil || !slices.Contains(notes, unused+".h5 has none; give each file an array of them, of zeros if no instance is positive") {
		t.Errorf("%v, %q", err, notes)
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, rows := range map[string]int{"features.npy": 4, "y_inst.npy": 3} {
		width := map[string]int{"features.npy": 5, "y_inst.npy": 1}[name]
		w, err := z.Create(name)
		must(t, err)
		_, err = w.Write(numpyFile("<f4", false, slices.Repeat([][]float64{make([]float64, width)}, rows)...))
		must(t, err)
	}
	must(t, z.Close())
	must(t, os.WriteFile(filepath.Join(folder, "none7.npz"), archive.Bytes(), 0o666))
	must(t, os.Remove(filepath.Join(folder, "none7.h5")))
	s, err = o.ReadFile(folder)
	if err != nil || s.InstanceLabels != nil || !slices.Contains(notes, unused+".npz: y_inst has 3 x 1 labels for 4 instances; give each one") {
		t.Errorf("%v, %q", err, notes)
	}
}

// TestUnfitInstanceLabels: labels of instances that cannot be used leave the features as they are, and say why; y coordinates are none.
func TestUnfitInstanceLabels(t *testing.T) {
	for name, want := range map[string]string{
		"missing.h5":     "row 2, column 0 (from 0): value NaN",
		"texts.h5":       "tile_labels: dataset /tile_labels: values that are texts",
		"names.h5":       "tile_labels: dataset /tile_labels: values that are enumerated",
		"two.npz":        "both inst_labels and tile_labels have labels of instances; keep one",
		"wide.npz":       "tile_labels has 3 x 2 labels for 3 instances; give each one",
		"objects.npz":    "tile_labels: array tile_labels: an array of Python objects",
		"strides.pt":     "tile_labels: a tensor with strides [2 1], part of another; save x.contiguous()",
		"coordinates.h5": "",
		"levels.h5":      "",
	} {
		path := filepath.Join("testdata", "tiles-unfit", name)
		form := bagForms[slices.IndexFunc(bagForms, func(f bagForm) bool { return f.extension == filepath.Ext(name) })]
		c, err := form.file(path, path).open(Options{}.features)
		if err != nil || c.features.Len() != 3 || c.features.Features() != 5 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var m instanceMarks
		m.add(c)
		if want == "" {
			if m.found || c.labels != nil {
				t.Errorf("%s: labels %s", name, c.marks)
			}
		} else if m.why == nil || !m.found || !strings.Contains(m.why.Error(), want) || strings.Contains(m.why.Error(), "\n") {
			t.Errorf("%s: %v, want %s", name, m.why, want)
		}
	}
}

// TestMatch: ids are matched with files that programs spell differently, and never where two would do.
func TestMatch(t *testing.T) {
	for _, c := range []struct{ ids, files, want, how string }{
		{"a b", "a b c", "a:a b:b", ""},
		{"A B", "a b", "A:a B:b", `2 ids are matched with files that differ in case: "A" is "a"`},
		{"A a", "a", "a:a", ""},
		{"a", "A a", "a:a", ""},
		{"x.svs y.ome.tiff z.H5", "x y z", "x.svs:x y.ome.tiff:y z.H5:z", "in suffix"},
		{"x.svs x.tif", "x", "", ""},
		{"x", "x.svs", "x:x.svs", "in suffix"},
		{"0 7 12", "000 007 012", "0:000 7:007 12:012", "in leading zeros"},
		{"1.0 2.0", "001 002", "1.0:001 2.0:002", "in leading zeros"},
		{"1", "01 001", "", ""},
		{"L\u00e4", "La\u0308", "L\u00e4:La\u0308", "in Unicode form"},
		{"/data/A.svs", "a", "/data/A.svs:a", "in folder and suffix and case"},
		{"T-1 T-2", "T-1.0AB T-2.0CD", "T-1:T-1.0AB T-2:T-2.0CD", "in what follows a dot"},
		{"T-1", "T-1.0AB T-1.0CD", "", ""},
		{"T-1 T-3", "T-1.0AB T-2.0CD", "", ""},
		{"s1.5", "s1.7", "", ""},
	} {
		of, how := match(strings.Fields(c.ids), strings.Fields(c.files))
		var got []string
		for _, id := range strings.Fields(c.ids) {
			if f, there := of[id]; there {
				got = append(got, id+":"+f)
			}
		}
		if strings.Join(got, " ") != c.want || !strings.Contains(how, c.how) || (how == "") != (c.how == "") {
			t.Errorf("%s in %s: %q, %q; want %q, %q", c.ids, c.files, got, how, c.want, c.how)
		}
	}
}

// TestPartOfFolder: all bags that cannot be used are named at once, an option leaves them out, and files of a patient
// make one bag.
func TestPartOfFolder(t *testing.T) {
	one, two, none := numpyFile("<f8", false, []float64{1, 2}), numpyFile("<f8", false, []float64{3, 4}, []float64{5, 6}), numpyText("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2), }", nil)
	files := map[string][]byte{"a.npy": one, "b.npy": two, "c.npy": two, "d.npy": one, "e.npy": none, "f.npy": []byte("x"), "._a.npy": none, "h.npy": numpyFile("<f8", false, []float64{1, 2, 3}),
		"labels.csv": []byte("slide,patient,label\na,p,0\nb,p,0\nc,q,1\nd,r,NA\ne,s,1\nf,s,1\ng,t,0\nh,u,1\n")}
	folder := numpyFolder(t, files)
	_, err := ReadFile(folder)
	want := folder + ": 5 of 8 bags cannot be used; mend them, or leave them out with --subset:\n  without a label: d\n  without a file: g\n  " + filepath.Join(folder, "e.npy") + ": an array of 0 instances"
	if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Count(err.Error(), "\n") != 5 || !strings.HasSuffix(err.Error(), "h.npy: 3 features, and bag a has 2; give all bags the same features") {
		t.Errorf("%v, want %s", err, want)
	}
	var notes []string
	o := Options{Subset: true, Note: func(text string) { notes = append(notes, text) }}
	if s, err := o.ReadFile(folder); err != nil || len(s.Bags) != 3 || s.NumPositive() != 1 || s.Bags[1].Group != "p" {
		t.Errorf("%+v, %v", s, err)
	} else if said := strings.Join(notes, "\n"); !strings.Contains(said, "3 of 8 bags; without a label: d; without a file: g; not readable: e, f, h") {
		t.Error(said)
	}
	o.Bag = "patient"
	s, err := o.ReadFile(folder)
	if err != nil || len(s.Bags) != 2 || s.Bags[0].ID != "p" {
		t.Fatalf("%+v, %v", s, err)
	}
	if rows := rowsOf(t, s.Bags[0].Instances); len(rows) != 3 || rows[0][0] != 1 || rows[2][1] != 6 {
		t.Errorf("patient p: %v", rows)
	}
	files["labels.csv"] = []byte("slide,patient,label\na,p,0\nb,p,1\nc,q,1\n")
	_, err = Options{Bag: "patient"}.ReadFile(numpyFolder(t, files))
	if err == nil || !strings.Contains(err.Error(), "line 3: bag p has label 1 here and 0 before; a bag has one label") {
		t.Error(err)
	}
	var rest error
	s, err = Options{Unlabelled: true, Labels: filepath.Join(folder, "labels.csv"), Rest: func(err error) { rest = err }}.ReadFile(folder)
	if err != nil || len(s.Bags) != 4 || rest == nil || !strings.Contains(rest.Error(), "4 of 8 bags cannot be used") {
		t.Errorf("%+v, %v, %v", s, err, rest)
	}

	defer func(before int64) { mostHeld = before }(mostHeld)
	mostHeld = 2 // the parts stay in their files
	s, err = o.ReadFile(folder)
	must(t, err)
	row := make([]float32, 4)
	if err := s.Bags[0].Instances.Read(0, 2, row); err != nil || !slices.Equal(row, []float32{1, 2, 3, 4}) {
		t.Errorf("%v, %v", row, err)
	}
}

// TestForeignForms: a file that is no table is named, as a table of labels, too.
func TestForeignForms(t *testing.T) {
	for want, text := range map[string]string{
		"an Excel file: save it as CSV": "PK\x03\x04" + strings.Repeat("\x00", 26) + "[Content_Types].xml",
		"text in UTF-16":                "\xff\xfeb\x00a\x00",
		"text that is not in UTF-8":     "bag,label,Gr\xf6\xdfe\nb1,1,2\n",
		"an svmlight file":              "1 qid:3 1:0.5 2:1e-3\n",
		"an ARFF file of Weka":          "% by X\n@RELATION musk\n",
		"JSON: write it as CSV":         "[\n {\"bag\": 1}]",
	} {
		path := written(t, "x.txt", []byte(text))
		_, err := ReadFile(path)
		requireOneLine(t, err, path, want)
		_, err = Options{Labels: path}.ReadFile("testdata/folder")
		requireOneLine(t, err, path, want)
	}
}
