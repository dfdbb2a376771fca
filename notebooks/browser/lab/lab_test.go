// Package lab_test drives the notebooks in JupyterLab in Chromium; it needs notebooks/lab --install.
package lab_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"synpool/notebooks/browser/browsertest"
	"synpool/notebooks/internal/labtest"
)

const (
	notebooks = "../.."                             // the folder of the notebooks
	small     = notebooks + "/testdata/small.ipynb" // a notebook as it should be
)

// lab starts JupyterLab as users do, by notebooks/lab, without settings of whoever runs the test, and returns its address.
func lab(t *testing.T) *url.URL {
	t.Helper()
	labtest.Environment(t, notebooks) // or notebooks/lab would install it
	own := t.TempDir()
	for name, settings := range map[string]string{
		"notebook-extension/tracker":  `{"windowingMode": "none"}`, // every cell is in the page, seen or not
		"docmanager-extension/plugin": `{"autosave": false}`,       // the notebooks stay as they are
	} {
		path := filepath.Join(own, "settings", "@jupyterlab", filepath.FromSlash(name)+".jupyterlab-settings")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(settings), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	cmd := exec.Command(filepath.Join(notebooks, "lab"), "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", "--LabApp.expose_app_in_browser=True",
		"--AsyncFileCheckpoints.checkpoint_dir="+filepath.Join(own, "checkpoints"))
	cmd.Env = append(os.Environ(), "JUPYTER_TOKEN=of-this-test", "JUPYTER_CONFIG_DIR="+own, "JUPYTER_DATA_DIR="+own, "JUPYTER_RUNTIME_DIR="+own,
		"JUPYTERLAB_SETTINGS_DIR="+filepath.Join(own, "settings"), "JUPYTERLAB_WORKSPACES_DIR="+own,
		"SYNPOOL_STORE="+filepath.Join(own, "store"))
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.WaitDelay = 30 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM) // it ends its kernels
		select {
		case <-ended:
		case <-time.After(time.Minute):
			cmd.Process.Kill()
			<-ended
		}
		if t.Failed() {
			t.Logf("JupyterLab says\n%s", &log)
		}
	})
	for range 1800 { // it may have to build the command first
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("JupyterLab ended: %v", err)
		case <-time.After(100 * time.Millisecond):
		}
		data, err := os.ReadFile(filepath.Join(own, fmt.Sprintf("jpserver-%d.json", cmd.Process.Pid)))
		var server struct {
			URL string `json:"url"`
		}
		if err != nil || json.Unmarshal(data, &server) != nil {
			continue
		}
		address, err := url.Parse(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		address.RawQuery = "token=of-this-test"
		return address
	}
	t.Fatal("JupyterLab does not start")
	return nil
}

// page is what the browser shows of a notebook.
type page struct {
	Cells  int      // code cells
	Done   int      // of these have run
	Errors []string // outputs that are errors
	Tables int      // HTML tables among the outputs
	Worked bool     // a line of progress has been seen
	Frames int      // pages within the page
	Drawn  int      // of these have drawn themselves
	Images []struct {
		Width, Height int // as shown
		Dots          int // across the image itself
	}
}

const look = `(() => {
	const all = (selector) => [...document.querySelectorAll('.jp-Notebook ' + selector)];
	return {
		Cells: all('.jp-CodeCell').length,
		Done: all('.jp-CodeCell .jp-InputPrompt').filter((e) => /^\[\d+\]:$/.test(e.textContent.trim())).length,
		Errors: all('[data-mime-type="application/vnd.jupyter.error"], [data-mime-type="application/vnd.jupyter.stderr"]').map((e) => e.textContent),
		Tables: all('.jp-OutputArea .jp-RenderedHTMLCommon table').length,
		Worked: all('.jp-OutputArea progress').length > 0,
		Frames: all('.jp-RenderedHTML iframe').length,
		Drawn: all('.jp-RenderedHTML iframe').filter((e) => e.contentDocument?.body?.dataset.ready === 'true').length,
		Images: all('.jp-RenderedImage img, .jp-RenderedSVG img').map((e) => ({Width: e.clientWidth, Height: e.clientHeight, Dots: e.naturalWidth})),
	};
})()`

