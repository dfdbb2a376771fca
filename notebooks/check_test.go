package notebooks

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"go/format"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// What a committed notebook may be at most.
const (
	mostBytes   = 300_000
	mostCode    = 18 // code cells
	mostColumns = 95 // of a line of code, a tab counts as four: what a page of JupyterLab shows
)

// mostLines is how many lines a code cell has at most, by its tag, without imports and empty lines: a cell whose code is the lesson may be longer,
// and the code of plumbing and of the cell for the test is folded.
var mostLines = map[string]int{"": 15, "lesson": 30, "plumbing": 40, "test": 40}

// ending are the headings that end a notebook.
var ending = []string{"What you have learnt", "Try", "Where to go on"}

// problems returns what is wrong with the form of a notebook, one line each.
func (n *notebook) problems() (all []string) {
	add := func(format string, arguments ...any) { all = append(all, fmt.Sprintf(format, arguments...)) }
	if n.Format != 4 || n.Minor != 5 {
		add("its format is %d.%d, want nbformat 4.5", n.Format, n.Minor)
	}
	if want := (kernelspec{"Go (gonb)", "go", "gonb"}); n.Metadata.Kernelspec != want {
		add("its kernelspec is %q, want %q", n.Metadata.Kernelspec, want)
	}
	if n.size > mostBytes {
		add("it has %d bytes, more than %d: draw less, or smaller", n.size, mostBytes)
	}
	if len(n.Cells) == 0 || n.Cells[0].Type != "markdown" || !strings.HasPrefix(string(n.Cells[0].Source), "# ") {
		add("its first cell is not Markdown with a title")
	}
	if n.Metadata.Code != n.sum() {
		add("its outputs are of other code: save with notebooks/lab --execute")
	}
	all = append(all, n.unprinted()...)
	ids := map[string]bool{}
	count := 0
	for i, c := range n.Cells {
		if strings.Contains(c.printed(), "GOMLX_BACKEND asks") {
			add("cell %d: it ran with GOMLX_BACKEND set: save without", i+1)
		}
		add := func(format string, arguments ...any) { add("cell %d: %s", i+1, fmt.Sprintf(format, arguments...)) }
		if !identifier.MatchString(c.ID) || ids[c.ID] {
			add("its id %q is none of its own", c.ID)
		}
		ids[c.ID] = true
		if problem := c.metadataProblem(); problem != "" {
			add("%s", problem)
		}
		if strings.TrimSpace(string(c.Source)) == "" {
			add("it is empty")
		}
		switch c.Type {
		case "markdown":
			if c.Count != nil || c.Outputs != nil {
				add("it is Markdown with outputs")
			}
			for _, problem := range prose(string(c.Source)) {
				add("%s", problem)
			}
		case "code":
			count++
			if i == 0 || n.Cells[i-1].Type != "markdown" {
				add("no Markdown says what it asks")
			}
			for _, problem := range c.codeProblems(count == 1, mostLines[c.tag()]) {
				add("%s", problem)
			}
			for _, problem := range c.outputProblems(count) {
				add("%s", problem)
			}
		default:
			add("its type is %q, want markdown or code", c.Type)
		}
	}
	if len(n.Cells) > 0 {
		all = append(all, n.endProblems()...)
	}
	if count == 0 || count > mostCode {
		add("it has %d code cells, want 1 to %d", count, mostCode)
	}
	if _, numbers, err := n.claims(); err != nil {
		add("%v", err)
	} else {
		names := map[string]bool{}
		for _, c := range numbers {
			if names[c.name] {
				add("the last code cell prints %q twice", c.name)
			}
			names[c.name] = true
		}
	}
	return all
}

var (
	identifier = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	active     = regexp.MustCompile(`(?i)<\s*(script|iframe|object|embed)\b|javascript:|\son[a-z]+\s*=\s*["']`)
	imports    = regexp.MustCompile(`(?m)^import\b`)
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	linked     = regexp.MustCompile(`\[[^\]]*\]\([^)]*\)`)
	mention    = regexp.MustCompile(`[Nn]otebook \d`)
	elsewhere  = regexp.MustCompile(`go (run|doc) \./\S*`)
	nowhere    = regexp.MustCompile("`milbench [^`]*`")
	numbered   = regexp.MustCompile(`^# \d`)
	lasted     = regexp.MustCompile(`, (\d+h)?(\d+m)?\d+(\.\d+)?(ms|s)( left)?\b`)
)

