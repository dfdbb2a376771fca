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
	Question   string
	Experiment string
	answer     func(opened) answer
	short      string // what is compared, in [plotClaims]; "" where that is no difference in AUC
	syn        bool   // of the Syn paper: the verdict needs Holm's correction for all of these
}

// answer is what the results say.
type answer struct {
	Verdict            string // in a few words, without a full stop
	Estimate, Interval string
	of                 string  // what the estimate is of, where the question does not say
	effect             *effect // that the estimate and the interval are of, if they are a difference in AUC
	test               *effect // the same, also of other differences
}

// claims are the rows of the table of claims; the first of an experiment leads its section.
var claims = []claim{
	{"Is one learner the best when inner folds choose?", "learners", from(bestLearner), "best learner over the second", false},
	{"Does choosing by inner folds beat a random setting?", "learners", from(choosingInsideHelps), "inner folds over a random setting", false},
	{"Does joining several learners (`auto`) beat choosing one?", "learners", from(joiningHelps), "joining learners over choosing one", false},
	{"Do networks, searched and joined, reach the published HopfieldPooling?", "networks", from(reachesHopfield), "", false},
	{"Does the best test epoch report more than the 0.5 of shuffled labels?", "published", from(reportsTooMuch), "best epoch of shuffled labels", false},
	{"Does the leaked label column raise the published AUC?", "published", from(stepAdds(webGroup, 4)), "leaked column over none (Web)", false},
	{"Does reporting one fold of four raise the AUC?", "published", from(stepAdds(denseGroup, 3)), "one fold over four", false},
	{"Is one pooling the best when validation parts choose?", "poolings", from(bestPooling), "best pooling over the second", false},
	{"Does choosing by a validation part beat a random setting?", "poolings", from(choosingHelps), "validation over a random setting", false},
	{"Do networks beat our instance classifier?", "poolings", from(networksBeatInstances), "networks over instance classifier", false},
	{"Does concentration (I > 0) beat no Syn steps (γ = 1)?", "iterations", from(concentrationHelps(paperPreset)), "I > 0 over I = 0 (γ = 1)", true},
	{"Does distraction (I < 0) beat no Syn steps (γ = 1)?", "iterations", from(distractionHelps(paperPreset)), "I < 0 over I = 0 (γ = 1)", true},
	{"Does concentration beat no Syn steps (γ = 0.5 with layer norm)?", "iterations", from(concentrationHelps(releasedPreset)), "I > 0 over I = 0 (γ = 0.5)", true},
	{"Does distraction beat no Syn steps (γ = 0.5 with layer norm)?", "iterations", from(distractionHelps(releasedPreset)), "I < 0 over I = 0 (γ = 0.5)", true},
	{"Do three steps of concentration beat softmax (γ = 1)?", "ablation", from(beatsSoftmax(bases[0])), "I = 3 over softmax (γ = 1)", true},
	{"Do three steps of distraction beat softmax (γ = 1)?", "ablation", from(beatsSoftmax(bases[1])), "I = −3 over softmax (γ = 1)", true},
	{"Do three steps of concentration beat softmax (γ = 0.5 with layer norm)?", "ablation", from(beatsSoftmax(bases[2])), "I = 3 over softmax (γ = 0.5)", true},
	{"Do three steps of distraction beat softmax (γ = 0.5 with layer norm)?", "ablation", from(beatsSoftmax(bases[3])), "I = −3 over softmax (γ = 0.5)", true},
	{"Does distraction change the winner of training bags more often (γ = 1, float32)?", "winners", from(changesMore(paperPreset, "float32")), "", true},
	{"Does distraction change it more often, counted before the steps, which keep the order (γ = 1)?", "winners", from(changesMore(paperPreset, "before")), "", true},
	{"Does distraction change it more often with γ = 0.5 and layer norm (float32)?", "winners", from(changesMore(releasedPreset, "float32")), "", true},
	{"Does concentration make a network robust to noise (γ = 1)?", "noise", from(concentrationResists(paperPreset)), "noise for concentration (γ = 1)", true},
	{"Does concentration make a network robust to noise (γ = 0.5 with layer norm)?", "noise", from(concentrationResists(releasedPreset)), "noise for concentration (γ = 0.5)", true},
	{"Do poolings learn what the MIL assumption forbids?", "assumption", from(poolingsBreak), "", false},
	{"Does pooling separate the classes of bags that it did not see?", "features", from(poolingSeparates), "", false},
}

