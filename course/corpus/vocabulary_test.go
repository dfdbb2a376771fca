package corpus

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// vocabulary returns a vocabulary of these words, in this order.
func vocabulary(t *testing.T, words ...string) *Vocabulary {
	t.Helper()
	counts := Counts{}
	for i, w := range words {
		counts[w] = len(words) - i
	}
	v := must(counts.Vocabulary(1, len(words)))
	return v
}

func TestVocabulary(t *testing.T) {
	counts := Counts{}
	counts.Add(strings.Fields("dog cat cat ant bee bee <pad> </s> <unk> <s> é")...)
	counts.Add("")
	for name, c := range map[string]struct {
		atLeast, atMost int
		want            string
	}{
		"all":                 {1, math.MaxInt, "bee cat ant dog é"},
		"twice":               {2, math.MaxInt, "bee cat"},
		"three most frequent": {1, 3, "bee cat ant"},
		"one":                 {2, 1, "bee"},
	} {
		t.Run(name, func(t *testing.T) {
			v := must(counts.Vocabulary(c.atLeast, c.atMost))
			words := v.words[4:]
			if strings.Join(words, " ") != c.want || v.Len() != len(words)+4 {
				t.Errorf("%q, %d numbers", words, v.Len())
			}
			for i, w := range words {
				if id := v.ID(w); id != int32(4+i) || v.Word(id) != w {
					t.Errorf("%s has number %d", w, id)
				}
			}
			for _, w := range append(slices.Clone(reserved), "", "zebra") {
				if v.ID(w) != UnknownID {
					t.Errorf("%q has number %d", w, v.ID(w))
				}
			}
		})
	}
}

func TestVocabularyRefuses(t *testing.T) {
	counts := Counts{"a": 1, "<pad>": 9}
	for _, c := range []struct {
		atLeast, atMost int
		message         string
	}{{0, 1, "both numbers are 1 or more"}, {1, 0, "both numbers"}, {2, 1, "no word occurs 2 times"}} {
		_, err := counts.Vocabulary(c.atLeast, c.atMost)
		requireOneLine(t, err, c.message)
	}
}

func TestEncode(t *testing.T) {
	v := vocabulary(t, "the", "dog", "ran")
	ids := v.Encode(strings.Fields("the cat ran <s>"))
	if !slices.Equal(ids, []int32{4, UnknownID, 6, UnknownID}) {
		t.Errorf("%v", ids)
	}
	if got := fmt.Sprint(v.EncodeDocument([][]string{{"dog"}, {}, {"the", "cat"}})); got != "[[5] [] [4 1]]" {
		t.Error(got)
	}
	if got := v.Encode(nil); got == nil || len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got := Delimit(ids[:2]); !slices.Equal(got, []int32{BeginID, 4, UnknownID, EndID}) || ids[2] != 6 {
		t.Errorf("%v", got)
	}
	for _, c := range []struct {
		ids  []int32
		want string
	}{
		{[]int32{BeginID, 4, 5, EndID, 6, PadID}, "the dog"},
		{[]int32{6, PadID, UnknownID, -1, 7, math.MaxInt32}, "ran <unk> <unk> <unk> <unk>"},
		{[]int32{EndID}, ""},
		{nil, ""},
	} {
		if got := strings.Join(v.Decode(c.ids), " "); got != c.want {
			t.Errorf("%v: %q, want %q", c.ids, got, c.want)
		}
	}
}

func TestPad(t *testing.T) {
	b := must(Pad([][]int32{{4, 5, 6}, {}, {7}}, 3))
	T, F := true, false
	if !slices.Equal(b.IDs, []int32{4, 5, 6, 0, 0, 0, 7, 0, 0}) || !slices.Equal(b.Mask, []bool{T, T, T, F, F, F, T, F, F}) || !slices.Equal(b.Dims, []int{3, 3}) {
		t.Errorf("%+v", b)
	}
	d := must(PadDocuments([][][]int32{{{4}, {}, {5, 6}}, {}, {{7, 8}}}, 3, 2))
	if !slices.Equal(d.IDs, []int32{4, 0, 0, 0, 5, 6, 0, 0, 0, 0, 0, 0, 7, 8, 0, 0, 0, 0}) || !slices.Equal(d.Dims, []int{3, 3, 2}) {
		t.Errorf("%+v", d)
	}
	for i, id := range d.IDs {
		if d.Mask[i] != (id != PadID) {
			t.Errorf("mask %v of word %d", d.Mask[i], id)
		}
	}
}

func TestPadRefuses(t *testing.T) {
	for message, pad := range map[string]func() (Batch, error){
		"sentence 1 has 3 words, more than 2":             func() (Batch, error) { return Pad([][]int32{{4}, {4, 5, 6}}, 2) },
		"sentence 0 has padding as word 1":                func() (Batch, error) { return Pad([][]int32{{4, PadID}}, 2) },
		"a batch [0 3]":                                   func() (Batch, error) { return Pad(nil, 3) },
		"a batch [1 0]":                                   func() (Batch, error) { return Pad([][]int32{{}}, 0) },
		"a batch [1 268435457]":                           func() (Batch, error) { return Pad([][]int32{{}}, 1<<28+1) },
		"a batch [1 -1]":                                  func() (Batch, error) { return Pad([][]int32{{}}, -1) },
		fmt.Sprintf("a batch [1 %d]", math.MaxInt):        func() (Batch, error) { return Pad([][]int32{{}}, math.MaxInt) },
		"document 0 has 2 sentences, more than 1":         func() (Batch, error) { return PadDocuments([][][]int32{{{4}, {5}}}, 1, 2) },
		"document 1, sentence 0 has 2 words, more than 1": func() (Batch, error) { return PadDocuments([][][]int32{{}, {{4, 5}}}, 1, 1) },
		fmt.Sprintf("a batch [1 %d %[1]d]", math.MaxInt):  func() (Batch, error) { return PadDocuments([][][]int32{{}}, math.MaxInt, math.MaxInt) },
	} {
		_, err := pad()
		requireOneLine(t, err, message)
	}
}

func TestTruncate(t *testing.T) {
	lists := [][]int32{{1, 2, 3}, {1}, {}}
	got := Truncate(lists, 2)
	if fmt.Sprint(got) != "[[1 2] [1] []]" {
		t.Errorf("%v", got)
	}
	_ = append(got[0], 9)
	if lists[0][2] != 3 {
		t.Error("appending to a list changes the one that it was cut from")
	}
	if got := Truncate(lists, -1); fmt.Sprint(got) != "[[] [] []]" {
		t.Errorf("%v", got)
	}
	documents := [][][]int32{{{1, 2}, {3}}}
	if got := Truncate(documents, 1); fmt.Sprint(got) != "[[[1 2]]]" {
		t.Errorf("%v", got)
	}
}
