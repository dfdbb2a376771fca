package notebooks

import (
	"bytes"
	"crypto/sha256"
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
		Code         string            `json:"code_sha256"` // that execute.py ran
		Processor    string            `json:"processor"`   // that it ran on
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

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// read reads a notebook from a file.
func read(t *testing.T, path string) *notebook {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	n, err := parse(filepath.Base(path), data)
	must(t, err)
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

// sum returns the SHA-256 of the code cells, as execute.py computes it.
func (n *notebook) sum() string {
	var sources []string
	for _, c := range n.code() {
		sources = append(sources, string(c.Source))
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(sources, "\x00"))))
}

// printed returns what a cell prints, and what it says of its figures.
func (c *cell) printed() string {
	var b strings.Builder
	for _, o := range c.Outputs {
		b.WriteString(string(o.Text))
		var plain text
		if content, ok := o.Data["text/plain"]; ok && json.Unmarshal(content, &plain) == nil {
			b.WriteString(string(plain) + "\n")
		}
	}
	return b.String()
}

// figures returns what the notebook says of each image that it shows.
func (n *notebook) figures() (titles []string) {
	for _, c := range n.code() {
		for _, o := range c.Outputs {
			if _, ok := o.Data["image/png"]; ok {
				var title text
				json.Unmarshal(o.Data["text/plain"], &title) // what is no text has none
				titles = append(titles, string(title))
			}
		}
	}
	return titles
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
