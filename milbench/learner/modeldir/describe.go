package modeldir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Describe replaces the facts on the card of the model in dir, which [Save] has written, and derives the limits from
// them. The card is replaced atomically: readers see either the old or the new one. Call Describe before
// [SaveCalibration], because a calibration belongs to the card that it was saved beside.
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

// field is a field of a JSON object, as it stands in the text.
type field struct {
	name  string
	value json.RawMessage
}

// fieldsOf returns the fields of a JSON object in order.
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

// Inspect reads the card of a model of any kind, without reading the model. It also returns the model's setting. Facts
// is nil on a card from an earlier version. Errors name the file.
func Inspect(dir string) (card Card, setting json.RawMessage, err error) {
	data, card, err := inspect(dir)
	if err != nil {
		return Card{}, nil, fmt.Errorf("%s: %w", filepath.Join(dir, cardName), err)
	}
	var settings struct {
		Setting json.RawMessage `json:"setting"`
		Config  json.RawMessage `json:"config"` // for a network
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

// inspect returns the text of a card, and the part that cards of all kinds share.
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
