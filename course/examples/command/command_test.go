package command_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"synpool/course/examples/command"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ arguments, want string }{
		{"slow", `unknown argument "slow"; see -help`},
		{"-epochs -2", "-epochs -2; give 0 for the setting's own, or more"},
		{"-epochs two", `invalid value "two" for flag -epochs: parse error; see -help`},
		{"-seed 0", "-seed 0; give 1 to 9223372036854775807"},
		{"-seed 9223372036854775808", "-seed 9223372036854775808; give 1 to 9223372036854775807"},
		{"-fast", "flag provided but not defined: -fast; see -help"},
	} {
		var out bytes.Buffer
		err := command.New("test", "less").Parse(strings.Fields(c.arguments), &out)
		if err == nil || err.Error() != c.want || out.Len() > 0 {
			t.Errorf("%s: %v, want %s; printed %q", c.arguments, err, c.want, &out)
		}
	}
	var out bytes.Buffer
	if err := command.New("test", "less").Parse([]string{"-help"}, &out); !errors.Is(err, flag.ErrHelp) || !strings.Contains(out.String(), "-quick") || !strings.Contains(out.String(), "less") {
		t.Errorf("-help: %v, printed %q", err, &out)
	}
	for low, want := range map[int]string{-1: "", 0: "-show -1; give 0 or more", 1: "-show -1; give 1 or more"} {
		flags, says := command.New("test", "less"), ""
		show := flags.Count("show", low, 3, "words")
		if err := flags.Parse([]string{"-show", "-1"}, &out); err != nil {
			says = err.Error()
		}
		if says != want || *show != -1 {
			t.Errorf("-show %d, at least %d: %q, want %q", *show, low, says, want)
		}
	}
}

func ExampleFlags() {
	flags := command.New("words", "half of the words")
	if err := flags.Parse(strings.Fields("-quick -epochs 3 -checkpoints kept"), nil); err != nil {
		fmt.Println(err)
		return
	}
	seed, epochs := uint64(7), 10
	flags.Apply(&seed, &epochs)
	fmt.Println(flags.Quick, epochs, seed, flags.Checkpoint("LSTM, attention, +3 Syn steps", seed))
	// Output: true 3 1 kept/LSTM-attention-+3-Syn-steps-seed-1.checkpoint
}

func ExampleChoose() {
	for _, arguments := range [][]string{{}, {"-quick", "-syn", "3"}} {
		f := command.New("program", "a few bags")
		steps := f.Syn()
		if err := f.Parse(arguments, io.Discard); err != nil {
			fmt.Println(err)
		}
		bags := command.Choose(f, func() int { return 1000 }, func() int { return 10 })
		fmt.Printf("%d bags, %d Syn steps\n", bags, *steps)
	}
	// Output:
	// 1000 bags, 0 Syn steps
	// 10 bags, 3 Syn steps
}
