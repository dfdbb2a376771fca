package pictures

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "draw the pictures again")

// width of every picture: at this width a phone of 400 pixels shows text of 15 as 9 pixels.
const width = 640

// style has the colours of all pictures, for light and dark pages. A picture brings its card, so that it can be read on a page of the other kind.
const style = `<style>
text{font-family:"Liberation Sans",Arial,Helvetica,sans-serif;font-size:15px;fill:#1f2328}
.mono{font-family:"DejaVu Sans Mono",Menlo,Consolas,"Liberation Mono",monospace;font-size:14px;white-space:pre}
.head{font-size:17px;font-weight:bold}.bold{font-weight:bold}.minor{fill:#57606a}.middle{text-anchor:middle}.end{text-anchor:end}
.card{fill:#fff;stroke:#d0d7de}.panel{fill:#f0f4f8}.box{fill:#fff;stroke:#57606a;stroke-width:1.5}
.one{fill:#0072b2}.two{fill:#d55e00}.three{fill:#009e73}.faint{fill:#d6dde4}.none{fill:#fff}
.said{fill:#0a5c8f}.warn{fill:#b34700}.good{fill:#00704f}
.stroke{fill:none;stroke:#57606a;stroke-width:1.5}.thin{fill:none;stroke:#d0d7de}.dash{fill:none;stroke:#57606a;stroke-dasharray:5 4}
.curve{fill:none;stroke:#0072b2;stroke-width:1.6;stroke-linejoin:round}.edge1{stroke:#0072b2}.edge2{stroke:#d55e00}.edge3{stroke:#009e73}
.heat0{fill:#e3e8ed}.heat1{fill:#fdd0a2}.heat2{fill:#fd9a4f}.heat3{fill:#dd5a0b}.heat4{fill:#8c2d04}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.minor{fill:#9da7b1}.card{fill:#161b22;stroke:#3d444d}.panel{fill:#212830}.box{fill:#161b22;stroke:#9da7b1}
.one{fill:#4aa8e0}.two{fill:#f08a3c}.three{fill:#2fbf94}.faint{fill:#3d4651}.none{fill:#161b22}.said{fill:#79c0ff}.warn{fill:#ffa657}.good{fill:#56d4ac}
.stroke{stroke:#9da7b1}.thin{stroke:#3d444d}.dash{stroke:#9da7b1}.curve{stroke:#4aa8e0}.edge1{stroke:#4aa8e0}.edge2{stroke:#f08a3c}.edge3{stroke:#2fbf94}
.heat0{fill:#323b46}.heat1{fill:#6b4023}.heat2{fill:#a8581c}.heat3{fill:#f08a3c}.heat4{fill:#ffe0b8}}
</style>
`

// picture is an SVG file in the making. Classes are those of [style].
type picture struct {
	height      float64
	title, desc string
	b           strings.Builder
}

// at writes a place: a tenth of a pixel is enough.
func at(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

func (p *picture) text(x, y float64, class, format string, values ...any) {
	fmt.Fprintf(&p.b, `<text x="%s" y="%s" class="%s">%s</text>`+"\n", at(x), at(y), class, html.EscapeString(fmt.Sprintf(format, values...)))
}

func (p *picture) box(x, y, w, h, round float64, class string) {
	fmt.Fprintf(&p.b, `<rect x="%s" y="%s" width="%s" height="%s" rx="%s" class="%s"/>`+"\n", at(x), at(y), at(w), at(h), at(round), class)
}

func (p *picture) dot(x, y, r float64, class string) {
	fmt.Fprintf(&p.b, `<circle cx="%s" cy="%s" r="%s" class="%s"/>`+"\n", at(x), at(y), at(r), class)
}

func (p *picture) path(class, d string) {
	fmt.Fprintf(&p.b, `<path d="%s" class="%s"/>`+"\n", d, class)
}

func (p *picture) line(x1, y1, x2, y2 float64, class string) {
	p.path(class, "M"+at(x1)+" "+at(y1)+"L"+at(x2)+" "+at(y2))
}

// arrow draws a line with a head at its second end.
func (p *picture) arrow(x1, y1, x2, y2 float64) {
	const head = 6
	p.line(x1, y1, x2, y2, "stroke")
	l := math.Hypot(x2-x1, y2-y1)
	dx, dy := (x2-x1)/l*head, (y2-y1)/l*head
	p.path("stroke", fmt.Sprintf("M%s %sL%s %sL%s %s", at(x2-dx-dy*.7), at(y2-dy+dx*.7), at(x2), at(y2), at(x2-dx+dy*.7), at(y2-dy-dx*.7)))
}

// bar draws a value from 0 to 1 and the number before it. What both show is rounded, so that they are the same on every backend.
func (p *picture) bar(x, y, long, thick, value float64, class string) {
	shown := fmt.Sprintf("%.2f", value)
	rounded, _ := strconv.ParseFloat(shown, 64)
	p.text(x, y+thick/2+5, "", "%s", shown)
	p.box(x+38, y, max(1.5, long*rounded), thick, 2, class)
}

// svg returns the file.
func (p *picture) svg() []byte {
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %s" width="%[1]d" height="%[2]s" role="img" aria-labelledby="t d">
<title id="t">%s</title>
<desc id="d">%s</desc>
%s<rect x=".5" y=".5" width="%d" height="%s" rx="8" class="card"/>
%s</svg>
`, width, at(p.height), html.EscapeString(p.title), html.EscapeString(p.desc), style, width-1, at(p.height-1), &p.b)
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// keep compares a picture with its file.
func (p *picture) keep(t *testing.T, name string) {
	t.Helper()
	drawn := p.svg()
	if *update {
		must(t, os.WriteFile(name, drawn, 0o666))
	}
	if file, err := os.ReadFile(name); err != nil || !bytes.Equal(file, drawn) {
		t.Errorf("docs/pictures/%s is not what is drawn now (%v); look at what go test ./docs/pictures -update draws", name, err)
	}
}

// TestFiles: every picture is small, well formed, of the width of all, and says in words what it shows. Its text is text, large enough for a phone.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("*.svg")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d pictures (%v)", len(files), err)
	}
	readme, err := os.ReadFile("README.md")
	must(t, err)
	for _, name := range files {
		file, err := os.ReadFile(name)
		must(t, err)
		if len(file) >= 60_000 {
			t.Errorf("%s: %d bytes, want fewer than 60 kB", name, len(file))
		}
		if !strings.Contains(string(readme), "`"+name+"`") {
			t.Errorf("README.md does not name %s", name)
		}
		found := map[string]int{}
		words := ""
		inside := ""
		for d := xml.NewDecoder(bytes.NewReader(file)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch token := token.(type) {
			case xml.StartElement:
				inside = token.Name.Local
				found[inside]++
			case xml.CharData:
				if inside == "desc" {
					words += string(token)
				}
			}
		}
		if found["title"] != 1 || found["desc"] != 1 || found["text"] < 5 || found["script"]+found["image"]+found["foreignObject"] > 0 || len(strings.Fields(words)) < 12 {
			t.Errorf("%s: elements %v, described as %q", name, found, words)
		}
	}
}
