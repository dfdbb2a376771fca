package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/judge"
	"synpool/milbench/results"
	"synpool/plotting"
)

// claim is a row of the first page: a question, the experiment that answers it, and the figure that shows it.
type claim struct {
	question           string
	experiment, figure string
	answer             func(results.Archive) (answer, error)
	short              string // what is compared, in [PlotClaims]; "" where that is no difference in AUC
}

// answer is what the results say: the estimate, its interval, and the verdict in words, which follows from them.
type answer struct {
	estimate, interval, verdict string
	effects                     effects // that the estimate and the interval are of, if they are a difference in AUC
}

// claims are the rows of the first page.
var claims = []claim{
	{"Is one learner the best when inner folds choose?", "learners", "auc", bestLearner, "best learner over the second"},
	{"Does choosing by inner folds beat a random setting?", "learners", "auc", choosingInsideHelps, "inner folds over a random setting"},
	{"Does joining several learners (`auto`) beat choosing one?", "learners", "auc", joiningHelps, "joining learners over choosing one"},
	{"Do networks, searched and joined, reach the published HopfieldPooling?", "networks", "auc", reachesHopfield, ""},
	{"Does reporting the best test epoch raise the AUC?", "published", "steps", bestEpochRaises, "best test epoch over the last"},
	{"Does the leaked label column raise the published AUC?", "published", "steps", leakRaises, "leaked column over none (Web)"},
	{"Does reporting one fold of four raise the AUC?", "published", "steps", oneFoldRaises, "one fold over four"},
	{"Is one pooling the best when validation parts choose?", "poolings", "ranks", bestPooling, "best pooling over the second"},
	{"Does concentration (I > 0) beat no Syn steps?", "iterations", "sweep", concentrationHelps, "concentration over no Syn steps"},
	{"Does distraction (I < 0) beat no Syn steps?", "iterations", "sweep", distractionHelps, "distraction over no Syn steps"},
	{"Does concentration make a network robust to noise?", "noise", "noise", concentrationResists, "noise, on concentration’s lead"},
	{"Do poolings learn what the MIL assumption forbids?", "assumption", "assumption", poolingsBreak, ""},
	{"What share of a bag's instances must tell its label, for an AUC of 0.9?", "witness", "witness", leastRate, ""},
	{"Does choosing by a validation part beat a random setting?", "poolings", "auc", choosingHelps, "validation over a random setting"},
	{"Do ensembles of ten beat one network?", "ensembles", "auc", ensemblesHelp, "ten networks over one"},
	{"Do nested ensembles reach the published instance classifier?", "nested-ensembles", "auc", ensemblesReach, "ensembles over published SI-SVM"},
	{"Do networks beat our instance classifier?", "poolings", "auc", networksBeatInstances, "networks over instance classifier"},
}

// legend says how to read the first page.
var legend = fmt.Sprintf(`How to read it:

- Each question links to its tables. `+"`milbench plot milbench/study/results/FIGURE --out figure.png`"+` draws a figure; FIGURE is the text of the last column.
- Estimates are mean differences in AUC, paired, unless they say something else.
- The interval gives the verdict. Within ±%v of 0 there is no difference that matters. Otherwise an interval above 0 means yes, one below 0 no. In all other cases we cannot tell.
- Web 1 to 9 are the same 113 pages. A verdict must also hold when they are averaged into one set.
- Which pooling is best must also hold by Friedman's and Nemenyi's tests. Tests of single sets are corrected resampled t-tests with Holm's correction.
- Intervals over sets speak of other sets, those over repeats of other folds and seeds on the same bags, those over drawings of other bags of one generator.
- Intervals are not corrected for the number of rows. If there were no differences at all, about one row in twenty would still show one.
`, margin)

// page writes the first page.
func page(archives []results.Archive) (string, error) {
	var rows [][]string
	for _, c := range claims {
		said := answer{verdict: "Not run yet."}
		if i := slices.IndexFunc(archives, func(a results.Archive) bool { return a.Experiment == c.experiment }); i >= 0 {
			var err error
			if said, err = c.ask(archives[i]); err != nil {
				return "", err
			}
		}
		rows = append(rows, []string{"[" + c.question + "](#" + c.experiment + ")", said.estimate, said.interval, said.verdict,
			fmt.Sprintf("`%s.json.gz --figure %s`", c.experiment, c.figure)})
	}
	return "Each row is computed from the test scores in [milbench/study/results](milbench/study/results). [docs/replication.md](docs/replication.md) goes through the paper claim by claim.\n\n" + wordTable([]string{"question", "estimate", "95 % interval", "verdict", "figure"}, rows) + legend, nil
}

// ask answers the question of a claim; too few results leave it open.
func (c claim) ask(a results.Archive) (answer, error) {
	said, err := c.answer(a)
	if errors.Is(err, errIncomplete) || errors.Is(err, judge.ErrTooFew) {
		return answer{verdict: "We cannot tell: too little has been run."}, nil
	}
	if err != nil {
		return answer{}, fmt.Errorf("%s %w", c.question, err)
	}
	return said, nil
}

// PlotClaims draws the differences in AUC of the first page, a row for each claim whose experiment is among the archives, with a band of what does
// not matter. A row with the Web sets averaged into one follows where that says something else.
func PlotClaims(archives []results.Archive) (*plotting.Figure, error) {
	var rows []plotting.ComparedRow
	for _, c := range claims {
		i := slices.IndexFunc(archives, func(a results.Archive) bool { return a.Experiment == c.experiment })
		if c.short == "" || i < 0 {
			continue
		}
		said, err := c.ask(archives[i])
		if err != nil {
			return nil, err
		}
		for _, row := range said.effects.rows(c.short) {
			if strings.HasPrefix(said.verdict, cannotTell) { // for a reason beside the interval, such as ranks
				row.Verdict = 0
			}
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil, errIncomplete
	}
	return plotting.Comparison("What each claim changes", "Difference in AUC (95 % CI)", margin, rows)
}
