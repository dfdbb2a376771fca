package results

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// AttemptsName is the folder of the attempts in a results folder that shards are trained into. Each is a results folder.
const AttemptsName = "attempts"

// ErrUnmerged is wrapped by the error returned if attempts in a folder have results that are missing from its file of results.
var ErrUnmerged = errors.New("results of shards that are not merged")

// AttemptDir returns the path of a new attempt at a shard. The name contains the shard, the host, the process and a
// random part, so every process gets its own folder, whatever the timing. The folder does not exist yet.
func AttemptDir(dir string, shard, shards int) string {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	host = strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, host[:min(len(host), 60)])
	return filepath.Join(dir, AttemptsName, fmt.Sprintf("%dof%d-%s-%d-%s", shard, shards, host, os.Getpid(), strings.ToLower(rand.Text()[:12])))
}

// attemptName matches the names made by [AttemptDir].
var attemptName = regexp.MustCompile(`^\d+of\d+-.+-\d+-[a-z0-9]{12}$`)

// isAttempt reports whether a folder has a name made by [AttemptDir].
func isAttempt(dir string) bool {
	dir = filepath.Clean(dir)
	return filepath.Base(filepath.Dir(dir)) == AttemptsName && attemptName.MatchString(filepath.Base(dir))
}

// attempts returns the folders of the attempts in dir, sorted by name.
func attempts(dir string) (folders []string, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, AttemptsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("attempts: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, filepath.Join(dir, AttemptsName, e.Name()))
		}
	}
	return folders, nil
}

// files returns the existing files with a name in folders and in their attempts, that of a folder before those of its
// attempts.
func files(name string, dirs ...string) (paths []string, err error) {
	for _, dir := range dirs {
		list, err := attempts(dir)
		if err != nil {
			return nil, err
		}
		for _, d := range append([]string{dir}, list...) {
			path := filepath.Join(d, name)
			if _, err := os.Stat(path); err == nil {
				paths = append(paths, path)
			} else if !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("open results: %w", err)
			}
		}
	}
	return paths, nil
}

// Finished returns the ids of all fits with a result in dir or in one of its attempts. Incomplete last lines are ignored.
// check, if not nil, is called with every result and the path of its file; Finished returns its first error.
func Finished(dir string, check func(path string, r Result) error) (map[string]bool, error) {
	paths, err := files(FileName, dir)
	if err != nil {
		return nil, err
	}
	finished := make(map[string]bool)
	return finished, eachOf(context.Background(), paths, againCure, func(path string, r Result, _ []byte) error {
		finished[r.Fit] = true
		if check == nil {
			return nil
		}
		return check(path, r)
	})
}

// Unmerged returns an error that matches [ErrUnmerged] if attempts in dir have results that its file of results
// lacks.
func Unmerged(dir string) error {
	list, err := attempts(dir)
	if err != nil || len(list) == 0 {
		return err
	}
	all, err := Finished(dir, nil)
	if err != nil {
		return err
	}
	merged, err := Read(dir)
	if err != nil && !errors.Is(err, ErrNoResults) {
		return err
	}
	if n := len(all) - len(merged); n > 0 {
		return fmt.Errorf("%s holds %d %w; first give milbench merge %[1]s --out %[1]s", dir, n, ErrUnmerged)
	}
	return nil
}
