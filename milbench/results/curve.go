package results

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"synpool/milbench/cv"
)

// CurvesName is the name of the file with curves in a results folder.
const CurvesName = "curves.jsonl"

// Curve is the training history of a fit: one line of curves.jsonl. Its lists have one value per epoch, the first
// epoch first.
//
// The labels of the test part do not influence it. It has the main figure ([Row]) of the validation part, if the
// protocol has one, but not of the test part.
type Curve struct {
	Fit    string          `json:"fit"` // as in [Result]
	Set    string          `json:"set"`
	Repeat int             `json:"repeat"` // from 0
	Fold   int             `json:"fold"`   // from 0
	Config json.RawMessage `json:"config"`

	Loss       []float64 `json:"loss"`                 // mean training loss over the training bags
	Validation []float64 `json:"validation,omitempty"` // only under the nested protocol

	// WinnersChanged is the share of winners (instances with the largest weight) that differ from the previous epoch,
	// over all heads and held-out bags (validation and test part). It is null for the first epoch, and for all epochs
	// if the pooling has no winners.
	WinnersChanged []*float64 `json:"winners_changed"`

	// Changes has such shares of several parts and ways, for fits with [cv.Fit.Winners].
	Changes []Changes `json:"changes,omitempty"`
}

// Changes is how often the winners of a part change, see [synpool/milbench/learner.Winners].
type Changes struct {
	Part   string    `json:"part"`
	Way    string    `json:"way"`
	Shares []float64 `json:"shares,omitempty"` // that differ from the previous epoch, from the second epoch on
	Least  float64   `json:"least"`            // in a [MeanCurve]: the smallest share, averaged over the fits
}

// Validate returns an error if c is unusable: no fit or set, a repeat or fold below 0, lists of different lengths,
// values that are not finite, or shares outside 0 to 1.
func (c Curve) Validate() error {
	n := len(c.Loss)
	switch {
	case c.Fit == "" || c.Set == "":
		return errors.New("no fit or no set")
	case c.Repeat < 0 || c.Fold < 0:
		return fmt.Errorf("repeat %d, fold %d is out of range", c.Repeat, c.Fold)
	case n == 0:
		return errors.New("no epochs")
	case len(c.WinnersChanged) != n || len(c.Validation) != n && len(c.Validation) != 0:
		return fmt.Errorf("%d losses, %d figures of the validation part and %d changes of winners; one of each per epoch is needed",
			n, len(c.Validation), len(c.WinnersChanged))
	}
	for _, change := range c.Changes {
		if len(change.Shares) != n-1 {
			return fmt.Errorf("%d losses and %d changes of winners of the part %q; one less is needed", n, len(change.Shares), change.Part)
		}
	}
	for _, share := range c.WinnersChanged {
		if share != nil && !(*share >= 0 && *share <= 1) {
			return fmt.Errorf("%v is not a share; these are from 0 to 1", *share)
		}
	}
	for i, v := range slices.Concat(c.Loss, c.Validation) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("epoch %d: a loss or figure of %v; they are finite", i%n+1, v)
		}
	}
	_, err := cv.CanonicalSetting(c.Config)
	return err
}

// ReadCurves returns the curves in a folder, once per fit. It works while a run is writing: an incomplete last line
// is ignored. If the folder has no file of curves, the error wraps [fs.ErrNotExist].
func ReadCurves(dir string) ([]Curve, error) {
	curves, err := records(filepath.Join(dir, CurvesName), "curves", Curve.fit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no curves; run with --curves to record them: %w", dir, fs.ErrNotExist)
	}
	return curves, err
}

// fit returns the id of the fit.
func (c Curve) fit() string { return c.Fit }

// OpenCurves opens the file of curves for appending and returns the fits in it.
//
// A fit's curve is written before its result. A killed run may therefore leave a curve without a result, or an
// incomplete last line. OpenCurves removes both first: it writes a new file, which replaces the old one when complete, or
// empties the old one if nothing is left.
func (f *File) OpenCurves() (fits map[string]bool, err error) {
	path := filepath.Join(filepath.Dir(f.path), CurvesName)
	var size int64 // of the file
	if _, err := os.Stat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	} else if err == nil {
		finished := f.Finished()
		if fits, size, err = rewrite(context.Background(), []string{path}, path, removeIt, Curve.fit, func(fit string) bool { return finished[fit] }); err != nil {
			return nil, err
		}
	}
	f.curves, err = openLines(path, "curves", func(io.Reader) (int64, error) { return size, nil })
	return fits, err
}
