package mil

import (
	"cmp"
	"strings"
)

// CompareNatural compares names and orders numbers inside them by size: needle-0.05 before needle-0.1, and web2
// before web10. Names that differ only in leading zeros are compared as strings. The result is 0 only for equal
// names.
func CompareNatural(a, b string) int {
	wholeA, wholeB := a, b
	decimals := false // true after a decimal point
	for a != "" && b != "" {
		m, n := leadingDigits(a), leadingDigits(b)
		if m > 0 && n > 0 {
			x, y := a[:m], b[:n]
			if !decimals {
				x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
				if c := cmp.Compare(len(x), len(y)); c != 0 {
					return c
				}
			}
			if c := strings.Compare(x, y); c != 0 {
				return c
			}
			a, b = a[m:], b[n:]
			decimals = !decimals && strings.HasPrefix(a, ".") && strings.HasPrefix(b, ".")
			if decimals {
				a, b = a[1:], b[1:]
			}
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b, decimals = a[1:], b[1:], false
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(wholeA, wholeB))
}

func leadingDigits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}
