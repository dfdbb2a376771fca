package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"synpool/milbench/dataset"
	"synpool/milbench/study"
)

// alpha is the level of all tests.
const alpha = 0.05

var errIncomplete = errors.New("no repeat is complete yet; run the study again to finish one")

// sections compute the tables and the conclusion of each experiment.
var sections = map[string]func(study.Archive) (string, error){
	"poolings":   poolings,
	"published":  published,
	"ablation":   ablation,
	"iterations": iterations,
	"noise":      noise,
	"assumption": assumption,
	"witness":    witness,
	"features":   features,
	"ensembles":  ensembles,
}

// Write writes the report of all experiments, in the order of [study.Experiments]; those without an archive are named as
// not run yet.
func Write(w io.Writer, archives []study.Archive) error {
	var b strings.Builder
	b.WriteString("# Results\n\nWritten by `milbench study report` from the raw scores in [milbench/study/results](milbench/study/results). ")
	b.WriteString("AUC is the mean over the folds of a repeat; after ± stands the standard deviation over repeats, which tells of other folds and seeds on the same bags, not of other bags.\n")
	for _, e := range study.Experiments {
		fmt.Fprintf(&b, "\n## %s\n\n", e.Question)
		i := slices.IndexFunc(archives, func(a study.Archive) bool { return a.Experiment == e.Name })
		if i < 0 {
			fmt.Fprintf(&b, "Not run yet: `milbench study %s --out DIR`.\n", e.Name)
			continue
		}
		text, err := Section(archives[i])
		if errors.Is(err, errIncomplete) {
			text, err = errIncomplete.Error()+".\n", nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "`milbench study %s`: %s. %s%s\n\n%s", e.Name, e.Full.Scope, made(archives[i], e), took(archives[i].Times), text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Section returns the tables and the conclusion of one experiment, as Markdown.
func Section(a study.Archive) (string, error) {
	section := sections[a.Experiment]
	if section == nil {
		_, err := study.FindExperiment(a.Experiment)
		return "", fmt.Errorf("report on %q: %w", a.Experiment, err)
	}
	t, err := study.Tabulate(a.Results)
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
	return text, nil
}

// made says what made the results, and which sets are missing.
func made(a study.Archive, e study.Experiment) string {
	var by, there []string
	for _, r := range a.Results {
		if m := fmt.Sprintf("%s, version %s, revision %s", r.Backend, r.Version, r.Revision); !slices.Contains(by, m) {
			by = append(by, m)
		}
		there = append(there, r.Set)
	}
	slices.Sort(by)
	text := fmt.Sprintf("%d fits, seed %d, by %s.", len(a.Results), a.Results[0].Seed, strings.Join(by, "; "))
	var missing []string
	for _, s := range e.Full.Sets() {
		if !slices.ContainsFunc(there, func(name string) bool {
			return name == s || strings.HasPrefix(name, s+"+") || strings.HasPrefix(name, s+"-")
		}) {
			if entry, err := dataset.Find(s); err == nil && !entry.Generated {
				s += " (`milbench data fetch " + s + "`)"
			}
			missing = append(missing, s)
		}
	}
	if len(missing) > 0 {
		text += " Missing: " + listed(missing) + "."
	}
	return text
}

// took says how long the runs took.
func took(times []study.Time) string {
	if len(times) == 0 {
		return ""
	}
	var sum study.Time
	for _, t := range times {
		sum.Fits, sum.Seconds, sum.Cores = sum.Fits+t.Fits, sum.Seconds+t.Seconds, t.Cores
	}
	whole := time.Duration(sum.Seconds * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf(" %d fits took %v on %d cores.", sum.Fits, whole, sum.Cores)
}
