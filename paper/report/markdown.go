package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// table is a Markdown table; columns after the first are set to the right.
func table(head []string, rows [][]string) string { return aligned("--:|", head, rows) }

// wordTable is a Markdown table whose columns are set to the left.
func wordTable(head []string, rows [][]string) string { return aligned(":--|", head, rows) }

// aligned is a Markdown table; side sets the columns after the first. It fails where there are no rows.
func aligned(side string, head []string, rows [][]string) string {
	need(len(rows) > 0)
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	b.WriteString("|:--|" + strings.Repeat(side, len(head)-1) + "\n")
	for _, r := range rows {
		line(r)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// listed joins names as a sentence does.
func listed(names []string) string {
	switch n := len(names); n {
	case 0:
		return "none"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// chained joins clauses with semicolons.
func chained(clauses []string) string {
	if len(clauses) == 0 {
		return "none"
	}
	return strings.Join(clauses, "; ")
}

func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

// orNone writes a number in a format, "" for NaN, which stands for what there is not.
func orNone(format string, v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return minus(fmt.Sprintf(format, v))
}

// number writes v with three digits after the point, signed with its sign, too, hundred an AUC times 100.
func number(v float64) string { return orNone("%.3f", v) }

func signed(v float64) string { return orNone("%+.3f", v) }

func hundred(auc float64) string { return orNone("%.1f", 100*auc) }

func integer(i int) string { return minus(strconv.Itoa(i)) }

// digits writes a p-value, without its name.
func digits(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// pValue writes a p-value with its name.
func pValue(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return "p = " + digits(p)
}

// count says how many of all; of shared places, with a digit after the point.
func count(n float64, of int) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0") + " of " + strconv.Itoa(of)
}

// each writes different values in order.
func each[T cmp.Ordered](values []T) string {
	var texts []string
	for _, v := range slices.Compact(slices.Sorted(slices.Values(values))) {
		texts = append(texts, fmt.Sprint(v))
	}
	return strings.Join(texts, ", ")
}
