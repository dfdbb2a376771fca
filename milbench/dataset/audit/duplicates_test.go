package audit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// withGroups returns a set of bags with one instance each, written as "value group" or "value".
func withGroups(bags ...string) *mil.Set {
	s := &mil.Set{Name: "toy", Checksum: "as read"}
	for i, text := range bags {
		var value float32
		var group string
		fmt.Sscan(text, &value, &group)
		s.Bags = append(s.Bags, mil.Bag{
			ID: fmt.Sprint("bag", i), Target: mil.Labelled(int(value) % 2), Group: group,
			Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{value}},
		})
	}
	return s
}

func TestGroupDuplicates(t *testing.T) {
	for _, c := range []struct {
		name string
		bags []string
		want []string
	}{
		{"none", []string{"1", "2", "3", "4 p"}, []string{"", "", "", "p"}},
		{"two", []string{"1", "2", "1", "4"}, []string{"duplicates of bag0", "", "duplicates of bag0", ""}},
		{"three", []string{"2", "1", "1", "1"}, []string{"", "duplicates of bag1", "duplicates of bag1", "duplicates of bag1"}},
		{"one has a group", []string{"1", "2 p", "1 p", "4"}, []string{"p", "p", "p", ""}},
		{"groups become one", []string{"1 p", "2 p", "1 q", "4 q", "5 r"}, []string{"p", "p", "p", "p", "r"}},
		{"groups become one in a chain", []string{"1 p", "3 q", "1 q", "5 r", "3 r", "7 r", "8"}, []string{"p", "p", "p", "p", "p", "p", ""}},
		{"a chain from its end", []string{"5 c", "3 b", "1 a", "1 b", "3 c", "5"}, []string{"a", "a", "a", "a", "a", "a"}},
		{"the same already", []string{"1 p", "1 p", "2"}, []string{"p", "p", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := withGroups(c.bags...)
			before := slices.Clone(s.Bags)
			grouped, found, err := GroupDuplicates(s)
			must(t, err)
			var groups []string
			for i, b := range grouped.Bags {
				groups = append(groups, b.Group)
				if s.Bags[i].Group != before[i].Group {
					t.Errorf("%s changed in the set that was handed over", b.ID)
				}
			}
			if !slices.Equal(groups, c.want) {
				t.Errorf("groups %q, want %q", groups, c.want)
			}
			sealed := *grouped
			must(t, sealed.Seal())
			if none := len(found) == 0; none != (grouped == s) || !none && grouped.Checksum != sealed.Checksum {
				t.Errorf("duplicates %v, checksum %s", found, grouped.Checksum)
			}
		})
	}
}

// A group that already has the name of a new one is not merged with it.
func TestGroupDuplicatesName(t *testing.T) {
	s := withGroups("1", "1", "2", "4")
	s.Bags[2].Group = "duplicates of bag0"
	grouped, _, err := GroupDuplicates(s)
	if err != nil || grouped.Bags[0].Group != grouped.Bags[1].Group || grouped.Bags[0].Group == grouped.Bags[2].Group {
		t.Errorf("%+v, %v", grouped, err)
	}
}

func TestGroupDuplicatesConflict(t *testing.T) {
	s := withGroups("1", "2", "1", "2", "1")
	s.Bags[4].Label = 0
	want := []Duplicate{{Bags: []string{"bag0", "bag2", "bag4"}, Conflict: true}, {Bags: []string{"bag1", "bag3"}}}
	grouped, found, err := GroupDuplicates(s)
	if err != nil || !equalJSON(t, found, want) {
		t.Fatalf("duplicates %+v, %v", found, err)
	}
	b := grouped.Bags
	if b[0].Group == "" || b[0].Group != b[2].Group || b[0].Group != b[4].Group || b[0].Group == b[1].Group || b[1].Group != b[3].Group || b[4].Label != 0 {
		t.Errorf("groups %+v", b)
	}
}

// No protocol tests on a copy of a training bag.
func TestGroupDuplicatesAreNeverSplit(t *testing.T) {
	s := noise(3, 60, 4)
	for i := 0; i < 40; i += 4 { // bags 4, 5 and 6, 7 of 1 to 40 are pairs of one label each
		s.Bags[i+2].Instances, s.Bags[i+3].Instances = s.Bags[i].Instances, s.Bags[i+1].Instances
	}
	torn := func(s *mil.Set, p cv.Protocol) (n int) {
		fits, err := p.Fits(s, []json.RawMessage{json.RawMessage(`{}`)}, 1)
		must(t, err)
		for _, f := range fits {
			part := make([]int, len(s.Bags))
			for _, i := range f.Test {
				part[i] = 1
			}
			for _, i := range f.Validation {
				part[i] = 2
			}
			for i := 0; i < 40; i += 4 {
				for k := range 2 {
					if part[i+k] != part[i+2+k] {
						n++
					}
				}
			}
		}
		return n
	}
	grouped, found, err := GroupDuplicates(s)
	if err != nil || len(found) != 20 {
		t.Fatalf("%d duplicates, %v", len(found), err)
	}
	for _, p := range []cv.Protocol{{Name: cv.HonestProtocol, Folds: 5, Repeats: 2}, {Name: cv.NestedProtocol, Folds: 3, Repeats: 2}, {Name: cv.PublishedProtocol, Folds: 4, Repeats: 3}} {
		if torn(s, p) == 0 {
			t.Errorf("%s: no pair is torn without groups either", p.Name)
		}
		if n := torn(grouped, p); n > 0 {
			t.Errorf("%s: %d pairs are torn", p.Name, n)
		}
	}

	for i := range grouped.Bags {
		grouped.Bags[i].Split = mil.TrainPart
		if i < 2 || i >= 50 {
			grouped.Bags[i].Split = mil.TestPart
		}
	}
	_, err = cv.Honest().Fits(grouped, []json.RawMessage{json.RawMessage(`{}`)}, 1)
	if want := "noise: repeat 1, official split: bag 3 is in the training part and bag 1 of the same group (duplicates of 1) in the test part"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
