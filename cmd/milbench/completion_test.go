package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"synpool/milbench/learners"
)

// completes returns what completes the last of args, and the directive to the shell.
func completes(t *testing.T, args ...string) (values []string, directive string) {
	t.Helper()
	out, _ := succeed(t, append([]string{"__completeNoDesc"}, args...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	last := len(lines) - 1
	return lines[:last], lines[last]
}

func TestCompletion(t *testing.T) {
	const files, noFiles = ":0", ":4"
	for _, c := range []struct {
		line      string
		want      []string // some of the values; nil where there is none
		never     string
		directive string
	}{
		{"ru", []string{"run"}, "train", noFiles},
		{"completion ", []string{"bash", "zsh", "fish", "powershell"}, "milbench", noFiles},
		{"run ", []string{"musk1", "elephant"}, "all", files},
		{"run musk1 ele", []string{"elephant"}, "musk1", files},
		{"run musk1 --learner ", []string{"miles", "auto"}, "syn", noFiles},
		{"run musk1 --learner miles,au", []string{"miles,auto"}, "auto", noFiles},
		{"run musk1 --pooling=ga", []string{"gated"}, "syn", noFiles},
		{"run musk1 --protocol ", []string{"nested", "honest"}, "", noFiles},
		{"run musk1 --norm ", []string{"true", "false"}, "", noFiles},
		{"run musk1 --out ", nil, "", files},
		{"train musk1 ", nil, "", noFiles},
		{"train musk1 --calibrate ", []string{"platt", "conformal"}, "", noFiles},
		{"train musk1 --calibrate platt,con", []string{"platt,conformal"}, "isotonic", noFiles},
		{"train musk1 --level ", nil, "", noFiles},
		{"train bags.csv --label ", nil, "", noFiles},
		{"predict ", nil, "", files},
		{"predict model mus", []string{"musk1"}, "elephant", files},
		{"predict model musk1 --format ", []string{"csv", "json"}, "md", noFiles},
		{"table results --format ", []string{"md", "tex"}, "", noFiles},
		{"data fetch ", []string{"musk2", "all"}, "", noFiles},
		{"data verify musk1 musk", []string{"musk2"}, "elephant", noFiles},
		{"study ", []string{"iterations", "list"}, "musk1", noFiles},
		{"study iterations --sets elephant,fo", []string{"elephant,fox"}, "fox", noFiles},
		{"merge one ", nil, "", files},
		{"plot results --figure conf", []string{"confusion"}, "heatmap", noFiles},
		{"version ", nil, "", noFiles},
	} {
		got, directive := completes(t, strings.Split(c.line, " ")...)
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("milbench %s: %q, without %s", c.line, got, w)
			}
		}
		if c.want == nil && len(got) > 0 || slices.Contains(got, c.never) || directive != c.directive {
			t.Errorf("milbench %s: %q %s, want %s", c.line, got, directive, c.directive)
		}
	}
	if got, _ := completes(t, "train", "musk1", "--learner", ""); !slices.Equal(got, learners.Names()) {
		t.Errorf("--learner: %q", got)
	}
}

// TestCompletionScripts has a bash complete a line with the script, and looks at the others.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range shells {
		out, stderr := succeed(t, "completion", shell)
		if !strings.Contains(out, "__complete") || !strings.Contains(out, "milbench") || stderr != "" {
			t.Errorf("%s:\n%s%s", shell, out, stderr)
		}
	}
	refuse(t, exitUse, `did you mean "zsh"?`, "completion", "zshh")
	refuse(t, exitUse, "use one of bash, zsh, fish, powershell", "completion", "cmd.exe")
	if _, err := exec.LookPath("bash"); err != nil {
		return // Windows; the script is looked at above
	}
	script, _ := succeed(t, "completion", "bash")
	dir := t.TempDir()
	// The program in the script's place prints its arguments, and completes it.
	program := "#!/bin/sh\n[ \"$*\" = '__complete run mus' ] && printf 'musk1\\tMusk 1\\nmusk2\\tMusk 2\\n:4\\n'\n"
	for name, text := range map[string]string{"script": script, "milbench": program} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777))
	}
	bash := exec.Command("bash", "--norc", "-c", `
		PATH=$PWD:$PATH
		_get_comp_words_by_ref() { cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD; }
		compopt() { :; }
		__ltrim_colon_completions() { :; }
		. ./script
		COMP_WORDS=(milbench run mus) COMP_CWORD=2 COMP_LINE='milbench run mus' COMP_POINT=16 COMP_TYPE=9
		__start_milbench
		printf '%s\n' "${COMPREPLY[@]}"`)
	bash.Dir = dir
	out, err := bash.CombinedOutput()
	if err != nil || string(out) != "musk1\nmusk2\n" {
		t.Errorf("bash completes %q (%v)", out, err)
	}
}

// TestMan looks for every subcommand and flag in the manual pages.
func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "share", "man1")
	succeed(t, "man", "--out", dir)
	pages := map[string]string{}
	eachCommand((&program{}).command(), func(c *cobra.Command) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		pages[name] = contents(t, dir, name)
		// The marks of the format are taken away, and what it divides is joined.
		page := strings.Join(strings.Fields(strings.NewReplacer(`\-`, "-", `\fB`, "", `\fR`, "", `\fP`, "", `\fI`, "", `\&`, "", `\(`, "", `\(aq`, "'", "\n.PP", "").Replace(pages[name])), " ")
		if !strings.HasPrefix(pages[name], ".nh\n.TH ") || !strings.Contains(page, c.Short) {
			t.Errorf("%s: no title, or no %q:\n%s", name, c.Short, pages[name])
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(page, "--"+f.Name) {
				t.Errorf("%s lacks --%s", name, f.Name)
			}
		})
	})
	if all, err := os.ReadDir(dir); err != nil || len(all) != len(pages) {
		t.Errorf("%d pages of %d commands (%v)", len(all), len(pages), err)
	}
	succeed(t, "man", "--out", dir)
	for name, page := range pages {
		if contents(t, dir, name) != page {
			t.Errorf("%s differs from one call to the next", name)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	put(t, file, "")
	refuse(t, exitUse, file, "man", "--out", file)
	refuse(t, exitUse, "out", "man")
}
