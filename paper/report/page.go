package report

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"synpool/milbench/results"
	"synpool/paper"
	"synpool/plotting"
)

// The pages are written by hand, as templates: RESULTS.md.tmpl and tables.md.tmpl. A line "---" ends a part. A part is filled in with what
// was computed, and it stands or falls as a whole: without enough results, or where a check in it fails, another line stands in its place.
// What several parts of a page say is a block of the first of them.
//
//go:embed RESULTS.md.tmpl tables.md.tmpl
var templates embed.FS

// ErrRewrite reports a sentence of a template that the results no longer bear out.
var ErrRewrite = errors.New("rewrite it")

// filler fills in the templates.
type filler struct {
	archives map[string]opened
	said     []said
	figures  map[string]*plotting.Figure // that were shown, by name
	wrong    []error                     // sentences that no longer hold

	root    string // from the page to the folder of the first page
	section section
	archive opened
	data    any  // what was computed of the section
	began   bool // the part began the section
}

func newFiller(archives []results.Archive) (f *filler, err error) {
	f = &filler{archives: openAll(archives), figures: make(map[string]*plotting.Figure)}
	f.said, err = answers(f.archives)
	return f, err
}

// rewrite returns [ErrRewrite] for the sentences that no longer hold.
func (f *filler) rewrite() error { return errors.Join(f.wrong...) }

