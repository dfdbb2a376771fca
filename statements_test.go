package synpool_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestStatements: in docs/statements.md every name that links to a Go file is declared there, every other link to a notebook is named after
// one of its headings, and every statement that is not left out has code, a test and a place to see it.
func TestStatements(t *testing.T) {
	text, err := os.ReadFile("docs/statements.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| ([A-F]\d+) \| (.*) \|$`).FindAllStringSubmatch(string(text), -1)
	if len(rows) < 134 {
		t.Fatalf("%d statements found", len(rows))
	}
	link := regexp.MustCompile("\\[`?([^]`]+)`?\\]\\(\\.\\./([^)#]+)")
	for _, row := range rows {
		cells := strings.Split(row[2], " | ")
		if len(cells) > 1 && strings.HasPrefix(cells[1], "left out: ") {
			continue
		}
		if len(cells) != 4 || slices.ContainsFunc(cells, func(s string) bool { return strings.TrimSpace(s) == "" }) {
			t.Errorf("%s needs a statement, code, a test and a place to see it", row[1])
			continue
		}
		if !strings.Contains(cells[1], ".go)") || !strings.Contains(cells[2], "_test.go)") {
			t.Errorf("%s: code and test shall link to Go files", row[1])
		}
		for _, l := range link.FindAllStringSubmatch(row[2], -1) {
			name, file := l[1], l[2]
			var names []string
			switch filepath.Ext(file) {
			case ".go":
				names = declared(t, file)
			case ".ipynb":
				names = chapters(t, file)
			default:
				continue // TestLinks looks for it
			}
			if !slices.Contains(names, name) {
				t.Errorf("%s: %s has no %q", row[1], file, name)
			}
		}
	}
}

// declared returns the names that a Go file declares; those of methods follow their type and a point.
func declared(t *testing.T, path string) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				of := d.Recv.List[0].Type
				if pointer, ok := of.(*ast.StarExpr); ok {
					of = pointer.X
				}
				if of, ok := of.(*ast.Ident); ok {
					name = of.Name + "." + name
				}
			}
			names = append(names, name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// chapters returns the headings of a notebook.
func chapters(t *testing.T, path string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var notebook struct {
		Cells []struct {
			Kind   string   `json:"cell_type"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(text, &notebook); err != nil {
		t.Fatal(err)
	}
	for _, cell := range notebook.Cells {
		for _, line := range cell.Source {
			if strings.HasPrefix(line, "#") && cell.Kind == "markdown" {
				names = append(names, strings.TrimSpace(strings.TrimLeft(line, "#")))
			}
		}
	}
	return names
}
