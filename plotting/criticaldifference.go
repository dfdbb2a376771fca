package plotting

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// MethodRank is the average rank of a method over data sets or folds; 1 is the best.
type MethodRank struct {
	Name string
	Rank float64
}

// Measures of the diagram.
const (
	mostMethods  = 40
	fullAxis     = 15               // up to this many methods the axis shows every rank
	wider        = 5 * vg.Length(1) // extra width of the figure per further method
	methodName   = 1.55 * vg.Inch   // maximum
	methodPitch  = 14 * vg.Length(1)
	lanePitch    = 6 * vg.Length(1)  // distance between bars
	differenceAt = 15 * vg.Length(1) // distance from the top to the bar of the critical difference
	rankAxis     = 50 * vg.Length(1) // distance from the top to the axis
)

// CriticalDifference draws a critical difference diagram: the average ranks of up to 40 methods on an axis, the best on the
// right. For up to 15 methods the axis covers all ranks from 1; for more it covers the range of the average ranks. A bar
// joins each group of methods that do not differ significantly: their largest and smallest average ranks are less than the
// critical difference apart. After Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of
// Machine Learning Research 7 (2006), figure 1.
func CriticalDifference(title string, methods []MethodRank, difference float64) (f *Figure, err error) {
	defer about(&err, "drawing a critical difference")
	if err := checkRanks(methods, difference); err != nil {
		return nil, err
	}
	sorted := slices.SortedStableFunc(slices.Values(methods), func(a, b MethodRank) int { return cmp.Compare(a.Rank, b.Rank) })
	d := ranking{sorted, difference, lanes(sorted, joined(sorted, difference))}
	var entries []entry
	if len(d.lanes) > 0 {
		entries = append(entries, entry{label: "methods that cannot be told apart", line: joint()})
	}
	height := d.names() + vg.Length((len(sorted)+1)/2)*methodPitch
	width := figureWidth + vg.Length(max(0, len(sorted)-fullAxis))*wider
	return newDrawing(title, entries, width, height, d.draw), nil
}

// checkRanks reports why ranks cannot be drawn.
func checkRanks(methods []MethodRank, difference float64) error {
	k := len(methods)
	switch {
	case k < 2:
		return errors.New("ranks need two methods at least")
	case k > mostMethods:
		return fmt.Errorf("%d methods; at most %d fit in a figure", k, mostMethods)
	case !(0 < difference && difference <= largest):
		return fmt.Errorf("the critical difference %v is not a number above 0", difference)
	}
	sum := 0.0
	for i, m := range methods {
		switch {
		case strings.TrimSpace(m.Name) == "":
			return fmt.Errorf("method %d has no name", i+1)
		case slices.ContainsFunc(methods[:i], func(o MethodRank) bool { return o.Name == m.Name }):
			return fmt.Errorf("method %q occurs twice", m.Name)
		case !(1 <= m.Rank && m.Rank <= float64(k)):
			return fmt.Errorf("method %q: the rank %v is not between 1 and %d", m.Name, m.Rank, k)
		}
		sum += m.Rank
	}
	if mean, want := sum/float64(k), float64(k+1)/2; math.Abs(mean-want) > 0.006 {
		return fmt.Errorf("the mean of the ranks is %.3f, that of %d methods is %g", mean, k, want)
	}
	return nil
}

// joined returns the first and last method of each group that does not differ; methods are sorted by rank. Groups of one
// method, or inside another group, are left out.
func joined(sorted []MethodRank, difference float64) [][2]int {
	var groups [][2]int
	end := 0
	for first := range sorted {
		last := first
		for last+1 < len(sorted) && sorted[last+1].Rank-sorted[first].Rank < difference {
			last++
		}
		if last > first && last > end {
			groups = append(groups, [2]int{first, last})
			end = last
		}
	}
	return groups
}

// lanes puts each group, in order, into the first lane where there is a gap to the other groups, so that two groups do not
// look like one.
func lanes(sorted []MethodRank, groups [][2]int) [][][2]int {
	distance := 0.03 * float64(len(sorted)-1)
	var lanes [][][2]int
	for _, g := range groups {
		at := slices.IndexFunc(lanes, func(l [][2]int) bool {
			return sorted[g[0]].Rank-sorted[l[len(l)-1][1]].Rank >= distance
		})
		if at < 0 {
			at, lanes = len(lanes), append(lanes, nil)
		}
		lanes[at] = append(lanes[at], g)
	}
	return lanes
}