// prose returns what is wrong with Markdown.
func prose(markdown string) (all []string) {
	if found := active.FindString(markdown); found != "" {
		all = append(all, fmt.Sprintf("it is not plain Markdown: %q", found))
	}
	for _, match := range link.FindAllStringSubmatch(markdown, -1) {
		path, _, _ := strings.Cut(match[1], "#")
		if path == "" || strings.HasPrefix(path, "https://") {
			continue
		}
		if _, err := os.Stat(filepath.FromSlash(path)); err != nil {
			all = append(all, fmt.Sprintf("it links to %s, which is not there", path))
		}
	}
	if found := mention.FindString(linked.ReplaceAllString(markdown, "")); found != "" {
		all = append(all, fmt.Sprintf("%q is no link", found))
	}
	if found := elsewhere.FindString(markdown); found != "" {
		all = append(all, fmt.Sprintf("%q works in one folder only: name the package by its path, synpool/...", found))
	}
	if found := nowhere.FindString(markdown); found != "" {
		all = append(all, fmt.Sprintf("%s needs a milbench on the path: write go run synpool/cmd/milbench", found))
	}
	if numbered.MatchString(markdown) {
		all = append(all, "its title has a number; the file's name has it")
	}
	return all
}

var (
	formula   = regexp.MustCompile("(?s)```.*?```|" + `\$\$.*?\$\$|\$[^$]*\$|` + "`[^`]*`")
	reference = regexp.MustCompile(`(?i)\b(CC BY|Python|data set|equations?|section|theorem|procedure|notebook) \d+(\.\d+)*( to \d+)?|\b(1[89]|20)\d\d\b`)
	sentence  = regexp.MustCompile(`[.:?!)]\s+[A-Z*]|\n\n`)
	quantity  = regexp.MustCompile(`\b(\d[\d,]*(\.\d+)?)\b( %)?`)
	number    = regexp.MustCompile(`\d+(\.\d+)?(e[-+]\d+)?`)
	outOf     = regexp.MustCompile(`(?i)\b(` + spelt + `) (\w+ )?of (` + spelt + `)\b`)
	verdict   = regexp.MustCompile(`(?i)\bwe cannot tell\b|\bcannot be told apart\b|\bno difference\b|\bopposite holds\b|\byes, by\b|\bno, lower\b|\b(refut|confirm|contradict)\w+|\b(is|are) (not )?(un)?decided\b`)
	target    = regexp.MustCompile(`\]\([^)]*\)`)
	quoted    = regexp.MustCompile(`"[^"]*"`)
	reported  = regexp.MustCompile(`\[([^\]]*)\]\((\.\./RESULTS\.md|\.\./docs/tables\.md)#([a-z-]+)\)`)
)

const spelt = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty"

// defined are the numbers of texts that neither a cell nor the archives print: sizes of data and of what is shown, and what is proved elsewhere.
var defined = map[string]string{
	"01 900":              "digits of the full form of course/examples/memory",
	"02 15":               "seconds that Live waits",
	"02 45":               "seconds that Live waits after a move",
	"04 162":              "features of Musk that are distances, of 166",
	"05 6,000":            "tweets of the quick form",
	"05 24,783":           "tweets of the set",
	"05 4,800":            "80 % of 6,000",
	"05 10 %":             "share of tweets that test",
	"05 15":               "sentences per review in the quick form",
	"05 1,600":            "reviews that train",
	"06 three of four":    "the most that one hop can answer; course/examples/memnet has the proof",
	"06 one of three":     "guessing among three places",
	"07 10,000":           "test images of MNIST",
	"08 20":               "default of the published program",
	"08 one fold of four": "protocol of the published program",
	"09 15":               "seconds that Live waits",
	"09 45":               "seconds that Live waits after a change",
	"10 50":               "tiles of the tumour",
	"10 1,500":            "tiles of a slide",
}

// section returns a section of RESULTS.md or docs/tables.md, which are written from the archives.
func section(path, name string) string {
	page, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		return ""
	}
	_, text, _ := strings.Cut(string(page), `<a id="`+name+`"></a>`)
	text, _, _ = strings.Cut(text, `<a id="`)
	return text
}

