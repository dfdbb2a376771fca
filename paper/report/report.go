package report

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"synpool/milbench/results"
	"synpool/paper"
)

// alpha is the level of all tests.
const alpha = 0.05

var errIncomplete = errors.New("no repeat is complete yet; run the study again to finish one")

// sections compute the tables and the conclusion of each experiment.
var sections = map[string]func(results.Archive) (string, error){
	"poolings":         poolings,
	"published":        published,
	"ablation":         ablation,
	"iterations":       iterations,
	"noise":            noise,
	"assumption":       assumption,
	"witness":          witness,
	"features":         features,
	"ensembles":        ensembles,
	"nested-ensembles": nestedEnsembles,
	"learners":         learners,
	"networks":         networks,
}

// WriteTables writes the tables of all experiments, docs/tables.md, in the order of [paper.Experiments]; those without an archive are
// named as not run yet. Times have no part in it ([WriteTimes]): the same scores give byte-identical tables.
func WriteTables(w io.Writer, archives []results.Archive) error {
	var b strings.Builder
	b.WriteString("# Tables of every experiment\n\n" + tablesHead)
	for _, e := range paper.Experiments {
		fmt.Fprintf(&b, "\n<a id=\"%s\"></a>\n\n## %s\n\n", e.Name, titleOf(e.Name))
		a, there := find(archives, e.Name)
		if !there {
			fmt.Fprintf(&b, "Not run yet: `milbench study %s --out results`.\n", e.Name)
			continue
		}
		text, err := Section(a)
		if errors.Is(err, errIncomplete) {
			text, err = errIncomplete.Error()+".", nil
		}
		if err != nil {
			return err
		}
		head, err := ran(a)
		if err != nil {
			return err
		}
		from, err := originWords(a, "../")
		if err != nil {
			return err
		}
		b.WriteString(join(head, from) + "\n\n" + strings.TrimRight(text, "\n") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// tablesHead says how to read the tables.
const tablesHead = `[RESULTS.md](../RESULTS.md) has the verdicts. This page has the numbers behind them. ` + "`milbench study report paper/results --tables`" + ` writes it from the [stored test scores](../paper/results), which have five significant digits.

- AUC is averaged over the folds of each repeat. After ± stands the standard deviation over repeats: it shows variation from folds and seeds, not from other bags.
- Tests use a level of 5 %. A test that does not reach it shows no difference; it does not show that there is none.
- ` + dependence + `
- ` + "`milbench plot paper/results/NAME.json.gz --figure FIGURE --out FILE`" + ` draws the figures of experiment NAME. It also takes the folder DIR/NAME that ` + "`milbench study NAME --out DIR`" + ` fills.
`

// Section returns the tables and the conclusion of one experiment, as Markdown.
func Section(a results.Archive) (string, error) {
	section := sections[a.Experiment]
	if section == nil {
		_, err := paper.FindExperiment(a.Experiment)
		return "", fmt.Errorf("report on %q: %w", a.Experiment, err)
	}
	t, err := tabulate(a.Results)
	if err == nil && len(t.Rows) == 0 {
		err = errIncomplete
	}
	text := ""
	if err == nil {
		text, err = section(a)
	}
	if err != nil {
		return "", fmt.Errorf("report on %s: %w", a.Experiment, err)
	}
	if len(t.Notes) > 0 {
		text += "Notes:\n\n- " + strings.Join(t.Notes, "\n- ") + "\n"
	}
	return text, nil
}

// ran says what was run, and what is missing.
func ran(a results.Archive) (string, error) {
	form, quick, err := paper.FormOf(a)
	if err != nil {
		return "", err
	}
	size, command := "full", "milbench study "+a.Experiment
	if quick {
		size, command = "quick", command+" --quick"
	}
	text := fmt.Sprintf("`%s --out results`: %s.", command, form.Scope)
	absent, lacks, err := paper.Lacking(a, form)
	if err != nil {
		return "", err
	}
	if len(absent) > 0 {
		text += fmt.Sprintf(" Not run: %s; `milbench data fetch NAME` fetches a set, `%s --sets NAME --out results` runs it.", listed(absent), command)
	}
	for _, l := range lacks {
		text += fmt.Sprintf(" Of the %s form there lack %s.", size, l)
	}
	return text, nil
}

// WriteTimes writes a table of how long the runs of each experiment took, in the order of [paper.Experiments]. Times differ
// from run to run and stand in a file of their own.
func WriteTimes(w io.Writer, archives []results.Archive) error {
	var rows [][]string
	for _, e := range paper.Experiments {
		for _, a := range archives {
			if a.Experiment == e.Name {
				for _, t := range a.Times {
					took := time.Duration(t.Seconds * float64(time.Second)).Round(time.Second)
					rows = append(rows, []string{e.Name, strconv.Itoa(t.Fits), strconv.Itoa(t.Spaces), took.String(), strconv.Itoa(t.Cores), t.Backend, t.Version, t.Revision})
				}
			}
		}
	}
	_, err := io.WriteString(w, "# Times\n\nHow long the runs took, each to its end or until it was stopped.\n\n"+
		table([]string{"experiment", "fits", "spaces", "time", "cores", "backend", "version", "revision"}, rows))
	return err
}
