package dataset

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"synpool/internal/delimited"
	"synpool/milbench/mil"
)

// ReadC45 reads a set in the C4.5 text form of the UCI repository. Each line is one instance: the name of its bag
// (for Musk, the molecule), its own name (the conformation), the features, and the class followed by a dot. Lines
// with the same bag name form a bag and must have the same class. A line that starts with a bar is a comment. The
// features have no names.
func ReadC45(r io.Reader, name string) (*mil.Set, error) {
	return Options{}.from(r, name, Options.readC45)
}

func (o Options) readC45(r io.Reader, name string) (*mil.Set, error) {
	lines := csv.NewReader(delimited.Bounded(r, false))
	lines.Comment = '|'
	lines.LazyQuotes = true
	t := textBags{unlabelled: o.Unlabelled}
	var values []float32
	err := eachRecord(lines, name, func(line int, record []string) error {
		last := len(record) - 1
		if last < 3 {
			return fmt.Errorf("%d fields; a line holds bag, instance, features and class", len(record))
		}
		id := strings.TrimSpace(record[0])
		if !plain(id) {
			return fmt.Errorf("bag id %q; write it without line breaks and other control characters", id)
		}
		label := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(record[last]), "."))
		if !plain(label) {
			return fmt.Errorf("class %q; write it without line breaks and other control characters", label)
		}
		values = values[:0]
		for j, text := range record[2:last] {
			v, err := parseValue(text)
			narrow, large := o.rounding.of(j, v)
			if err = cmp.Or(err, large); err != nil {
				return fmt.Errorf("bag %s, feature %d: %w", id, j+1, err)
			}
			values = append(values, narrow)
		}
		i, err := t.of(id, label, "", mil.NoSplit)
		if err != nil {
			return err
		}
		t.appendTo(i, values)
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.tell(name, o, false)
	return o.assemble(&mil.Set{Name: name, Bags: t.bags}, t.words)
}