// screenshot keeps a picture of the window where the test's artefacts go, to be looked at.
func screenshot(t *testing.T, browser context.Context, name string) {
	t.Helper()
	png, err := chromedp.Run(browser, chromedp.CaptureScreenshot())
	if err != nil {
		t.Logf("no screenshot: %v", err)
		return
	}
	path := filepath.Join(t.ArtifactDir(), name)
	if err := os.WriteFile(path, png, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("screenshot %s", path)
}

// begin opens a notebook without its saved outputs in JupyterLab, in a folder of its own beside the notebooks, and has it run
// all cells, so many code cells. ctx ends after eight minutes.
func begin(t *testing.T, path string) (browser, ctx context.Context, cells int) {
	t.Helper()
	browser = browsertest.Start(t, 1400, 1000)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]any
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	for _, c := range raw["cells"].([]any) {
		if c := c.(map[string]any); c["cell_type"] == "code" {
			cells++
			c["outputs"], c["execution_count"] = []any{}, nil
			delete(c["metadata"].(map[string]any), "jupyter") // a folded cell shows no prompt, and the test needs the prompt to see that the cell has run
		}
	}
	bare, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(notebooks, "browser-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	name := filepath.Base(path)
	if err := os.WriteFile(filepath.Join(folder, name), bare, 0o644); err != nil {
		t.Fatal(err)
	}
	address := lab(t).JoinPath("lab", "tree", "notebooks", filepath.Base(folder), name)

	ctx, cancel := context.WithTimeout(browser, 8*time.Minute)
	t.Cleanup(cancel)
	// The toolbar of the notebook names the kernel and says that it is idle; JupyterLab also does before it has one. Sometimes
	// it never does, while the kernel is there: then the page is loaded again.
	for attempt := 1; ; attempt++ {
		opening, cancel := context.WithTimeout(ctx, 90*time.Second)
		err = chromedp.Do(opening,
			chromedp.Navigate(address.String()),
			chromedp.WaitVisible(chromedp.CSS(`.jp-Notebook .jp-CodeCell`)),
			chromedp.WaitVisible(chromedp.Search(`//*[contains(@class, "jp-KernelName") and contains(., "Go (gonb)")]`)),
			chromedp.Sleep(2*time.Second),
			chromedp.WaitVisible(chromedp.CSS(`.jp-Notebook-ExecutionIndicator[data-status="idle"]`)),
			// Not by the menu, which does not always open under a click.
			chromedp.Evaluate[chromedp.Void](`void window.jupyterapp.commands.execute('notebook:run-all-cells')`),
		)
		cancel()
		if err == nil {
			break
		}
		if attempt == 3 || !errors.Is(err, context.DeadlineExceeded) {
			screenshot(t, browser, "failed.png")
			t.Fatalf("%s: %v", name, err)
		}
		t.Logf("%s is opened again: no idle kernel in 90 s", name)
	}
	return browser, ctx, cells
}

// drive runs a notebook in JupyterLab and returns what is there in the end. It keeps a screenshot of the last image.
func drive(t *testing.T, path string) page {
	t.Helper()
	browser, ctx, cells := begin(t, path)
	name := filepath.Base(path)
	var now page
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the page: %+v", now)
		}
	})
	fail := func(err error) {
		screenshot(t, browser, "failed.png")
		t.Fatalf("%s: %v", name, err)
	}
	var err error
	start := time.Now()
	for worked := false; ; worked = now.Worked {
		if now, err = chromedp.Run(ctx, chromedp.Evaluate[page](look)); err != nil {
			fail(err)
		}
		now.Worked = now.Worked || worked
		if len(now.Errors) > 0 || now.Cells > 0 && now.Done == now.Cells && now.Drawn == now.Frames {
			break
		}
		select {
		case <-ctx.Done():
			fail(fmt.Errorf("%d of %d cells have run and %d of %d pages are drawn: %w", now.Done, now.Cells, now.Drawn, now.Frames, ctx.Err()))
		case <-time.After(500 * time.Millisecond):
		}
	}
	t.Logf("%s ran in JupyterLab in %.1f s", name, time.Since(start).Seconds())
	if now.Cells != cells {
		t.Errorf("%s has %d code cells in the browser and %d in the file", name, now.Cells, cells)
	}
	const scroll = `[...document.querySelectorAll('.jp-RenderedImage img, .jp-RenderedSVG img')].pop()?.scrollIntoView({block: 'center'})`
	if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](scroll), chromedp.Sleep(time.Second)); err != nil {
		fail(err)
	}
	screenshot(t, browser, strings.TrimSuffix(name, ".ipynb")+".png")
	return now
}

