package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"synpool/internal/disk"
	"synpool/milbench/results"
	"synpool/paper"
	"synpool/plotting"
)

// section is an experiment on the pages.
type section struct {
	experiment, title string
	figure            string // of [paper.Experiment], on the first page
	fits              int    // of the archive that the sentences were written of
	study             func(results.Archive) any
}

var sections = []section{
	{"poolings", "Which pooling is best when the test part chooses nothing?", "ranks", 3402, func(a results.Archive) any { return newPoolings(a) }},
	{"published", "How much of the published AUC comes from the protocol?", "steps", 2730, func(a results.Archive) any { return newPublished(a) }},
	{"ablation", "What does each part of SynPooling contribute?", "changes", 3465, func(a results.Archive) any { return newAblation(a) }},
	{"iterations", "Which number of Syn steps is best?", "sweep", 6552, func(a results.Archive) any { return newIterations(a) }},
	{"winners", "Does the winning instance change more often under distraction?", "steps", 1872, func(a results.Archive) any { return newWinners(a) }},
	{"noise", "Does concentration make a network robust to noise?", "lead", 10800, func(a results.Archive) any { return newNoise(a) }},
	{"assumption", "Which poolings learn what the MIL assumption forbids?", "assumption", 330, func(a results.Archive) any { return newAssumption(a) }},
	{"features", "Does pooling separate the classes?", "silhouettes", 132, func(a results.Archive) any { return newFeatures(a) }},
	{"learners", "Which learner is best when inner folds choose its settings?", "ranks", 28093, func(a results.Archive) any { return newLearners(a) }},
	{"networks", "Do networks with searched settings reach the published HopfieldPooling?", "auc", 4750, func(a results.Archive) any { return newNetworks(a) }},
}

// sectionOf returns the section of an experiment.
func sectionOf(experiment string) section {
	return sections[slices.IndexFunc(sections, func(s section) bool { return s.experiment == experiment })]
}

// opened is an archive, and the study of it, which is made when it is first asked for.
type opened struct {
	results.Archive
	study func() any
}

func open(a results.Archive) opened {
	return opened{a, sync.OnceValue(func() any { return sectionOf(a.Experiment).study(a) })}
}

// openAll opens archives, by their experiments.
func openAll(archives []results.Archive) map[string]opened {
	all := make(map[string]opened)
	for _, a := range archives {
		all[a.Experiment] = open(a)
	}
	return all
}

// from asks the study of an archive for an answer or a figure.
func from[S, T any](ask func(S) T) func(opened) T {
	return func(a opened) T { return ask(a.study().(S)) }
}

// The pictures of all experiments together, by their names; the others have the names of experiments.
const (
	claimsPicture   = "claims"
	learnersPicture = "sets-and-learners"
)

// Where the files stand, from the folder of the first page.
const (
	pageName   = "RESULTS.md"
	tablesName = "docs/tables.md"
)

// pictureName returns the file of a picture.
func pictureName(name string) string { return "docs/results/" + name + ".svg" }

// Write writes the first page, RESULTS.md: what was found, the claims, and a short section for each question. It shows the figures that
// [WriteFiles] writes beside it. The same scores give a byte-identical page. [ErrRewrite] means that the page is written, but a sentence
// of it no longer holds.
func Write(w io.Writer, archives []results.Archive) error { return writePage(w, archives, pageName) }

// WriteTables writes the tables of all experiments, docs/tables.md, like [Write]. Times have no part in it ([WriteTimes]).
func WriteTables(w io.Writer, archives []results.Archive) error {
	return writePage(w, archives, tablesName)
}

// Section returns the section of one experiment, as docs/tables.md has it. [ErrRewrite] means what it means of [WriteTables].
func Section(a results.Archive) (string, error) {
	if _, err := paper.FindExperiment(a.Experiment); err != nil {
		return "", err
	}
	var b strings.Builder
	err := WriteTables(&b, []results.Archive{a})
	_, text, _ := strings.Cut(b.String(), fmt.Sprintf("<a id=%q></a>\n\n", a.Experiment))
	text, _, _ = strings.Cut(text, "<a id=")
	return text, err
}

func writePage(w io.Writer, archives []results.Archive, name string) error {
	f, err := newFiller(archives)
	if err != nil {
		return err
	}
	text, err := f.page(name)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	return f.rewrite()
}

// Files returns both pages and the figures, by their path from the folder of the first page. With [ErrRewrite] the files are there, but a
// sentence no longer holds.
func Files(archives []results.Archive) (map[string][]byte, error) {
	f, err := newFiller(archives)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for _, name := range []string{pageName, tablesName} {
		text, err := f.page(name)
		if err != nil {
			return nil, err
		}
		files[name] = []byte(text)
	}
	for name, figure := range f.figures {
		var b bytes.Buffer
		if err := figure.Write(&b, plotting.SVG); err != nil {
			return nil, fmt.Errorf("the figure %s: %w", name, err)
		}
		files[pictureName(name)] = b.Bytes()
	}
	return files, f.rewrite()
}

// WriteFiles writes [Files] below a folder, and then returns their error.
func WriteFiles(folder string, archives []results.Archive) error {
	files, rewrite := Files(archives)
	for name, data := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := disk.WriteFile(path, data); err != nil {
			return err
		}
	}
	return rewrite
}

// WriteTimes writes a table of how long the runs of each experiment took, in the order of [paper.Experiments]. Times differ
// from run to run and stand in a file of their own.
func WriteTimes(w io.Writer, archives []results.Archive) error {
	text := "# Times\n\nHow long the runs took, each to its end or until it was stopped.\n\n"
	var rows [][]string
	all := openAll(archives)
	for _, e := range paper.Experiments {
		for _, t := range all[e.Name].Times {
			took := time.Duration(t.Seconds * float64(time.Second)).Round(time.Second)
			rows = append(rows, []string{e.Name, strconv.Itoa(t.Fits), strconv.Itoa(t.Spaces), took.String(), strconv.Itoa(t.Cores), t.Backend, t.Version, t.Revision})
		}
	}
	if len(rows) > 0 {
		text += table([]string{"experiment", "fits", "spaces", "time", "cores", "backend", "version", "revision"}, rows) + "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}
