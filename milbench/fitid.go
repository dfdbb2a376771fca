package milbench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// FitID returns the id of a fit: the first 16 hexadecimal digits of the SHA-256 of the JSON array of the set's checksum, the
// protocol's key ([Protocol.Key]), the folds into which a repeat cuts the set, repeat and fold (from 0), the study's seed, and the setting
// as [CanonicalSetting] writes it. It is what decides the fit's scores, and nothing else.
func FitID(checksum, protocol string, folds, repeat, fold int, seed uint64, setting json.RawMessage) (string, error) {
	canonical, err := knownSetting(setting)
	if err != nil {
		return "", err
	}
	b := make([]byte, 0, 256+len(canonical))
	b = append(appendText(append(appendText(append(b, '['), checksum), ','), protocol), ',')
	for _, n := range []int{folds, repeat, fold} {
		b = append(strconv.AppendInt(b, int64(n), 10), ',')
	}
	b = append(strconv.AppendUint(b, seed, 10), ',')
	sum := sha256.Sum256(append(append(b, canonical...), ']'))
	return hex.EncodeToString(sum[:8]), nil
}

// appendText appends a text as JSON: a plan of a million fits has their ids made, and most texts need no escapes.
func appendText(b []byte, text string) []byte {
	if strings.ContainsFunc(text, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') }) {
		quoted, err := json.Marshal(text)
		if err != nil {
			panic(err) // every text has a form
		}
		return append(b, quoted...)
	}
	return append(append(append(b, '"'), text...), '"')
}

// settings has the canonical form of settings that have been seen: few settings have many fits.
var settings struct {
	sync.Mutex
	canonical map[string]json.RawMessage
}

// mostSettings bounds the settings that are remembered.
const mostSettings = 10_000

// knownSetting is [CanonicalSetting] with a memory.
func knownSetting(setting json.RawMessage) (json.RawMessage, error) {
	settings.Lock()
	defer settings.Unlock()
	if canonical, found := settings.canonical[string(setting)]; found {
		return canonical, nil
	}
	canonical, err := CanonicalSetting(setting)
	if err != nil {
		return nil, err
	}
	if len(settings.canonical) >= mostSettings || settings.canonical == nil {
		settings.canonical = make(map[string]json.RawMessage)
	}
	settings.canonical[string(setting)] = canonical
	return canonical, nil
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
