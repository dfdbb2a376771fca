package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestShardNoRoom trains shards into a folder on a disk that is full, then read-only, then large: one line says what is
// wrong, and nothing is lost.
func TestShardNoRoom(t *testing.T) {
	noArray(t)
	file, disk := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "disk")
	must(t, os.Mkdir(disk, 0o777))
	script := `
mount -t tmpfs -o size=48k tmpfs "$DISK" || { echo no mount; exit 0; }
shard() { "$SELF" run "$FILE" --pooling mean --folds 2 --repeats 40 --epochs 2 --width 8 --out "$DISK/out" --shard 0/1 2>"$ERR"; echo "$1 $?" $(grep -v ^backend "$ERR" | grep -v "milbench: shard" | tr '\n' '|'); }
shard full
mount -o remount,ro,size=48k "$DISK"; shard read-only
"$SELF" merge "$DISK/out" --out "$DISK/out" 2>"$ERR"; echo "merge read-only $?" $(tr '\n' '|' <"$ERR")
mount -o remount,rw,size=10m "$DISK"; shard large
"$SELF" merge "$DISK/out" --out "$DISK/out" 2>"$ERR"; echo "merge $?" $(tr '\n' '|' <"$ERR")
wc -l <"$DISK/out/results.jsonl"`
	c := exec.CommandContext(t.Context(), "unshare", "-rm", "sh", "-c", script)
	self := process(t)
	c.Env = append(self.Env, "SELF="+self.Path, "FILE="+file, "DISK="+disk, "ERR="+filepath.Join(t.TempDir(), "stderr"))
	out, err := c.CombinedOutput()
	if err != nil || strings.Contains(string(out), "no mount") {
		t.Skipf("no file system of its own can be mounted here (%v): %s", err, out) // TestNoRoom of paper needs none
	}
	lines := strings.Split(columnNotes.ReplaceAllString(string(out), ""), "\n")
	for i, want := range []string{"full 75 milbench: ", "read-only 2 milbench: ", "merge read-only 2 milbench: ", "large 0 milbench: ", "merge 0 milbench: 80 results, ", "80"} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Fatalf("no %q in line %d of\n%s", want, i+1, out)
		}
	}
	if !strings.Contains(lines[0], "no room left") || !strings.Contains(lines[1], "read-only file system") || !strings.Contains(lines[2], "read-only file system") {
		t.Errorf("%s", out)
	}
	for _, line := range lines[:3] {
		if strings.Count(line, "|") != 1 {
			t.Errorf("more than one line: %s", line)
		}
	}
	if strings.Contains(lines[3], " 0 were there already") {
		t.Errorf("what was finished on the full disk is lost: %s", lines[3])
	}
}
