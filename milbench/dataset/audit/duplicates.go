package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync"

	"synpool/milbench/mil"
)

// Duplicate lists bags that contain the same instances, in any order.
type Duplicate struct {
	Bags     []string `json:"bags"`     // ids of the bags
	Conflict bool     `json:"conflict"` // the bags have different targets
}

// GroupDuplicates puts bags with the same instances into one group, so no protocol trains on a bag and tests on its
// copy. Groups that share such a bag are merged, transitively, and keep the name of one of them. Copies with
// different targets stay in the set, although no learner can be right on all of them.
//
// It returns the duplicates and a set that shares its instances with s, or s itself if there are no duplicates.
func GroupDuplicates(s *mil.Set) (*mil.Set, []Duplicate, error) {
	c, err := compare(s, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return c.group(s)
}

// GroupDuplicates does the same for a set that differs from the one inspected only in that it lacks the columns that
// leak. It does not read the instances again.
func (r Report) GroupDuplicates(s *mil.Set) (*mil.Set, []Duplicate, error) {
	return r.compared.group(s)
}

// group puts equal bags of s into one group.
func (c comparison) group(s *mil.Set) (*mil.Set, []Duplicate, error) {
	found := c.duplicates(s)
	if len(found) == 0 {
		return s, found, nil
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
	return &grouped, found, grouped.Seal()
}

// comparison is what the bags of a set share.
type comparison struct {
	same   [][]int // groups of at least two bags with the same instances, by index, in the order of their first bags
	shared int     // distinct instances that occur in several bags
}

// compare compares the bags of s without the columns in aside, which count from 0.
func compare(s *mil.Set, aside map[int]bool) (comparison, error) {
	var c comparison
	seen := newMeetings()
	place := map[[sha256.Size]byte]int{} // content: its index in all
	var all [][]int
	err := eachBag(s.Bags, func(x mil.Instances) (contents, error) { return contentsOf(x, aside) }, func(i int, of contents) {
		for _, hash := range of.hashes {
			seen.add(hash, i)
		}
		at, known := place[of.all]
		if !known {
			at = len(all)
			place[of.all] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], i)
	})
	if err != nil {
		return c, err
	}
	for _, bags := range all {
		if len(bags) > 1 {
			c.same = append(c.same, bags)
		}
	}
	c.shared = seen.shared()
	return c, nil
}

// contents are the sums of a bag's instances, in any order.
type contents struct {
	all    [sha256.Size]byte
	hashes []uint64 // one per instance
}

// instanceSums are the sums of the instances of one bag, for another to write over.
var instanceSums = sync.Pool{New: func() any { return new([][sha256.Size]byte) }}

func contentsOf(x mil.Instances, aside map[int]bool) (contents, error) {
	kept := instanceSums.Get().(*[][sha256.Size]byte)
	defer instanceSums.Put(kept)
	instances := slices.Grow((*kept)[:0], x.Len())
	defer func() { *kept = instances }()
	if err := mil.EachEncoded(x, aside, func(instance []byte) { instances = append(instances, sha256.Sum256(instance)) }); err != nil {
		return contents{}, err
	}
	slices.SortFunc(instances, func(p, q [sha256.Size]byte) int { return bytes.Compare(p[:], q[:]) })
	c := contents{hashes: make([]uint64, 0, len(instances))}
	h := sha256.New()
	for _, d := range instances {
		h.Write(d[:])
		c.hashes = append(c.hashes, binary.LittleEndian.Uint64(d[:]))
	}
	h.Sum(c.all[:0])
	return c, nil
}

// meetings counts the instances that occur in several bags, using a 64-bit hash. If there are very many, it keeps
// only hashes that end in zeros, one in 2^skipped, and scales the count.
type meetings struct {
	first   map[uint64]int32 // the bag with the first occurrence of an instance, or met
	skipped int
}

const (
	met          = -1
	mostMeetings = 1 << 20
)

func newMeetings() *meetings { return &meetings{first: map[uint64]int32{}} }

func (m *meetings) add(hash uint64, bag int) {
	if hash&(1<<m.skipped-1) != 0 {
		return
	}
	if first, known := m.first[hash]; !known {
		m.first[hash] = int32(bag)
	} else if first != met && first != int32(bag) {
		m.first[hash] = met
	}
	for len(m.first) > mostMeetings {
		m.skipped++
		maps.DeleteFunc(m.first, func(hash uint64, _ int32) bool { return hash&(1<<m.skipped-1) != 0 })
	}
}

// shared returns the number of instances that occur in several bags. It is an estimate if some were skipped.
func (m *meetings) shared() int {
	n := 0
	for _, first := range m.first {
		if first == met {
			n++
		}
	}
	return n << m.skipped
}

// duplicates lists the bags with equal content.
func (c comparison) duplicates(s *mil.Set) []Duplicate {
	found := []Duplicate{}
	for _, same := range c.same {
		var d Duplicate
		for _, i := range same {
			d.Bags = append(d.Bags, s.Bags[i].ID)
			d.Conflict = d.Conflict || s.Bags[i].Target != s.Bags[same[0]].Target
		}
		found = append(found, d)
	}
	return found
}
