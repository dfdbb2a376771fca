package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Write writes p as JSON, a line a fit.
func (p *Plan) Write(w io.Writer) error {
	head := *p
	head.Fits = nil
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	out.Write(bytes.TrimSuffix(text, []byte("null}")))
	for i, f := range p.Fits {
		line, err := json.Marshal(f)
		if err != nil {
			return err
		}
		out.WriteString([]string{"[\n", ",\n"}[min(i, 1)])
		out.Write(line)
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}

// Read reads what [Plan.Write] writes. A key that is not known, something after the plan, and whatever [Plan.Validate]
// reports are errors.
func Read(r io.Reader) (*Plan, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	p := &Plan{}
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("a plan that cannot be read: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something stands after the plan")
	}
	return p, p.Validate()
}

// ReadFile reads the plan of a file.
func ReadFile(path string) (*Plan, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open a plan: %w", err)
	}
	defer in.Close()
	p, err := Read(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; make the plan anew (milbench plan)", path, err)
	}
	return p, nil
}
