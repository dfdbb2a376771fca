package report

import (
	"errors"
	"fmt"
	"strings"

	"synpool/milbench/results"
	"synpool/milbench/stats"
	"synpool/plotting"
)

// claim is a row of the table of claims: a question and the experiment that answers it.
type claim struct {
	question   string
	experiment string
	answer     func(results.Archive) (answer, error)
	short      string // what is compared, in [PlotClaims]; "" where that is no difference in AUC
}

// answer is what the results say.
type answer struct {
	verdict            string // in a few words, without a full stop
	estimate, interval string
	of                 string  // what the estimate is of, where the question does not say
	more               string  // sentences that a section adds
	effects            effects // that the estimate and the interval are of, if they are a difference in AUC
}

// claims are the rows of the table of claims; the first of an experiment leads its section.
var claims = []claim{
	{"Is one learner the best when inner folds choose?", "learners", bestLearner, "best learner over the second"},
	{"Does choosing by inner folds beat a random setting?", "learners", choosingInsideHelps, "inner folds over a random setting"},
	{"Does joining several learners (`auto`) beat choosing one?", "learners", joiningHelps, "joining learners over choosing one"},
	{"Do networks, searched and joined, reach the published HopfieldPooling?", "networks", reachesHopfield, "networks over published Hopfield"},
	{"Does reporting the best test epoch raise the AUC?", "published", bestEpochRaises, "best test epoch over the last"},
	{"Does the leaked label column raise the published AUC?", "published", leakRaises, "leaked column over none (Web)"},
	{"Does reporting one fold of four raise the AUC?", "published", oneFoldRaises, "one fold over four"},
	{"Is one pooling the best when validation parts choose?", "poolings", bestPooling, "best pooling over the second"},
	{"Does choosing by a validation part beat a random setting?", "poolings", choosingHelps, "validation over a random setting"},
	{"Do networks beat our instance classifier?", "poolings", networksBeatInstances, "networks over instance classifier"},
	{"Does concentration (I > 0) beat no Syn steps?", "iterations", concentrationHelps, "concentration over no Syn steps"},
	{"Does distraction (I < 0) beat no Syn steps?", "iterations", distractionHelps, "distraction over no Syn steps"},
	{"Do three steps of concentration beat softmax?", "ablation", beatsSoftmax(bases[0]), "three steps (I = 3) over softmax"},
	{"Do three steps of distraction beat softmax?", "ablation", beatsSoftmax(bases[1]), "three steps (I = −3) over softmax"},
	{"Does concentration make a network robust to noise?", "noise", concentrationResists, "noise over none (concentration’s lead)"},
	{"Do poolings learn what the MIL assumption forbids?", "assumption", poolingsBreak, ""},
	{"What share of a bag's instances must tell its label, for an AUC of 0.9?", "witness", leastRate, ""},
	{"Does pooling separate the classes of bags that it did not see?", "features", poolingSeparates, ""},
	{"Do ensembles of ten beat one network?", "ensembles", ensemblesHelp, "ten networks over one"},
	{"Do nested ensembles reach the published instance classifier?", "nested-ensembles", ensemblesReach, "ensembles over published SI-SVM"},
}

// ask answers the question of a claim; too few results leave it open.
func (c claim) ask(a results.Archive) (answer, error) {
	said, err := c.answer(a)
	if errors.Is(err, errIncomplete) || errors.Is(err, stats.ErrTooFew) {
		return answer{verdict: cannotTell + ": too little has been run"}, nil
	}
	if err != nil {
		return answer{}, fmt.Errorf("%s %w", c.question, err)
	}
	return said, nil
}

// PlotClaims draws the claims that are differences in AUC, a row for each claim whose experiment is among the archives, with a band of
// what does not matter. A row with the Web sets averaged into one follows where that says something else.
func PlotClaims(archives []results.Archive) (*plotting.Figure, error) {
	list, err := answers(archives)
	if err != nil {
		return nil, err
	}
	var rows []plotting.ComparedRow
	for _, s := range list {
		if s.short == "" {
			continue
		}
		for _, row := range s.effects.rows(s.short) {
			if strings.HasPrefix(s.verdict, cannotTell) { // for a reason beside the interval, such as ranks
				row.Verdict, row.Same = 0, false
			}
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil, errIncomplete
	}
	return plotting.Comparison("What each claim changes", "Difference in AUC (95 % CI)", margin, rows)
}
