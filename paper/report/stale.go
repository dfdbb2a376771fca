package report

import (
	"regexp"
	"slices"
	"strings"

	"synpool/milbench/results"
)

// fix is a change of the program that moved scores by more than the rounding of the last digits. Older scores that it touches are
// stale.
type fix struct {
	made    string // UTC, as in the version of a fit
	what    string
	touches func(set string, c config) bool
}

var fixes = []fix{
	{"20261123084542", "XLA without XNNPACK, which gave some networks of width 256 the scores of earlier parameters", func(_ string, c config) bool { return c.Width >= 256 }},
	{"20261123160800", "another order of the bags of Web", func(set string, c config) bool { return c.Pooling != "" && isWeb(set) }},
	{"20261124221331", "values in float32", func(set string, c config) bool { return c.Pooling != "" && !strings.HasPrefix(set, "musk") }},
}

var stamp = regexp.MustCompile(`\d{14}`)

// Stale names the changes of the program that some fits of an archive are older than, although their scores would be others
// since.
func Stale(a results.Archive) (older []string) {
	for _, f := range fixes {
		if slices.ContainsFunc(a.Results, func(r results.Result) bool {
			made := stamp.FindString(r.Version)
			return made != "" && made < f.made && f.touches(r.Set, configOf(r))
		}) {
			older = append(older, f.what)
		}
	}
	return older
}
