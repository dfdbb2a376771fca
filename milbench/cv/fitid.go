package cv

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"sync"
)

// FitID returns the id of a fit: the first 16 hexadecimal digits of a SHA-256. The hash covers the JSON array of the
// set's checksum, the protocol's key ([ProtocolKey]), the number of folds per repeat, repeat and fold (from 0), the
// study's seed, and the setting as written by [CanonicalSetting]. These values determine the fit's scores, and
// nothing else does.
func FitID(checksum, protocol string, folds, repeat, fold int, seed uint64, setting json.RawMessage) (string, error) {
	canonical, err := knownSetting(setting)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal([]any{checksum, protocol, folds, repeat, fold, seed, canonical})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}

// settings caches the canonical form of settings: a few settings have many fits.
var settings struct {
	sync.Mutex
	canonical map[string]json.RawMessage
}

// mostSettings is the largest number of settings in the cache.
const mostSettings = 10_000

// knownSetting is [CanonicalSetting] with a cache.
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

// CanonicalSetting returns a setting as compact JSON with sorted keys. Numbers keep their spelling.
func CanonicalSetting(setting json.RawMessage) (json.RawMessage, error) {
	object, err := DecodeSetting(setting)
	if err != nil {
		return nil, err
	}
	return json.Marshal(object)
}

// DecodeSetting decodes a setting, with numbers as [json.Number]. It returns an error unless the input is exactly one
// JSON object.
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

// Keys of the name in a setting: that of a learner or, for networks, of their pooling.
const (
	LearnerKey = "learner"
	PoolingKey = "pooling"
)

// Keys of settings with a sample. Of training parts with more bags than SampleKey says, a classical learner learns from so many,
// drawn at random with about the shares of the classes. Of bags with more instances than InstancesKey says, it takes so many,
// evenly spaced, for training and for scores; a network draws them anew in each epoch, for training alone.
const (
	SampleKey    = "sample"
	InstancesKey = "instances"
)

// CodeKey is the key of settings for a checksum of the code of a learner or pooling that is not ours.
const CodeKey = "code"

// NameOf returns the name of the learner or pooling of a setting, and its key, [LearnerKey] or [PoolingKey]. Both are
// empty if the setting has no name.
func NameOf(setting json.RawMessage) (name, key string) {
	var s struct{ Learner, Pooling string }
	switch err := json.Unmarshal(setting, &s); {
	case err != nil:
		return "", ""
	case s.Learner != "":
		return s.Learner, LearnerKey
	case s.Pooling != "":
		return s.Pooling, PoolingKey
	}
	return "", ""
}

// Replace returns a setting with the given fields replaced. Whoever learns it reports fields that it does not have.
func Replace(setting json.RawMessage, fields map[string]any) (json.RawMessage, error) {
	if len(fields) == 0 {
		return setting, nil
	}
	all, err := DecodeSetting(setting)
	if err != nil {
		return nil, err
	}
	maps.Copy(all, fields)
	return json.Marshal(all)
}
