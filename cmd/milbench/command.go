package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"synpool/internal/printable"
	"synpool/internal/spelling"
	"synpool/plotting"
)

// program has the state that all subcommands share.
type program struct {
	out *sink     // standard output
	err io.Writer // standard error

	large watching // how far fits on large bags are
}

// start runs the command line args and returns the exit status.
func start(ctx context.Context, args []string, out, stderr io.Writer) int {
	words := printable.NewWriter(out)
	p := &program{out: &sink{w: words}, err: stderr}
	err := p.execute(ctx, args)
	if ended := words.Close(); p.out.err == nil {
		p.out.err = ended
	}
	if err == nil && p.out.err != nil {
		err = fmt.Errorf("write standard output: %w", p.out.err)
	}
	if err == nil {
		return exitDone
	}
	code, text := exitCode(ctx, err), err.Error()
	if s := stoppedBy(ctx); s != nil && code == s.code() && !strings.Contains(text, s.Error()) {
		text = s.Error()
	}
	for line := range strings.Lines(text) {
		fmt.Fprintf(stderr, "milbench: %s\n", printable.Text(strings.TrimRight(line, "\n")))
	}
	return code
}

func (p *program) execute(ctx context.Context, args []string) error {
	root := p.command()
	root.SetArgs(args)
	root.SetOut(p.out)
	root.SetErr(p.err)
	err := root.ExecuteContext(ctx)
	if _, _, unknown := root.Find(args); err != nil && unknown != nil {
		return unknownSubcommand(root, args)
	}
	return err
}

// command returns the whole command.
func (p *program) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "milbench COMMAND",
		Short: "Compare and train multiple-instance learners on your bags or named sets",
		Long: `It trains support vector machines, trees, and networks with the Syn layer and other poolings, under
protocols that by default look at the test part only at the end. It judges models that you trained
elsewhere, too.

Exit status:
  0            done
  1            an audit found a column that leaks the labels or a bag with two labels, a fit failed
               three times, or predict could not read all bags
  2            wrong use or unreadable input
  75           try again: network, full disk, input or output error, folder in use
  129, 130 or 143   stopped within 5 s, results kept`,
		Example:                    "  milbench demo\n  milbench run musk1 --pooling softmax,syn --iterations=-3,3 --out results",
		SilenceUsage:               true,
		SilenceErrors:              true,
		DisableSuggestions:         true,
		SuggestionsMinimumDistance: 1,
		RunE:                       func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(writeHelp)
	cobra.EnableCommandSorting = false // the order is that of work
	root.AddCommand(p.demo(), p.audit(), p.run(), p.table(), p.compare(), p.plot(), p.train(), p.predict(), p.export(), p.evaluate(), p.show(), p.foldsOf(), p.score(), p.data(), p.backend())
	for _, c := range []*cobra.Command{p.study(), p.merge(), p.completion(), p.man(), p.version()} {
		c.Annotations = map[string]string{rareKey: ""}
		root.AddCommand(c)
	}
	root.AddCommand(topics()...)
	addHelp(root)
	addCompletion(root)
	return root
}

// addHelp makes the subcommand help refuse unknown names.
func addHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return // no subcommands
	}
	help.Short, help.Long, help.Example = "Print the help of a command or the text of a topic", "", "  milbench help run\n  milbench help files"
	help.Run = nil
	help.RunE = func(_ *cobra.Command, args []string) error {
		c, rest, err := root.Find(args)
		switch {
		case err != nil || len(rest) > 0 && c.HasAvailableSubCommands():
			return unknownSubcommand(c, rest)
		case len(rest) > 0:
			return fmt.Errorf("%s has no subcommands; see %[1]s --help", c.CommandPath())
		}
		return c.Help()
	}
}

// unknownSubcommand says that c has no such subcommand, and which one may have been meant.
func unknownSubcommand(c *cobra.Command, args []string) error {
	name := ""
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			name = a
			break
		}
	}
	if !c.HasParent() && name == "plan" { // until 0.1
		return fmt.Errorf("%s has no subcommand %q: --shard i/n needs no plan, and milbench run --dry-run says what it takes", c.CommandPath(), name)
	}
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() || sub.Name() == "help" {
			names = append(names, sub.Name())
		}
	}
	return fmt.Errorf("%s has no subcommand %q; %s", c.CommandPath(), name, spelling.Hint(name, names))
}

// onlySubcommands refuses arguments that are not subcommands.
func onlySubcommands(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownSubcommand(c, args)
	}
	return nil
}

// arguments wants at least low and, unless high is 0, at most high arguments.
func arguments(low, high int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch usage := usage(c); {
		case len(args) < low:
			return fmt.Errorf("an argument is missing; usage: %s", usage)
		case high > 0 && len(args) > high, low == 0 && high == 0 && len(args) > 0:
			return fmt.Errorf("%q is one argument too many; usage: %s", args[high], usage)
		}
		return nil
	}
}

// usage returns the line that says how c is used.
func usage(c *cobra.Command) string { return strings.TrimSuffix(c.UseLine(), " [flags]") }

// flagError says in one line what is wrong with a flag.
func flagError(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &invalid):
		reason := invalid.Unwrap()
		switch invalid.GetFlag().Value.Type() {
		case "int":
			reason = errors.New("an integer is needed")
		case "uint64":
			reason = errors.New("an integer from 0 is needed")
		case "float64":
			reason = errors.New("a number is needed")
		case "duration":
			reason = errors.New("a time is needed, say 90s, 10m or 2h")
		case "bool":
			reason = errors.New("true or false is needed")
		}
		return fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), reason)
	case errors.As(err, &unknown):
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := spelling.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			return fmt.Errorf("%s has no flag --%s; did you mean --%s?", c.CommandPath(), unknown.GetSpecifiedName(), near)
		}
	}
	return fmt.Errorf("%w; see %s --help", err, c.CommandPath())
}

// note writes a line to standard error.
func (p *program) note(format string, args ...any) {
	fmt.Fprintln(p.err, printable.Text(fmt.Sprintf("milbench: "+format, args...)))
}

// remark writes a note to standard error.
func (p *program) remark(text string) { p.note("note: %s", text) }

// terminal returns standard error if it is a terminal, else nil.
func (p *program) terminal() *os.File {
	if f, ok := p.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// print writes v as JSON or, unless that is asked for, the text that write makes of it, whose columns tabs separate.
func (p *program) print(asJSON bool, v any, write func(io.Writer)) error {
	if !asJSON {
		t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
		write(t)
		return t.Flush()
	}
	e := json.NewEncoder(p.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// report writes a report as JSON or as text.
func (p *program) report(asJSON bool, r interface{ Write(io.Writer) error }) error {
	if asJSON {
		return p.print(true, r, nil)
	}
	return r.Write(p.out)
}

// save saves a figure and says so.
func (p *program) save(figure *plotting.Figure, file string) error {
	if err := figure.Save(file); err != nil {
		return err
	}
	p.note("drawn: %s", filepath.Clean(file))
	return nil
}

// addJSON gives c the flag --json.
func addJSON(c *cobra.Command, value *bool) {
	c.Flags().BoolVar(value, "json", false, "write JSON instead of text")
}

// sink remembers the first error of a writer.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(data []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(data)
	s.err = err
	return n, err
}
