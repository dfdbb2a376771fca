package interop

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// Split has the ids of the bags of one fold.
type Split struct{ Train, Validation, Test []string }

// Splits returns a split for each fold of each repeat. The validation part is the fifth of the training part that the nested
// protocol holds back if it has no inner folds.
func Splits(s *mil.Set, p cv.Protocol, seed uint64) (splits []Split, err error) {
	p.Name, p.Inner = cv.NestedProtocol, 0
	fits, err := p.Fits(s, []json.RawMessage{[]byte("{}")}, seed)
	if err != nil {
		return nil, err
	}
	ids := func(bags []int) (list []string) {
		for _, i := range bags {
			list = append(list, s.Bags[i].ID)
		}
		return list
	}
	for _, fit := range fits {
		var train []int
		for _, e := range fit.Train {
			train = append(train, e.Bag)
		}
		splits = append(splits, Split{ids(train), ids(fit.Validation), ids(fit.Test)})
	}
	return splits, nil
}

// Write writes a split as CLAM reads it: a CSV table with the columns train, val and test, and an index in front.
func (s Split) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"", "train", "val", "test"})
	columns := [][]string{s.Train, s.Validation, s.Test}
	for i := range max(len(s.Train), len(s.Validation), len(s.Test)) {
		record := []string{fmt.Sprint(i)}
		for _, column := range columns {
			id := ""
			if i < len(column) {
				id = column[i]
			}
			record = append(record, id)
		}
		out.Write(record)
	}
	out.Flush()
	return out.Error()
}