// figures reports what is wrong with the figures of a notebook that was run.
func (p page) figures() error {
	if len(p.Errors) > 0 {
		return fmt.Errorf("it shows %q", p.Errors)
	}
	if len(p.Images) == 0 {
		return fmt.Errorf("it shows no figure")
	}
	for i, image := range p.Images {
		if image.Width < 200 || image.Width > 1300 || image.Height < 50 || image.Height > 1600 || image.Dots < image.Width {
			return fmt.Errorf("figure %d is %d × %d of %d dots across", i+1, image.Width, image.Height, image.Dots)
		}
	}
	return nil
}

// TestBrowser runs the notebook on real bags in JupyterLab in Chromium and finds its figures and tables, and progress on the way.
func TestBrowser(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(notebooks, "04-*.ipynb"))
	if err != nil || len(found) != 1 {
		t.Fatalf("notebook 4 is not here: %q, %v", found, err)
	}
	now := drive(t, found[0])
	if err := now.figures(); err != nil {
		t.Error(err)
	}
	if now.Tables == 0 || !now.Worked {
		t.Errorf("it shows %d tables, and progress: %t", now.Tables, now.Worked)
	}
}

// TestBrowserOpens looks at what JupyterLab opens: the folder of the notebooks, and the explorer where notebook 2 links to
// it, once it is trusted.
func TestBrowserOpens(t *testing.T) {
	browser := browsertest.Start(t, 1400, 1000)
	address := lab(t)
	ctx, cancel := context.WithTimeout(browser, 4*time.Minute)
	defer cancel()
	notebook := address.JoinPath("lab", "tree", "notebooks", "02-syn.ipynb")
	err := chromedp.Do(ctx,
		chromedp.Navigate(address.String()),
		chromedp.WaitVisible(chromedp.Search(`//li[contains(@class, "jp-DirListing-item") and contains(., "02-syn.ipynb")]`)),
		chromedp.Navigate(notebook.String()),
		chromedp.Click(chromedp.Search(`//div[contains(@class, "jp-RenderedMarkdown")]//a[contains(@href, "explorer.html")]`)),
		chromedp.Click(chromedp.CSS(`jp-button[aria-label="Trust HTML"]`)),
	)
	if err == nil {
		_, err = chromedp.Run(ctx, chromedp.Poll[bool](`document.querySelector('.jp-HTMLViewer iframe')?.contentDocument?.body?.dataset.ready === 'true'`, chromedp.WithPollingTimeout(2*time.Minute)))
	}
	screenshot(t, browser, "explorer.png")
	if err != nil {
		t.Errorf("the explorer does not open: %v", err)
	}
}

