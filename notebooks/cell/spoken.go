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

// inCells says how a cell does what a message proposes as a command.
var inCells = strings.NewReplacer("milbench train --calibrate learns", "Calibrate learns",
	"milbench predict --instances prints", "Explain returns")

// spoken translates a message about milbench flags into method names: --keep-leak becomes KeepLeak. Other commands are left
// unchanged.
func spoken(text string) string {
	text = inCells.Replace(text)
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
