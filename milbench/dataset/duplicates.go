package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"synpool/milbench"
)

// Duplicate lists bags of the same instances, in whatever order.
type Duplicate struct {
	Bags     []string `json:"bags"`     // their ids
	Conflict bool     `json:"conflict"` // the bags have different labels
}

// GroupDuplicates puts bags of the same instances into one group, so that no protocol tests on a bag that was trained
// on under another id. Groups that share a bag so become one group, transitively, under the name of one of them. It
// returns the duplicates, and a set that shares its instances with s, or s itself if there are none.
// Bags of the same instances with different labels cannot be learnt from: that is the only error, and it names them.
func GroupDuplicates(s *milbench.Set) (*milbench.Set, []Duplicate, error) {
	c := compare(s, nil)
	found := c.duplicates(s)
	if len(found) == 0 {
		return s, found, nil
	}
	for _, d := range found {
		if d.Conflict {
			return nil, found, fmt.Errorf("%s: bags %s hold the same instances and have different labels; correct or remove them", s.Name, strings.Join(d.Bags, ", "))
		}
	}
	bags := slices.Clone(s.Bags)
	names := make(map[string]bool)
	for _, b := range bags {
		names[b.Group] = true
	}
	for _, same := range c.same {
		into := ""
		for _, i := range same {
			if into == "" {
				into = bags[i].Group
			}
		}
		if into == "" {
			into = "duplicates of " + bags[same[0]].ID
			for names[into] {
				into += "*"
			}
			names[into] = true
		}
		for _, i := range same {
			from := bags[i].Group
			bags[i].Group = into
			for k := range bags {
				if from != "" && bags[k].Group == from {
					bags[k].Group = into
				}
			}
		}
	}
	grouped := *s
	grouped.Bags = bags
	grouped.Checksum = checksum(bags)
	return &grouped, found, nil
}

// comparison is what the bags of a set have in common.
type comparison struct {
	same   [][]int // bags of the same instances, by index, two at least; in the order of their first bags
	shared int     // distinct instances that stand in several bags
}

// compare compares the bags of s, columns, from 0, that are to be left aside apart.
func compare(s *milbench.Set, aside map[int]bool) comparison {
	type digest = [sha256.Size]byte
	var c comparison
	seen := map[digest]int{}  // instance: 1 + the bag it was first seen in, -1 once counted
	place := map[digest]int{} // content: where its bags are in all
	var all [][]int
	var row []byte
	for i, b := range s.Bags {
		instances := make([]digest, b.Instances.Rows)
		for k := range instances {
			row = row[:0]
			b.Instances.Each(k, func(j int, v float64) {
				if v != 0 && !aside[j] {
					row = binary.LittleEndian.AppendUint32(row, uint32(j))
					row = binary.LittleEndian.AppendUint64(row, math.Float64bits(v))
				}
			})
			d := sha256.Sum256(row)
			instances[k] = d
			switch first := seen[d]; first {
			case 0:
				seen[d] = i + 1
			case i + 1, -1:
			default:
				c.shared++
				seen[d] = -1
			}
		}
		slices.SortFunc(instances, func(p, q digest) int { return slices.Compare(p[:], q[:]) })
		h := sha256.New()
		for _, d := range instances {
			h.Write(d[:])
		}
		content := digest(h.Sum(nil))
		at, known := place[content]
		if !known {
			at = len(all)
			place[content] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], i)
	}
	for _, bags := range all {
		if len(bags) > 1 {
			c.same = append(c.same, bags)
		}
	}
	return c
}

// duplicates names the bags that are the same.
func (c comparison) duplicates(s *milbench.Set) []Duplicate {
	found := []Duplicate{}
	for _, same := range c.same {
		var d Duplicate
		for _, i := range same {
			d.Bags = append(d.Bags, s.Bags[i].ID)
			d.Conflict = d.Conflict || s.Bags[i].Label != s.Bags[same[0]].Label
		}
		found = append(found, d)
	}
	return found
}