// numbersOf returns the numbers in texts.
func numbersOf(texts ...string) (all []float64) {
	for _, found := range number.FindAllString(strings.Join(texts, "\n"), -1) {
		if v, err := strconv.ParseFloat(found, 64); err == nil {
			all = append(all, v)
		}
	}
	return all
}

// unprinted returns what a text says without its source. A number is the rounding of one that a cell prints or has in its code, in per
// cent where the text says so, or stands in the section of RESULTS.md or docs/tables.md that its sentence links to, or is [defined]. A
// verdict is printed by the cell before or after it, or is the text of a link to a section that has this verdict; in quotes, it is none.
// Formulas, code, years, versions and places in publications are no such numbers.
func (n *notebook) unprinted() (all []string) {
	var code []string
	for _, c := range n.code() {
		code = append(code, c.printed(), string(c.Source))
	}
	known := numbersOf(code...)
	for i, c := range n.Cells {
		if c.Type != "markdown" {
			continue
		}
		add := func(found string) {
			if found = strings.TrimSpace(found); defined[n.name[:min(2, len(n.name))]+" "+found] == "" {
				all = append(all, fmt.Sprintf("cell %d: no cell prints the %s of its text", i+1, found))
			}
		}
		around := ""
		for _, k := range []int{i - 1, i + 1} {
			if k >= 0 && k < len(n.Cells) {
				around += strings.ToLower(n.Cells[k].printed())
			}
		}
		said := formula.ReplaceAllString(string(c.Source), "")
		for len(said) > 0 {
			end := len(said)
			if at := sentence.FindStringIndex(said); at != nil {
				end = at[0] + 1
			}
			part := said[:end]
			said = said[end:]
			here := ""
			for _, match := range reported.FindAllStringSubmatch(part, -1) {
				text := section(match[2], match[3])
				if here += text; verdict.MatchString(match[1]) && !regexp.MustCompile(`(?i)(\*\*|\| )`+regexp.QuoteMeta(match[1])).MatchString(text) {
					all = append(all, fmt.Sprintf("cell %d: %s#%s has no verdict %q", i+1, match[2], match[3], match[1]))
				}
			}
			for _, found := range verdict.FindAllString(quoted.ReplaceAllString(reported.ReplaceAllString(part, ""), ""), -1) {
				if !strings.Contains(around, strings.ToLower(found)) {
					all = append(all, fmt.Sprintf("cell %d: no cell beside it prints the verdict %q; link it to its section in RESULTS.md", i+1, found))
				}
			}
			plain := reference.ReplaceAllString(target.ReplaceAllString(part, ""), "")
			for _, found := range outOf.FindAllString(plain, -1) {
				add(found)
			}
			for _, match := range quantity.FindAllStringSubmatch(plain, -1) {
				digits := strings.Trim(match[1], ",")
				value, _ := strconv.ParseFloat(strings.ReplaceAll(digits, ",", ""), 64)
				_, decimals, _ := strings.Cut(digits, ".")
				half := 0.5000001 * math.Pow10(-len(decimals))
				if decimals == "" && match[3] == "" {
					half = 0
				}
				if !slices.ContainsFunc(slices.Concat(known, numbersOf(here)), func(v float64) bool {
					return math.Abs(v-value) <= half || match[3] != "" && math.Abs(100*v-value) <= half
				}) {
					add(digits + match[3])
				}
			}
		}
	}
	return all
}

// tag returns the tag of a cell; "" for none.
func (c *cell) tag() string {
	if tags, is := c.Metadata["tags"].([]any); is && len(tags) == 1 {
		tag, _ := tags[0].(string)
		return tag
	}
	return ""
}

// metadataProblem returns what is wrong with the metadata of a cell: one tag of code is allowed, and the code of two of them is folded.
func (c *cell) metadataProblem() string {
	want := map[string]any{}
	if tag := c.tag(); tag != "" && mostLines[tag] > 0 && c.Type == "code" {
		want["tags"] = []any{tag}
		if tag != "lesson" {
			want["jupyter"] = map[string]any{"source_hidden": true}
		}
	}
	if !reflect.DeepEqual(c.Metadata, want) {
		return fmt.Sprintf("its metadata are %v, want %v: save with notebooks/lab --execute", c.Metadata, want)
	}
	return ""
}

