package kubernetes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSameLines checks that the script which the tests of clusters rely on tells folders of results apart.
func TestSameLines(t *testing.T) {
	const (
		one    = `{"fit":"1","bags":[{"id":"a","score":0.10}],"wall_s":1.5}` + "\n"
		slower = `{"fit":"1","bags":[{"id":"a","score":0.10}],"wall_s":2e3}` + "\n"
		other  = `{"fit":"1","bags":[{"id":"a","score":0.11}],"wall_s":1.5}` + "\n"
		two    = `{"fit":"2","bags":[],"wall_s":0.1}` + "\n"
		curve  = `{"fit":"1","loss":[1,0.5]}` + "\n"
	)
	for name, c := range map[string]struct {
		a, aCurves, b, bCurves string
		same                   bool
	}{
		"the same":                         {one + two, "", one + two, "", true},
		"another order and wall time":      {one + two, curve, two + slower, curve, true},
		"another score in its last digit":  {one + two, "", other + two, "", false},
		"a line more":                      {one, "", one + two, "", false},
		"a line twice":                     {one + two, "", one + two + slower, "", false},
		"another curve":                    {one, curve, one, strings.Replace(curve, "0.5", "0.6", 1), false},
		"no curves":                        {one, curve, one, "", false},
		"a torn line":                      {one + two, "", one + two[:10], "", false},
		"a whole line without its newline": {one + two, "", one + strings.TrimSpace(two), "", false},
		"nothing at all":                   {"", "", "", "", false},
	} {
		folder := func(results, curves string) string {
			dir := t.TempDir()
			for file, text := range map[string]string{"results.jsonl": results, "curves.jsonl": curves} {
				if text == "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			return dir
		}
		out, err := exec.Command("../samelines.sh", folder(c.a, c.aCurves), folder(c.b, c.bCurves)).CombinedOutput()
		if same := err == nil; same != c.same {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
