package dataset

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestGeneratedChecksums: the sets are what they were, to the bit; results name them by checksum.
func TestGeneratedChecksums(t *testing.T) {
	want := map[string]string{
		"raffholt1":   "c1f6eb842b5872f97a4aa976c38c4e4d58ddaf4ce47baaf53c3bf501116cbc63",
		"raffholt2":   "13fcf52debcb37c149466a5c5eeed7c59585098eec27ae38d5258b5c68f7c97e",
		"raffholt3":   "55b3d7cb2911748fcf79d7f363d61e5d34b0a4eec5fa2bfaaee81f7b6ee18470",
		"needle-0.01": "383a96526f4846e1cb1da4ed19c63cd8a6a4b53d9d37776970c43a4767e47be5",
		"needle-0.02": "f7143f4e3aa58c1b457a1c9646dabf9fe439d73a868d9f04ddd641c9b53b4187",
		"needle-0.05": "7c2dc5669bd72714006083bd5e70879c95be427c7ec7b3469be2631dc7b0d529",
		"needle-0.1":  "e12aed13c10ca75d37c663cbd29b7f02c4a9612bb3d2629118ea88eb1d235e28",
		"needle-0.2":  "88b8f17f88b9a8bd82ac1f666e6ea39e4734c667987587d46f101c2349b58d20",
		"needle-0.5":  "5dc4bfea55d9c0c45dfee84184bd1484972ad4ff8edaa4bab34b5e9a4f00c4fb",
	}
	for _, e := range generated() {
		s, err := e.Load()
		if err != nil {
			t.Fatal(err)
		}
		if s.Checksum != want[e.Name] {
			t.Errorf("%q: %q,", e.Name, s.Checksum)
		}
		delete(want, e.Name)
	}
	if len(want) > 0 {
		t.Errorf("not among the generated sets: %v", want)
	}
}

// TestDrawAnew: seed 1 draws the set of the catalogue, another seed other bags of the same form under a name of their own.
func TestDrawAnew(t *testing.T) {
	for _, e := range generated() {
		set, err := e.Load()
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(3) {
			drawn, err := e.Draw(seed)
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("%s-draw-%d", e.Name, seed); drawn.Name != want || len(drawn.Bags) != len(set.Bags) || !drawn.HasSplit() {
				t.Errorf("%s with %d bags, want %s with %d", drawn.Name, len(drawn.Bags), want, len(set.Bags))
			}
			if (drawn.Checksum == set.Checksum) != (seed == 1) {
				t.Errorf("%s: checksum %s, that of the catalogue's set %s", drawn.Name, drawn.Checksum, set.Checksum)
			}
		}
	}
	elephant, err := Find("elephant")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := elephant.Draw(1); err == nil || !strings.Contains(err.Error(), "elephant: it is no generated set") {
		t.Errorf("%v", err)
	}
}

// TestNoiseChecksums: so are noisy bags and shuffled labels.
func TestNoiseChecksums(t *testing.T) {
	s, err := Musk1()
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[Noise]string{
		{GaussianNoise, 10, 1}: "3eb52be16174ea5d7bfe59a92e066ab9cdd778c20720923faafefdd75e419a96",
		{GaussianNoise, -5, 1}: "4cd2e485ca46b034018aa2a90b2ec14dbf5003463c4ba3a8c308f09aa04a9eaa",
		{Deletion, 0.1, 1}:     "619968c89034447fe94e4f31721183672c2ade072a5f9d9d81d3295238c1fc49",
		{Replacement, 0.2, 1}:  "7ff92375b33e31abdc731eaf2caf018d63c136edeeb2f89cf79de28bb854c661",
		{Swap, 0.4, 1}:         "84388c2738135f8920c48b07edbcd15e10e6c1bc56a16fb84cc8455a33ffbde6",
	} {
		noisy, err := n.Apply(s)
		if err != nil {
			t.Fatal(err)
		}
		if noisy.Checksum != want {
			t.Errorf("%v: %q", n, noisy.Checksum)
		}
	}
	if got := ShuffledLabels(s, 1).Checksum; got != "95015682bdd8e98bd86e4bc62c3351980ec7907a329c7ceac50c34dcf5906533" {
		t.Errorf("shuffled labels: %q", got)
	}
}

// A generated set is opened by its name, has instance labels and a split, and needs no file.
func TestOpenGenerated(t *testing.T) {
	t.Setenv("MILBENCH_DATA", t.TempDir())
	for _, e := range generated() {
		if state, err := e.Verify(); state != Generated || err != nil {
			t.Errorf("%s: %s, %v", e.Name, state, err)
		}
		if err := e.Fetch(t.Context(), nil); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		source, err := Open(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := source.Set(NoColumn)
		if err != nil {
			t.Fatal(err)
		}
		if s.Name != e.Name || !s.HasSplit() || len(s.InstanceLabels) != len(s.Bags) || s.Checksum != source.Stored.Checksum {
			t.Errorf("%s: %s, split %v, %d lists of instance labels", e.Name, s.Name, s.HasSplit(), len(s.InstanceLabels))
		}
		text, err := json.Marshal(e)
		if err != nil || !strings.Contains(string(text), `"generated":true`) {
			t.Errorf("%s, %v", text, err)
		}
		// Bags are of distinct instances, and positive as their instances are.
		for i, b := range s.Bags {
			positive := 0
			for _, label := range s.InstanceLabels[i] {
				positive = max(positive, int(label))
			}
			if positive != b.Label {
				t.Fatalf("%s: bag %s of label %d", e.Name, b.ID, b.Label)
			}
		}
		if _, duplicates, err := GroupDuplicates(s); err != nil || len(duplicates) > 0 {
			t.Errorf("%s: %v, %v", e.Name, duplicates, err)
		}
	}
	if _, err := Find("needle-0.5x"); err == nil || !strings.HasSuffix(err.Error(), "did you mean needle-0.5?") {
		t.Error(err)
	}
}