// endProblems returns what is wrong with the end of a notebook: what has been learnt, in three sentences; two exercises or three, those that need it with
// a folded solution; where to go on. The cell before has the numbers for the test.
func (n *notebook) endProblems() (all []string) {
	add := func(format string, arguments ...any) { all = append(all, fmt.Sprintf(format, arguments...)) }
	last := n.Cells[len(n.Cells)-1]
	if code := n.code(); len(code) > 0 && code[len(code)-1].tag() != "test" {
		add("its last code cell, whose numbers the test reads, has no tag test")
	}
	parts := regexp.MustCompile(`(?m)^## (.*)$`).Split(string(last.Source), -1)
	var found []string
	for _, match := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(string(last.Source), -1) {
		found = append(found, match[1])
	}
	if last.Type != "markdown" || !slices.Equal(found, ending) {
		add("its last cell has the headings %q, want %q", found, ending)
		return all
	}
	if said := len(regexp.MustCompile(`[.?!](\s|$)`).FindAllString(strings.TrimSpace(parts[1]), -1)); said != 3 {
		add("what has been learnt are %d sentences, want 3", said)
	}
	if tasks := strings.Count("\n"+strings.TrimSpace(parts[2]), "\n- "); tasks < 2 || tasks > 3 || !strings.Contains(parts[2], "<details>") {
		add("it has %d exercises, want 2 or 3, with <details> that fold a solution", tasks)
	}
	return all
}

// codeProblems returns what is wrong with the code of a cell, which is the first or not and may have so many lines.
func (c *cell) codeProblems(first bool, most int) (all []string) {
	add := func(format string, arguments ...any) { all = append(all, fmt.Sprintf(format, arguments...)) }
	declarations, statements, _ := c.split()
	lines := strings.Split(string(c.Source), "\n")
	if first {
		if strings.TrimSpace(lines[0]) != "%noautoget" {
			add("the first code cell does not begin with %%noautoget")
		}
		if !imports.MatchString(string(c.Source)) {
			add("the first code cell has no imports")
		}
	} else if imports.MatchString(string(c.Source)) {
		add("it imports; the first code cell has all imports")
	}
	used, block, marks := 0, false, 0
	for i, line := range lines {
		if n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); n > mostColumns {
			add("line %d has %d columns, more than %d", i+1, n, mostColumns)
		}
		line = strings.TrimSpace(line)
		switch {
		case line == "%%":
			marks++
			if marks == 2 {
				add("it has two lines %%%%")
			}
		case first && i == 0 && line == "%noautoget":
		case isCommand(line):
			add("%q is for the kernel, and only Go is wanted", line)
		case line == "import (":
			block = true
		case block:
			block = line != ")"
		case line != "" && !strings.HasPrefix(line, "import "):
			used++
		}
	}
	if used > most {
		add("it has %d lines, more than %d: move some into a package, or tag the cell lesson or plumbing", used, most)
	}
	for _, part := range [][]string{declarations, statements} {
		source := strings.Trim(strings.Join(part, "\n"), "\n")
		formatted, err := format.Source([]byte(source))
		if err != nil {
			add("gofmt: %v", err)
		} else if strings.Trim(string(formatted), "\n") != source {
			add("gofmt would have it\n%s", formatted)
		}
	}
	return all
}

// outputProblems returns what is wrong with the outputs of the code cell of that number.
func (c *cell) outputProblems(number int) (all []string) {
	add := func(format string, arguments ...any) { all = append(all, fmt.Sprintf(format, arguments...)) }
	switch {
	case c.Outputs == nil || c.Count == nil:
		add("it was not run: save with notebooks/lab --execute")
	case *c.Count != number:
		add("it was run as number %d and stands as number %d: save with notebooks/lab --execute", *c.Count, number)
	}
	_, statements, _ := c.split()
	if strings.Contains(strings.Join(statements, "\n"), "fmt.Print") && !slices.ContainsFunc(c.Outputs, func(o output) bool { return o.Type == "stream" }) {
		add("it prints nothing, though it has fmt.Print")
	}
	for _, o := range c.Outputs {
		switch o.Type {
		case "stream":
			if o.Name != "stdout" {
				add("it has the stream %s", o.Name)
			}
			if found := lasted.FindString(string(o.Text)); found != "" {
				add("it prints %q, a time, which differs from run to run", found)
			}
		case "display_data":
			for kind, content := range o.Data {
				if err := shown(kind, content); err != nil {
					add("%v", err)
				}
			}
			if len(o.Data) == 0 {
				add("it shows nothing")
			}
		case "error":
			add("it failed: %s", o.Value)
		default:
			add("it has an output of type %q", o.Type)
		}
	}
	return all
}

