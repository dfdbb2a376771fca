// Package page builds the explorer page: one HTML file that contains the program, compiled to WebAssembly. It opens from
// disk or in a notebook, in browsers from 2023 or later, and needs neither Go nor a network.
//
// The page keeps its state in the part of its address after #, such as explorer.html#w=0.6,0.3,0.1&i=-3&g=0.5.
package page

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

//go:embed page.html page.css page.js page.go
var files embed.FS

// program is the package that the page runs.
const program = "synpool/course/explorer/program"

// Build compiles the program with the go command and returns the page. The working directory must be in this module or in
// one that requires it. The same sources and Go version give the same page everywhere.
func Build(ctx context.Context) ([]byte, error) {
	wasm, err := compile(ctx)
	if err != nil {
		return nil, err
	}
	env, err := goCommand(ctx, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, err
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("building the explorer page: %w", err)
	}
	sources, err := Sources(ctx)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	err = template.Must(template.ParseFS(files, "page.html")).Execute(&page, map[string]string{
		"Sources": sources,
		"Go":      version,
		"Style":   read("page.css"),
		"Script":  read("page.js"),
		"Support": string(support),
		"Program": wasm,
	})
	if err != nil {
		return nil, fmt.Errorf("building the explorer page: %w", err)
	}
	return page.Bytes(), nil
}

// compile returns the program, compressed and in base64.
func compile(ctx context.Context) (string, error) {
	folder, err := os.MkdirTemp("", "explorer")
	if err != nil {
		return "", fmt.Errorf("building the explorer page: %w", err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "program.wasm")
	if _, err := goCommand(ctx, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", file, program); err != nil {
		return "", err
	}
	code, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("building the explorer page: %w", err)
	}
	var text strings.Builder
	encoder := base64.NewEncoder(base64.StdEncoding, &text)
	compressor, _ := gzip.NewWriterLevel(encoder, gzip.BestCompression) // which is a level
	compressor.Write(code)                                              // a strings.Builder takes everything
	compressor.Close()
	encoder.Close()
	return text.String(), nil
}

// Sources returns a hash of everything that the page is built from: the files of this module, and the versions of other
// modules. A built page contains it, so an outdated page can be detected.
func Sources(ctx context.Context) (string, error) {
	out, err := goCommand(ctx, "list", "-deps", "-json=ImportPath,Dir,GoFiles,Module", program)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, name := range []string{"page.css", "page.go", "page.html", "page.js"} {
		fmt.Fprintf(hash, "%s\n%x\n", name, sha256.Sum256([]byte(read(name))))
	}
	own := strings.TrimSuffix(program, "/course/explorer/program") // the path of this module
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
			Module          *struct{ Path, Version string }
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", fmt.Errorf("listing the sources of the explorer page: %w", err)
		}
		switch {
		case p.Module == nil: // the standard library
		case p.Module.Path != own:
			fmt.Fprintf(hash, "%s %s\n", p.ImportPath, p.Module.Version)
		default:
			slices.Sort(p.GoFiles)
			for _, name := range p.GoFiles {
				text, err := os.ReadFile(filepath.Join(p.Dir, name))
				if err != nil {
					return "", fmt.Errorf("reading the sources of the explorer page: %w", err)
				}
				fmt.Fprintf(hash, "%s/%s\n%x\n", p.ImportPath, name, sha256.Sum256(text))
			}
		}
	}
	return fmt.Sprintf("sha256:%x", hash.Sum(nil)), nil
}

// Frame returns HTML that shows a page inside another, such as a notebook, with the given height in pixels.
func Frame(page []byte, height int) string {
	return fmt.Sprintf(`<iframe title="Syn explorer" style="width:100%%;height:%dpx;border:0" srcdoc="%s"></iframe>`, height, html.EscapeString(string(page)))
}

// read returns a file of the page.
func read(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// goCommand runs the go command for the browser, regardless of the environment, and returns its output.
func goCommand(ctx context.Context, arguments ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", arguments...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWASM=", "GOEXPERIMENT=", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("building the explorer page: go %s: %w: %s", arguments[0], err, strings.ReplaceAll(strings.TrimSpace(stderr.String()), "\n", "; "))
	}
	return out, nil
}
