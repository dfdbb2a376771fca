package cell

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"synpool/plotting"
)

// TestSweep: each value has a row, and the figure goes along the values.
func TestSweep(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	sweep := Sweep(Open(slides(t, "slides.csv", 20, true)), Syn(3).Epochs(2), "iterations", 3, -3, 0).Folds(2).Repeats(1)
	said := printed(t, func() { Show(sweep) })
	wants(t, said, "6 fits trained", "syn I=-3", "syn I=0", "syn I=3")
	var drawing bytes.Buffer
	if err := sweep.Figure().Write(&drawing, plotting.SVG); err != nil || !strings.Contains(drawing.String(), ">iterations<") || !strings.Contains(drawing.String(), ">95 % interval<") {
		t.Errorf("%d bytes, %v", drawing.Len(), err)
	}
	figure := sweep.Transfers()
	if rates := sweep.TransferRates(Syn(0).Epochs(2)); figure == nil || len(rates) != 2 || len(rates[0]) != 1 {
		t.Errorf("%v", rates)
	}
}

// TestAblate: one row for each change, against the learner itself.
func TestAblate(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	bags := Open(slides(t, "slides.csv", 20, true))
	var d *Differences
	said := printed(t, func() {
		d = Ablate(bags, Softmax.Epochs(1), "scale", 1, "heads", 1)
		Show(d)
	})
	wants(t, said, "60 fits trained", "less the other", "95 % interval", "heads=1", "scale=1", "open: these folds cannot tell")
	if all := d.All(); len(all) != 2 || all[0].Low > all[0].Difference || all[0].High < all[0].Difference {
		t.Errorf("%+v", all)
	}
}

// TestWithout: the winner of a bag with a single large cell moves the score of a learner of instances most.
func TestWithout(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	bags := Open(slides(t, "slides.csv", 20, true))
	moved := Train(bags, Named("instance")).Without(bags)
	said := printed(t, func() { Show(moved) })
	wants(t, said, "the winner", "another instance", "of 20 bags")
	share := Train(bags, Named("instance")).Without(bags, 0.5)
	said = printed(t, func() { Show(share) })
	wants(t, said, "50 % with the largest weights", "as many others")
	if w, o := share.Winners(), share.Others(); w[1] <= o[1] || slices.Equal(w, moved.Winners()) {
		t.Errorf("%v and %v", w, o)
	}
	if w, o := moved.Winners(), moved.Others(); len(w) != 20 || len(o) != 20 || w[1] <= o[1] {
		t.Errorf("%v and %v", w, o)
	}
}
