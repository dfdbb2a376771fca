package cv

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"
	"testing/quick"
)

// TestFitIDIsOfJSON: the id is that of the array written by encoding/json, whatever the texts contain.
func TestFitIDIsOfJSON(t *testing.T) {
	same := func(checksum, protocol string, folds, repeat, fold int, seed uint64, value string) bool {
		setting, err := json.Marshal(map[string]any{"pooling": value, "width": folds})
		must(t, err)
		text, err := json.Marshal([]any{checksum, protocol, folds, repeat, fold, seed, json.RawMessage(setting)})
		must(t, err)
		sum := sha256.Sum256(text)
		id, err := FitID(checksum, protocol, folds, repeat, fold, seed, setting)
		return err == nil && id == hex.EncodeToString(sum[:8])
	}
	if err := quick.Check(same, nil); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"", "66a0f728-honest", `a "quoted" one`, "<&>", "grün", "\u2028\n"} {
		if !same(text, text, 10, 4, 9, 1<<63, text) {
			t.Errorf("%q has another id than its JSON", text)
		}
	}
}
