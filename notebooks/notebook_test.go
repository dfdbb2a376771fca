package notebooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// notebook is a file in nbformat 4.5, with the fields that a committed one may have.
type notebook struct {
	Cells    []*cell `json:"cells"`
	Metadata struct {
		Kernelspec   kernelspec        `json:"kernelspec"`
		LanguageInfo map[string]string `json:"language_info"`
	} `json:"metadata"`
	Format int `json:"nbformat"`
	Minor  int `json:"nbformat_minor"`

	name string // of the file
	size int    // of the file, bytes
}

type kernelspec struct {
	DisplayName string `json:"display_name"`
	Language    string `json:"language"`
	Name        string `json:"name"`
}

type cell struct {
	ID       string         `json:"id"`
	Type     string         `json:"cell_type"`
	Metadata map[string]any `json:"metadata"`
	Source   text           `json:"source"`

	// Of code cells.
	Count   *int     `json:"execution_count"`
	Outputs []output `json:"outputs"`
}

type output struct {
	Type     string                     `json:"output_type"`
	Name     string                     `json:"name,omitempty"`
	Text     text                       `json:"text,omitempty"`
	Data     map[string]json.RawMessage `json:"data,omitempty"`
	Metadata map[string]any             `json:"metadata,omitempty"`
	Count    *int                       `json:"execution_count,omitempty"`
	Error    string                     `json:"ename,omitempty"`
	Value    string                     `json:"evalue,omitempty"`
	Trace    []string                   `json:"traceback,omitempty"`
}

// text is a string that a notebook may save as its lines.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var lines []string
	if err := json.Unmarshal(data, &lines); err == nil {
		*t = text(strings.Join(lines, ""))
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}

// parse reads a notebook and nothing but a notebook.
func parse(name string, data []byte) (*notebook, error) {
	n := &notebook{name: name, size: len(data)}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(n); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: something follows the notebook", name)
	}
	return n, nil
}

// read reads a notebook from a file.
func read(t *testing.T, path string) *notebook {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := parse(filepath.Base(path), data)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// paths returns the files of the notebooks, in order.
func paths(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("*.ipynb")
	if err != nil || len(found) == 0 {
		t.Fatalf("no notebooks are here: %v", err)
	}
	return found
}

// code returns the code cells.
func (n *notebook) code() (cells []*cell) {
	for _, c := range n.Cells {
		if c.Type == "code" {
			cells = append(cells, c)
		}
	}
	return cells
}

// split returns what a code cell declares and what it does, which stands after a line %%. The lines of commands are
// empty in both.
func (c *cell) split() (declarations, statements []string, runs bool) {
	lines := strings.Split(string(c.Source), "\n")
	for i, line := range lines {
		switch {
		case strings.TrimSpace(line) == "%%":
			return declarations, append([]string{""}, lines[i+1:]...), true
		case isCommand(line):
			line = ""
		}
		declarations = append(declarations, line)
	}
	return declarations, nil, false
}

// isCommand reports whether a line is for the kernel, not for Go.
func isCommand(line string) bool {
	line = strings.TrimPrefix(strings.TrimSpace(line), "//gonb:")
	return strings.HasPrefix(line, "%") || strings.HasPrefix(line, "!")
}

// claim is a number that the text of a notebook claims.
type claim struct {
	name  string
	value float64
}

// claims returns the backend and the numbers that the last code cell printed.
func (n *notebook) claims() (backend string, numbers []claim, err error) {
	code := n.code()
	if len(code) == 0 {
		return "", nil, errors.New("it has no code cells")
	}
	var printed strings.Builder
	for _, o := range code[len(code)-1].Outputs {
		if o.Type == "stream" && o.Name == "stdout" {
			printed.WriteString(string(o.Text))
		}
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(printed.String()), "\n")
	backend, ok := strings.CutPrefix(first, "backend ")
	if !ok || strings.TrimSpace(backend) == "" {
		return "", nil, fmt.Errorf("the first line of the last code cell is %q, want backend and its name", first)
	}
	for line := range strings.SplitSeq(rest, "\n") {
		at := strings.LastIndexByte(strings.TrimSpace(line), ' ')
		if at < 0 {
			return "", nil, fmt.Errorf("the last code cell prints %q, want a name and a number", line)
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(line)[at+1:], 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			return "", nil, fmt.Errorf("the last code cell prints %q, want a name and a number", line)
		}
		numbers = append(numbers, claim{strings.TrimSpace(strings.TrimSpace(line)[:at]), value})
	}
	return strings.TrimSpace(backend), numbers, nil
}
