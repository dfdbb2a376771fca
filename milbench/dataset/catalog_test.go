package dataset

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"synpool/internal/fetched"
	"synpool/milbench/dataset/audit"
	"synpool/milbench/mil"
)

func TestCatalog(t *testing.T) {
	pinned := regexp.MustCompile(`^https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/`)
	sum := regexp.MustCompile(`^[0-9a-f]{64}$`)
	names, files := map[string]bool{}, map[string]bool{}
	for _, e := range Catalog() {
		if names[e.Name] || !regexp.MustCompile(`^[a-z0-9.-]+$`).MatchString(e.Name) {
			t.Errorf("name %q is taken or hard to type", e.Name)
		}
		names[e.Name] = true
		if e.Title == "" || e.Source == "" || e.Licence == "" || len(e.Citations) == 0 {
			t.Errorf("%s: %+v lacks a description", e.Name, e)
		}
		if e.Positive <= 0 || e.Positive >= e.Bags || e.Instances < e.Bags || e.Features < 1 || e.Folds < 2 || e.TrainBags >= e.Bags {
			t.Errorf("%s: counts %+v", e.Name, e)
		}
		for _, f := range e.Files {
			if files[f.Name] {
				t.Errorf("%s: another set has a file %s", e.Name, f.Name)
			}
			files[f.Name] = true
			base := path.Base(f.URL)
			if e.Source == fromPevny { // all these folders have the same three files
				base = path.Base(path.Dir(f.URL)) + "-" + base
			}
			if base != f.Name || !pinned.MatchString(f.URL) && e.Name != "mnist" {
				t.Errorf("%s: address %s of %s", e.Name, f.URL, f.Name)
			}
			switch {
			case e.Name == "mnist":
				if !sum.MatchString(f.InflatedSHA256) || f.InflatedBytes == 0 {
					t.Errorf("%s: %+v", e.Name, f)
				}
			default:
				if !sum.MatchString(f.SHA256) || f.Bytes == 0 {
					t.Errorf("%s: %+v", e.Name, f)
				}
			}
		}
		if cells := strings.HasPrefix(e.Source, "cell-array"); cells != (e.InstanceLabels == LastColumn) {
			t.Errorf("%s: label column %v", e.Name, e.InstanceLabels)
		}
		if web := strings.HasPrefix(e.Name, "web"); web != (e.TrainBags == 75) {
			t.Errorf("%s: %d training bags", e.Name, e.TrainBags)
		}
	}
	if len(names) != 44 {
		t.Errorf("%d sets", len(names))
	}
}

// Every available set has exactly the documented counts.
func TestCatalogCounts(t *testing.T) {
	webPositive := map[string][2]int{ // training and test part, counted in the files using NumPy
		"web1": {17, 4}, "web2": {18, 3}, "web3": {14, 7}, "web4": {55, 33}, "web5": {61, 26},
		"web6": {59, 29}, "web7": {39, 15}, "web8": {35, 20}, "web9": {37, 18},
	}
	_, _, named := reference(t)
	if len(named) != 17 {
		t.Errorf("%d named sets in the reference", len(named))
	}
	for _, e := range Catalog() {
		// Some sets may be absent: TestFetch and TestFetchTransposed pass generated files in their formats
		// through the entries.
		want, optional := named[e.Name]
		if state, _ := e.Verify(); (optional || e.Name == "ucsb") && state == Missing {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			for _, f := range e.Files {
				fetched.File(t, f.Name)
			}
			if state, err := e.Verify(); err != nil || (state == Embedded || state == Generated) != (len(e.Files) == 0) {
				t.Fatalf("%s: %v", state, err)
			}
			s, err := e.Load()
			must(t, err)
			if s.Name != e.Name || len(s.Bags) != e.Bags || s.NumPositive() != e.Positive || s.NumInstances() != e.Instances || s.NumFeatures() != e.Features {
				t.Errorf("%s: %d bags, %d positive, %d instances, %d features; want %+v", s.Name, len(s.Bags), s.NumPositive(), s.NumInstances(), s.NumFeatures(), e)
			}
			if err := s.Validate(); err != nil {
				t.Error(err)
			}
			if optional {
				requireSummary(t, s, want)
				if r, err := audit.Inspect(s); err != nil || !r.OK() || r.Blind || slices.ContainsFunc(r.Duplicates, func(d audit.Duplicate) bool { return d.Conflict }) != (e.Notes == ambiguous) {
					t.Errorf("audit: %+v, %v", r, err)
				}
			}
			if got := resealed(t, s); s.Checksum != got {
				t.Errorf("checksum %s, want %s", s.Checksum, got)
			}
			if labels := e.InstanceLabels != NoColumn || e.Name == "mnist" || e.Generated; labels != (len(s.InstanceLabels) == e.Bags) {
				t.Errorf("%d lists of instance labels", len(s.InstanceLabels))
			}
			if s.HasSplit() != (e.TrainBags > 0) {
				t.Fatalf("split %v", s.HasSplit())
			}
			if e.TrainBags == 0 {
				return
			}
			positive := map[mil.Split]int{}
			for i, b := range s.Bags {
				if (b.Split == mil.TrainPart) != (i < e.TrainBags) {
					t.Errorf("bag %s is in the part %s", b.ID, b.Split)
				}
				positive[b.Split] += b.Label
			}
			want := webPositive[e.Name]
			if e.Generated {
				want = [2]int{e.TrainBags / 2, (e.Bags - e.TrainBags) / 2}
			}
			if got := [2]int{positive[mil.TrainPart], positive[mil.TestPart]}; got != want {
				t.Errorf("positive bags %v, want %v", got, want)
			}
		})
	}
}

