package cell

import (
	"regexp"
	"strings"
)

var flag = regexp.MustCompile(`--(missing median|[a-z]+(?:-[a-z]+)*)`)

// command matches the beginning of a milbench command, up to a flag.
var command = regexp.MustCompile(`milbench [a-z][^;:,]*$`)

// methods maps flags of milbench to the equivalent methods whose names differ.
var methods = map[string]string{"lr": "Rate", "missing median": "Median", "instance-label-column": "InstanceLabels"}

// spoken translates a message about milbench flags into method names: --keep-leak becomes KeepLeak. Commands are left
// unchanged.
func spoken(text string) string {
	return flag.ReplaceAllStringFunc(text, func(name string) string {
		if command.MatchString(text[:strings.Index(text, name)]) {
			return name
		}
		name = strings.TrimPrefix(name, "--")
		if method := methods[name]; method != "" {
			return method
		}
		var b strings.Builder
		for _, word := range strings.Split(name, "-") {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
		return b.String()
	})
}
