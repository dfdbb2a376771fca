package evaluate

import (
	"fmt"

	"synpool/milbench/learners/modeldir"
	"synpool/milbench/stats"
)

// Point is the performance of a model card's threshold on new bags.
type Point struct {
	Wanted      float64 `json:"wanted"` // the specificity it was chosen for
	Threshold   float64 `json:"threshold"`
	Sensitivity Share   `json:"sensitivity"`
	Specificity Share   `json:"specificity"`

	Training modeldir.OperatingPoint `json:"training"` // performance on the bags that chose it
}

// Share is the share of some bags that are classified correctly.
type Share struct {
	Right int      `json:"right"`
	Of    int      `json:"of"`
	Value *float64 `json:"value"` // null without bags
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`

	Method string `json:"method,omitempty"` // method of the interval
}

// operate applies the operating points of a model card to the scores of new bags with two classes. The new bags do
// not influence the thresholds. Intervals are from Clopper and Pearson ([stats.ShareInterval]), who assume
// independent bags. If bags come in groups, the intervals are too narrow, and Method says so.
func operate(points []modeldir.OperatingPoint, s Scored) ([]Point, error) {
	var list []Point
	for _, o := range points {
		p := Point{Wanted: o.Wanted, Threshold: o.Threshold, Training: o}
		for _, b := range s.Bags {
			share := &p.Specificity
			if b.Label == 1 {
				share = &p.Sensitivity
			}
			share.Of++
			if (b.Scores[0] > o.Threshold) == (b.Label == 1) {
				share.Right++
			}
		}
		for _, share := range []*Share{&p.Sensitivity, &p.Specificity} {
			if err := share.measure(s.grouped()); err != nil {
				return nil, err
			}
		}
		list = append(list, p)
	}
	return list, nil
}

// measure sets the value and the interval of a share.
func (s *Share) measure(grouped bool) error {
	if s.Of == 0 {
		return nil
	}
	value := float64(s.Right) / float64(s.Of)
	low, high, err := stats.ShareInterval(float64(s.Right), s.Of, level)
	if err != nil {
		return fmt.Errorf("operating point: %w", err)
	}
	s.Value, s.Low, s.High, s.Method = &value, &low, &high, "Clopper-Pearson"
	if grouped {
		s.Method += " of bags; too narrow, because bags of one group are alike"
	}
	return nil
}
