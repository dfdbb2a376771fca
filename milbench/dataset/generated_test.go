package dataset

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"synpool/milbench/dataset/audit"
	"synpool/milbench/dataset/generate"
)

// TestGeneratedChecksums: the sets are bit-identical to earlier versions, because results identify them by checksum.
func TestGeneratedChecksums(t *testing.T) {
	want := map[string]string{
		"raffholt1":   "af066773be289e9b23b6cea74611d5152e72f38d898ff828bad5e50d1feb494e",
		"raffholt2":   "4839e1a70c2648b69b5f7c0babf7c6c8386210626e10620ba64b62a7dd49818e",
		"raffholt3":   "78b06b86b28061e4df7d74d097dd8e4e6b0009e98eb8fc6e57bd6f555ded2499",
		"needle-0.01": "25b04c0c745fa88e3148a99a4cc2045f4346634a0f7e2e32d01ac33f8437ecf0",
		"needle-0.02": "7b23941959cd577e56e557cfd95c55b51129423a21d550089e85ebce050d7562",
		"needle-0.05": "65d34efa532664f52a2590ea1a459dc75af99e7d5404e7b1ed5ff7453fd9522d",
		"needle-0.1":  "bff1e74f8ef2f476543e3f6891443b831be6d90448c28050b80a7fc5d61e6bdb",
		"needle-0.2":  "e9f1052fb0c5e62ac7fd8e45cc5c4a60325dbba9f64c2a1d42bfce784385402c",
		"needle-0.5":  "6a910e8dbaccc9926d4b69eb908a1ea5921554fd7c10d505ddf5368e83e58e4d",
	}
	for _, e := range generated() {
		s, err := e.Load()
		must(t, err)
		if s.Checksum != want[e.Name] {
			t.Errorf("%q: %q,", e.Name, s.Checksum)
		}
		delete(want, e.Name)
	}
	if len(want) > 0 {
		t.Errorf("not among the generated sets: %v", want)
	}
}

// TestDrawAnew: seed 1 gives the set of the catalogue. Another seed gives other bags of the same form, under its own
// name.
func TestDrawAnew(t *testing.T) {
	for _, e := range generated() {
		set, err := e.Load()
		must(t, err)
		for seed := range uint64(3) {
			drawn, err := e.Draw(seed)
			must(t, err)
			if want := fmt.Sprintf("%s-draw-%d", e.Name, seed); drawn.Name != want || len(drawn.Bags) != len(set.Bags) || !drawn.HasSplit() {
				t.Errorf("%s with %d bags, want %s with %d", drawn.Name, len(drawn.Bags), want, len(set.Bags))
			}
			if (drawn.Checksum == set.Checksum) != (seed == 1) {
				t.Errorf("%s: checksum %s, that of the catalogue's set %s", drawn.Name, drawn.Checksum, set.Checksum)
			}
		}
	}
	elephant, err := Find("elephant")
	must(t, err)
	if _, err := elephant.Draw(1); err == nil || !strings.Contains(err.Error(), "elephant: only generated sets") {
		t.Errorf("%v", err)
	}
}

// TestNoiseChecksums checks the same for noisy bags and shuffled labels.
func TestNoiseChecksums(t *testing.T) {
	s, err := Musk1()
	must(t, err)
	for n, want := range map[generate.Noise]string{
		{Kind: generate.GaussianNoise, Level: 10, Seed: 1}: "36a5ea86e875792362f9cde594d1254b2cf2186cd7bb1da4ca675ea11107825d",
		{Kind: generate.GaussianNoise, Level: -5, Seed: 1}: "aa334ad5ee3af30fe5217671240438ddd4956d664b10346b9f4c91d1ad9f8e3b",
		{Kind: generate.PowerNoise, Level: 10, Seed: 1}:    "1c5cfffb8884480c661be8713e63588128b9fff1e130b094975d240e3bfb6c1f",
		{Kind: generate.Deletion, Level: 0.1, Seed: 1}:     "45dce341124dcb6d395bf477c9e05cea44bfd59ce7c6ebd4877bf4f3da235acb",
		{Kind: generate.Replacement, Level: 0.2, Seed: 1}:  "86c62c915345b277018ff571b577fde2adf826b661fa6ca3368a3f62e720b54b",
		{Kind: generate.Swap, Level: 0.4, Seed: 1}:         "cb3077f62ec998ca5e31c53fdff89314f19ee9a7bad07f61b5266b0eb7a252d4",
	} {
		noisy, err := n.Apply(s)
		must(t, err)
		if noisy.Checksum != want {
			t.Errorf("%v: %q", n, noisy.Checksum)
		}
	}
	shuffled, err := generate.ShuffledLabels(s, 1)
	must(t, err)
	if got := shuffled.Checksum; got != "a41d9cc9d79637f9bf4fb2cea2dcb52b57eeebb3b6100e5e754b102855c21a48" {
		t.Errorf("shuffled labels: %q", got)
	}
}

// A generated set can be opened by name. It has instance labels and a split and needs no file.
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
		must(t, err)
		s, err := source.Set(NoColumn)
		must(t, err)
		if s.Name != e.Name || !s.HasSplit() || len(s.InstanceLabels) != len(s.Bags) || s.Checksum != source.Stored.Checksum {
			t.Errorf("%s: %s, split %v, %d lists of instance labels", e.Name, s.Name, s.HasSplit(), len(s.InstanceLabels))
		}
		text, err := json.Marshal(e)
		if err != nil || !strings.Contains(string(text), `"generated":true`) {
			t.Errorf("%s, %v", text, err)
		}
		// The instances of a bag are distinct, and the bag is positive if one of them is.
		for i, b := range s.Bags {
			positive := 0
			for _, label := range s.InstanceLabels[i] {
				positive = max(positive, int(label))
			}
			if positive != b.Label {
				t.Fatalf("%s: bag %s of label %d", e.Name, b.ID, b.Label)
			}
		}
		if _, duplicates, err := audit.GroupDuplicates(s); err != nil || len(duplicates) > 0 {
			t.Errorf("%s: %v, %v", e.Name, duplicates, err)
		}
	}
	if _, err := Find("needle-0.5x"); err == nil || !strings.HasSuffix(err.Error(), "did you mean needle-0.5?") {
		t.Error(err)
	}
}