// TestBrowserSees drives a small notebook, which also shows the explorer, and one that fails in the folder it is in, and
// sees the one from the other.
func TestBrowserSees(t *testing.T) {
	now := drive(t, small)
	if err := now.figures(); err != nil {
		t.Error(err)
	}
	if now.Frames != 1 {
		t.Errorf("it shows %d pages, want the explorer", now.Frames)
	}
	data, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	failing := filepath.Join(t.TempDir(), "failing.ipynb")
	here := []byte("must(0, errors.New(`no such bag in `+filepath.Base(must(os.Getwd()))))")
	if err := os.WriteFile(failing, bytes.Replace(data, []byte("math.Sqrt(2)"), here, 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := drive(t, failing).figures(); err == nil || !strings.Contains(err.Error(), "no such bag in browser-test-") {
		t.Errorf("error %v, want one of the cell that fails", err)
	}
}

// live is a cell whose picture follows a slider and a list.
const live = `%%
steps := cell.Slider("steps", -6, 6, 1, 3)
shape := cell.Pick("shape", "line", "square")
cell.Live(func() any {
	curve := parabola(20)
	if shape.String() == "line" {
		curve.Y = curve.X
	}
	title := fmt.Sprint("Steps ", steps, ", ", shape)
	return []any{must(plotting.Functions(title, "x", "y", []plotting.FunctionCurve{curve})), "now " + title}
}, steps, shape)
fmt.Println(math.Sqrt(2), os.Args[0] != "", page.Show)`

// TestBrowserLive moves a slider and picks from a list while the cell runs: picture and text follow, and the last ones stay.
func TestBrowserLive(t *testing.T) {
	data, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	var raw map[string]any
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	cells := raw["cells"].([]any)
	first, second, third := cells[1].(map[string]any), cells[3].(map[string]any), cells[5].(map[string]any)
	first["source"] = strings.Replace(text(first["source"]), "\"synpool/course/explorer/page\"", "\"synpool/notebooks/cell\"\n\t\"synpool/course/explorer/page\"", 1)
	declared, _, _ := strings.Cut(text(second["source"]), "%%")
	second["source"], third["source"] = declared+live, "%%\nfmt.Println(quick, must(os.Getwd()) != \"\", math.Pi, page.Show != nil, cell.Show != nil, plotting.Functions != nil)"
	changed, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "live.ipynb")
	if err := os.WriteFile(path, changed, 0o644); err != nil {
		t.Fatal(err)
	}
	browser, ctx, _ := begin(t, path)
	says := func(what string) chromedp.Action[chromedp.Void] {
		return chromedp.PollFunction[chromedp.Void](`what => [...document.querySelectorAll('.jp-OutputArea-output')].some((e) => e.textContent.includes(what))`,
			chromedp.WithPollingArgs(what), chromedp.WithPollingTimeout(4*time.Minute))
	}
	set := func(selector, value string) chromedp.Action[chromedp.Void] {
		return chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => { const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change')); })()`, selector, value))
	}
	gone := chromedp.PollFunction[chromedp.Void](`() => !document.querySelector('.jp-OutputArea input[type="range"]')`, chromedp.WithPollingTimeout(time.Minute))
	err = chromedp.Do(ctx,
		chromedp.WaitVisible(chromedp.CSS(`.jp-OutputArea input[type="range"]`)),
		chromedp.WaitVisible(chromedp.CSS(`.jp-OutputArea select`)),
		says("now Steps 3, line"), says("steps 3, shape line"),
		set(`.jp-OutputArea input[type="range"]`, "1"), says("now Steps -5, line"),
		set(`.jp-OutputArea select`, "1"), says("now Steps -5, square"),
	)
	screenshot(t, browser, "live.png")
	if err == nil { // stopped, the cell leaves the last picture and no controls
		err = chromedp.Do(ctx,
			chromedp.Evaluate[chromedp.Void](`void window.jupyterapp.commands.execute('notebook:interrupt-kernel')`),
			gone,
			says("now Steps -5, square"),
			chromedp.WaitVisible(chromedp.CSS(`.jp-RenderedSVG img`)),
		)
	}
	screenshot(t, browser, "live-ended.png")
	if err != nil {
		t.Errorf("the controls do not work: %v", err)
	}
}

// text joins the lines of a source.
func text(source any) string {
	if s, is := source.(string); is {
		return s
	}
	var b strings.Builder
	for _, line := range source.([]any) {
		b.WriteString(line.(string))
	}
	return b.String()
}
