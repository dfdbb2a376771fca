package modeldir

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"synpool/milbench/mil"
	"text/tabwriter"
)

// mostFeatures is the number of features in the text of a card.
const mostFeatures = 20

// Write writes the card of the model in dir as text, with its setting.
func (c *Card) Write(w io.Writer, dir string, setting json.RawMessage) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	kind := c.Kind
	if kind == "" {
		kind = "network"
	}
	line("model", "%s, of kind %s, seed %d", dir, kind, c.Seed)
	if setting != nil {
		line("setting", "%s", setting)
	}
	line("data", "%s, checksum %s", c.Set, c.Checksum)
	if c.Leaked {
		line("LEAKED", "a column that leaks the labels is among the features")
	}
	target := c.Target.String()
	if len(c.Classes) == 2 {
		target += fmt.Sprintf(": %s, and positive %s", c.Classes[0], c.Classes[1])
	} else if len(c.Classes) > 0 {
		target += ": " + strings.Join(c.Classes, ", ")
	}
	line("target", "%s", target)
	if c.Facts == nil {
		line("features", "%d", c.NumFeatures)
		line("more", "none: an earlier version has trained the model; train it again for figures, ranges and limits")
		return t.Flush()
	}
	f := c.Facts
	line("learner", "%s", f.Learner)
	line("version", "milbench %s, revision %s", f.Version, f.Revision)
	bags := strconv.Itoa(f.Data.Bags)
	if len(f.Data.Classes) > 0 {
		bags += ": " + mil.ClassesText(f.Data.Classes)
	}
	line("bags", "%s", bags)
	line("instances", "%d", f.Data.Instances)
	groups := "none are named"
	if f.Data.Groups > 0 {
		groups = strconv.Itoa(f.Data.Groups)
	}
	line("groups", "%s", groups)
	calibration := f.Calibration
	if calibration == "" {
		calibration = "none"
	}
	line("calibration", "%s", calibration)
	if f.Conformal != "" {
		line("conformal", "%s", f.Conformal)
	}
	if f.Instances != "" {
		line("of instances", "%s", f.Instances)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	writeFeatures(t, f.Data)
	writeJudged(t, f)
	fmt.Fprintf(t, "\nwhat it must not be used for\n")
	for _, limit := range f.Limits {
		fmt.Fprintf(t, "- %s\n", limit)
	}
	return t.Flush()
}

// writeFeatures writes the first features of the training data.
func writeFeatures(t *tabwriter.Writer, d mil.Profile) {
	fmt.Fprintf(t, "\nfeature\tmean\tdeviation\tleast\tlargest\n")
	for _, f := range d.Features[:min(mostFeatures, len(d.Features))] {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", f.Name, f.Short(f.Mean), f.Short(f.SD), f.Short(f.Least), f.Short(f.Largest))
	}
	if more := len(d.Features) - mostFeatures; more > 0 {
		fmt.Fprintf(t, "and %d more; --json has all\n", more)
	}
	t.Flush()
}

// writeJudged writes the figures on held-out bags and the operating points.
func writeJudged(t *tabwriter.Writer, f *Facts) {
	switch {
	case len(f.Judged) == 0 && f.Judge == "":
		fmt.Fprintf(t, "\nnot judged: milbench run does not take --setting; it judges this learner with its default setting\n")
	case len(f.Judged) == 0:
		fmt.Fprintf(t, "\nnot judged: run %s first, then train with --results results\n", f.Judge)
	}
	for _, j := range f.Judged {
		optimistic := ""
		if j.Optimistic {
			optimistic = "; optimistic: the test part chose the epoch"
		}
		fmt.Fprintf(t, "\njudged on held-out bags\tby the protocol %s, %s, %s%s\n",
			j.Protocol, count(j.FoldsRun, "fold"), count(j.Repeats, "repeat"), optimistic)
		for _, g := range j.Figures {
			interval := ""
			if g.Low != nil && g.High != nil {
				interval = fmt.Sprintf(" (95 %% interval over %s %.3f to %.3f)", g.Over, *g.Low, *g.High)
			}
			fmt.Fprintf(t, "%s\t%.3f%s\n", g.Name, g.Value, interval)
		}
		t.Flush()
	}
	if len(f.Operating) > 0 {
		fmt.Fprintf(t, "\nchosen for specificity\tthreshold\tsensitivity\tspecificity\n")
		for _, o := range f.Operating {
			fmt.Fprintf(t, "%g\t%.4g\t%.3f\t%.3f\n", o.Wanted, o.Threshold, o.Sensitivity, o.Specificity)
		}
		o := f.Operating[0]
		fmt.Fprintf(t, "thresholds chosen on %d positive and %d negative held-out bags, %s of %s\n",
			o.Positives, o.Negatives, count(o.Repeats, "repeat"), o.Protocol)
		t.Flush()
	}
}

// count counts things in words: 1 fold, 2 folds.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