// shown reports what is wrong with a thing that a cell shows.
func shown(kind string, content json.RawMessage) error {
	var data text
	if err := json.Unmarshal(content, &data); err != nil {
		return fmt.Errorf("it shows %s: %w", kind, err)
	}
	switch kind {
	case "text/plain":
		return nil
	case "text/html":
		if found := active.FindString(string(data)); found != "" {
			return fmt.Errorf("its HTML is not plain: %q", found)
		}
		return nil
	case "image/svg+xml":
		if found := active.FindString(string(data)); found != "" {
			return fmt.Errorf("its SVG is not plain: %q", found)
		}
		if err := xml.Unmarshal([]byte(data), new(struct {
			XMLName xml.Name `xml:"svg"`
		})); err != nil {
			return fmt.Errorf("its SVG: %w", err)
		}
		return nil
	case "image/png":
		raw, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(string(data), "\n", ""))
		if err != nil {
			return fmt.Errorf("its image: %w", err)
		}
		picture, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			return fmt.Errorf("its image: %w", err)
		}
		if size := picture.Bounds(); size.Dx() < 100 || size.Dx() > 4000 || size.Dy() < 50 || size.Dy() > 6000 {
			return fmt.Errorf("its image has the size %v", size.Size())
		}
		return nil
	}
	return fmt.Errorf("it shows %s, want text, HTML, SVG and PNG alone", kind)
}

// TestForm looks at every notebook as it is saved.
func TestForm(t *testing.T) {
	for i, path := range paths(t) {
		t.Run(path, func(t *testing.T) {
			if want := fmt.Sprintf("%02d-", i+1); !strings.HasPrefix(path, want) {
				t.Errorf("its name does not begin with %s: notebooks are numbered without gaps", want)
			}
			for _, problem := range read(t, path).problems() {
				t.Error(problem)
			}
		})
	}
}

