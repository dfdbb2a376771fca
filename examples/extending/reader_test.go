package extending_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"synpool/milbench/mil"
)

// readJSON reads a bag from each line, {"id": "a", "positive": true, "instances": [[1, 2], [3, 4]]}.
func readJSON(r io.Reader, name string) (*mil.Set, error) {
	s := &mil.Set{Name: name}
	for d := json.NewDecoder(r); ; {
		var bag struct {
			ID        string
			Positive  bool
			Instances [][]float32
		}
		if err := d.Decode(&bag); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: bag %d: %w", name, len(s.Bags)+1, err)
		}
		rows := &mil.Dense{Rows: len(bag.Instances)}
		for _, row := range bag.Instances {
			rows.Cols, rows.Values = len(row), append(rows.Values, row...)
		}
		target := mil.Target{}
		if bag.Positive {
			target.Label = 1
		}
		s.Bags = append(s.Bags, mil.Bag{ID: bag.ID, Target: target, Instances: rows})
	}
	if err := s.Validate(); err != nil { // what nobody can learn from is refused here
		return nil, err
	}
	mil.Pack(s.Bags)
	return s, s.Seal()
}

// A reader makes a set of whatever a file holds.
func Example_reader() {
	s, err := readJSON(strings.NewReader(`{"id": "a", "positive": true, "instances": [[1, 2], [3, 4]]}
{"id": "b", "positive": false, "instances": [[5, 6]]}`), "two")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(s.Bags), s.NumInstances(), s.NumPositive(), len(s.Checksum))
	_, err = readJSON(strings.NewReader(`{"id": "a", "instances": [[1, 2], [3]]}`), "one")
	fmt.Println(err)
	// Output:
	// 2 3 1 64
	// one: bag a: 3 values for 2 instances of 1 features; one for each is needed
}
