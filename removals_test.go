package synpool_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// removal says why a function that removes files removes only what this program has written, and which test of its package
// shows it.
type removal struct{ why, test string }

// removals has a row for every function that removes files or folders.
var removals = map[string]removal{
	"backend/install.go install":                              {"folders, part and scratch that this call has made", "TestInstallLeavesFolders"},
	"backend/internal/pjrtcache/store.go newStore":            {"a probe that this call has made", "TestStoreOwner"},
	"backend/internal/pjrtcache/store.go write":               {"a part that this call has made", "TestStoreNoRoom"},
	"backend/internal/pjrtcache/store.go drop":                {"an entry whose checksum is wrong, by its key of 64 hexadecimal digits", "TestStore"},
	"backend/internal/pjrtcache/store.go remove":              {"files that have the name of an entry", "TestRemove"},
	"milbench/compare.go Compare":                             {"a temporary folder that this call has made", "TestCompare"},
	"cmd/milbench/folds.go foldsOf":                           {"the file of --bags, which this call has made: an existing one is refused", "TestFoldsBags"},
	"internal/disk/disk.go Write":                             {"a part that this call has made", "TestWrite"},
	"internal/disk/disk.go clean":                             {"parts of processes that have ended, by their name of 26 random letters", "TestKilled"},
	"internal/disk/lock_other.go lock":                        {"a file that this call has made", "TestLock"},
	"internal/disk/lock_unix.go lock":                         {"a file that says that it is a lock", "TestLock"},
	"internal/fetch/fetch.go run":                             {"an empty part", "TestGet"},
	"milbench/learners/modeldir/modeldir.go save":             {"the mark, and the calibration of the model that is replaced", "TestSave"},
	"milbench/learners/modeldir/modeldir.go discard":          {"files named by a mark, and folders that are empty then; all, if the mark says that the folder is half-written", "TestSaveKeeps"},
	"milbench/learners/modeldir/modeldir.go begin":            {"folders that this call has made", "TestKilled"},
	"milbench/learners/neural/checkpoint.go removeCheckpoint": {"files that have the name of a checkpoint, and their folder if it is empty then", "TestRemoveCheckpoints"},
	"notebooks/cell/store.go Forget":                          {"folders that have the tag of cells", "TestForget"},
	"course/explorer/page/page.go compile":                    {"a temporary folder that this call has made", "TestBuild"},
}

// TestRemovals: every function that removes something has a row that says why it is ours, and a test.
func TestRemovals(t *testing.T) {
	found := make(map[string]bool)
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declared := range file.Decls {
			function, is := declared.(*ast.FuncDecl)
			if !is {
				continue
			}
			ast.Inspect(function, func(n ast.Node) bool {
				if s, is := n.(*ast.SelectorExpr); is {
					if of, is := s.X.(*ast.Ident); is && (s.Sel.Name == "RemoveAll" || s.Sel.Name == "Remove" && of.Name == "os") {
						found[filepath.ToSlash(path)+" "+function.Name.Name] = true
					}
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for where := range found {
		if _, known := removals[where]; !known {
			t.Errorf("%s removes something: give it a row that says why it is ours, and a test", where)
		}
	}
	for where, row := range removals {
		file, _, _ := strings.Cut(where, " ")
		tests, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.FromSlash(file)), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		tested := false
		for _, name := range tests {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			tested = tested || strings.Contains(string(text), fmt.Sprintf("\nfunc %s(t *testing.T)", row.test))
		}
		if !found[where] || !tested {
			t.Errorf("%s: removes something: %v, tested by %s: %v", where, found[where], row.test, tested)
		}
	}
}
