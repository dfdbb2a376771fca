package milbench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
)

// FitID returns the id of a fit: the first 16 hexadecimal digits of the SHA-256 of the JSON array of the set's checksum, the
// protocol's name, the folds into which a repeat cuts the set, repeat and fold (from 0), the study's seed, and the setting
// as [CanonicalSetting] writes it. It is what decides the fit's scores, and nothing else.
func FitID(checksum, protocol string, folds, repeat, fold int, seed uint64, setting json.RawMessage) (string, error) {
	canonical, err := CanonicalSetting(setting)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal([]any{checksum, protocol, folds, repeat, fold, seed, canonical})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8]), nil
}

// CanonicalSetting returns a setting compactly and with its keys in order; numbers stay as written.
func CanonicalSetting(setting json.RawMessage) (json.RawMessage, error) {
	object, err := DecodeSetting(setting)
	if err != nil {
		return nil, err
	}
	return json.Marshal(object)
}

// DecodeSetting decodes a setting, numbers as [json.Number]. What is no JSON object, or more than one, is an error.
func DecodeSetting(setting json.RawMessage) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(setting))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		return nil, fmt.Errorf("setting %.60q is no JSON object: %w", setting, err)
	}
	if object == nil {
		return nil, fmt.Errorf("setting %.60q is no JSON object", setting)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("setting %.60q has something after its JSON object", setting)
	}
	return object, nil
}
