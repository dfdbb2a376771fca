package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"synpool/internal/spelling"
	"synpool/milbench/calibrate"
	"synpool/milbench/charts"
	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/learners"
	"synpool/milbench/learners/neural"
	"synpool/milbench/results"
	"synpool/paper"
)

// shells are those that there is a completion script for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// completion is the subcommand that writes what a shell needs to complete command lines.
func (p *program) completion() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Write a script that completes milbench command lines in your shell",
		Long: `The tab key then completes subcommands, flags, named sets, learners, poolings, protocols and files.

New shells find the script in one of these files:
  bash         ~/.local/share/bash-completion/completions/milbench
  zsh          _milbench in a folder of $fpath
  fish         ~/.config/fish/completions/milbench.fish
  powershell   the file that $PROFILE names, at its end

The archives of a release have all four in their folder completions.`,
		Example:   "  milbench completion bash\n  milbench completion powershell",
		Args:      arguments(1, 1),
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			switch root := c.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(p.out, true)
			case "zsh":
				return root.GenZshCompletion(p.out)
			case "fish":
				return root.GenFishCompletion(p.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(p.out)
			}
			return fmt.Errorf("shell %q: there is no script for it; %s", args[0], spelling.Hint(args[0], shells))
		},
	}
}

// flagValues returns the values that a flag of a name takes, in every subcommand that has it. Flags that are not here take
// what a shell completes by itself, the names of files.
func flagValues() map[string][]string {
	values := map[string][]string{
		"calibrate": methodNames(),
		"figure":    append(slices.Clone(charts.BagNames), charts.ShotsName, heatmapFigure, reliabilityFigure),
		"learner":   learners.Names(),
		"missing":   {"refuse", "median"},
		"pooling":   neural.Poolings,
		"preset":    neural.Presets,
		"protocol":  cv.ProtocolNames,
		"sets":      setNames(),
	}
	for _, h := range neural.Hyperparameters("") {
		if h.Words != nil {
			values[h.Flag()] = h.Words
		}
	}
	return values
}

// formatValues are the values of --format by the path of a subcommand.
var formatValues = map[string][]string{
	"milbench folds":   {"csv", "clam"},
	"milbench predict": {"csv", "json"},
	"milbench table":   results.Formats,
}

// noFiles are flags whose values are neither in a list nor names of files.
var noFiles = []string{"shots", "bag", "group", "label", "positive", "name", "setting", "set", "with", "column", "memory", "categorical", "as-features", "ignore", "coordinates", "order", "level", "fdr"}

// namesOf returns the names of the members of a list.
func namesOf[T, N any](list []T, name func(T) N) (names []N) {
	for _, one := range list {
		names = append(names, name(one))
	}
	return names
}

// methodNames, setNames and studyNames return the names of the methods of calibration, of the named sets and of the experiments.
func methodNames() []string {
	return append(namesOf(calibrate.Methods, func(m calibrate.Method) string { return string(m) }), conformal, instances)
}

func setNames() []string {
	return namesOf(dataset.Catalog(), func(e dataset.Entry) string { return e.Name })
}

func studyNames() []string {
	return namesOf(paper.Experiments, func(e paper.Experiment) string { return e.Name })
}

// addCompletion says what completes the arguments and flags of c and of all commands below it.
func addCompletion(c *cobra.Command) {
	for name, values := range flagValues() {
		completeFlag(c, name, values)
	}
	completeFlag(c, "format", formatValues[c.CommandPath()])
	for _, name := range noFiles {
		completeFlag(c, name, nil)
	}
	if c.ValidArgsFunction == nil && c.ValidArgs == nil {
		c.ValidArgsFunction = completeArguments(c)
	}
	for _, sub := range c.Commands() {
		addCompletion(sub)
	}
}

// completeFlag completes a flag, if c has it, with the values that begin as what is typed does, after its last comma.
func completeFlag(c *cobra.Command, name string, values []string) {
	if c.Flags().Lookup(name) == nil {
		return
	}
	err := c.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var all []string
		for _, v := range values {
			if v = before + v; strings.HasPrefix(v, typed) {
				all = append(all, v)
			}
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // there is no other function for it
	}
}

// completeArguments completes the arguments of c by the words of its usage: NAME is a named set, or of a study an experiment, and
// FILE, DIR and the like are files.
func completeArguments(c *cobra.Command) cobra.CompletionFunc {
	words := strings.Fields(c.Use)[1:]
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "--") }); i >= 0 {
		words = words[:i]
	}
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		at := len(args)
		if last := len(words) - 1; at > last && last >= 0 && strings.HasSuffix(strings.Trim(words[last], "[]"), "...") {
			at = last
		}
		if at >= len(words) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var values []string
		directive := cobra.ShellCompDirectiveNoFileComp
		for kind := range strings.SplitSeq(strings.TrimSuffix(strings.Trim(words[at], "[]"), "..."), "|") {
			switch {
			case kind == "COMMAND": // which cobra completes
			case kind != "NAME":
				directive = cobra.ShellCompDirectiveDefault
			case c.Name() == "study":
				values = studyNames()
			case c.Name() == "fetch":
				values = append(setNames(), everySet)
			default:
				values = setNames()
			}
		}
		return slices.DeleteFunc(values, func(v string) bool { return !strings.HasPrefix(v, typed) }), directive
	}
}
