package plotting

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"strings"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot/vg"

	"synpool/internal/notebook"
)

// mostSVG is the maximum size of a displayed SVG: drawings with many points are smaller as PNG.
const mostSVG = 24 << 10

// shownDots is the resolution of the PNG.
const shownDots = 120

// Show displays the figure under the GoNB cell that runs the program, in its width at 96 pixels per inch, and returns once
// the notebook has it. It sends an SVG, unless that is larger than 24 KiB or has images, and for readers without SVG a PNG at
// 1.25 times that resolution in at most 256 colours, which keeps notebooks small. Outside a notebook it does nothing.
func (f *Figure) Show() error {
	if !notebook.Running() {
		return nil
	}
	content, err := f.small()
	drawing, drawErr := f.drawing()
	if err = errors.Join(err, drawErr); err != nil {
		return fmt.Errorf("showing a figure: %w", err)
	}
	// gonbui.DisplayPng sends no width, so notebooks would show every dot as a pixel. The width is metadata of the image
	// type. It must be in a map of a type that gonbui's encoding knows; otherwise the figure would be dropped.
	data := &protocol.DisplayData{
		Data: map[protocol.MIMEType]any{
			protocol.MIMEImagePNG:  content,
			protocol.MIMETextPlain: strings.TrimSpace("figure: " + strings.Join(f.title, " ")),
		},
		Metadata: map[string]any{string(protocol.MIMEImagePNG): map[string]int{"width": int(math.Round(float64(f.width/vg.Inch) * 96))}},
	}
	if drawing != nil && !bytes.Contains(drawing, []byte("<image")) { // pixels are smaller as PNG
		data.Data[protocol.MIMEImageSVG] = string(drawing)
	}
	if err := notebook.Send(data); err != nil {
		return fmt.Errorf("showing a figure: %w", err)
	}
	return nil
}

// small returns the figure as a small PNG.
func (f *Figure) small() ([]byte, error) {
	var content bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err := encoder.Encode(&content, reduced(f.pixels(shownDots).Image().(*image.RGBA)))
	return content.Bytes(), err
}

// drawing returns the figure as SVG, or nil if that is too large.
func (f *Figure) drawing() ([]byte, error) {
	var b bytes.Buffer
	if err := f.Write(&b, SVG); err != nil || b.Len() > mostSVG {
		return nil, err
	}
	return b.Bytes(), nil
}

// DataURI returns the figure as a data URI for an image in HTML: an SVG, or a small PNG if the SVG is larger than 24 KiB.
func (f *Figure) DataURI() (string, error) {
	kind := "image/svg+xml"
	content, err := f.drawing()
	if err == nil && content == nil {
		kind = "image/png"
		content, err = f.small()
	}
	if err != nil {
		return "", fmt.Errorf("a figure in HTML: %w", err)
	}
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(content), nil
}
