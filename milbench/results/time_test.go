package results

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTornTime: an incomplete line left by a killed run is cut off, and the next run's line is complete.
func TestTornTime(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, TimesName)
	first, second := Time{Fits: 1, Seconds: 1, Cores: 2, Backend: "go", Version: "v1"}, Time{Spaces: 2, Seconds: 0.5, Cores: 2, Backend: "go", Version: "v1"}
	must(t, AppendTime(dir, first))
	whole, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, append(whole, whole[:len(whole)-9]...), 0o666))
	must(t, AppendTime(dir, second))
	times, err := ReadTimes(path)
	if err != nil || !slices.Equal(times, []Time{first, second}) {
		t.Errorf("times %+v, %v", times, err)
	}
	if times, err := ReadTimes(filepath.Join(dir, "none")); err != nil || times != nil {
		t.Errorf("no file: %+v, %v", times, err)
	}
	if err := AppendTime(filepath.Join(dir, "none"), first); err == nil || !strings.Contains(err.Error(), "open times") {
		t.Errorf("no folder: %v", err)
	}
}

// TestAttemptTime: the time of an attempt has its name.
func TestAttemptTime(t *testing.T) {
	dir := AttemptDir(t.TempDir(), 3, 12)
	must(t, os.MkdirAll(dir, 0o777))
	must(t, AppendTime(dir, Time{Fits: 1, Cores: 1}))
	times, err := ReadTimes(filepath.Join(dir, TimesName))
	if err != nil || len(times) != 1 || times[0].Attempt != filepath.Base(dir) || !strings.HasPrefix(times[0].Attempt, "3of12-") {
		t.Errorf("%+v, %v", times, err)
	}
}

func TestTimeValidate(t *testing.T) {
	good := Time{Fits: 1, Seconds: 0, Cores: 1}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Time){
		"nothing":  func(t *Time) { t.Fits = 0 },
		"fits":     func(t *Time) { t.Fits, t.Spaces = -1, 1 },
		"cores":    func(t *Time) { t.Cores = 0 },
		"negative": func(t *Time) { t.Seconds = -1 },
		"NaN":      func(t *Time) { t.Seconds = math.NaN() },
		"infinite": func(t *Time) { t.Seconds = math.Inf(1) },
	} {
		bad := good
		spoil(&bad)
		if bad.Validate() == nil {
			t.Errorf("%s: %+v is valid", name, bad)
		}
	}
}