// TestReadme compares the table of README.md with the notebooks.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	must(t, err)
	var named []string
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \| \[[^\]]+\]\((\d+)(-[^)]+\.ipynb)\) \| [^|]+ \| !\[[^\]]+\]\(pictures/(\d+)\.png\) \|$`).FindAllStringSubmatch(string(text), -1) {
		named = append(named, row[2]+row[3])
		if strings.TrimLeft(row[2], "0") != row[1] || row[4] != row[2] {
			t.Errorf("README.md has %s as number %s, with picture %s", row[2]+row[3], row[1], row[4])
		}
	}
	if found := paths(t); !slices.Equal(named, found) {
		t.Errorf("the table of README.md names\n%q\nand the notebooks are\n%q", named, found)
	}
}

// pictured says which figure of a notebook stands for it in README.md, from 0; the first where it is not named.
var pictured = map[string]int{"03": 2, "04": 5, "05": 1, "06": 1, "07": 2, "08": 2, "09": 2, "10": 2, "11": 1}

var update = flag.Bool("update", false, "write the pictures of README.md again")

// TestPictures compares the pictures of README.md with figures of the notebooks. The flag -update writes them.
func TestPictures(t *testing.T) {
	for _, path := range paths(t) {
		var figures [][]byte
		for _, c := range read(t, path).code() {
			for _, o := range c.Outputs {
				var data text
				if content, there := o.Data["image/png"]; there && json.Unmarshal(content, &data) == nil {
					raw, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(string(data), "\n", ""))
					must(t, err)
					figures = append(figures, raw)
				}
			}
		}
		number, _, _ := strings.Cut(path, "-")
		if pictured[number] >= len(figures) {
			t.Errorf("%s has %d figures, and number %d is to stand for it", path, len(figures), pictured[number])
			continue
		}
		want, picture := figures[pictured[number]], filepath.Join("pictures", number+".png")
		if *update {
			must(t, os.WriteFile(picture, want, 0o644))
		}
		if got, err := os.ReadFile(picture); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is no figure of %s (%v): go test ./notebooks -run Pictures -update", picture, path, err)
		}
	}
}

// small is a notebook as it should be.
const small = "testdata/small.ipynb"

// TestProblems shows each check a notebook that it must not let through.
func TestProblems(t *testing.T) {
	if all := read(t, small).problems(); len(all) > 0 {
		t.Fatalf("%s: %q", small, all)
	}
	number := func(i int) *int { return &i }
	code := func(edit func(c *cell)) func(*notebook) {
		return func(n *notebook) { edit(n.code()[1]) }
	}
	show := func(kind string, content string) func(*notebook) {
		return code(func(c *cell) {
			c.Outputs = []output{{Type: "display_data", Data: map[string]json.RawMessage{kind: json.RawMessage(content)}}}
		})
	}
	says := func(s string) func(*notebook) {
		return func(n *notebook) { n.code()[2].Outputs = []output{{Type: "stream", Name: "stdout", Text: text(s)}} }
	}
	const dot = `"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="`
	for _, test := range []struct {
		name string
		edit func(n *notebook)
		want string
	}{
		{"older format", func(n *notebook) { n.Minor = 4 }, "its format is 4.4"},
		{"another kernel", func(n *notebook) { n.Metadata.Kernelspec.Name = "python3" }, "its kernelspec is"},
		{"large", func(n *notebook) { n.size = 300_001 }, "it has 300001 bytes"},
		{"outputs of other code", code(func(c *cell) { c.Source += "\n// a change" }), "its outputs are of other code"},
		{"no cells", func(n *notebook) { n.Cells = nil }, "its first cell is not Markdown"},
		{"no title", func(n *notebook) { n.Cells[0].Source = "A text" }, "its first cell is not Markdown with a title"},
		{"code first", func(n *notebook) { n.Cells = n.Cells[1:] }, "its first cell is not Markdown"},
		{"no id", func(n *notebook) { n.Cells[1].ID = "" }, `cell 2: its id ""`},
		{"an id twice", func(n *notebook) { n.Cells[1].ID = n.Cells[0].ID }, "cell 2: its id"},
		{"times", func(n *notebook) { n.Cells[1].Metadata["execution"] = 1 }, "cell 2: its metadata are"},
		{"an empty cell", func(n *notebook) { n.Cells[2].Source = " \n" }, "cell 3: it is empty"},
		{"a script", func(n *notebook) { n.Cells[2].Source += "<script>" }, "cell 3: it is not plain Markdown"},
		{"a handler", func(n *notebook) { n.Cells[2].Source += `<b onclick="f()">` }, "cell 3: it is not plain Markdown"},
		{"a link to nowhere", func(n *notebook) { n.Cells[2].Source += "[here](nowhere.md#top)" }, "links to nowhere.md"},
		{"a notebook that is no link", func(n *notebook) { n.Cells[2].Source += " See notebook 2." }, `cell 3: "notebook 2" is no link`},
		{"a command of one folder", func(n *notebook) { n.Cells[2].Source += " `go run ./cmd/milbench`" }, `"go run ./cmd/milbench` + "`" + `" works in one folder`},
		{"a command that is not installed", func(n *notebook) { n.Cells[2].Source += " `milbench demo`" }, "cell 3: `milbench demo` needs a milbench on the path"},
		{"a numbered title", func(n *notebook) { n.Cells[0].Source = "# 3. Title" }, "its title has a number"},
		{"a number from nowhere", func(n *notebook) { n.Cells[4].Source += " Or 1.42." }, "cell 5: no cell prints the 1.42 of its text"},
		{"a count from nowhere", func(n *notebook) { n.Cells[4].Source += " Or 37." }, "cell 5: no cell prints the 37 of its text"},
		{"a count in words", func(n *notebook) { n.Cells[4].Source += " Four of fourteen." }, "cell 5: no cell prints the Four of fourteen of its text"},
		{"a number of somebody", func(n *notebook) { n.Cells[4].Source += " Somebody (2018) has 0.123." }, "cell 5: no cell prints the 0.123 of its text"},
		{"a number of another section", func(n *notebook) { n.Cells[4].Source += " [Noise](../RESULTS.md#noise): 0.123." }, "cell 5: no cell prints the 0.123 of its text"},
		{"a verdict from nowhere", func(n *notebook) { n.Cells[4].Source += " Here we cannot tell." }, `cell 5: no cell beside it prints the verdict "we cannot tell"`},
		{"another verdict", func(n *notebook) { n.Cells[4].Source += " It is [refuted](../docs/tables.md#iterations)." }, `cell 5: ../docs/tables.md#iterations has no verdict "refuted"`},
		{"a share from nowhere", func(n *notebook) { n.Cells[4].Source += " Or 14.2 %." }, "cell 5: no cell prints the 14.2 % of its text"},
		{"Markdown with outputs", func(n *notebook) { n.Cells[2].Outputs = []output{} }, "cell 3: it is Markdown with outputs"},
		{"a raw cell", func(n *notebook) { n.Cells[2].Type = "raw" }, `cell 3: its type is "raw"`},
		{"code after code", func(n *notebook) { n.Cells = slices.Delete(n.Cells, 2, 3) }, "cell 3: no Markdown says"},
		{"many cells", func(n *notebook) {
			for range mostCode {
				n.Cells = append(n.Cells, n.Cells[1])
			}
		}, "it has 21 code cells"},
		{"imports fetched", func(n *notebook) { n.code()[0].Source = "import \"fmt\"" }, "does not begin with %noautoget"},
		{"no imports", func(n *notebook) { n.code()[0].Source = "%noautoget" }, "has no imports"},
		{"late imports", code(func(c *cell) { c.Source = "import \"os\"\n\n" + c.Source }), "it imports"},
		{"a shell line", code(func(c *cell) { c.Source += "\n!ls" }), `"!ls" is for the kernel`},
		{"a hidden shell line", code(func(c *cell) { c.Source += "\n//gonb:!ls" }), "is for the kernel"},
		{"a page of code", code(func(c *cell) { c.Source += "\n%wasm" }), `"%wasm" is for the kernel`},
		{"a wide line", code(func(c *cell) { c.Source += text("\n// " + strings.Repeat("x", 93)) }), "has 96 columns, more than 95"},
		{"two programs", code(func(c *cell) { c.Source += "\n%%\n" }), "it has two lines %%"},
		{"a long cell", code(func(c *cell) { c.Metadata = map[string]any{} }), "more than 15"},
		{"a longer lesson", code(func(c *cell) { c.Source += text(strings.Repeat("\nprintln()", 15)) }), "more than 30"},
		{"an unknown tag", code(func(c *cell) { c.Metadata = map[string]any{"tags": []any{"secret"}} }), "its metadata are"},
		{"plumbing in sight", code(func(c *cell) { c.Metadata = map[string]any{"tags": []any{"plumbing"}} }), "its metadata are"},
		{"no tag of the test", func(n *notebook) { n.code()[2].Metadata = map[string]any{} }, "has no tag test"},
		{"no end", func(n *notebook) { n.Cells[len(n.Cells)-1].Source = "The end." }, "its last cell has the headings"},
		{"much learnt", func(n *notebook) {
			c := n.Cells[len(n.Cells)-1]
			c.Source = text(strings.Replace(string(c.Source), "## Try", "A fourth.\n\n## Try", 1))
		}, "4 sentences, want 3"},
		{"no solution", func(n *notebook) {
			c := n.Cells[len(n.Cells)-1]
			c.Source = text(strings.ReplaceAll(string(c.Source), "<details>", ""))
		}, "fold a solution"},
		{"unformatted declarations", code(func(c *cell) { c.Source = "var x  = 1" }), "gofmt would have it"},
		{"unformatted statements", code(func(c *cell) { c.Source = "%%\nprintln( 1 )" }), "gofmt would have it"},
		{"no Go", code(func(c *cell) { c.Source = "%%\nprint 1" }), "gofmt: "},
		{"not run", code(func(c *cell) { c.Count, c.Outputs = nil, []output{} }), "it was not run"},
		{"run out of order", code(func(c *cell) { c.Count = number(7) }), "it was run as number 7 and stands as number 2"},
		{"standard error", code(func(c *cell) { c.Outputs[0] = output{Type: "stream", Name: "stderr"} }), "it has the stream stderr"},
		{"a line that is gone", func(n *notebook) { n.code()[2].Outputs = []output{} }, "it prints nothing"},
		{"a time", code(func(c *cell) {
			c.Outputs[0] = output{Type: "stream", Name: "stdout", Text: "epoch 1: loss 0.5, 1m12s\n"}
		}), `it prints ", 1m12s", a time`},
		{"a backend asked for", code(func(c *cell) { c.Outputs[0].Text += "backend go: GOMLX_BACKEND asks for it" }), "cell 4: it ran with GOMLX_BACKEND set"},
		{"a failure", code(func(c *cell) { c.Outputs[0] = output{Type: "error", Value: "exit status 1"} }), "it failed: exit status 1"},
		{"a result", code(func(c *cell) { c.Outputs[0].Type = "execute_result" }), `an output of type "execute_result"`},
		{"nothing shown", code(func(c *cell) { c.Outputs[0] = output{Type: "display_data"} }), "it shows nothing"},
		{"a script in HTML", show("text/html", `"<b>1</b><script>"`), "its HTML is not plain"},
		{"a drawing cut short", show("image/svg+xml", `"<svg>"`), "its SVG: "},
		{"a drawing of something else", show("image/svg+xml", `"<p></p>"`), "its SVG: "},
		{"a drawing with a script", show("image/svg+xml", `"<svg><script/></svg>"`), "its SVG is not plain"},
		{"a page as PDF", show("application/pdf", `"%PDF"`), "it shows application/pdf"},
		{"no text", show("text/plain", `1`), "it shows text/plain: "},
		{"no base64", show("image/png", `"?"`), "its image: illegal base64"},
		{"no image", show("image/png", `"AAAAAAAAAAAAAAAA"`), "its image: png: "},
		{"a dot", show("image/png", dot), "its image has the size (1,1)"},
		{"no numbers", says(""), `the first line of the last code cell is ""`},
		{"no backend", says("auc 0.9\n"), `the first line of the last code cell is "auc 0.9"`},
		{"a backend alone", says("backend go\n"), "want a name and a number"},
		{"a word", says("backend go\nauc good\n"), `prints "auc good"`},
		{"not a number", says("backend go\nauc NaN\n"), `prints "auc NaN"`},
		{"a number without a name", says("backend go\n0.9\n"), `prints "0.9"`},
		{"a name twice", says("backend go\nauc 0.9\nauc 0.8\n"), `prints "auc" twice`},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := read(t, small)
			test.edit(n)
			all := n.problems()
			if !slices.ContainsFunc(all, func(problem string) bool { return strings.Contains(problem, test.want) }) {
				t.Errorf("problems %q, want %q", all, test.want)
			}
		})
	}
}

