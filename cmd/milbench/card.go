package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"synpool/milbench/calibrate"
	"synpool/milbench/evaluate"
	"synpool/milbench/learners"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/learners/neural"
	"synpool/milbench/learners/onebyone"
	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// defaultSpecificity is the default of --operating.
const defaultSpecificity = 0.9

// cardFlags are the flags of train that add figures and thresholds to the card.
type cardFlags struct {
	results   string
	operating []float64
	flags     *pflag.FlagSet
}

func (f *cardFlags) addTo(flags *pflag.FlagSet) {
	f.flags = flags
	flags.StringVar(&f.results, "results", "",
		"`folder` of milbench run for this learner and data: its figures, and thresholds from its held-out scores, go into the card")
	flags.Float64SliceVar(&f.operating, "operating", []float64{defaultSpecificity},
		"`specificities` for which --results chooses thresholds; milbench evaluate applies them")
	flags.Lookup("operating").DefValue = fmt.Sprint(defaultSpecificity)
}

// judged reads the figures of the learner from --results, before it is trained. It leaves out the log-loss of scores that are no logits.
// command is the command that would fill such a folder.
func (f *cardFlags) judged(set *mil.Set, setting json.RawMessage, command string) (facts modeldir.Facts, err error) {
	for _, s := range f.operating {
		if !(s > 0 && s <= 1) {
			return facts, fmt.Errorf("--operating %v: a specificity is above 0 and at most 1", s)
		}
	}
	if f.results == "" {
		if f.flags.Changed("operating") {
			return facts, errors.New("--operating: thresholds are chosen on held-out scores; give --results a folder of milbench run")
		}
		facts.Judge = command
		return facts, nil
	}
	all, err := results.Read(f.results)
	if err != nil {
		return facts, fmt.Errorf("--results: %w", err)
	}
	held, err := evaluate.HeldOut(all, set.Checksum, setting)
	if err != nil {
		return facts, fmt.Errorf("--results %s: %w", f.results, err)
	}
	facts.Judged = held.Judged
	for i := range facts.Judged {
		j := &facts.Judged[i]
		j.Figures = slices.DeleteFunc(j.Figures, func(g modeldir.Figure) bool { return g.Name == "log-loss" && !learners.Logits(setting) })
	}
	honest := slices.ContainsFunc(held.Judged, func(j modeldir.Judged) bool { return !j.Optimistic })
	if !f.flags.Changed("operating") && (!honest || set.Kind != mil.BinaryTarget) {
		return facts, nil
	}
	for _, s := range f.operating {
		point, err := held.Operating(s)
		if err != nil {
			return facts, fmt.Errorf("--results %s: %w", f.results, err)
		}
		facts.Operating = append(facts.Operating, point)
	}
	return facts, nil
}

// described adds to facts the trained model, its data and how its probabilities were learnt (nil if they were not).
func described(facts modeldir.Facts, model learners.About, set *mil.Set, learnt *calibrate.Learnt) (modeldir.Facts, error) {
	if learnt != nil {
		facts.Calibration = fmt.Sprintf("%s, learnt from %d bags that %d folds held out; expected calibration error %.3f there, of a perfect model %.3f",
			learnt.Calibration.Method, learnt.Calibration.Bags, learnt.Folds, learnt.After.ECE, learnt.After.Chance)
	}
	set, err := set.Impute(model.Missing)
	if err != nil {
		return facts, err
	}
	if facts.Data, err = mil.ProfileOf(set); err != nil {
		return facts, err
	}
	b := readBuild()
	facts.Learner, facts.Setting, facts.Version, facts.Revision = onebyone.Name(model.Setting), model.Setting, b.Version, b.Revision
	return facts, nil
}

// judgeCommand returns the milbench run command that judges the learner of train on nameOrFile, "" if there is none.
func (p *program) judgeCommand(c *cobra.Command, nameOrFile string, asked *trainFlags, config *neural.Config) string {
	if asked.flags.Changed("setting") {
		return "" // run takes the default or the grid of a learner
	}
	lost := false
	quoted := func(word string) string {
		word, ok := quotedFor(runtime.GOOS, word)
		lost = lost || !ok
		return word
	}
	words := []string{"milbench", "run", quoted(nameOrFile)}
	if config != nil && !asked.flags.Changed("pooling") {
		words = append(words, "--pooling", config.Pooling)
	}
	if config != nil && config.Pooling == "syn" && !asked.flags.Changed("iterations") {
		words = append(words, fmt.Sprintf("--iterations=%d", config.Iterations))
	}
	run := p.run().Flags()
	own := []string{"out", "seed", "memory", "cores", "calibrate"} // mean something else there
	c.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(own, f.Name) || run.Lookup(f.Name) == nil {
			return
		}
		switch value := f.Value.(type) {
		case pflag.SliceValue:
			words = append(words, "--"+f.Name+"="+quoted(strings.Join(value.GetSlice(), ",")))
		default:
			words = append(words, "--"+f.Name+"="+quoted(strings.Trim(f.Value.String(), "[]")))
		}
	})
	if lost {
		return ""
	}
	return strings.Join(append(words, "--out", "results"), " ")
}

// simple matches words that a shell takes without quotes.
var simple = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// quotedFor returns a word quoted for the shells of a system, on Windows for both cmd and PowerShell. ok is false if one of
// these would change the word.
func quotedFor(system, word string) (quoted string, ok bool) {
	if system != "windows" {
		if simple.MatchString(word) {
			return word, true
		}
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'", true
	}
	if strings.ContainsAny(word, "\"$`%!") || strings.HasSuffix(word, `\`) {
		return "", false
	}
	if simple.MatchString(strings.ReplaceAll(word, `\`, "/")) {
		return word, true
	}
	return `"` + word + `"`, true
}
