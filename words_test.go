package synpool_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// plain has the patterns that readers trip over, and what to write instead: CONTRIBUTING.md, "Words".
var plain = []struct{ pattern, instead string }{
	{`\b(a|an|one) (line|row|file|column|score|value|figure|process|cell|fit|bar|curve) an? (line|instance|bag|fold|repeat|set|row|file|fit|subcommand|second|epoch|step|learner|class|member|question)\b`, "one line per instance"},
	{`(µs|ms|\bs|\bseconds?|\bminutes?|\b[MG]B|\bbytes?|\bkB|[MG]iB) an? (bag|instance|fit|fold|epoch|step|set|cell|value|number|second)\b`, "3 ms per bag"},
	{`\bof which\b`, "two sentences"},
	{`\bby which\b`, "two sentences"},
	{`\bin the place of\b`, "instead of, or replaces"},
	{`\b(as|where|what) (it|they) (was|were)\b`, "unchanged, or drop it"},
	{`\bends? with (the (code|status) )?\d`, "exits with status 1"},
	{`\b(is|are) not done again\b`, "finished fits are skipped"},
	{`\bwhen the same command is given again\b`, "when you run the same command again"},
	{`\b(to the bit|bit for bit)\b`, "bit-identical"},
	{`\bbyte for byte\b`, "byte-identical"},
	{`\b(is|are|was|were) (not )?to be (read|had|known|seen|found|taken)\b`, "can (not) be read"},
	{`\bso that it is\b`, "so it is, or a new sentence"},
	{`\bwho has it\b`, "a heading with a noun"},
	{`\bwhat is what\b`, "Layout"},
	{`\bwhat came out\b`, "Results"},
	{`\bgives? (the|its|their) labels? away\b`, "leaks the labels"},
	{`\bchanges? hands\b`, "the winning instance changes"},
	{`\b(hereof|thereof|whereof|thereby|therein|wherein|herewith|therewith|whereby)\b`, "a plain word"},
	{`\bfew than\b`, "fewer than"},
	{`\bnot to be had\b`, "not available"},
	{`\banew\b`, "again"},
	{`\bbut for (how|what|those|that|the|its|order|rounding)\b`, "except"},
	{`\bfits? a (second|minute)\b`, "fits per second"},
	{`\bstands? twice\b`, "occurs twice"},
	{`\bin the mean[,.;:]`, "on average"},
	{`\bwhere no (flag|column|file) says\b`, "by default"},
	{`\b(otherwise|else) than (a|an|the|in|on|by|it|they)\b`, "different from, other than"},
	{`\b(curves?|times?) of survival\b`, "survival curve"},
	{`\bas well\.`, "also"},
	{`, an? \w+ each\b`, "one per"},
}

// text is a piece of what people read.
type text struct {
	file string
	line int
	said string
}

// read collects what people read of a file: prose of Markdown, comments and strings of Go, Markdown cells of notebooks,
// comments of scripts.
func read(t *testing.T, file string) []text {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	switch filepath.Ext(file) {
	case ".md":
		return paragraphs(file, string(data))
	case ".ipynb":
		var notebook struct {
			Cells []struct {
				Kind   string          `json:"cell_type"`
				Source json.RawMessage `json:"source"`
			} `json:"cells"`
		}
		if err := json.Unmarshal(data, &notebook); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var texts []text
		for i, cell := range notebook.Cells {
			var source string
			if json.Unmarshal(cell.Source, &source) != nil {
				var lines []string
				if err := json.Unmarshal(cell.Source, &lines); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				source = strings.Join(lines, "")
			}
			if cell.Kind == "markdown" {
				texts = append(texts, paragraphs(fmt.Sprintf("%s, cell %d", file, i+1), source)...)
			}
		}
		return texts
	case ".go":
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, file, data, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		var texts []text
		for _, group := range parsed.Comments {
			texts = append(texts, text{file, files.Position(group.Pos()).Line, group.Text()})
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			literal, ok := node.(*ast.BasicLit)
			if ok && literal.Kind == token.STRING {
				if said, err := strconv.Unquote(literal.Value); err == nil && strings.Contains(said, " ") {
					texts = append(texts, text{file, files.Position(literal.Pos()).Line, said})
				}
			}
			return true
		})
		return texts
	default:
		var texts []text
		for i, line := range strings.Split(string(data), "\n") {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
				texts = append(texts, text{file, i + 1, line})
			}
		}
		return texts
	}
}

// paragraphs splits at empty lines and leaves out fenced code.
func paragraphs(file, source string) []text {
	var texts []text
	fenced, began := false, true
	for i, line := range strings.Split(source, "\n") {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced, began = !fenced, true
		case fenced:
		case strings.TrimSpace(line) == "":
			began = true
		case began:
			texts, began = append(texts, text{file, i + 1, line}), false
		default:
			texts[len(texts)-1].said += "\n" + line
		}
	}
	return texts
}

// TestWords looks for phrases that are hard to read in whatever people read: the list that a program can catch.
func TestWords(t *testing.T) {
	var patterns []*regexp.Regexp
	for _, p := range plain {
		patterns = append(patterns, regexp.MustCompile(`(?i)`+strings.ReplaceAll(p.pattern, " ", `[\s/]+`)))
	}
	read := func(file string) []text { return read(t, file) }
	files := 0
	walk(t, func(file string) {
		switch filepath.Ext(file) {
		case ".md", ".go", ".ipynb", ".sh", ".py", ".yml", ".yaml":
		case "":
			if !script(file) {
				return
			}
		default:
			return
		}
		if file == "words_test.go" {
			return
		}
		files++
		for _, said := range read(file) {
			for i, pattern := range patterns {
				if found := pattern.FindString(said.said); found != "" {
					t.Errorf("%s:%d: %q: %s", said.file, said.line, strings.Join(strings.Fields(found), " "), plain[i].instead)
				}
			}
		}
	})
	if files < 500 {
		t.Errorf("only %d files read", files)
	}
}

// script reports whether a file begins like one of a shell.
func script(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 2)
	n, _ := f.Read(head)
	return string(head[:n]) == "#!"
}

// walk visits the files of the checkout, except for what is fetched, built or test data.
func walk(t *testing.T, visit func(file string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".ci" && entry.Name() != ".github" || entry.Name() == "testdata" || path == "docs/site/out"):
			return filepath.SkipDir
		case !entry.IsDir():
			visit(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
