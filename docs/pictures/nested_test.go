package pictures

import (
	"encoding/json"
	"fmt"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/dataset"
)

// lines writes lines of text below each other.
func (p *picture) lines(x, y float64, class string, lines ...string) {
	for i, line := range lines {
		p.text(x, y+20*float64(i), class, "%s", line)
	}
}

// TestNested draws the nested protocol with the parts into which it cuts Musk 1.
func TestNested(t *testing.T) {
	set, err := dataset.Musk1()
	must(t, err)
	drawn, usual := cv.Nested(), cv.Nested()
	drawn.Folds, drawn.Repeats, drawn.Inner = 5, 1, 3
	fits, err := drawn.Fits(set, []json.RawMessage{json.RawMessage("{}")}, 1)
	must(t, err)
	fit := fits[0]
	inner := fit.Inner[:drawn.Inner] // the first cut
	held := 0
	for _, part := range inner {
		held += len(part)
	}
	if len(fits) != drawn.Folds || held != len(fit.Train) || len(fit.Train)+len(fit.Test) != len(set.Bags) {
		t.Fatalf("%d fits, %d of %d training bags are held out, %d test bags", len(fits), held, len(fit.Train), len(fit.Test))
	}
	p := &picture{height: 600, title: "The nested protocol: inner folds choose, outer folds test",
		desc: fmt.Sprintf("All bags are cut into outer folds, drawn here as %d. Each tests once, and the others train. The %d bags of Musk 1 give %d for training and %d for the test. "+
			"Each training part is cut into inner folds, drawn here as %d. Every setting is trained on the rest of the training part and scored on the inner fold after each epoch. "+
			"Then: 1, choose the setting and epoch with the best AUC on the inner folds. 2, train again on the whole training part. 3, score the test part once; it chose nothing.",
			drawn.Folds, len(set.Bags), len(fit.Train), len(fit.Test), drawn.Inner)}
	const left, all = 84, 400.0
	p.text(20, 32, "head", "Outer folds: one tests, the others train")
	for i := range drawn.Folds {
		y := 46 + 24*float64(i)
		p.text(20, y+15, "minor", "fold %d", i+1)
		for k := range drawn.Folds {
			class := "one"
			if k == i {
				class = "two"
			}
			p.box(left+80*float64(k), y, 77, 18, 3, class)
		}
	}
	p.box(498, 46, 16, 16, 3, "one")
	p.text(520, 59, "", "training part")
	p.box(498, 70, 16, 16, 3, "two")
	p.text(520, 83, "", "test part")
	p.lines(498, 113, "minor", "Fold 1 of Musk 1:", fmt.Sprintf("%d bags train,", len(fit.Train)), fmt.Sprintf("%d test.", len(fit.Test)))
	p.text(20, 194, "head", "Inner folds of the training part of fold 1: they choose")
	p.text(20, 216, "", "Every setting learns the blue inner folds. The green one scores it after each epoch.")
	const from = left + 80 // the training part of fold 1 begins there
	for i := range inner {
		y := 232 + 24*float64(i)
		p.text(from-8, y+15, "minor end", "inner fold %d", i+1)
		for k := range inner {
			class := "one"
			if k == i {
				class = "three"
			}
			w := (left + all - from) / float64(len(inner))
			p.box(from+w*float64(k), y, w-3, 18, 3, class)
		}
	}
	p.line(from-1.5, 46, from-1.5, 172, "dash")
	p.line(left+all-1.5, 46, left+all-1.5, 172, "dash")
	p.box(498, 234, 16, 16, 3, "one")
	p.text(520, 247, "", "learns")
	p.box(498, 258, 16, 16, 3, "three")
	p.text(520, 271, "", "scores")
	p.arrow(from+26, 306, from+26, 324)
	for i, step := range []struct {
		edge, class, name string
		lines             []string
	}{
		{"edge3", "good", "1. Choose", []string{"The setting and epoch", "with the best AUC on", "the inner folds win."}},
		{"edge1", "said", "2. Train again", []string{"That setting learns the", "whole training part, up", "to that epoch."}},
		{"edge2", "warn", "3. Test once", []string{"The test part is scored.", "It chose nothing, so", "its AUC is honest."}},
	} {
		x := 20 + 206*float64(i)
		p.box(x, 328, 188, 116, 8, "box "+step.edge)
		p.text(x+12, 354, "head "+step.class, "%s", step.name)
		p.lines(x+12, 380, "", step.lines...)
		if i > 0 {
			p.arrow(x-17, 386, x-2, 386)
		}
	}
	p.box(12, 460, width-24, 128, 8, "panel")
	p.lines(24, 486, "", "Each outer fold does this on its own, so each may choose another setting.",
		"The table reports the mean AUC of the test parts.",
		fmt.Sprintf("By default there are %d outer folds, %d inner folds and %d repeats.", usual.Folds, usual.Inner, usual.Repeats),
		"The protocol called honest has no inner folds: the setting is fixed before,",
		"and the last epoch counts.")
	p.keep(t, "nested.svg")
}
