package results

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

// writeHTML writes one element with everything a reader needs. Styles are inline, because notebooks drop style sheets
// from untrusted output. Colours come from the page.
func (t Table) writeHTML(w io.Writer) error {
	var b strings.Builder
	b.WriteString("<div style=\"font-variant-numeric:tabular-nums\">\n")
	paragraph := func(text string) {
		b.WriteString("<p style=\"font-size:smaller;margin:0.5em 0\">" + html.EscapeString(text) + "</p>\n")
	}
	anyApart := false
	for part := range t.byTarget() {
		columns, lines := part.lines("±", "–")
		main := mainFigure(part.Rows[0].Target).heading
		b.WriteString("<div style=\"overflow-x:auto\">\n<table style=\"border-collapse:collapse;color:inherit;font-size:smaller\">\n")
		for n, cells := range lines {
			tag := "td"
			if n == 0 {
				tag = "th"
			}
			b.WriteString("<tr style=\"border-bottom:1px solid rgba(128,128,128,0.4)\">\n")
			for i, c := range cells {
				style, text := "text-align:right;white-space:nowrap", html.EscapeString(c)
				if columns[i].text {
					style = "text-align:left"
				}
				if n > 0 && columns[i].heading == main && part.Rows[n-1].apart {
					text, anyApart = "<b>"+text+"</b>", true
				}
				fmt.Fprintf(&b, "<%s style=\"padding:0.2em 0.6em;%s\">%s</%s>\n", tag, style, text, tag)
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</table>\n</div>\n")
		paragraph(legends[part.Rows[0].Target])
	}
	if anyApart {
		paragraph("Bold: the best figure of a set, where all other rows are worse beyond chance.")
	}
	for _, note := range slices.Concat(t.allNotes(), t.Verdicts) {
		paragraph(note)
	}
	b.WriteString("</div>\n")
	_, err := io.WriteString(w, b.String())
	return err
}