// said is a claim with its answer.
type said struct {
	claim
	answer
}

// tooFew reports an error that says that more must be run.
func tooFew(err error) bool {
	return errors.Is(err, errIncomplete) || errors.Is(err, stats.ErrTooFew) || errors.Is(err, results.ErrNoResults)
}

// ask answers the question of a claim; too few results leave it open.
func (c claim) ask(a opened) (s said, err error) {
	defer func() {
		switch {
		case tooFew(err):
			s, err = said{c, answer{Verdict: cannotTell + ": too little has been run"}}, nil
		case err != nil:
			err = fmt.Errorf("%s %w", c.Question, err)
		}
	}()
	defer caught(&err)
	return said{c, c.answer(a)}, nil
}

// answers asks all questions.
func answers(archives map[string]opened) (list []said, err error) {
	for _, c := range claims {
		one := said{c, answer{Verdict: "Not run yet"}}
		if a, there := archives[c.Experiment]; there {
			if one, err = c.ask(a); err != nil {
				return nil, err
			}
		}
		list = append(list, one)
	}
	holm(list)
	return list, nil
}

// holm leaves those verdicts on the Syn paper open that do not hold after Holm's correction for all of them.
func holm(list []said) {
	var syn []*answer
	for i, s := range list {
		if s.syn && s.test != nil {
			syn = append(syn, &list[i].answer)
		}
	}
	hold(syn, "questions about Syn")
}

// hold leaves those verdicts open that do not hold after Holm's correction for all of them, which are so many of what.
func hold(list []*answer, what string) {
	if len(list) == 0 {
		return
	}
	var p []float64
	for _, a := range list {
		p = append(p, a.test.P)
	}
	for k, corrected := range must(stats.Holm(p)) {
		if side := list[k].test.direction(); corrected >= alpha && (side == higher || side == lower) {
			list[k].Verdict = fmt.Sprintf("%s (p = %s after Holm's correction for the %d %s)", cannotTell, digits(corrected), len(list), what)
		}
	}
}

// text is the question with its answer.
func (s said) text() string { return join(s.Question, "**"+s.Verdict+".**", s.number()) }

// number is a sentence of the estimate, unless the verdict has it, with its interval and what it is of.
func (a answer) number() string {
	if a.Estimate == "" {
		return ""
	}
	text := "95 % interval " + a.Interval
	if none, found := strings.CutPrefix(a.Interval, "none"); found {
		text = "no interval" + none
	}
	switch {
	case a.Interval == "":
		text = a.Estimate
	case !strings.Contains(a.Verdict, strings.TrimLeft(a.Estimate, "+−")):
		text = a.Estimate + " (" + text + ")"
	}
	if a.of != "" {
		text += ": " + a.of
	}
	return text + "."
}

// what sorts a claim by what it says of models, "" if it says nothing of them.
func (s said) what() string {
	if s.effect == nil {
		return ""
	}
	switch side := s.effect.direction(); {
	case strings.HasPrefix(s.Verdict, cannotTell):
		return "open"
	case s.Experiment == "published" && side == higher:
		return "optimistic"
	default:
		return map[direction]string{higher: "better", lower: "worse", same: "same"}[side]
	}
}

// PlotClaims draws the claims that are differences in AUC, with their intervals.
func PlotClaims(archives []results.Archive) (figure *plotting.Figure, err error) {
	defer caught(&err)
	list, err := answers(openAll(archives))
	if err != nil {
		return nil, err
	}
	return plotClaims(list), nil
}

// plotClaims draws the claims that are differences in AUC, a row for each claim whose experiment is among the archives, with a band of
// what does not matter.
func plotClaims(list []said) *plotting.Figure {
	var rows []plotting.ComparedRow
	for _, s := range list {
		if s.effect == nil {
			continue
		}
		row := s.effect.row(s.short)
		if strings.HasPrefix(s.Verdict, cannotTell) { // for a reason beside the interval, such as Holm's correction
			row.Verdict, row.Same = 0, false
		}
		rows = append(rows, row)
	}
	need(len(rows) > 0)
	return must(plotting.Comparison("What each claim changes", "Difference in AUC (95 % CI)", margin, rows))
}
