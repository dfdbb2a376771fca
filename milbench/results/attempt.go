package results

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"synpool/internal/disk"
	"synpool/milbench/cluster"
)

// Names in a results folder that shards are trained into.
const (
	AttemptsName = "attempts"  // folder of the attempts; each is a results folder
	PlanName     = "plan.json" // the plan that the attempts follow
)

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

// Finished returns the ids of all fits with a result in dir or in one of its attempts, and the ids of the spaces
// ([Space.ID]). Incomplete last lines are ignored. If p is not nil, results that could not be merged with its results
// are an error: another version or backend, or fits outside its grid.
func Finished(dir string, p *cluster.Plan) (map[string]bool, error) {
	finished := make(map[string]bool)
	results, err := indexResults(folders{dir})
	if err != nil {
		return nil, err
	}
	if p != nil {
		for by := range results.makers {
			if by != (maker{p.Backend, p.Version}) {
				return nil, fmt.Errorf("%s holds results of version %s on backend %s, and the plan is of version %s on %s; choose another --out, or go on with that version and backend",
					dir, by.version, by.backend, p.Version, p.Backend)
			}
		}
		if err := results.ofPlan(p); err != nil {
			return nil, fmt.Errorf("%w; choose another --out", err)
		}
	}
	spaces, err := indexSpaces(folders{dir})
	if err != nil {
		return nil, err
	}
	for _, e := range slices.Concat(results.found, spaces.found) {
		finished[e.key.String()] = true
	}
	return finished, nil
}

// Unmerged returns an error that matches [ErrUnmerged] if attempts in dir have results that its file of results
// lacks.
func Unmerged(dir string) error {
	list, err := attempts(dir)
	if err != nil || len(list) == 0 {
		return err
	}
	all, err := indexResults(folders{dir})
	if err != nil {
		return err
	}
	results, err := Read(dir)
	if err != nil && !errors.Is(err, ErrNoResults) {
		return err
	}
	if n := all.keys() - len(results); n > 0 {
		return fmt.Errorf("%s holds %d %w; first give milbench merge %[1]s --out %[1]s", dir, n, ErrUnmerged)
	}
	return nil
}

// Follow makes dir a folder for attempts at a plan and writes the plan to it. If dir already follows a plan, both
// must belong to the same study ([cluster.Plan.SameStudy]) and one must have all fits of the other. Follow returns
// the plan that the folder now follows: the one with more fits or, if they have the same, the existing one.
func Follow(dir string, p *cluster.Plan) (*cluster.Plan, error) {
	if err := makeFolder(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, PlanName)
	known, err := cluster.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = writePlan(path, p, link); err == nil || !errors.Is(err, fs.ErrExist) {
			return p, err
		}
		known, err = cluster.ReadFile(path) // another shard was faster
	}
	if err != nil {
		return nil, err
	}
	if err := known.SameStudy(p); err != nil {
		return nil, fmt.Errorf("%s holds fits of another plan (%w); choose another --out", dir, err)
	}
	switch {
	case covers(known, p):
		return known, nil
	case covers(p, known):
		return p, writePlan(path, p, os.Rename)
	}
	return nil, fmt.Errorf("%s holds another part of the study than the plan; choose another --out and merge both", dir)
}

// hardLink is a variable so that tests can replace it.
var hardLink = os.Link

// link creates another name for a file. The name must not exist yet. No other call does this safely: there is no
// moment when a partial file is visible or another shard's file is lost.
func link(old, new string) error {
	err := hardLink(old, new)
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(noRoom(err), ErrDiskFull) {
		return err
	}
	return fmt.Errorf("%w; where the file system has no hard links put the plan there before the shards start: milbench plan ... --out %s", err, new)
}

// covers reports whether p has all fits of q.
func covers(p, q *cluster.Plan) bool {
	if len(q.Fits) > len(p.Fits) {
		return false
	}
	ids := make(map[string]bool, len(p.Fits))
	for _, f := range p.Fits {
		ids[f.ID] = true
	}
	for _, f := range q.Fits {
		if !ids[f.ID] {
			return false
		}
	}
	return true
}

// WritePlan writes a plan to a file. An existing file is replaced only when the new one is complete.
func WritePlan(path string, p *cluster.Plan) error { return writePlan(path, p, os.Rename) }

// writePlan writes a plan to a file, which put moves to path when it is complete.
func writePlan(path string, p *cluster.Plan, put func(part, path string) error) error {
	return noRoom(disk.WriteBy(path, p.Write, put))
}
