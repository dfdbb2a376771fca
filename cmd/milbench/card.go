package main

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"synpool/milbench"
	"synpool/milbench/learners/neural"
)

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
	flags.Float64SliceVar(&f.operating, "operating", []float64{milbench.DefaultSpecificity},
		"`specificities` for which --results chooses thresholds; milbench evaluate applies them")
	flags.Lookup("operating").DefValue = fmt.Sprint(milbench.DefaultSpecificity)
}

// judgeCommand returns the milbench run command that judges the learner of train on nameOrFile, "" if there is none.
func (p *program) judgeCommand(c *cobra.Command, nameOrFile string, asked *trainFlags, config *neural.Config) string {
	if asked.from != "" || c.Flags().Changed("exportable") {
		return "" // run has neither
	}
	if asked.flags.Changed("setting") {
		return "" // run takes the default or the grid of a learner
	}
	line := commandLine{words: []string{"milbench", "run"}}
	line.add(nameOrFile)
	if config != nil && !asked.flags.Changed("pooling") {
		line.add("--pooling", config.Pooling)
	}
	if config != nil && config.Pooling == "syn" && !asked.flags.Changed("iterations") {
		line.add(fmt.Sprintf("--iterations=%d", config.Iterations))
	}
	run := p.run().Flags()
	own := []string{"out", "seed", "memory", "cores", "calibrate"} // mean something else there
	c.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(own, f.Name) && run.Lookup(f.Name) != nil {
			line.flag(f)
		}
	})
	line.add("--out", "results")
	if line.lost {
		return ""
	}
	return strings.Join(line.words, " ")
}

// commandLine is a command to paste into a shell of this system.
type commandLine struct {
	words []string
	lost  bool // a shell would change a word
}

// add adds words, quoted where a shell needs it.
func (l *commandLine) add(words ...string) {
	for _, word := range words {
		quoted, ok := quotedFor(runtime.GOOS, word)
		l.words, l.lost = append(l.words, quoted), l.lost || !ok
	}
}

// flag adds a flag with its value.
func (l *commandLine) flag(f *pflag.Flag) {
	value := f.Value.String()
	if list, is := f.Value.(pflag.SliceValue); is {
		value = strings.Join(list.GetSlice(), ",")
	}
	quoted, ok := quotedFor(runtime.GOOS, value)
	l.words, l.lost = append(l.words, "--"+f.Name+"="+quoted), l.lost || !ok
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
