package plotting

import (
	"bytes"
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

// mostSVG is how large an SVG may be that is shown: drawings of many points are smaller as PNG.
const mostSVG = 24 << 10

// shownDots is the resolution of the PNG.
const shownDots = 120

// Show displays the figure under the GoNB cell that runs the program, as wide as at 96 pixels per inch, and returns when
// the notebook has it. It is shown as SVG, unless that is larger than 24 KiB, and as PNG of 1.25 times that resolution for
// readers that take no SVG, in at most 256 colours, so that notebooks stay small. Outside of a notebook it does nothing.
func (f *Figure) Show() error {
	if !notebook.Running() {
		return nil
	}
	var content, drawing bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err := encoder.Encode(&content, reduced(f.pixels(shownDots).Image().(*image.RGBA)))
	if err = errors.Join(err, f.Write(&drawing, SVG)); err != nil {
		return fmt.Errorf("showing a figure: %w", err)
	}
	// gonbui.DisplayPng gives no width, so that notebooks show every dot as a pixel. The width is metadata of the kind of
	// image, in a map of a type that gonbui's encoding knows: one of other values would be dropped with the figure.
	data := &protocol.DisplayData{
		Data: map[protocol.MIMEType]any{
			protocol.MIMEImagePNG:  content.Bytes(),
			protocol.MIMETextPlain: strings.TrimSpace("figure: " + strings.Join(f.title, " ")),
		},
		Metadata: map[string]any{string(protocol.MIMEImagePNG): map[string]int{"width": int(math.Round(float64(f.width/vg.Inch) * 96))}},
	}
	if drawing.Len() <= mostSVG {
		data.Data[protocol.MIMEImageSVG] = drawing.String()
	}
	if err := notebook.Send(data); err != nil {
		return fmt.Errorf("showing a figure: %w", err)
	}
	return nil
}
