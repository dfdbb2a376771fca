package results_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"synpool/paper/report"
)

// cells returns the rows of the tables of a Markdown file, cell by cell.
func cells(t *testing.T, path string) (rows [][]string) {
	t.Helper()
	for _, line := range strings.Split(read(t, path), "\n") {
		if inner, found := strings.CutPrefix(line, "| "); found {
			row := strings.Split(strings.TrimSuffix(inner, "|"), "|")
			for i := range row {
				row[i] = strings.TrimSpace(row[i])
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReplication: a number of docs/replication.md stands beside its interval on one line of docs/tables.md or RESULTS.md, and the
// section that the row links to is there.
func TestReplication(t *testing.T) {
	tables := read(t, tablesText)
	lines := strings.Split(tables+read(t, resultsText), "\n")
	link := regexp.MustCompile(`^\[([a-z-]+)\]\(tables\.md#([a-z-]+)\)$`)
	checked := 0
	for _, row := range cells(t, root+"docs/replication.md") {
		if len(row) < 5 || slices.Contains(row, "number") { // the columns of claims end with number, interval and tables
			continue
		}
		number, interval, section := row[len(row)-3], row[len(row)-2], row[len(row)-1]
		if to := link.FindStringSubmatch(section); to == nil || to[1] != to[2] || !strings.Contains(tables, `<a id="`+to[1]+`"></a>`) {
			t.Errorf("%s: no section %s in docs/tables.md", row[0], section)
		}
		if number == "" && interval == "" {
			continue
		}
		checked++
		found := false
		for _, line := range lines {
			before, _, has := strings.Cut(line, interval)
			found = found || has && strings.Contains(before, number)
		}
		if !found {
			t.Errorf("%s: %s (%s) is neither in docs/tables.md nor in RESULTS.md", row[0], number, interval)
		}
	}
	if checked < 10 {
		t.Errorf("%d numbers checked", checked)
	}
}

// TestStale names the archives with scores that are older than a change that moved them. Such an archive is made again.
func TestStale(t *testing.T) {
	for a := range archived(t) {
		if older := report.Stale(a); len(older) > 0 {
			t.Errorf("%s is older than %s: make it again", a.Experiment, strings.Join(older, "; "))
		}
	}
}

// TestHistory: the table of README.md says of each archive how many fits it has, how long they took and which revision they are of.
func TestHistory(t *testing.T) {
	rows := cells(t, "README.md")
	for a := range archived(t) {
		seconds := 0.0
		for _, run := range a.Times {
			seconds += run.Seconds
		}
		want := []string{a.Experiment, fmt.Sprint(len(a.Results)), fmt.Sprint(math.Round(seconds / 60)), a.Results[0].Revision[:7]}
		found := false
		for _, row := range rows {
			found = found || len(row) > len(want) && strings.Join(row[:len(want)], "|") == strings.Join(want, "|")
		}
		if !found {
			t.Errorf("README.md has no row %q", want)
		}
	}
}
