package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is the width of the longest line of a help text.
const helpWidth = 100

// writeHelp prints the help of a command: its Short as a sentence, the first line of its Example, which most people need, its
// Long, then usage, the other examples and the flags.
func writeHelp(c *cobra.Command, _ []string) {
	c.InitDefaultHelpFlag()
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%s.\n", c.Short)
	first, more := examples(c)
	section(w, "Example", first)
	if c.Long != "" {
		fmt.Fprintf(w, "\n%s\n", c.Long)
	}
	if c.Runnable() {
		section(w, "Usage", c.UseLine())
	}
	section(w, "More examples", more)
	commands, topics := below(c)
	var usual []*cobra.Command
	var rare []string
	for _, sub := range commands {
		if _, is := sub.Annotations[rareKey]; is {
			rare = append(rare, sub.Name())
		} else {
			usual = append(usual, sub)
		}
	}
	section(w, "Commands", listed(usual))
	section(w, "Also", strings.Join(rare, ", "))
	section(w, "Topics of milbench help", listed(topics))
	if c.IsAdditionalHelpTopicCommand() {
		return // it has no flags
	}
	for _, group := range flagGroups(c.Flags()) {
		fmt.Fprintf(w, "\n%s:\n%s", group.heading, group.flags.FlagUsagesWrapped(helpWidth-5)) // a line may be 5 longer
	}
	if len(commands) > 0 {
		fmt.Fprintf(w, "\n%s COMMAND --help says more about a command.\n", c.CommandPath())
	}
}

// rareKey is the annotation of a subcommand that a list only names.
const rareKey = "rare"

// groupKey is the annotation of a flag with the heading of its group.
const groupKey = "group"

// The headings of groups of flags.
const (
	networkFlags = "Flags for networks"
	fileFlags    = "Flags for files"
)

// inGroup puts the flags that add adds into a group.
func inGroup(flags *pflag.FlagSet, heading string, add func()) {
	before := make(map[string]bool)
	flags.VisitAll(func(f *pflag.Flag) { before[f.Name] = true })
	add()
	flags.VisitAll(func(f *pflag.Flag) {
		if !before[f.Name] {
			flags.SetAnnotation(f.Name, groupKey, []string{heading})
		}
	})
}

// flagGroup is a group of flags under a heading.
type flagGroup struct {
	heading string
	flags   *pflag.FlagSet
}

// flagGroups returns the flags in their groups, first those that are in none.
func flagGroups(flags *pflag.FlagSet) (groups []flagGroup) {
	for _, heading := range []string{"Flags", networkFlags, fileFlags} {
		g := flagGroup{heading, pflag.NewFlagSet(heading, pflag.ContinueOnError)}
		g.flags.SortFlags = flags.SortFlags
		flags.VisitAll(func(f *pflag.Flag) {
			if of := f.Annotations[groupKey]; of == nil && heading == "Flags" || of != nil && of[0] == heading {
				g.flags.AddFlag(f)
			}
		})
		if g.flags.HasAvailableFlags() {
			groups = append(groups, g)
		}
	}
	return groups
}

// section prints the lines of a text under a heading, if there are any.
func section(w io.Writer, heading, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(w, "\n%s:\n", heading)
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "  %s\n", strings.TrimSpace(line))
	}
}

// examples splits the examples of a command into the first and the others.
func examples(c *cobra.Command) (first, more string) {
	first, more, _ = strings.Cut(strings.TrimSpace(c.Example), "\n")
	return first, more
}

// below returns the subcommands of a command that users see, and its topics of help.
func below(c *cobra.Command) (commands, topics []*cobra.Command) {
	for _, sub := range c.Commands() {
		switch {
		case sub.IsAvailableCommand() && sub.Name() != "help":
			commands = append(commands, sub)
		case sub.IsAdditionalHelpTopicCommand():
			topics = append(topics, sub)
		}
	}
	return commands, topics
}

// listed returns one line per command: its name and what it does.
func listed(commands []*cobra.Command) string {
	width := 0
	for _, c := range commands {
		width = max(width, len(c.Name()))
	}
	var lines []string
	for _, c := range commands {
		lines = append(lines, fmt.Sprintf("%-*s  %s", width, c.Name(), c.Short))
	}
	return strings.Join(lines, "\n")
}

// topics are the texts of milbench help TOPIC: what several subcommands have in common.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{
			Use:     "files",
			Short:   "What a FILE may be and how its columns are named",
			Example: "  milbench audit bags.csv",
			Long: `Forms:
  table    CSV or Parquet (.parquet) with one row per instance: bag, label and the features.
           Commas, semicolons or tabs separate the fields of CSV. In Parquet one column may hold
           the features as lists.
  folder   one array [instances, features] per bag, b.npy, b.npz, b.pt or b.h5 for bag b, and
           the table labels.csv with the columns bag and label. HDF5 is read as CLAM and TRIDENT
           write it. An array coords has places, tile_labels or instance_labels what the scores of
           instances are judged by.
  matrix   MATLAB (.mat) or C4.5 (.data), the formats of the published sets

Columns, the flags that name them, and the names that are found without a flag:
  bag          --bag          bag, slide_id, image_id, ...
  label        --label        label, class, target, diagnosis, grade
  group        --group        group, case_id, patient_id, ...: never split between parts
  split        --split        split: train, val or test; val counts as train
  place        --coordinates  x and y: where the instance is

For survival, the columns time and event replace label. A note says which names were found, and
which columns are features: all others, except row numbers, ids, folds, other labels and positions.
--as-features takes such a column as a feature, --ignore leaves others out. A trained model finds
its features by name. --labels names a table other than labels.csv.

Missing values are refused. With --missing median they become the median of the training part.
Before training, a file is audited. It is refused if a column leaks the labels: milbench audit.`,
		},
		{
			Use:     "shards",
			Short:   "How to divide a run among machines or jobs of a cluster",
			Example: "  milbench run elephant fox tiger --out results --shard 3/12",
			Long: `--shard i/n trains part i of n, counted from 0. A fit's part is a hash of what it is trained on, so
no plan is needed. Machines may share DIR or have folders of their own. Each part writes to
DIR/attempts, and skips fits that are finished in DIR. --dry-run says what a part takes.

The same command without --shard merges the parts in DIR, trains what is missing, and prints the
table. milbench merge joins folders of several machines.

In an array of jobs:
  Slurm        needs no --shard: each task trains its part. --shard /n takes i from
               SLURM_ARRAY_TASK_ID. --shard none trains all in each task.
  Kubernetes   --shard /n takes i from JOB_COMPLETION_INDEX.

docs/cluster.md goes through an example.`,
		},
	}
}

// inMarkdown makes the headings of a help text bold and its lists, which are indented, blocks of text.
func inMarkdown(long string) string {
	var b strings.Builder
	block := false
	for line := range strings.SplitSeq(long, "\n") {
		if indented := strings.HasPrefix(line, "  "); indented != block {
			block = indented
			if block {
				b.WriteString("\n```text\n")
			} else {
				b.WriteString("```\n")
				if line != "" {
					b.WriteString("\n")
				}
			}
		}
		switch {
		case block:
			line = line[2:]
		case strings.HasSuffix(line, ":") && len(strings.Fields(line)) < 5:
			line = "**" + strings.TrimSuffix(line, ":") + "**\n"
		}
		b.WriteString(line + "\n")
	}
	if block {
		b.WriteString("```\n")
	}
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "\n\n\n", "\n\n")
}
