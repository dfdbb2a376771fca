package notebooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// jupyter starts JupyterLab on a folder, without settings of whoever runs the test, and returns its address.
func jupyter(t *testing.T, venv, folder string) *url.URL {
	t.Helper()
	own := t.TempDir()
	settings := filepath.Join(own, "settings", "@jupyterlab", "notebook-extension", "tracker.jupyterlab-settings")
	if err := os.MkdirAll(filepath.Dir(settings), 0o755); err != nil {
		t.Fatal(err)
	}
	// Without windowing every cell is in the page, seen or not.
	if err := os.WriteFile(settings, []byte(`{"windowingMode": "none"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(filepath.Join(venv, "bin", "jupyter"), "lab", "--no-browser", "--allow-root",
		"--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", "--LabApp.expose_app_in_browser=True", "--ServerApp.root_dir="+folder)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "JUPYTER_TOKEN=of-this-test", "JUPYTER_CONFIG_DIR="+own, "JUPYTER_DATA_DIR="+own, "JUPYTER_RUNTIME_DIR="+own,
		"JUPYTERLAB_SETTINGS_DIR="+filepath.Join(own, "settings"), "JUPYTERLAB_WORKSPACES_DIR="+own)
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
	for range 600 {
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

// chromium starts a browser.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium: install it (Debian: apt-get install chromium)")
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.WindowSize(1400, 1000))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // which root cannot have
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // starts it
		t.Fatal(err)
	}
	return ctx
}

// page is what the browser shows of a notebook.
type page struct {
	Cells  int      // code cells
	Done   int      // of these have run
	Errors []string // outputs that are errors
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
		Images: all('.jp-RenderedImage img').map((e) => ({Width: e.clientWidth, Height: e.clientHeight, Dots: e.naturalWidth})),
	};
})()`

// drive opens a notebook without its saved outputs in JupyterLab, has it run all cells, and returns what is there in the
// end. It keeps a screenshot of the last image.
func drive(t *testing.T, path string) page {
	t.Helper()
	browser, venv := chromium(t), environment(t)
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
			c["outputs"], c["execution_count"] = []any{}, nil
		}
	}
	bare, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	name, folder := filepath.Base(path), t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, name), bare, 0o644); err != nil {
		t.Fatal(err)
	}
	cells := len(read(t, path).code())
	address := jupyter(t, venv, folder).JoinPath("lab", "tree", name)

	ctx, cancel := context.WithTimeout(browser, 8*time.Minute)
	defer cancel()
	screenshot := func(name string) {
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
	var now page
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the page: %+v", now)
		}
	})
	fail := func(err error) {
		screenshot("failed.png")
		t.Fatalf("%s: %v", name, err)
	}
	// The toolbar of the notebook names the kernel and says that it is idle; JupyterLab also does before it has one.
	err = chromedp.Do(ctx,
		chromedp.Navigate(address.String()),
		chromedp.WaitVisible(chromedp.CSS(`.jp-Notebook .jp-CodeCell`)),
		chromedp.WaitVisible(chromedp.Search(`//*[contains(@class, "jp-KernelName") and contains(., "Go (gonb)")]`)),
		chromedp.Sleep(2*time.Second),
		chromedp.WaitVisible(chromedp.CSS(`.jp-Notebook-ExecutionIndicator[data-status="idle"]`)),
		// Not by the menu, which does not always open under a click.
		chromedp.Evaluate[chromedp.Void](`void window.jupyterapp.commands.execute('notebook:run-all-cells')`),
	)
	if err != nil {
		fail(err)
	}
	start := time.Now()
	for {
		if now, err = chromedp.Run(ctx, chromedp.Evaluate[page](look)); err != nil {
			fail(err)
		}
		if len(now.Errors) > 0 || now.Cells > 0 && now.Done == now.Cells {
			break
		}
		select {
		case <-ctx.Done():
			fail(fmt.Errorf("%d of %d cells have run: %w", now.Done, now.Cells, ctx.Err()))
		case <-time.After(500 * time.Millisecond):
		}
	}
	t.Logf("%s ran in JupyterLab in %.1f s", name, time.Since(start).Seconds())
	if now.Cells != cells {
		t.Errorf("%s has %d code cells in the browser and %d in the file", name, now.Cells, cells)
	}
	const scroll = `[...document.querySelectorAll('.jp-RenderedImage img')].pop()?.scrollIntoView({block: 'center'})`
	if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](scroll), chromedp.Sleep(time.Second)); err != nil {
		fail(err)
	}
	screenshot(strings.TrimSuffix(name, ".ipynb") + ".png")
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

// TestBrowser runs the notebook on real bags in JupyterLab in Chromium and finds its figures.
func TestBrowser(t *testing.T) {
	found, err := filepath.Glob("04-*.ipynb")
	if err != nil || len(found) != 1 {
		t.Fatalf("notebook 4 is not here: %q, %v", found, err)
	}
	if err := drive(t, found[0]).figures(); err != nil {
		t.Error(err)
	}
}

// TestBrowserSees drives a small notebook and one that fails, and sees the one from the other.
func TestBrowserSees(t *testing.T) {
	if err := drive(t, small).figures(); err != nil {
		t.Error(err)
	}
	data, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	failing := filepath.Join(t.TempDir(), "failing.ipynb")
	if err := os.WriteFile(failing, bytes.Replace(data, []byte("math.Sqrt(2)"), []byte("must(0, errors.New(`no such bag`))"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := drive(t, failing).figures(); err == nil || !strings.Contains(err.Error(), "no such bag") {
		t.Errorf("error %v, want one of the cell that fails", err)
	}
}
