package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"synpool/internal/disk"
)

// Write writes p as JSON, with one line per fit.
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

// Read reads a plan written by [Plan.Write]. It returns an error for unknown keys, for anything after the plan, and
// if [Plan.Validate] does.
func Read(r io.Reader) (*Plan, error) { return read(r, 0) }

// read reads a plan with room for the given number of fits; there may be more.
func read(r io.Reader, room int) (*Plan, error) {
	p := &Plan{}
	d, err := p.decode(r, room)
	if err != nil {
		return nil, fmt.Errorf("a plan that cannot be read: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something after the plan")
	}
	return p, p.Validate()
}

// decode reads a JSON object. There may be a million fits, so their text is never in memory as a whole. It returns
// the decoder that has read the end.
func (p *Plan) decode(r io.Reader, room int) (*json.Decoder, error) {
	fields := map[string]any{
		"format": &p.Format, "version": &p.Version, "backend": &p.Backend, "cores": &p.Cores, "request": &p.Request, "seed": &p.Seed,
		"shards": &p.Shards, "settings": &p.Settings, "sets": &p.Sets, "arms": &p.Arms, "groups": &p.Groups,
	}
	d := decoder(r)
	if err := expect(d, json.Delim('{')); err != nil {
		return nil, err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		if key == "fits" {
			if p.Fits != nil {
				return nil, errors.New("fits occur twice")
			}
			d, err = p.decodeFits(d, r, room)
		} else if field, known := fields[fmt.Sprint(key)]; known {
			err = d.Decode(field)
		} else {
			err = fmt.Errorf("unknown field %q", key)
		}
		if err != nil {
			return nil, err
		}
	}
	return d, expect(d, json.Delim('}'))
}

func decoder(r io.Reader) *json.Decoder {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	return d
}

// decodeFits reads the list of fits that comes next in d, which reads from r. It scans lines in the form of
// [Plan.Write], which is ten times as fast as decoding. The decoder that it returns reads the rest.
func (p *Plan) decodeFits(d *json.Decoder, r io.Reader, room int) (*json.Decoder, error) {
	if err := expect(d, json.Delim('[')); err != nil {
		return nil, err
	}
	p.Fits = make([]Fit, 0, room)
	in := bufio.NewReader(io.MultiReader(d.Buffered(), r))
	for {
		line, err := in.ReadSlice('\n')
		if err == nil {
			if f, ok := scanFit(line); ok {
				p.Fits = append(p.Fits, f)
				continue
			}
			if len(p.Fits) == 0 && len(line) == 1 {
				continue // end of the line where the list starts
			}
		}
		// Continue as if a list of fits had just started.
		d = decoder(io.MultiReader(strings.NewReader(`{"fits":[`), bytes.NewReader(bytes.Clone(line)), in))
		break
	}
	for range 3 {
		if _, err := d.Token(); err != nil {
			return nil, err
		}
	}
	if len(p.Fits) > 0 && !d.More() {
		return nil, errors.New("no fit after a comma")
	}
	for d.More() {
		p.Fits = append(p.Fits, Fit{})
		if err := d.Decode(&p.Fits[len(p.Fits)-1]); err != nil {
			return nil, err
		}
	}
	return d, expect(d, json.Delim(']'))
}

// scanFit reads a line with a fit that is followed by another. If ok is false, the line must be decoded.
func scanFit(line []byte) (f Fit, ok bool) {
	const id = `{"id":"`
	if len(line) < len(id)+16 || string(line[:len(id)]) != id {
		return f, false
	}
	number, line := line[len(id):len(id)+16], line[len(id)+16:]
	for _, c := range number {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return f, false
		}
	}
	var values [9]uint64
	for i, key := range []string{`","arm":`, `,"setting":`, `,"repeat":`, `,"fold":`, `,"seed":`, `,"group":`, `,"training":`, `,"networks":`, `,"shard":`} {
		if line, ok = bytes.CutPrefix(line, []byte(key)); !ok {
			return f, false
		}
		n := 0
		for n < len(line) && line[n] >= '0' && line[n] <= '9' {
			n++
		}
		var err error
		if values[i], err = strconv.ParseUint(string(line[:n]), 10, 64); err != nil || n > 1 && line[0] == '0' || i != 4 && values[i] > math.MaxInt32 {
			return f, false
		}
		line = line[n:]
	}
	v := func(i int) int { return int(values[i]) }
	return Fit{ID: string(number), Arm: v(0), Setting: v(1), Repeat: v(2), Fold: v(3), Seed: values[4],
		Group: v(5), Training: v(6), Networks: v(7), Shard: v(8)}, string(line) == "},\n"
}

// expect reads the next token and returns an error unless it is the wanted bracket.
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

// leastFit is the minimum number of bytes that [Plan.Write] writes for a fit.
const leastFit = len(`,{"id":"0123456789abcdef","arm":0,"setting":0,"repeat":0,"fold":0,"seed":0,"group":0,"training":0,"networks":1,"shard":0}`)

// ReadFile reads a plan from a file.
func ReadFile(path string) (*Plan, error) {
	in, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open a plan: %w", err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, fmt.Errorf("open a plan: %w", err)
	}
	p, err := read(in, int(info.Size())/leastFit) // growing the list would need twice the memory
	if err != nil {
		return nil, fmt.Errorf("%s: %w; make a new plan (milbench plan)", path, err)
	}
	return p, nil
}