// page fills in the template of a page.
func (f *filler) page(name string) (string, error) {
	file := path.Base(name) + ".tmpl"
	text, err := templates.ReadFile(file)
	if err != nil {
		return "", err
	}
	f.section, f.root = section{}, strings.Repeat("../", strings.Count(name, "/"))
	t := template.New(file).Option("missingkey=error").Funcs(f.functions())
	var parts []string
	for _, source := range strings.Split(strings.TrimSpace(string(text)), "\n---\n") {
		part, err := f.part(t, source)
		if err != nil {
			return "", err
		}
		if part = strings.TrimSpace(part); part != "" && (len(parts) == 0 || part != parts[len(parts)-1]) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n\n") + "\n", nil
}

// disagreement is a failed check.
type disagreement struct{ computed, written string }

func (d disagreement) Error() string {
	return fmt.Sprintf("says %s, the results now say %s", d.written, d.computed)
}

// The actions of a template that write a block of another part, that write nothing of their own, and the others.
var again, silent, action = regexp.MustCompile(`{{template "(.*?)".*?}}`), regexp.MustCompile(`{{(block|with|else|end|check)\b.*?}}`), regexp.MustCompile(`{{.*?}}`)

// part fills in a part of a template, whose blocks are those of the parts before.
func (f *filler) part(t *template.Template, source string) (string, error) {
	if _, err := t.Parse(source); err != nil {
		return "", err
	}
	f.began = false
	var b strings.Builder
	err := t.Execute(&b, f.data)
	if !f.began && f.section.experiment != "" {
		switch {
		case f.archive.Experiment == "": // not run
			return "", nil
		case err != nil && f.data == nil:
			err = errIncomplete
		}
	}
	var wrong disagreement
	switch {
	case errors.As(err, &wrong):
		source = again.ReplaceAllStringFunc(source, func(call string) string { return t.Lookup(again.FindStringSubmatch(call)[1]).Root.String() })
		says := []rune(action.ReplaceAllString(silent.ReplaceAllString(strings.TrimSpace(source), ""), "…"))
		if len(says) > 150 {
			says = append(says[:150], '…')
		}
		if f.complete() {
			f.wrong = append(f.wrong, fmt.Errorf("%s, section %s: the paragraph “%s” %w: %w", t.Name(), f.section.experiment, string(says), wrong, ErrRewrite))
		}
		return fmt.Sprintf("*Left out, as it is about the committed results, and does not hold here: “%s”*", string(says)), nil
	case tooFew(err):
		return "*The results do not suffice for this part.*", nil
	}
	return b.String(), err
}

// complete reports whether the archive of the section, or of all sections, has as many fits as the one that its sentences were written
// of. If so, they must hold.
func (f *filler) complete() bool {
	return !slices.ContainsFunc(sections, func(s section) bool {
		return (f.section.experiment == "" || f.section.experiment == s.experiment) && len(f.archives[s.experiment].Results) < s.fits
	})
}

// functions are what the templates call beside the methods of a section's data.
func (f *filler) functions() template.FuncMap {
	return template.FuncMap{
		"section":  f.begin,
		"check":    check,
		"figure":   f.figure,
		"claim":    f.claim,
		"claims":   func() []said { return f.said },
		"data":     f.open,
		"shorts":   f.shorts,
		"origin":   func() string { return origin(f.archive.Archive) },
		"paper":    f.paperSettings,
		"archives": f.made,
		"ran":      func() (string, error) { return ran(f.archive.Archive) },
		"notes":    func() string { return notes(f.archive.Archive) },
		"margin":   func() float64 { return margin },
		"number":   number, "signed": signed, "hundred": hundred, "integer": integer, "listed": listed, "chained": chained,
		"need": func(enough bool) string { need(enough); return "" },
	}
}

// begin begins a section: its head, and that it has not been run where it has not. After "" no section follows.
func (f *filler) begin(experiment string) (text string, err error) {
	if experiment == "" {
		f.section, f.data = section{}, nil
		return "", nil
	}
	f.section, f.archive, f.data, f.began = sectionOf(experiment), f.archives[experiment], nil, true
	text = fmt.Sprintf("<a id=%q></a>\n\n## %s", experiment, f.section.title)
	if f.archive.Experiment == "" {
		return text + "\n\nNot run yet: `milbench study " + experiment + " --out results`.", nil
	}
	if f.data, err = f.open(experiment); tooFew(err) {
		err = nil
	}
	return text, err
}

// open returns the study of an experiment, which the parts of its section are about.
func (f *filler) open(experiment string) (study any, err error) {
	defer caught(&err)
	a, there := f.archives[experiment]
	need(there)
	return a.study(), nil
}

// check fails unless what was computed is what was written. It writes nothing.
func check(computed, written any) (string, error) {
	if c, w := fmt.Sprint(computed), fmt.Sprint(written); c != w {
		return "", disagreement{c, w}
	}
	return "", nil
}

// figure draws a figure and returns its file.
func (f *filler) figure(name string) (file string, err error) {
	defer caught(&err)
	switch a, there := f.archives[name]; {
	case name == claimsPicture:
		f.figures[name] = plotClaims(f.said)
	case name == learnersPicture:
		f.figures[name] = learnersMap(true)(must(f.open("learners")).(learnerStudy))
	default:
		need(there)
		f.figures[name] = must(a.plot(sectionOf(name).figure))
	}
	return pictureName(name), nil
}

// claim answers a question.
func (f *filler) claim(question string) (string, error) {
	i := slices.IndexFunc(f.said, func(s said) bool { return s.Question == question })
	if i < 0 {
		return "", fmt.Errorf("no claim %q", question)
	}
	return f.said[i].text(), nil
}

// shorts names the claims that say the same of models ([said.what]), with their estimates, or counts them.
func (f *filler) shorts(what string) string {
	var names []string
	for _, s := range f.said[1:] { // the first has a sentence of its own
		if s.what() == what {
			names = append(names, fmt.Sprintf("%s (%s)", s.short, s.Estimate))
		}
	}
	if what == "open" {
		return fmt.Sprint(len(names))
	}
	return listed(names)
}

// ran says what was run, and what is missing.
func ran(a results.Archive) (string, error) {
	form, quick, err := paper.FormOf(a)
	if err != nil {
		return "", err
	}
	size, command := "full", "milbench study "+a.Experiment
	if quick {
		size, command = "quick", command+" --quick"
	}
	text := fmt.Sprintf("`%s --out results`: %s.", command, form.Scope)
	absent, lacks, err := paper.Lacking(a, form)
	if len(absent) > 0 {
		text += fmt.Sprintf(" Not run: %s; `milbench data fetch NAME` fetches a set, `%s --sets NAME --out results` runs it.", listed(absent), command)
	}
	for _, l := range lacks {
		text += fmt.Sprintf(" Of the %s form there lack %s.", size, l)
	}
	return text, err
}

// notes lists what the tables of an archive leave out or warn of.
func notes(a results.Archive) string {
	list := tabulate(a.Results).Notes
	if len(list) == 0 {
		return ""
	}
	return "Notes:\n\n- " + strings.Join(list, "\n- ")
}

// The settings of Syn by γ and layer norm that others have, too.
const (
	paperSetting    = "γ = 1 without layer norm, as in the paper"
	releasedSetting = "γ = 0.5 with layer norm, as in the released program"
)

// origin says which settings the Syn networks of an archive have.
func origin(a results.Archive) string {
	var settings []string
	for _, r := range a.Results {
		c := configOf(r)
		if c.Pooling != "syn" || c.Gamma == 0 {
			continue
		}
		setting := fmt.Sprintf("γ = %v %s layer norm", c.Gamma, map[bool]string{true: "with", false: "without"}[c.Norm])
		for _, known := range []string{paperSetting, releasedSetting} {
			if strings.HasPrefix(known, setting+",") {
				setting = known
			}
		}
		if !slices.Contains(settings, setting) {
			settings = append(settings, setting)
		}
	}
	if len(settings) == 0 {
		return ""
	}
	slices.Sort(settings)
	return "Syn has " + strings.Join(settings, "; ") + "."
}

// paperSettings names the experiments with the setting of the paper.
func (f *filler) paperSettings() string {
	var names []string
	for _, s := range sections {
		if strings.Contains(origin(f.archives[s.experiment].Archive), paperSetting) {
			names = append(names, s.experiment)
		}
	}
	return listed(names)
}

// made is an archive with what made it.
type made struct {
	results.Archive
	Seeds, Backends, Revisions string
}

// made returns the archives in the order of [paper.Experiments].
func (f *filler) made() (list []made) {
	for _, e := range paper.Experiments {
		a, there := f.archives[e.Name]
		if !there {
			continue
		}
		var seeds []uint64
		var backends, revisions []string
		for _, r := range a.Results {
			seeds, backends, revisions = append(seeds, r.Seed), append(backends, r.Backend), append(revisions, r.Revision[:min(len(r.Revision), 7)])
		}
		list = append(list, made{a.Archive, each(seeds), each(backends), each(revisions)})
	}
	return list
}
