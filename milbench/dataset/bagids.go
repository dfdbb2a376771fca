package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// spellings are ways in which names of files and ids of one bag differ.
var spellings = []struct {
	name string
	of   func(string) string
}{
	{"folder", func(s string) string { return s[strings.LastIndexAny(s, `/\`)+1:] }},
	{"suffix", func(s string) string { return suffixes.ReplaceAllString(s, "$1") }},
	{"Unicode form", norm.NFC.String},
	{"case", strings.ToLower},
	{"leading zeros", func(s string) string {
		if wholeNumber.MatchString(s) {
			s, _, _ = strings.Cut(s, ".")
			s = cmp.Or(strings.TrimLeft(s, "0"), "0")
		}
		return s
	}},
}

var (
	suffixes    = regexp.MustCompile(`(?i)(.)(\.(npy|h5|hdf5|npz|pth?|ome|tiff?|svs|svslide|ndpis?|mrxs|scn|bif|vms|vmu|dcm|dicom|qptiff|czi|vsi|isyntax|btf|jp2|jpe?g|png|zarr|gz))+$`)
	wholeNumber = regexp.MustCompile(`^[0-9]+(\.0+)?$`) // pandas writes 1.0 where others are missing
)

// plainID returns an id in the common spelling, but for one way; -1 for none.
func plainID(id string, but int) string {
	for k, way := range spellings {
		if k != but {
			id = way.of(id)
		}
	}
	return id
}

// match finds the file of each id: the one of the same name or, where it is the only one and no other id is so called, one
// that is spelt differently. If there is none at all, ids may lack what follows the first dot of the names, or the reverse.
// how says how they differ.
func match(ids, files []string) (of map[string]string, how string) {
	of = make(map[string]string)
	exact := make(map[string]bool)
	for _, f := range files {
		exact[f] = true
	}
	group := func(names []string, key func(string) string) map[string][]string {
		by := make(map[string][]string)
		for _, name := range names {
			if k := key(name); !slices.Contains(by[k], name) {
				by[k] = append(by[k], name)
			}
		}
		return by
	}
	plain := func(s string) string { return plainID(s, -1) }
	short := func(s string) string { s, _, _ = strings.Cut(s, "."); return plain(s) }
	n, ways, say := 0, []string(nil), ""
	pair := func(idKey, fileKey func(string) string, all bool) {
		byID, byFile := group(ids, idKey), group(files, fileKey)
		found := make(map[string]string)
		for key, some := range byID {
			if len(some) == 1 && len(byFile[key]) == 1 && !exact[some[0]] && some[0] != "" {
				found[some[0]] = byFile[key][0]
			}
		}
		if !all || len(found) == len(byID) || len(found) == len(files) {
			maps.Copy(of, found)
		}
	}
	pair(plain, plain, false)
	for _, id := range ids {
		if f, there := of[id]; there {
			if n++; n == 1 {
				say = fmt.Sprintf("%q is %q", id, f)
			}
			for k, way := range spellings {
				if plainID(id, k) != plainID(f, k) && !slices.Contains(ways, way.name) {
					ways = append(ways, way.name)
				}
			}
		} else if exact[id] {
			of[id] = id
		}
	}
	for _, keys := range [][2]func(string) string{{plain, short}, {short, plain}} {
		if len(of) == 0 {
			pair(keys[0], keys[1], true)
			for _, id := range slices.Sorted(maps.Keys(of)) {
				n, ways, say = len(of), []string{"what follows a dot"}, cmp.Or(say, fmt.Sprintf("%q is %q", id, of[id]))
			}
		}
	}
	if n > 0 {
		how = fmt.Sprintf("%d ids are matched with files that differ in %s: %s", n, strings.Join(ways, " and "), say)
	}
	return of, how
}
