package plotting

import (
	"strings"
	"testing"
)

// TestImageShares: a full bar is 1, however small the shares are.
func TestImageShares(t *testing.T) {
	b := digitBag("Bag 1, positive", 7)
	for i := range b.Values {
		b.Values[i] /= 10
	}
	f, err := ImageShares("Which digit decides", 9, 6, []ImageBag{b})
	if err != nil {
		t.Fatal(err)
	}
	framed(t, "golden", f)
	svg := string(goldenImages(t, f, "imageshares.svg"))
	for _, want := range []string{"largest share of its bag", "share, a full bar is 1.00"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the legend does not say %q", want)
		}
	}
}

func TestImageSharesRefuses(t *testing.T) {
	b := digitBag("", 2)
	b.Values = []float64{0.5, 1.5}
	refused(t, "drawing shares of images: bag 1: image 2: 1.5 is no share")(ImageShares("", 9, 6, []ImageBag{b}))
	refused(t, "drawing shares of images: there are no bags")(ImageShares("", 9, 6, nil))
}
