package modeldir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Describe puts facts into the card of the model in dir, which [Save] has written, instead of those that are there, and derives
// their limits. The card is replaced in one step: at any moment it is the old one or the new one, whole. A calibration belongs to the card
// beside which it was saved: [SaveCalibration] comes after Describe.
func Describe(dir string, facts Facts) error {
	if err := describe(dir, facts); err != nil {
		return fmt.Errorf("the card of the model in %s: %w", dir, err)
	}
	return nil
}

func describe(dir string, facts Facts) (err error) {
	data, c, err := inspect(dir)
	if err != nil {
		return err
	}
	c.Facts = &facts
	if err := facts.check(c.NumFeatures); err != nil {
		return err
	}
	facts.Limits = c.limits()
	fields, err := fieldsOf(data)
	if err != nil {
		return err
	}
	var all bytes.Buffer
	all.WriteString("{")
	for _, f := range fields {
		if f.name == "facts" {
			continue
		}
		if f.name == "sum" {
			f.value = []byte(`""`)
		}
		fmt.Fprintf(&all, "%q:%s,", f.name, f.value)
	}
	text, err := json.Marshal(facts)
	if err != nil {
		return err
	}
	fmt.Fprintf(&all, "%q:%s}", "facts", text)
	var card bytes.Buffer
	if err := json.Indent(&card, all.Bytes(), "", "  "); err != nil {
		return err
	}
	card.WriteString("\n")
	parameters, undo, err := begin(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, undo()) }()
	written := filepath.Join(dir, parameters, cardName)
	if err := os.WriteFile(written, signed(card.Bytes()), 0o666); err != nil {
		return err
	}
	return os.Rename(written, filepath.Join(dir, cardName))
}

// field is a field of a JSON object, as written.
type field struct {
	name  string
	value json.RawMessage
}

// fieldsOf returns the fields of a JSON object in their order.
func fieldsOf(data []byte) (fields []field, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		f := field{name: fmt.Sprint(name)}
		if err := d.Decode(&f.value); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// Inspect reads the card of a model of any kind, and nothing of the model itself. setting is that of the model; Facts is nil where an earlier
// version has written the card. An error names the file.
func Inspect(dir string) (card Card, setting json.RawMessage, err error) {
	data, card, err := inspect(dir)
	if err != nil {
		return Card{}, nil, fmt.Errorf("%s: %w", filepath.Join(dir, cardName), err)
	}
	var settings struct {
		Setting json.RawMessage `json:"setting"`
		Config  json.RawMessage `json:"config"` // of a network
	}
	if err := json.Unmarshal(data, &settings); err != nil {
		return Card{}, nil, fmt.Errorf("%s: %w", filepath.Join(dir, cardName), damaged(err))
	}
	if setting = settings.Setting; setting == nil {
		setting = settings.Config
	}
	if setting == nil {
		return card, nil, nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, setting); err != nil {
		return Card{}, nil, fmt.Errorf("%s: %w", filepath.Join(dir, cardName), damaged(err))
	}
	return card, b.Bytes(), nil
}

// inspect reads the text of a card, and what cards of all kinds have.
func inspect(dir string) (data []byte, c Card, err error) {
	if data, err = cardOf(dir); err != nil {
		return nil, c, err
	}
	if err := intact(data); err != nil {
		return nil, c, damaged(err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, c, damaged(fmt.Errorf("%s: %w", cardName, err))
	}
	if err := c.check(); err != nil {
		return nil, c, damaged(fmt.Errorf("%s: %w", cardName, err))
	}
	return data, c, nil
}
