//go:build unix

package plotting

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"flag"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"synpool/internal/notebook"
)

var notebookPatience = flag.Duration("patience", time.Minute, "how long TestShow waits for a notebook")

// TestShow runs without a notebook, where nothing is to happen, and as the program of a cell in the tests below.
func TestShow(t *testing.T) {
	notebook.Patience = *notebookPatience
	f := figure(t)
	for range 2 {
		must(t, f.Show())
	}
}

// cell runs TestShow as a kernel runs a cell, with the pipes, and returns what it writes.
func cell(t *testing.T, to, from, patience string) ([]byte, error) {
	t.Helper()
	program, err := os.Executable()
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-test.run=^TestShow$", "-patience="+patience)
	cmd.Env = append(os.Environ(), protocol.GONB_PIPE_ENV+"="+to, protocol.GONB_PIPE_BACK_ENV+"="+from)
	return cmd.CombinedOutput()
}

// pipe makes a named pipe and opens it for both sides, so that opening waits for nobody.
func pipe(t *testing.T, name string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, syscall.Mkfifo(path, 0o600))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// listen takes messages from a cell as the kernel does, acknowledging if asked to, until the pipe is closed.
func listen(to, from *os.File, acknowledge bool) <-chan []protocol.DisplayData {
	shown := make(chan []protocol.DisplayData, 1)
	go func() {
		var all []protocol.DisplayData
		in, out := gob.NewDecoder(to), gob.NewEncoder(from)
		for {
			var d protocol.DisplayData
			if err := in.Decode(&d); err != nil {
				shown <- all
				return
			}
			request, sync := d.Data[protocol.MIMECommValue].(protocol.CommValue)
			switch {
			case !sync:
				all = append(all, d)
			case acknowledge && request.Address == protocol.GonbuiSyncAddress:
				out.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: request.Value})
			}
		}
	}()
	return shown
}

func TestShowInNotebook(t *testing.T) {
	to, from := pipe(t, "to"), pipe(t, "from")
	messages := listen(to, from, true)
	if out, err := cell(t, to.Name(), from.Name(), "50s"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	to.Close()
	shown := <-messages
	if len(shown) != 2 {
		t.Fatalf("%d messages, want one a call", len(shown))
	}
	for _, d := range shown {
		content, ok := d.Data[protocol.MIMEImagePNG].([]byte)
		if !ok || len(d.Data) != 3 || d.DisplayID != "" {
			t.Fatalf("the data are %v", d.Data)
		}
		m, err := png.Decode(bytes.NewReader(content))
		must(t, err)
		if m.Bounds().Dx() != 780 {
			t.Errorf("the image is %d pixels wide, want 6.5 inches of 120", m.Bounds().Dx())
		}
		if want := reduced(figure(t).pixels(shownDots).Image().(*image.RGBA)); !reflect.DeepEqual(m, want) {
			t.Error("the image is not the figure")
		}
		var drawing bytes.Buffer
		if err := figure(t).Write(&drawing, SVG); err != nil || d.Data[protocol.MIMEImageSVG] != drawing.String() {
			t.Errorf("the drawing is not the figure (%v)", err)
		}
		if text := d.Data[protocol.MIMETextPlain]; text != "figure: Title" {
			t.Errorf("the text is %q", text)
		}
		// What notebooks read: the width in pixels of the page, under the name of the kind of data.
		metadata, err := json.Marshal(d.Metadata)
		if string(metadata) != `{"image/png":{"width":624}}` {
			t.Errorf("the metadata are %s (%v)", metadata, err)
		}
	}
}

func TestShowWithoutAnswer(t *testing.T) {
	to, from := pipe(t, "to"), pipe(t, "from")
	listen(to, from, false)
	out, err := cell(t, to.Name(), from.Name(), "300ms")
	if err == nil || !strings.Contains(string(out), "showing a figure: the notebook does not answer") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestShowWithoutPipe(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	out, err := cell(t, missing, missing, "50s")
	if err == nil || !strings.Contains(string(out), "showing a figure: ") || !strings.Contains(string(out), missing) {
		t.Errorf("%v\n%s", err, out)
	}
}
