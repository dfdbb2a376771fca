package main

import (
	"io"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	for _, c := range []struct{ arguments, want string }{
		{"slow", `unknown argument "slow"; see -help`},
		{"-epochs -2", "-epochs -2; give 0 for the setting's own, or more"},
		{"-show -1", "-show -1; give 0 or more"},
		{"-syn x", `invalid value "x" for flag -syn: parse error; see -help`},
	} {
		if err := run(t.Context(), strings.Fields(c.arguments), io.Discard); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.arguments, err, c.want)
		}
	}
}
