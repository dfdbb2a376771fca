package dataset

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"synpool/internal/fetched"
	"synpool/internal/goldenfile"
	"synpool/milbench/mil"
)

// summary is the output of testdata/reference.py for a file.
type summary struct {
	Checksum                           string
	Bags, Positive, Instances, Columns int
	Sparse                             bool
	LastColumnSum                      float64 `json:"last_column_sum"`
}

// reference reads testdata/reference.json: small files, files of named sets, and named sets that may be absent.
func reference(t testing.TB) (small, sets, named map[string]summary) {
	t.Helper()
	r := goldenfile.Read[struct{ Small, Sets, Named map[string]summary }](t, "reference.json")
	return r.Small, r.Sets, r.Named
}

// requireSummary compares s with what SciPy reads.
func requireSummary(t *testing.T, s *mil.Set, want summary) {
	t.Helper()
	if len(s.Bags) != want.Bags || s.NumPositive() != want.Positive || s.NumInstances() != want.Instances || s.NumFeatures() != want.Columns {
		t.Errorf("%d bags (%d positive), %d instances, %d columns; want %+v", len(s.Bags), s.NumPositive(), s.NumInstances(), s.NumFeatures(), want)
	}
	sum := 0.0
	row := make([]float32, s.NumFeatures())
	for _, b := range s.Bags {
		if mil.IsSparse(b.Instances) != want.Sparse {
			t.Fatalf("bag %s: sparse %v, want %v", b.ID, mil.IsSparse(b.Instances), want.Sparse)
		}
		for i := range b.Instances.Len() {
			must(t, b.Instances.Read(i, i+1, row))
			sum += float64(row[len(row)-1])
		}
	}
	if math.Abs(sum-want.LastColumnSum) > 1e-9 {
		t.Errorf("last column sums up to %v, want %v", sum, want.LastColumnSum)
	}
	if s.Checksum != want.Checksum {
		t.Errorf("checksum %s, want %s", s.Checksum, want.Checksum)
	}
}

func TestReadFileSmall(t *testing.T) {
	small, _, _ := reference(t)
	for _, name := range slices.Sorted(maps.Keys(small)) {
		t.Run(name, func(t *testing.T) {
			s, err := ReadFile(filepath.Join("testdata", name))
			must(t, err)
			requireSummary(t, s, small[name])
			if want := strings.TrimSuffix(name, ".mat"); s.Name != want {
				t.Errorf("name %q, want %q", s.Name, want)
			}
		})
	}
}

func TestReadFileSets(t *testing.T) {
	_, sets, _ := reference(t)
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		t.Run(name, func(t *testing.T) {
			s, err := ReadFile(fetched.File(t, name))
			must(t, err)
			requireSummary(t, s, sets[name])
			if s.InstanceLabels != nil || s.Features != nil {
				t.Error("instance labels or names of features from nowhere")
			}
		})
	}
}

// The form is recognised by content, then by extension; the name has no extension.
func TestReadFileForms(t *testing.T) {
	w := littleEndian()
	x := w.matrix("", [][]float64{{1, 2}})
	cells := string(w.file(w.cells("data", x, x, w.matrix("", [][]float64{{1}}), w.matrix("", [][]float64{{0}}))))
	const c45, values = "1,1_1,1,2,1.\n2,2_1,1,2,0.\n", "1,1,1,2\n0,2,1,2\n"
	for file, content := range map[string]string{
		"toy.mat": cells, "toy": cells, "toy.bin": cells, "toy.mat.gz": string(gzipped([]byte(cells))),
		"toy.data": c45, "toy.DATA": strings.ReplaceAll(c45, ".", ""), "toy.names": c45, "toy.data.gz": string(gzipped([]byte(c45))),
		"toy.csv": values, "toy.txt": values, "toy.csv.gz": string(gzipped([]byte(values))), "toy.CSV": "0,2,1,2.\n1,1,1,2.\n",
	} {
		path := written(t, file, []byte(content))
		s, err := ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Name != "toy" || len(s.Bags) != 2 || s.NumFeatures() != 2 || s.Bags[0].Label+s.Bags[1].Label != 1 {
			t.Errorf("%s: read %+v", file, s)
		}
	}
}

func TestReadFileRefuses(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct{ file, content, want string }{
		{"empty.mat", "", "the file is empty"},
		{"empty.csv", "", "the file is empty"},
		{"images", "\x00\x00\x08\x03\x00\x00\x00\x01", "draw bags of digits from it"},
		{"program", "\x7fELF\x00\x00", "neither text nor a MATLAB file"},
		{"short.mat", "MATLAB 5.0", "ends early"},
		{"short.csv.gz", "\x1f\x8b\x08", "ends early: the file is damaged"},
		{"cut.csv.gz", string(gzipped([]byte("0,a,1\n1,b,2\n"))[:20]), "ends early: the file is damaged"},
		{"words.txt", "once upon a time", "1 fields"},
	} {
		path := filepath.Join(folder, c.file)
		must(t, os.WriteFile(path, []byte(c.content), 0o600))
		_, err := ReadFile(path)
		requireOneLine(t, err, path, c.want)
	}
	_, err := ReadFile(folder)
	requireOneLine(t, err, folder, "a folder without bags; give a file")
	missing := filepath.Join(folder, "missing.mat")
	_, err = ReadFile(missing)
	requireOneLine(t, err, "open "+missing, syscall.ENOENT.Error())
}

// The largest Web file has 22 million values; reading all of them would take 178 MB.
func TestLoadWebCost(t *testing.T) {
	path := fetched.File(t, "web2.mat")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	if _, err := ReadFile(path); err != nil {
		t.Fatal(err)
	}
	wall := time.Since(start)
	runtime.ReadMemStats(&after)
	total := float64(after.TotalAlloc-before.TotalAlloc) / 1e6
	t.Logf("web2.mat: %v, %.1f MB allocated in all", wall.Round(time.Millisecond), total)
	if total > 50 {
		t.Errorf("%.1f MB allocated, want at most 50", total)
	}
}

func BenchmarkReadFile(b *testing.B) {
	for _, name := range []string{"web2.mat", "musk2.mat", "elephant.mat", "clean1.data"} {
		b.Run(name, func(b *testing.B) {
			path := fetched.File(b, name)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ReadFile(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// written returns the path of a new file.
func written(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, data, 0o666))
	return path
}
