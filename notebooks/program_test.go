package notebooks

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// program joins the cells of a notebook to one Go program: what they declare as it stands, what they do as a function for
// each. Errors in it name notebook, cell and line.
func (n *notebook) program() string {
	var b, main strings.Builder
	b.WriteString("package main\n")
	for i, c := range n.Cells {
		if c.Type != "code" {
			continue
		}
		declarations, statements, runs := c.split()
		fmt.Fprintf(&b, "\n//line %s[cell %d]:1\n%s\n", n.name, i+1, strings.Join(declarations, "\n"))
		if runs {
			fmt.Fprintf(&b, "\nfunc cell%d() {\n//line %s[cell %d]:%d\n%s\n}\n", i+1, n.name, i+1, len(declarations)+1, strings.Join(statements, "\n"))
			fmt.Fprintf(&main, "\tcell%d()\n", i+1)
		}
	}
	fmt.Fprintf(&b, "\nfunc main() {\n%s}\n", &main)
	return b.String()
}

// vet type-checks and vets notebooks as the kernel would build them: each in a module of its own beside this one, in a
// workspace. It returns what go vet says, "" if nothing.
func vet(t *testing.T, notebooks ...*notebook) string {
	t.Helper()
	root, err := filepath.Abs("..")
	must(t, err)
	dir := t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(content), 0o644))
	}
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	must(t, err)
	_, version, _ := strings.Cut(string(module), "\ngo ")
	version, _, _ = strings.Cut(version, "\n")
	write("go.mod", "module joined\n\ngo "+version+"\n")
	write("go.work", fmt.Sprintf("go %s\n\nuse (\n\t.\n\t%q\n)\n", version, root))
	for _, n := range notebooks {
		write(filepath.Join(strings.TrimSuffix(n.name, ".ipynb"), "main.go"), n.program())
	}
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "GOWORK="+filepath.Join(dir, "go.work"), "GOFLAGS=")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil && said.Len() == 0 {
		t.Fatal(err)
	}
	return said.String()
}

// TestVet joins, type-checks and vets every notebook.
func TestVet(t *testing.T) {
	var all []*notebook
	for _, path := range paths(t) {
		all = append(all, read(t, path))
	}
	if said := vet(t, all...); said != "" {
		t.Error(said)
	}
}

// solution is a piece of Go in the last cell of a notebook, which readers paste into a cell.
var solution = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// TestSolutions type-checks the folded solutions, each as a cell behind those of its notebook. Imports that a solution asks for in words are added.
func TestSolutions(t *testing.T) {
	var all []*notebook
	for _, path := range paths(t) {
		last := read(t, path).Cells
		for i, found := range solution.FindAllStringSubmatch(string(last[len(last)-1].Source), -1) {
			n := read(t, path)
			n.name = fmt.Sprintf("%s-solution-%d.ipynb", strings.TrimSuffix(path, ".ipynb"), i+1)
			first := n.code()[0]
			for _, name := range []string{"cmp", "slices", "synpool/milbench/predict"} {
				short := name[strings.LastIndexByte(name, '/')+1:]
				if quoted := strconv.Quote(name); strings.Contains(found[1], short+".") && !strings.Contains(string(first.Source), "\n\t"+quoted+"\n") {
					first.Source = text(strings.Replace(string(first.Source), "import (\n", "import (\n\t"+quoted+"\n", 1))
				}
			}
			n.Cells = append(n.Cells, &cell{Type: "markdown"}, &cell{Type: "code", Source: text(found[1])})
			all = append(all, n)
		}
	}
	if len(all) < 20 {
		t.Errorf("%d solutions, in %d notebooks", len(all), len(paths(t)))
	}
	if said := vet(t, all...); said != "" {
		t.Error(said)
	}
}

// TestVetFinds shows it programs with faults.
func TestVetFinds(t *testing.T) {
	var all []*notebook
	var wants []string
	for _, test := range []struct{ name, add, want string }{
		{"whole", "", ""},
		{"undefined", "%%\nfmt.Println(nowhere)", "[cell 9]:2: undefined: nowhere"},
		{"of-another-type", "%%\nvar s string = 1\nfmt.Println(s)", "[cell 9]:2: cannot use 1"},
		{"declared-twice", "var quick = 1", "[cell 9]:1: quick redeclared"},
		{"unused", "%%\nx := 1", "[cell 9]:2: declared and not used: x"},
		{"vet", "var one = 1\n%%\nfmt.Printf(\"%s\\n\", one)", "[cell 9]:3:"},
	} {
		n := read(t, small)
		n.name = test.name + ".ipynb"
		if test.add != "" {
			n.Cells = append(n.Cells, &cell{Type: "markdown"}, &cell{Type: "code", Source: text(test.add)})
		}
		all = append(all, n)
		if test.want != "" {
			wants = append(wants, test.name+".ipynb"+test.want)
		}
	}
	unimported := read(t, small)
	unimported.name = "unimported.ipynb"
	first := unimported.code()[0]
	first.Source = text(strings.Replace(string(first.Source), "import (", "import (\n\t\"strings\"", 1))
	all, wants = append(all, unimported), append(wants, `"strings" imported and not used`)

	said := vet(t, all...)
	for _, want := range wants {
		if !strings.Contains(said, want) {
			t.Errorf("it does not find %q", want)
		}
	}
	if strings.Contains(said, "whole.ipynb") {
		t.Error("it finds a fault where there is none")
	}
	if t.Failed() {
		t.Logf("go vet says\n%s", said)
	}
}