// joint returns the stroke of the bar that joins a group.
func joint() draw.LineStyle { return draw.LineStyle{Color: colour(0), Width: 3} }

// ranking draws methods sorted by rank.
type ranking struct {
	methods    []MethodRank
	difference float64
	lanes      [][][2]int
}

// names returns the distance from the top to the names.
func (d ranking) names() vg.Length { return rankAxis + vg.Length(len(d.lanes))*lanePitch + 12 }

// ends returns the ranks at the ends of the axis.
func (d ranking) ends() (low, high float64) {
	k := len(d.methods)
	if k <= fullAxis {
		return 1, float64(k)
	}
	low, high = math.Floor(d.methods[0].Rank), math.Ceil(d.methods[k-1].Rank)
	return low, max(high, low+1)
}

// draw paints the diagram.
func (d ranking) draw(c *draw.Canvas) {
	k := len(d.methods)
	text, small := plain(9), plain(8)
	small.Color = muted
	label := func(m MethodRank) string { return fit(text, m.Name, methodName) }
	number := func(m MethodRank) string { return strconv.FormatFloat(m.Rank, 'f', 2, 64) }
	room := widest(small, []string{number(MethodRank{Rank: float64(k)})}) + 18
	side := vg.Length(0) // width of the widest name
	for _, m := range d.methods {
		side = max(side, text.Width(label(m)))
	}
	left, right := c.Min.X+side+room, c.Max.X-side-room
	low, high := d.ends()
	pitch := (right - left) / vg.Length(high-low)
	x := func(rank float64) vg.Length { return right - vg.Length(rank-low)*pitch }
	axis := c.Max.Y - rankAxis
	stroke := draw.LineStyle{Color: ink, Width: 0.8}

	// The axis and its ticks.
	c.StrokeLine2(stroke, left, axis, right, axis)
	every, first := roundStep(pitch, text.Width(strconv.Itoa(k))+4), int(low)
	for rank := first; rank <= int(high); rank++ {
		if first == 1 && (rank-1)%every == 0 || first > 1 && rank%every == 0 {
			c.StrokeLine2(stroke, x(float64(rank)), axis, x(float64(rank)), axis+4)
			c.FillText(aligned(text, draw.XCenter), vg.Point{X: x(float64(rank)), Y: axis + 10}, strconv.Itoa(rank))
		}
	}
	c.FillText(aligned(plain(10), draw.XLeft), vg.Point{X: left, Y: axis + 23}, "Average rank")

	// The critical difference above it.
	y, length := c.Max.Y-differenceAt, vg.Length(d.difference)*pitch
	says := "critical difference " + strconv.FormatFloat(d.difference, 'g', 3, 64)
	if room := right - left; length > room {
		length = room
		says += ", longer than the axis"
	}
	bar := draw.LineStyle{Color: colour(1), Width: 2}
	c.StrokeLine2(bar, right-length, y, right, y)
	for _, end := range []vg.Length{right - length, right} {
		c.StrokeLine2(draw.LineStyle{Color: colour(1), Width: 1}, end, y-3, end, y+3)
	}
	c.FillText(aligned(text, draw.XRight), vg.Point{X: right, Y: y + 9}, says)

	// The methods: the better half, from the best downwards, to the right, the others, from the worst, to the left.
	for i, m := range d.methods {
		row, to, align, sign := i, right+10, draw.XLeft, vg.Length(1)
		if i >= (k+1)/2 {
			row, to, align, sign = k-1-i, left-10, draw.XRight, -1
		}
		y := c.Max.Y - d.names() - (vg.Length(row)+0.5)*methodPitch
		c.StrokeLines(stroke, []vg.Point{{X: x(m.Rank), Y: axis}, {X: x(m.Rank), Y: y}, {X: to, Y: y}})
		c.FillText(aligned(text, align), vg.Point{X: to + 3*sign, Y: y}, label(m))
		c.FillText(aligned(small, align), vg.Point{X: to + 3*sign + sign*(text.Width(label(m))+4), Y: y}, number(m))
	}
	for lane, groups := range d.lanes {
		y := axis - (vg.Length(lane)+1)*lanePitch
		for _, g := range groups {
			c.StrokeLine2(joint(), x(d.methods[g[1]].Rank)-2, y, x(d.methods[g[0]].Rank)+2, y)
		}
	}
}
