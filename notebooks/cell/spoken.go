package cell

import (
	"regexp"
	"strings"
)

var flag = regexp.MustCompile(`--(missing median|[a-z]+(?:-[a-z]+)*)`)

// command is the beginning of a command of milbench, up to a flag.
var command = regexp.MustCompile(`milbench [a-z][^;:,]*$`)

// methods are those that say what a flag of milbench says, where they are not named alike.
var methods = map[string]string{"lr": "Rate", "missing median": "Median", "instance-label-column": "InstanceLabels"}

// spoken writes a message about flags of milbench in the words of a cell: --keep-leak is KeepLeak. A command is left as it is.
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
