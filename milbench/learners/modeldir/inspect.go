package modeldir

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
)

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
	if c, err = parse(data); err != nil {
		return nil, c, damaged(err)
	}
	return data, c, c.addOld(dir)
}

// parse reads the part of a card that cards of all kinds share, and reports damage.
func parse(data []byte) (c Card, err error) {
	if err := intact(data); err != nil {
		return c, err
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("%s: %w", cardName, err)
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("%s: %w", cardName, err)
	}
	return c, nil
}