var update = flag.Bool("update", false, "rewrite the table of docs/datasets.md")

// TestSetsPage compares the table of docs/datasets.md with the catalog. With -update it writes the table.
func TestSetsPage(t *testing.T) {
	const file, begin, end = "../../docs/datasets.md", "-run SetsPage -update -->\n", "<!-- end -->"
	text, err := os.ReadFile(file)
	must(t, err)
	before, rest, ok1 := strings.Cut(string(text), begin)
	table, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatal("docs/datasets.md has no place for the table")
	}
	var b strings.Builder
	b.WriteString("| name | what | bags | positive | instances | features | files | licence |\n|:--|:--|--:|--:|--:|--:|:--|:--|\n")
	for _, e := range Catalog() {
		fmt.Fprintf(&b, "| `%s` | %s | %d | %d | %d | %d | %s | %s |\n", e.Name, e.Title, e.Bags, e.Positive, e.Instances, e.Features, e.Source, e.Licence)
	}
	if table == b.String() {
		return
	}
	if !*update {
		t.Fatal("the table of docs/datasets.md is not of this catalog; run: go test ./milbench/dataset -run SetsPage -update")
	}
	must(t, os.WriteFile(file, []byte(before+begin+b.String()+end+after), 0o666))
}

func TestFind(t *testing.T) {
	for _, c := range []struct{ name, message string }{
		{"musk1", ""},
		{"elephant-columbia", ""},
		{"elefant", "did you mean elephant?"},
		{"Musk2", "did you mean musk2?"},
		{"web10", "did you mean web1?"},
		{"foxes", "did you mean fox?"},
		{"ucbs", "did you mean ucsb?"},
		{"", "`milbench data list` shows all"},
		{"something-else.csv", "`milbench data list` shows all"},
	} {
		e, err := Find(c.name)
		switch {
		case c.message == "":
			if err != nil || e.Name != c.name {
				t.Errorf("%q: %v, %v", c.name, e.Name, err)
			}
		case !errors.Is(err, ErrUnknownSet) || !strings.HasSuffix(err.Error(), c.message):
			t.Errorf("%q: error %v, want %q", c.name, err, c.message)
		}
	}
}

func ExampleCatalog() {
	for _, e := range Catalog()[:3] {
		fmt.Printf("%-9s %3d bags (%d positive), %d features\n", e.Name, e.Bags, e.Positive, e.Features)
	}
	// Output:
	// musk1      92 bags (47 positive), 166 features
	// musk2     102 bags (39 positive), 166 features
	// elephant  200 bags (100 positive), 230 features
}

func ExampleFind() {
	_, err := Find("tigger")
	fmt.Println(err)

	e, err := Find("web4")
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(e.Notes)
	fmt.Println(e.TrainBags, string(text), err)
	// Output:
	// no named set "tigger"; did you mean tiger?
	// 75 "55 + 33 positive bags (train + test) where the official list has 56 + 33." <nil>
}

func ExampleEntry_Load() {
	e, err := Find("musk1")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := e.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Name, len(s.Bags), s.NumInstances(), s.Bags[0].ID)
	// Output: musk1 92 476 MUSK-188
}
