package evaluate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"synpool/milbench/cv"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// Held is the performance of one learner and setting on bags held out of training.
type Held struct {
	Judged []modeldir.Judged // one entry per protocol

	kind mil.TargetKind

	// For two classes: labels and scores of the bags in all repeats, concatenated. They are from the protocol with
	// the most complete repeats, without optimistic ones.
	labels   []int
	scores   []float64
	repeats  int
	protocol string
}

// HeldOut collects the results for a setting on the set with the given checksum. It ignores other sets and settings, and results of
// a few training bags ([results.Result.Shots]), which say nothing of a model of all.
// If nothing is left, the error names what it ignored.
func HeldOut(all []results.Result, checksum string, setting json.RawMessage) (Held, error) {
	wanted, err := cv.CanonicalSetting(setting)
	if err != nil {
		return Held{}, err
	}
	var own []results.Result
	var others []json.RawMessage // other settings on the same set
	sets := map[string]bool{}
	for _, r := range all {
		sets[r.Set] = true
		if r.Checksum != checksum || r.Shots > 0 {
			continue
		}
		config, err := cv.CanonicalSetting(r.Config)
		if err != nil {
			return Held{}, err
		}
		if bytes.Equal(config, wanted) {
			own = append(own, r)
		} else if !slices.ContainsFunc(others, func(o json.RawMessage) bool { return bytes.Equal(o, config) }) {
			others = append(others, config)
		}
	}
	switch {
	case len(all) == 0:
		return Held{}, errors.New("no results yet")
	case len(own) == 0 && len(others) == 0:
		return Held{}, fmt.Errorf("no results of this data, but of other bags (%s); give milbench run the same file with the same flags", short(slices.SortedFunc(maps.Keys(sets), mil.CompareNatural)))
	case len(own) == 0:
		labels, err := results.Labels(others)
		if err != nil {
			return Held{}, err
		}
		return Held{}, fmt.Errorf("no results of this learner with this setting on this data, but of %s", short(labels))
	}
	table, err := results.Tabulate(own)
	if err != nil {
		return Held{}, err
	}
	if len(table.Rows) == 0 {
		return Held{}, errors.New("no complete repeat of this learner on this data; run milbench run once more")
	}
	var h Held
	for _, row := range table.Rows {
		h.Judged = append(h.Judged, judged(row))
	}
	if h.kind = own[0].Target; h.kind == mil.BinaryTarget {
		h.gather(own)
	}
	return h, nil
}

// short joins the first few names.
func short(names []string) string {
	const most = 5
	text := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// judged converts a row of a table.
func judged(r results.Row) modeldir.Judged {
	j := modeldir.Judged{Protocol: r.Protocol, Folds: r.Folds, FoldsRun: r.FoldsRun, Repeats: r.N, Bags: r.TestBags,
		Optimistic: r.Optimistic, Versions: r.Versions}
	for _, f := range r.Named() {
		j.Figures = append(j.Figures, modeldir.Figure{Name: f.Name, Value: f.Value})
	}
	main := &j.Figures[0]
	main.Low, main.High, main.Over = r.Low, r.High, string(r.Interval)
	return j
}

// study is what the fits of a cross-validation have in common.
type study struct {
	protocol     string
	folds, inner int
	splits       string
	seed         uint64
}

// gather collects the scores of held-out bags from the study with the most complete repeats; ties go to the first.
func (h *Held) gather(own []results.Result) {
	var studies []study
	fits := map[study][]results.Result{}
	for _, r := range own {
		if r.Optimistic {
			continue
		}
		of := study{r.Protocol, r.Folds, r.Inner, r.Splits, r.Seed}
		if fits[of] == nil {
			studies = append(studies, of)
		}
		fits[of] = append(fits[of], r)
	}
	var best [][]results.Result
	for _, of := range studies {
		if complete := results.Complete(fits[of]); len(complete) > len(best) {
			best, h.protocol = complete, of.protocol
		}
	}
	h.repeats = len(best)
	for _, r := range slices.Concat(best...) {
		labels, scores := results.LabelsScores(r.Bags)
		h.labels, h.scores = append(h.labels, labels...), append(h.scores, scores...)
	}
}

// Operating returns the threshold at which the held-out bags reach at least the given specificity
// ([stats.ThresholdAt]), with the sensitivity and specificity there. It uses the scores of all repeats and folds
// together. These come from models that were each trained on part of the bags; it assumes that the final model's
// scores are on the same scale. It returns an error if the test part influenced the training, and for targets other
// than two classes.
func (h Held) Operating(specificity float64) (modeldir.OperatingPoint, error) {
	if h.kind != mil.BinaryTarget {
		return modeldir.OperatingPoint{}, fmt.Errorf("no threshold of a target of kind %v: thresholds are for two classes", h.kind)
	}
	if h.repeats == 0 {
		return modeldir.OperatingPoint{}, errors.New("no threshold: all results are optimistic, because the test part had a say in the epoch; " +
			"run the protocol honest or nested")
	}
	threshold, sensitivity, reached, err := stats.ThresholdAt(h.labels, h.scores, specificity)
	if err != nil {
		return modeldir.OperatingPoint{}, fmt.Errorf("no threshold: %w", err)
	}
	positives := 0
	for _, y := range h.labels {
		positives += y
	}
	return modeldir.OperatingPoint{Wanted: specificity, Threshold: threshold, Sensitivity: sensitivity, Specificity: reached,
		Positives: positives / h.repeats, Negatives: (len(h.labels) - positives) / h.repeats, Repeats: h.repeats, Protocol: h.protocol}, nil
}
