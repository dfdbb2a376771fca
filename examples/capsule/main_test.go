package main

import (
	"testing"
)

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"slow"}, `unknown argument "slow"; see -help`},
		{[]string{"-epochs", "-2"}, "-2 epochs; give 0 for the setting's own, or more"},
	} {
		if err := run(t.Context(), c.arguments); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.arguments, err, c.want)
		}
	}
}
