package cell

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
	"github.com/janpfeifer/gonb/gonbui/dom"
	"github.com/janpfeifer/gonb/gonbui/widgets"

	"synpool/internal/notebook"
	"synpool/plotting"
)

// Control is an input that the reader can change while a cell runs: a slider or a list of options.
type Control struct {
	name                string
	first, step         float64 // of a slider: first value and distance between values
	positions, decimals int
	options             []string // of a list

	mu sync.Mutex
	at int
}

// Slider returns a control for numbers from first to last in steps; it starts at value.
func Slider(name string, first, last, step, value float64) *Control {
	const rounding = 1e-9
	at := (value - first) / step
	if !(step > 0 && last > first && value >= first && value <= last) || math.Abs(at-math.Round(at)) > rounding*math.Abs(at) {
		Check(fmt.Errorf("the slider %s goes from %v to %v by %v and begins at %v: give first < last, a step above 0 and a value that the steps reach", name, first, last, step, value))
	}
	c := &Control{name: name, first: first, step: step, positions: 1 + int(math.Floor((last-first)/step+rounding)), at: int(math.Round(at))}
	for _, number := range []float64{first, step} {
		_, digits, _ := strings.Cut(strconv.FormatFloat(number, 'f', -1, 64), ".")
		c.decimals = max(c.decimals, len(digits))
	}
	return c
}

// Pick returns a control for one of several options; it starts at the first.
func Pick(name string, options ...string) *Control {
	if len(options) == 0 {
		Check(fmt.Errorf("the list %s has no options", name))
	}
	return &Control{name: name, options: options, positions: len(options)}
}

// At makes a list start at the given option.
func (c *Control) At(option string) *Control {
	at := slices.Index(c.options, option)
	if at < 0 {
		Check(fmt.Errorf("the list %s: %w", c.name, missing("option", option, slices.Clone(c.options))))
	}
	c.move(at)
	return c
}

// Value returns the value of a slider, or the index of the selected option, from 0.
func (c *Control) Value() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.options != nil {
		return float64(c.at)
	}
	scale := math.Pow10(c.decimals)
	return math.Round((c.first+c.step*float64(c.at))*scale) / scale
}

// Int returns the value rounded to an integer.
func (c *Control) Int() int { return int(math.Round(c.Value())) }

// String returns the selected option, or the value of a slider.
func (c *Control) String() string {
	if c.options != nil {
		return c.options[c.Int()]
	}
	return strconv.FormatFloat(c.Value(), 'f', c.decimals, 64)
}

// move sets the position, and reports whether it has changed.
func (c *Control) move(at int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at = min(max(at, 0), c.positions-1)
	moved := at != c.at
	c.at = at
	return moved
}

// How long a live cell waits: for the page to answer, for the first change, and after the last.
const (
	answered  = 5 * time.Second
	untouched = 15 * time.Second
	touched   = 45 * time.Second
)

// Live shows the result of draw, and updates it whenever the reader moves a control. The cell ends 45 s after the last
// change, 15 s after its start if nobody touches a control, and at once when it is stopped. The last result stays under the
// cell. If no page answers (a saved notebook, a test, an editor without GoNB's widgets), Live shows the result of draw once.
func Live(draw func() any, controls ...*Control) {
	if !notebook.Running() || len(controls) == 0 {
		Show(draw())
		return
	}
	stopped := interrupted().Done()
	id := gonbui.UniqueId()
	host, picture := "controls_"+id, "picture_"+id
	value := draw()
	redraw := func() { gonbui.UpdateHTML(picture, asHTML(value)+state(controls)) }
	moved, ready := make(chan struct{}, 1), make(chan struct{})
	gonbui.UpdateHTML(host, fmt.Sprintf(`<div id="%s"></div>`, host))
	redraw()
	go func() { // it does not return if no page answers
		for i, c := range controls {
			c.build(host, fmt.Sprintf("%s_%d", host, i), moved)
		}
		close(ready)
	}()
	left := time.NewTimer(answered)
	select {
	case <-ready:
		left.Reset(untouched)
		for live := true; live; {
			select {
			case <-moved:
				value = draw()
				redraw()
				left.Reset(touched)
			case <-left.C:
				live = false
			case <-stopped:
				live = false
			}
		}
	case <-left.C:
	case <-stopped:
	}
	gonbui.UpdateHTML(host, "")
	gonbui.UpdateHTML(picture, "")
	Show(value)
}

// build adds the control to an element of the page and sends each change to moved. It returns once the page has answered.
func (c *Control) build(host, id string, moved chan<- struct{}) {
	address := "/control/" + id
	comms.Subscribe(address, func(_ string, at int) {
		if c.move(at) {
			select {
			case moved <- struct{}{}:
			default: // a change is already waiting
			}
		}
	})
	dom.Append(host, fmt.Sprintf(`<label id="%s" style="display:block">%s </label>`, id, html.EscapeString(c.name)))
	if c.options != nil {
		var options []string // as HTML
		for _, option := range c.options {
			options = append(options, html.EscapeString(option))
		}
		widgets.Select(options).WithAddress(address).WithHtmlId(id + "_input").SetDefault(c.at).AppendTo(id).Done()
		return
	}
	widgets.Slider(0, c.positions-1, c.at).WithAddress(address).WithHtmlId(id + "_input").AppendTo(id).Done()
}

// state returns the positions of the controls as text.
func state(controls []*Control) string {
	var all []string
	for _, c := range controls {
		all = append(all, c.name+" "+c.String())
	}
	return fmt.Sprintf(`<p style="font-size:smaller">%s. The cell listens for %d s, and for %d s after each touch, or until you stop it.</p>`,
		html.EscapeString(strings.Join(all, ", ")), int(untouched.Seconds()), int(touched.Seconds()))
}

// asHTML returns the HTML that [Show] displays for a value.
func asHTML(v any) string {
	var b strings.Builder
	for _, part := range parts(v) {
		switch part := part.(type) {
		case Card:
			if part.html == "" {
				part.html = part.asHTML()
			}
			b.WriteString(part.html)
		case *plotting.Figure:
			fmt.Fprintf(&b, `<img alt="figure" style="max-width:100%%" src="%s">`, Must(part.DataURI()))
		case string:
			fmt.Fprintf(&b, "<pre>%s</pre>", html.EscapeString(part))
		}
	}
	return b.String()
}