// TestNumbersOfText shows texts whose numbers are known.
func TestNumbersOfText(t *testing.T) {
	for _, said := range []string{
		"The root is 1.414, or 1.4.", "It is 141.4 % of one.", "There are 20.0 points.", "A formula, $x = 0.123$, and code, `0.123`.",
		"Somebody (2018, equations 5 to 7) has the same in CC BY 4.0. The number 2.", `There is "no difference" in a quote.`,
		"Three steps: [we cannot tell](../docs/tables.md#ablation).", "[We cannot tell](../RESULTS.md#learners), in 8 families: 0.007.",
	} {
		n := read(t, small)
		n.Cells[4].Source += text(" " + said)
		if all := n.unprinted(); len(all) > 0 {
			t.Errorf("%q: %q", said, all)
		}
	}
}

// TestParse shows files that are no notebooks.
func TestParse(t *testing.T) {
	for _, test := range []struct{ name, data, want string }{
		{"nothing", "", "x.ipynb: EOF"},
		{"half", `{"cells": [`, "x.ipynb: unexpected EOF"},
		{"two", `{} {}`, "x.ipynb: something follows"},
		{"a field of somebody else", `{"metadata": {"widgets": {}}}`, `unknown field "widgets"`},
		{"an attachment", `{"cells": [{"attachments": {}}]}`, `unknown field "attachments"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := parse("x.ipynb", []byte(test.data)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
