package evaluate

import (
	"context"
	"fmt"
	"io"
	"slices"

	"synpool/milbench/learners"
	"synpool/milbench/localise"
	"synpool/milbench/mil"
	"synpool/milbench/predict"
	"synpool/milbench/results"
)

// Instances has figures of the scores of instances, where their labels are known and a bag has instances of both kinds. A label
// above 0 is positive.
type Instances struct {
	// Judged is the column of milbench predict --instances that is judged ([mil.Prediction.Instances]): "weight" of a
	// network, averaged over the heads, or "score" of another model; for several classes, the score for the class with the
	// largest score of the bag.
	Judged string `json:"judged,omitempty"`

	Why string `json:"why,omitempty"` // why there are no figures

	All      int `json:"instances"`
	Positive int `json:"positive"`
	Bags     int `json:"bags"` // with instances of both kinds
	Lesions  int `json:"lesions,omitempty"`

	// Figures lists those of package localise, with intervals of the bootstrap over units. First come AUC, AP and Dice in each bag
	// with instances of both kinds, as means over these bags; then the same of the instances of all bags as one list; and,
	// if bags have positions, the mean FROC sensitivity and those at [localise.Rates].
	Figures []Figure `json:"figures,omitempty"`
}

// predicted returns what the model says of the bags and, if labels of instances are known, figures of the scores of instances.
func predicted(ctx context.Context, model learners.Model, set *mil.Set, seed uint64) ([]mil.Prediction, *Instances, error) {
	if !localise.Known(set) {
		predictions, err := model.Predict(ctx, set.Instances(), false)
		return predictions, nil, err
	}
	s := &Instances{}
	predictions, err := model.Predict(ctx, set.Instances(), true)
	switch {
	case ctx.Err() != nil:
		return nil, nil, err
	case err != nil: // the model may still score bags
		s.Why = predict.WithID(set, err).Error()
		predictions, err = model.Predict(ctx, set.Instances(), false)
	default:
		err = s.judge(set, predictions, seed)
	}
	return predictions, s, err
}

// judge sets the figures.
func (s *Instances) judge(set *mil.Set, predictions []mil.Prediction, seed uint64) error {
	if s.Judged = "score"; predictions[0].Weights != nil {
		s.Judged = "weight"
	}
	placed, unplaced := false, "" // a bag with positive instances without positions
	bags, err := localise.Truth(set)
	if err != nil {
		return err
	}
	own := make([]localise.Figures, len(bags))
	for i, b := range bags {
		if b, err = b.Scored(predictions[i].Instances); err != nil {
			return err
		}
		bags[i], placed = b, placed || set.Bags[i].Coordinates != nil
		if n := b.Positives(); n > 0 {
			if s.Positive += n; b.Lesion == nil {
				unplaced = b.ID
			}
		}
		s.All, s.Lesions = s.All+len(b.Scores), s.Lesions+b.Lesions
		if b.Both() {
			s.Bags++
			own[i] = localise.NewPool(bags[i : i+1]).Figures(nil)
		}
	}
	pool := localise.NewPool(bags)
	names := []string{"instance AUC", "instance AP", "instance Dice", "pooled instance AUC", "pooled instance AP", "pooled instance Dice"}
	rates := placed && unplaced == ""
	if rates {
		names = append(names, froc)
		for _, rate := range localise.Rates {
			names = append(names, fmt.Sprintf("sensitivity at %g", rate))
		}
	}
	// values returns all figures of the bags, each taken as often as counts says.
	values := func(counts []int) []float64 {
		var n, auc, ap, dice float64
		for i, count := range counts {
			if bags[i].Both() {
				c := float64(count)
				n, auc, ap, dice = n+c, auc+c*own[i].AUC, ap+c*own[i].AP, dice+c*own[i].Dice
			}
		}
		f := pool.Figures(counts)
		all := []float64{auc / n, ap / n, dice / n, f.AUC, f.AP, f.Dice}
		if rates {
			all = append(append(all, f.FROC.Mean), f.FROC.Sensitivity[:]...)
		}
		return all
	}
	plain := values(slices.Repeat([]int{1}, len(bags)))
	of := Scored{Bags: make([]results.ScoredBag, len(bags)), Units: mil.Units(set.Bags)}
	var drawn [][]float64 // all figures of each draw, which are the same draws for each figure
	for k, name := range names {
		f, draw := Figure{Name: name, Value: &plain[k]}, 0
		if err := f.bootstrap(of, seed, func(items []int) (float64, error) {
			if draw == len(drawn) {
				counts := make([]int, len(bags))
				for _, i := range items {
					counts[i]++
				}
				drawn = append(drawn, values(counts))
			}
			draw++
			return drawn[draw-1][k], nil
		}); err != nil {
			return err
		}
		s.Figures = append(s.Figures, f)
	}
	if placed && !rates {
		s.Figures = append(s.Figures, Figure{Name: froc, Why: fmt.Sprintf("bag %s has positive instances without positions; give all bags positions", unplaced)})
	}
	return nil
}

// froc is the name of the mean sensitivity.
const froc = "FROC sensitivity"

// write writes the figures as text.
func (s *Instances) write(w io.Writer) {
	if s.Why != "" {
		fmt.Fprintf(w, "\nno figures of instances: %s\n", s.Why)
		return
	}
	fmt.Fprintf(w, "\n%d of %d instances are positive; bags with both kinds: %d", s.Positive, s.All, s.Bags)
	if s.Lesions > 0 {
		fmt.Fprintf(w, "; lesions: %d", s.Lesions)
	}
	fmt.Fprintf(w, "; judged: the %s that milbench predict --instances prints\n", s.Judged)
	writeFigures(w, s.Figures)
	fmt.Fprintf(w, "instance AUC, AP and Dice: in each bag with both kinds, mean over these bags; pooled: the instances of all bags as one list\n")
	fmt.Fprintf(w, "Dice: above Otsu's threshold, which knows no label\n")
	if slices.ContainsFunc(s.Figures, func(f Figure) bool { return f.Name == froc && f.Value != nil }) {
		fmt.Fprintf(w, "sensitivity at 1: share of the lesions found with 1 false positive per bag; FROC sensitivity: mean of the six\n")
	}
}
