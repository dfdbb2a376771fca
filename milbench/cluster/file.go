package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
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
func Read(r io.Reader) (*Plan, error) { return read(r, 0) }

// read reads a plan with room for so many fits, which may be more.
func read(r io.Reader, room int) (*Plan, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	p := &Plan{}
	if err := p.decode(d, room); err != nil {
		return nil, fmt.Errorf("a plan that cannot be read: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something stands after the plan")
	}
	return p, p.Validate()
}

// decode reads a JSON object whose fits, of which there may be a million, are never in memory as text.
func (p *Plan) decode(d *json.Decoder, room int) error {
	fields := map[string]any{
		"format": &p.Format, "version": &p.Version, "backend": &p.Backend, "cores": &p.Cores, "request": &p.Request, "seed": &p.Seed,
		"shards": &p.Shards, "settings": &p.Settings, "sets": &p.Sets, "arms": &p.Arms, "groups": &p.Groups,
	}
	if err := expect(d, json.Delim('{')); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if key == "fits" {
			err = p.decodeFits(d, room)
		} else if field, known := fields[fmt.Sprint(key)]; known {
			err = d.Decode(field)
		} else {
			err = fmt.Errorf("unknown field %q", key)
		}
		if err != nil {
			return err
		}
	}
	return expect(d, json.Delim('}'))
}

func (p *Plan) decodeFits(d *json.Decoder, room int) error {
	if err := expect(d, json.Delim('[')); err != nil {
		return err
	}
	p.Fits = slices.Grow(p.Fits, room)
	for d.More() {
		p.Fits = append(p.Fits, Fit{})
		if err := d.Decode(&p.Fits[len(p.Fits)-1]); err != nil {
			return err
		}
	}
	return expect(d, json.Delim(']'))
}

// expect takes the next token, which is to be a bracket.
func expect(d *json.Decoder, want json.Delim) error {
	switch token, err := d.Token(); {
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	case token != want:
		return fmt.Errorf("%v where %v is needed", token, want)
	}
	return nil
}

// leastFit is the least bytes of a fit as [Plan.Write] writes it.
const leastFit = len(`,{"id":"0123456789abcdef","arm":0,"setting":0,"repeat":0,"fold":0,"seed":0,"group":0,"training":0,"networks":1,"shard":0}`)

// ReadFile reads the plan of a file.
func ReadFile(path string) (*Plan, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open a plan: %w", err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, fmt.Errorf("open a plan: %w", err)
	}
	p, err := read(in, int(info.Size())/leastFit) // a list that grew would be there twice
	if err != nil {
		return nil, fmt.Errorf("%s: %w; make the plan anew (milbench plan)", path, err)
	}
	return p, nil
}
