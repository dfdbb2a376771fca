// Package explorer_test looks at the explorer page in Chromium.
package explorer_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"synpool/course/explorer/page"
	"synpool/course/memory"
	"synpool/notebooks/browser/browsertest"
)

// committed is the page in the repository.
const committed = "../../../docs/explorer.html"

// build makes the page in this module, as others do that require the one of the page.
func build(t *testing.T) []byte {
	t.Helper()
	html, err := page.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return html
}

// browser starts a browser for two minutes.
func browser(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(browsertest.Start(t, 1100, 900), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// tab opens a tab. Whatever a page says there on the console fails the test.
func tab(t *testing.T, browser context.Context) context.Context {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	err := chromedp.Listen(ctx, func(event any) {
		switch event := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page fails: %s %v", event.ExceptionDetails.Text, event.ExceptionDetails.Exception)
		case *runtime.EventConsoleAPICalled:
			t.Errorf("the page says: %s: %s", event.Type, event.Args[0].Value)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

func do(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// open goes to an address and waits until the page has drawn itself.
func open(address string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(chromedp.Navigate("about:blank"), chromedp.Navigate(address), chromedp.WaitVisible(chromedp.CSS(`body[data-ready="true"]`)))
}

// shown is what the page shows.
type shown struct {
	Weights    []float64 // of the fields beside the sliders
	Steps      float64
	Gamma      float64
	Table      [][]string // rows of what is written
	Exact      [][]string // rows of what it is short for
	Says       string
	Warnings   []string
	Hash       string
	Overflows  bool // the page is wider than the window
	Unlabelled []string
}

// look reads the page after the next frame, which draws what is new.
const look = `new Promise((done) => requestAnimationFrame(() => setTimeout(() => {
	const all = (q) => [...document.querySelectorAll(q)], rows = all('#numbers tbody tr');
	done({
		Weights: all('#weights input[type=number]').map((e) => e.valueAsNumber),
		Steps: document.getElementById('steps-number').valueAsNumber,
		Gamma: document.getElementById('gamma-number').valueAsNumber,
		Table: rows.map((r) => [...r.querySelectorAll('td')].map((e) => e.textContent)),
		Exact: rows.map((r) => [...r.querySelectorAll('td')].map((e) => e.dataset.value || '')),
		Says: document.getElementById('says').textContent,
		Warnings: all('#warnings li').map((e) => e.textContent),
		Hash: location.hash,
		Overflows: document.documentElement.scrollWidth > document.documentElement.clientWidth,
		Unlabelled: all('input, select, button').filter((e) => !(e.labels && e.labels.length) && !e.getAttribute('aria-label') && !e.textContent.trim()).map((e) => e.id),
	});
}, 300)))`

func read(t *testing.T, ctx context.Context) shown {
	t.Helper()
	s, err := chromedp.Run(ctx, chromedp.Evaluate[shown](look, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// redraws moves a slider 51 times and returns how many milliseconds each redraw takes, layout included: the page redraws
// between the two frame callbacks around the move. It fails if the page shows the same as before.
const redraws = `(async () => {
	const slider = document.getElementById('w1'), bar = document.querySelector('#weights .before'), ms = [];
	for (let k = 0; k < 51; k++) {
		const before = bar.style.width;
		slider.value = 0.31 + k / 100;
		ms.push(await new Promise((done) => {
			let start;
			requestAnimationFrame(() => { start = performance.now(); });
			slider.dispatchEvent(new Event('input'));
			requestAnimationFrame(() => { document.body.getBoundingClientRect(); done(performance.now() - start); });
		}));
		if (bar.style.width === before) throw new Error('nothing is redrawn at move ' + k);
	}
	return ms;
})()`

// compare wants the numbers shown to be those of the memory package.
func (s shown) compare(t *testing.T) {
	t.Helper()
	syn, order := memory.Syn{Gamma: s.Gamma}, s.Weights
	for range int(math.Abs(s.Steps)) {
		var err error
		if s.Steps > 0 {
			order, err = syn.Forward(order)
		} else {
			order, err = syn.Inverse(order)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	sum, length := 0.0, 0.0
	for _, w := range order {
		sum, length = sum+w, math.Hypot(length, w)
	}
	if len(s.Table) != len(order) {
		t.Fatalf("%d rows of %d weights", len(s.Table), len(order))
	}
	for i, w := range order {
		for column, want := range map[int]float64{0: s.Weights[i], 2: w, 3: w / sum, 4: w / length} {
			written, err := strconv.ParseFloat(s.Table[i][column], 64)
			exact, errExact := strconv.ParseFloat(s.Exact[i][column], 64)
			if err != nil || errExact != nil || math.Abs(written-want) > 5e-4*want+1e-300 || math.Abs(exact-want) > 1e-14*want {
				t.Errorf("%g steps at gamma %g of %v: weight %d, column %d says %s (%s), want %.17g", s.Steps, s.Gamma, s.Weights, i+1, column, s.Table[i][column], s.Exact[i][column], want)
			}
		}
	}
}

// screenshot keeps a picture of the page where the test's artefacts go, to be looked at.
func screenshot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.ArtifactDir(), name+".png")
	if err := os.WriteFile(path, picture, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s (kept with -artifacts)", path)
}

// TestBrowser opens the page just built and the one in the repository from disk, moves sliders by keyboard and mouse, and
// compares the numbers with the memory package.
func TestBrowser(t *testing.T) {
	file := filepath.Join(t.TempDir(), "explorer.html")
	if err := os.WriteFile(file, build(t), 0o644); err != nil {
		t.Fatal(err)
	}
	chromium := browser(t)
	for name, path := range map[string]string{"built": file, "committed": committed} {
		t.Run(name, func(t *testing.T) {
			absolute, err := filepath.Abs(path)
			if err != nil {
				t.Fatal(err)
			}
			address := "file://" + absolute
			ctx := tab(t, chromium)
			do(t, ctx, open(address))
			first := read(t, ctx)
			first.compare(t)
			if first.Overflows || len(first.Unlabelled) > 0 || len(first.Warnings) > 0 || first.Says == "" {
				t.Errorf("at first: %+v", first)
			}
			screenshot(t, ctx, name+"-wide")

			// By keyboard.
			do(t, ctx, chromedp.Focus(chromedp.ID("w1")), chromedp.KeyEvent(strings.Repeat(kb.ArrowLeft, 7)),
				chromedp.Focus(chromedp.ID("steps")), chromedp.KeyEvent(strings.Repeat(kb.ArrowLeft, 5)))
			second := read(t, ctx)
			second.compare(t)
			if want := first.Weights[0] - 0.007; math.Abs(second.Weights[0]-want) > 1e-9 || second.Steps != first.Steps-5 {
				t.Errorf("after seven keys weight 1 is %g, want %g; after five there are %g steps, from %g", second.Weights[0], want, second.Steps, first.Steps)
			}
			if second.Says == first.Says || second.Table[0][2] == first.Table[0][2] {
				t.Error("the page says the same as before")
			}

			// By mouse: γ to the middle of its slider, dragged from the left.
			drag(t, ctx, "gamma", 0.1, 0.5)
			third := read(t, ctx)
			third.compare(t)
			if third.Gamma == second.Gamma && third.Gamma != 0.5 || math.Abs(third.Gamma-0.5) > 0.06 {
				t.Errorf("gamma is %g, after it was %g", third.Gamma, second.Gamma)
			}

			// The address keeps all of it.
			do(t, ctx, open(address+third.Hash))
			if again := read(t, ctx); fmt.Sprint(again) != fmt.Sprint(third) {
				t.Errorf("opened again at %s:\n%+v, want\n%+v", third.Hash, again, third)
			}
			do(t, ctx, open(address+"#w=0.9,0.1,0.000001,0&i=-2&g=0.5&s=share"))
			fourth := read(t, ctx)
			fourth.compare(t)
			if len(fourth.Weights) != 4 || len(fourth.Warnings) == 0 || !strings.Contains(fourth.Warnings[0], "weight 3") {
				t.Errorf("with a tiny weight and a zero: %+v", fourth)
			}
			screenshot(t, ctx, name+"-float32")

			// A wrong number is told, and a right one ends that.
			enter(t, ctx, "gamma-number", "2")
			if wrong := read(t, ctx); !strings.Contains(wrong.Says, "give a number in (0, 1]") {
				t.Errorf("gamma 2: %q", wrong.Says)
			}
			enter(t, ctx, "gamma-number", "1")
			last := read(t, ctx)
			last.compare(t)
			if len(last.Warnings) == 0 || !strings.Contains(strings.Join(last.Warnings, " "), "divides 0 by 0") {
				t.Errorf("gamma 1 with a zero: %q", last.Warnings)
			}

			// At once, with most of what can be asked for.
			do(t, ctx, open(address+"#w=0.3,0.2,0.1,0.1,0.1,0.1,0.05,0.05&i=-20&g=0.5"))
			ms, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](redraws, chromedp.EvalAwaitPromise))
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(ms)
			if median := ms[len(ms)/2]; median > 50 {
				t.Errorf("a redraw takes %.1f ms, want 50 at most", median)
			} else {
				t.Logf("a redraw takes %.1f ms", median)
			}

			// As wide as a phone.
			ctx = tab(t, chromium)
			do(t, ctx, chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile), open(address+"#w=0.3,0.2,0.1,0.1,0.1,0.1,0.05,0.05&i=-4&g=1"))
			if phone := read(t, ctx); phone.Overflows || len(phone.Weights) != 8 {
				t.Errorf("on a phone: %+v", phone)
			}
			screenshot(t, ctx, name+"-phone")
		})
	}
}

// TestFrame shows the page within another, as a notebook does.
func TestFrame(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "<!doctype html><title>notebook</title>%s", page.Frame(build(t), 1100))
	}))
	defer server.Close()
	ctx := tab(t, browser(t))
	do(t, ctx, chromedp.Navigate(server.URL))
	says, err := chromedp.Run(ctx, chromedp.Poll[string](`(() => {
		const inside = document.querySelector('iframe').contentDocument;
		return inside && inside.body && inside.body.dataset.ready && inside.getElementById('says').textContent;
	})()`, chromedp.WithPollingTimeout(time.Minute)))
	if err != nil || !strings.Contains(says, "After 3 steps forward") {
		t.Errorf("within a frame: %q, %v", says, err)
	}
	screenshot(t, ctx, "frame")
}

// enter types into a field in place of what is there.
func enter(t *testing.T, ctx context.Context, field, text string) {
	t.Helper()
	do(t, ctx, chromedp.Focus(chromedp.ID(field)))
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[any]("document.activeElement.select()")); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.KeyEvent(text))
}

// drag moves the thumb of a slider from one share of its width to another.
func drag(t *testing.T, ctx context.Context, slider string, from, to float64) {
	t.Helper()
	box, err := chromedp.Run(ctx, chromedp.Evaluate[struct{ Left, Top, Width, Height float64 }](fmt.Sprintf(`(() => {
		const e = document.getElementById(%q);
		e.scrollIntoView({block: 'center'});
		const b = e.getBoundingClientRect();
		return {Left: b.left, Top: b.top, Width: b.width, Height: b.height};
	})()`, slider)))
	if err != nil {
		t.Fatal(err)
	}
	y := box.Top + box.Height/2
	do(t, ctx, chromedp.DragAndDropXY(box.Left+from*box.Width, y, box.Left+to*box.Width, y))
}
