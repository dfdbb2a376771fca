package plotting

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// reduced returns an image in at most 256 colours, which takes a third of the space. The palette has the 64 most frequent
// colours, which are those of areas. For the shades at the edges of lines and letters it has the most frequent colour of
// each part of the colour space, largest parts first. Each pixel gets the nearest colour.
func reduced(m *image.RGBA) *image.Paletted {
	at := func(i int) color.RGBA {
		return color.RGBA{R: m.Pix[i], G: m.Pix[i+1], B: m.Pix[i+2], A: m.Pix[i+3]}
	}
	count := map[color.RGBA]int{}
	for i := 0; i < len(m.Pix); i += 4 {
		count[at(i)]++
	}
	colours := make([]color.RGBA, 0, len(count))
	for c := range count {
		colours = append(colours, c)
	}
	byCount := func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B), cmp.Compare(a.A, b.A))
	}
	slices.SortFunc(colours, byCount)
	kept := colours
	if len(kept) > 256 {
		const areas = 64
		commonest := map[color.RGBA]color.RGBA{} // per part
		total := map[color.RGBA]int{}            // pixels per part, by its commonest colour
		for _, c := range colours[areas:] {
			part := color.RGBA{R: c.R >> 4, G: c.G >> 4, B: c.B >> 4, A: c.A >> 4}
			if _, ok := commonest[part]; !ok {
				commonest[part] = c
			}
			total[commonest[part]] += count[c]
		}
		var shades []color.RGBA
		for c := range total {
			shades = append(shades, c)
		}
		slices.SortFunc(shades, func(a, b color.RGBA) int { return cmp.Or(cmp.Compare(total[b], total[a]), byCount(a, b)) })
		kept = append(slices.Clone(colours[:areas]), shades[:min(len(shades), 256-areas)]...)
	}
	var palette color.Palette
	for _, c := range kept {
		palette = append(palette, c)
	}
	index := map[color.RGBA]uint8{}
	for _, c := range colours {
		index[c] = uint8(palette.Index(c))
	}
	p := image.NewPaletted(m.Rect, palette)
	for i := 0; i < len(m.Pix); i += 4 {
		p.Pix[i/4] = index[at(i)]
	}
	return p
}
