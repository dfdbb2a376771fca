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
	"sync"

	"synpool/milbench/cluster"
)

// What a results folder that shards are trained into holds beside or instead of results.
const (
	AttemptsName = "attempts"  // the folder of the attempts, each a results folder of its own
	PlanName     = "plan.json" // the plan that they follow
)

// ErrUnmerged says that attempts in a folder have results that its file of results lacks.
var ErrUnmerged = errors.New("results of shards that are not merged")

// AttemptDir returns the folder, which is not there yet, of a new attempt at a shard: shard, host, process and a random part
// are in its name. Every process writes into one of its own, and nothing depends on when.
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

// attemptName is the form of the names of [AttemptDir].
var attemptName = regexp.MustCompile(`^\d+of\d+-.+-\d+-[a-z0-9]{12}$`)

// isAttempt reports whether a folder is one of [AttemptDir].
func isAttempt(dir string) bool {
	dir = filepath.Clean(dir)
	return filepath.Base(filepath.Dir(dir)) == AttemptsName && attemptName.MatchString(filepath.Base(dir))
}

// attempts returns the folders of attempts in dir, by name.
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

// Finished returns the ids of the fits that have a result in dir or in an attempt there, torn last lines aside, and those of
// the spaces ([Space.ID]). Results that could not be merged with those of a plan, if it is not nil, are an error: of another
// version or backend, or of fits that are not of its grid.
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

// Unmerged returns an error that matches [ErrUnmerged] if attempts in dir have results that its file of results lacks.
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

// Follow makes dir a folder of attempts at a plan, which is written to it. If it follows a plan already, that is to be of the
// same study ([cluster.Plan.SameStudy]) and to have all fits of this one, or the other way round. The plan that the folder
// follows now is returned: of the two the one with more fits, of equal ones that which was there first.
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
		known, err = cluster.ReadFile(path) // another shard was first
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

// hardLink is replaced by tests.
var hardLink = os.Link

// link gives a file a second name, which is not to be there: what no other call does without a moment at which half a file, or
// that of another shard, can be lost.
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

// WritePlan writes a plan to a file, which takes the place of what is there when it is whole.
func WritePlan(path string, p *cluster.Plan) error { return writePlan(path, p, os.Rename) }

// planPart is how the names of plans begin that are not whole yet.
const planPart = ".plan"

// writePlan writes a plan beside path, and puts it there when it is whole.
func writePlan(path string, p *cluster.Plan, put func(old, new string) error) (err error) {
	part, err := os.CreateTemp(filepath.Dir(path), planPart+"-*.part")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, noRoom(err))
	}
	var once sync.Once
	closing := func() (err error) { once.Do(func() { err = part.Close() }); return err }
	defer os.Remove(part.Name()) // unless it is renamed
	defer closing()
	if err = p.Write(part); err == nil {
		err = part.Chmod(0o644)
	}
	if err == nil {
		err = part.Sync()
	}
	if err == nil {
		err = closing()
	}
	if err == nil {
		err = put(part.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, noRoom(err))
	}
	return nil
}
