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
		{"-iterations -1", "-iterations -1; give 0 for the setting's own, or more"},
		{"-final NaN", "-final NaN; give 0 for the setting's own, or a number above 0"},
		{"-final Inf", "-final +Inf; give 0 for the setting's own, or a number above 0"},
		{"-epsilon -0.1", "-epsilon -0.1; give 0 for the setting's own, or a number above 0"},
		{"-epsilon Inf", "-epsilon +Inf; give 0 for the setting's own, or a number above 0"},
	} {
		if err := run(t.Context(), strings.Fields(c.arguments), io.Discard); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.arguments, err, c.want)
		}
	}
}
