package main

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"synpool/milbench/dataset"
	"synpool/milbench/mil"
)

// flagCases has for each flag of a subcommand at least one command line in which the part in brackets has an effect or is
// refused. OUT is a folder that is not there; the other words in
// capitals are in TestEveryFlag.
var flagCases = map[string][]string{
	"audit":           {"audit FILE [--json]"},
	"backend":         {"backend [--json]"},
	"compare":         {"compare RESULTS [--json]", "compare RESULTS [--with statistics-svm]", "compare RESULTS [--rope 0.5]", "compare RESULTS [--out OUT.png]"},
	"data list":       {"data list [--json]"},
	"data verify":     {"data verify musk1 [--json]"},
	"demo":            {"demo [--cores x] --json=x", "demo --cores 0 [--json=x]", "demo --cores 0 [--out x.txt]"},
	"evaluate":        {"evaluate MODEL FILE [--json]", "evaluate MODEL NOISE [--seed 2]"},
	"export":          {"export MODEL OUT.onnx [--batch]"},
	"folds":           {"folds FILE [--out OUT.csv]", "folds FILE --out OUT.csv [--bags OUT.bags.csv]", "folds FILE [--format clam] --out OUT.csv", "folds FILE --out OUT.csv [--folds 3]", "folds SPLIT --out OUT.csv [--folds 3]", "folds FILE --out OUT.csv [--folds-file absent]", "folds FILE --out OUT.csv [--repeats 2]", "folds FILE --out OUT.csv [--seed 2]"},
	"man":             {"man [--out OUT]"},
	"merge":           {"merge RESULTS [--out OUT]"},
	"plot":            {"plot RESULTS --out OUT.svg [--figure confusion]", "plot RESULTS --out OUT.svg [--setting statistics-svm]", "plot RESULTS --out OUT.svg [--set absent]", "plot RESULTS [--out OUT.svg]", "plot RESULTS --out OUT.svg [--thumbnails x]", "plot RESULTS --out OUT.svg [--scale 2]", "plot RESULTS --out OUT.svg [--tile 2]", "plot RESULTS --figure confusion --setting statistics-svm --out OUT.svg [--column x]", "plot RESULTS --out OUT.svg [--extremes 3]"},
	"predict":         {"predict MODEL FILE [--json]", "predict MODEL FILE --json [--format csv]", "predict MODEL FILE [--format json]", "predict MODEL FILE [--instances]", "predict MODEL FILE [--fdr 0.1]", "predict MODEL FILE --instances [--fdr 0.1]", "predict MODEL FILE [--coordinates none]", "predict MODEL FILE [--labels x.csv]"},
	"run":             {"run FILE --learner statistics-svm --folds 2 --repeats 1 [--out OUT]", "RUN [--json]", "RUN --shard 0/2 [--json]", "RUN [--shard 0/2]", "RUN [--cores 0]", "run FILE --pooling mean --folds 2 --repeats 1 --out OUT [--memory 1]", "RUN [--dry-run]"},
	"score":           {"score FILE --folds absent --name x [--out OUT]", "score FILE --name x --out OUT [--folds absent]", "score FILE --folds absent --out OUT [--name x]"},
	"show":            {"show MODEL [--json]"},
	"study":           {"study ablation --sets absent --out OUT [--cores 0]", "study ablation --out OUT --sets absent [--quick]", "study ablation --quick --sets absent [--out OUT]", "study ablation --quick --memory 1MB --out OUT [--sets absent]", "study ablation --quick --out OUT --cores 0 [--seed x]", "study ablation --quick --out OUT --cores 0 [--memory x]", "study ablation --out OUT --sets absent [--shard x]"},
	"study archive":   {"study archive RESULTS [--out OUT]", "study archive STUDY --out OUT [--add]"},
	"study list":      {"study list [--json]"},
	"study report":    {"study report FOLDER --tables [--out OUT]", "study report FOLDER --times [--tables]", "study report FOLDER --tables [--times]"},
	"table":           {"table RESULTS [--json]", "table RESULTS [--format csv]", "table RESULTS --json [--format csv]"},
	"train":           {"train FILE --learner statistics-svm [--out OUT]", "TRAIN [--results RESULTS]", "TRAIN [--operating 0.5]", "TRAIN --results RESULTS [--operating 0.5]", "train FILE --pooling mean --epochs 1 --out OUT [--learner statistics-svm]", "TRAIN [--setting {\"c\":3}]", "train FILE --pooling mean --epochs 1 --out OUT [--setting {}]", "TRAIN [--calibrate platt]", "TRAIN [--calibrate conformal]", "TRAIN [--level 0.8]", "TRAIN [--calibrate instances]", "TRAIN --calibrate conformal [--level 0.8]", "train REAL --learner statistics-svm --out OUT [--calibrate conformal]", "train FILE --learner distance-svm --out OUT [--exportable]", "train FILE --epochs 1 --out OUT [--from absent.safetensors]", "train REAL --learner statistics-svm --out OUT [--calibrate platt]", "TRAIN [--seed 2]", "train FILE --learner statistics-trees --out OUT [--seed 2]", "train FILE --pooling mean --epochs 1 --out OUT [--seed 2]", "train FILE --pooling mean --epochs 1 --out OUT [--cores 1]", "TRAIN [--cores 0]", "train FILE --pooling mean --epochs 1 --out OUT [--memory 1]", "TRAIN [--preset released]"},
	"version":         {"version [--json]"},
	"read a file":     {"[--labels x.csv]", "[--bag other]", "[--subset]", "[--features x]", "[--label p]", "[--group r]", "[--split none]", "[--split r]", "[--coordinates none]", "[--coordinates p,q]", "[--as-features absent]", "[--ignore r]", "[--numbers]", "[--order 1,0]", "[--categorical r]", "[--missing median]", "[--instance-label-column last]", "[--positive 0]", "[--keep-leak]"},
	"read a folder":   {"[--labels FILE]", "[--bag other]", "[--subset]", "[--features x]", "[--label x]", "[--group x]", "[--split none]", "[--coordinates none]", "[--as-features absent]", "[--ignore r]", "[--numbers]", "[--order 1,0]", "[--categorical r]", "[--missing median]", "[--positive 0]", "[--keep-leak]"},
	"read a set":      {"[--labels FILE]", "[--bag other]", "[--subset]", "[--features x]", "[--label x]", "[--group x]", "[--split none]", "[--coordinates none]", "[--as-features absent]", "[--ignore r]", "[--numbers]", "[--order 1,0]", "[--categorical r]", "[--missing median]", "[--instance-label-column last]", "[--positive 0]", "[--keep-leak]"},
	"ask for a grid":  {"[--learner mind]", "[--protocol nested]", "[--folds 4]", "[--folds-file absent]", "[--shots 2]", "[--repeats 2]", "[--inner 0]", "[--inner 3]", "[--seed 2]", "[--curves]", "[--sample 3]", "[--preset released]", "[--pooling mean]"},
	"set up networks": {"[--pooling max]", "[--preset released]", "[--iterations 5]", "[--gamma 0.1]", "[--layers 2]", "[--width 3]", "[--embed 8]", "[--heads 1]", "[--scale 3]", "[--beta 3]", "[--norm true]", "[--renormalise true]", "[--true-gradient true]", "[--branches 3]", "[--top 3]", "[--mask-rate 0.1]", "[--inducing 3]", "[--epochs 2]", "[--batch 3]", "[--instances 1]", "[--lr 0.1]", "[--lr-decay 0.1]", "[--weight-decay 0.1]", "[--dropout 0.1]", "[--standardise false]", "[--loss huber]", "[--class-weight balanced]", "[--init fan-in]", "[--weights sparsemax]", "[--hidden 3]"},
}

// shared says how subcommands with the same flags are called with them.
var shared = map[string][]string{
	"read a file":     {"audit FILE", "evaluate MODEL FILE", "folds FILE --out OUT.csv", "predict MODEL FILE", "RUN", "TRAIN"},
	"read a folder":   {"audit FOLDER", "evaluate FOLDED FOLDER", "folds FOLDER --folds 2 --out OUT.csv", "predict FOLDED FOLDER", "run FOLDER --learner statistics-svm --folds 2 --repeats 1 --out OUT", "train FOLDER --learner statistics-svm --out OUT"},
	"read a set":      {"audit musk1", "evaluate MUSK musk1", "folds musk1 --out OUT.csv", "predict MUSK musk1", "run musk1 --learner statistics-svm --folds 2 --repeats 1 --out OUT", "train musk1 --learner statistics-svm --out OUT"},
	"ask for a grid":  {"RUN"},
	"set up networks": {"TRAIN", "RUN", "train FILE --epochs 1 --out OUT", "run FILE --pooling syn,softmax,hopfield,clam,acmil,settransformer,gated,mean --epochs 1 --folds 3 --repeats 1 --dry-run --json --out OUT"},
}

// times matches what differs from run to run.
var times = regexp.MustCompile(`"wall_s":[0-9.e+-]+|in [0-9.]+m?s,|[0-9.]+m?s\b|attempts/\S+`)

// TestEveryFlag: no flag of any subcommand is taken in silence without an effect.
func TestEveryFlag(t *testing.T) {
	named := map[string]string{"FILE": write(t, "bags.csv", toy(false)), "REAL": write(t, "real.csv", strings.NewReplacer(",0,", ",0.5,", ",1,", ",1.5,").Replace(toy(false))),
		"STUDY": filepath.Join(t.TempDir(), "ablation"), "NOISE": write(t, "noise.csv", strings.NewReplacer("b0,0", "b0,1", "b1,1", "b1,0", "b5,1", "b5,0", "b6,0", "b6,1").Replace(toy(false))),
		"SPLIT": write(t, "split.csv", splitToy()), "RESULTS": t.TempDir()}
	set, err := dataset.ReadFile(named["FILE"])
	must(t, err)
	named["FOLDER"] = arrays(t, set)
	succeed(t, "run", named["FILE"], "--learner", "statistics-svm,statistics-trees", "--folds", "3", "--repeats", "1", "--out", named["RESULTS"])
	must(t, os.CopyFS(named["STUDY"], os.DirFS(named["RESULTS"])))
	for model, data := range map[string]string{"MODEL": named["FILE"], "FOLDED": named["FOLDER"], "MUSK": "musk1"} {
		named[model], _ = trained(t, data, "--learner", "statistics-svm")
	}
	short := strings.NewReplacer("RUN", "run FILE --learner statistics-svm --folds 3 --repeats 1 --out OUT",
		"TRAIN", "train FILE --learner statistics-svm --out OUT")
	of := func(line string) []string {
		var args []string
		for _, word := range strings.Fields(short.Replace(line)) {
			for name, path := range named {
				if rest, is := strings.CutPrefix(word, name); is && (rest == "" || rest[0] == '/' || rest[0] == '.') {
					word = path + rest
				}
			}
			args = append(args, word)
		}
		return args
	}
	run := func(line string) string {
		dir := t.TempDir()
		args := of(line)
		for i, arg := range args {
			if rest, is := strings.CutPrefix(arg, "OUT"); is {
				args[i] = filepath.Join(dir, "out") + rest
			}
		}
		o := milbenchOf(t.Context(), args...)
		text := o.out + o.err
		if o.code == exitUse {
			text = "refused: " + text
		}
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && d.Name() != "times.jsonl" && d.Name() != ".lock" {
				content, _ := os.ReadFile(path)
				text += strings.TrimPrefix(path, dir) + string(content)
			}
			return nil
		})
		return times.ReplaceAllString(strings.ReplaceAll(text, dir, ""), "")
	}
	bracket := regexp.MustCompile(`\[(.*?)\]`)
	baseline := map[string]string{}
	covered := map[string]bool{}
	check := func(line string) {
		flag, value, _ := strings.Cut(bracket.FindStringSubmatch(line)[1], " ")
		flag, _, _ = strings.Cut(flag, "=")
		value = strings.Join(of(value), "") // or what a message names
		without := bracket.ReplaceAllString(line, "")
		if _, known := baseline[without]; !known {
			baseline[without] = run(without)
		}
		with := run(bracket.ReplaceAllString(line, "$1"))
		c, _, _ := (&program{}).command().Find(of(without))
		covered[c.CommandPath()+" "+flag] = true
		switch {
		case with == baseline[without]:
			t.Errorf("%s: the flag is taken in silence", line)
		case strings.HasPrefix(with, "refused: ") && !strings.HasPrefix(baseline[without], "refused: ") && !strings.Contains(with, strings.TrimLeft(flag, "-")) && !strings.Contains(with, value):
			t.Errorf("%s: refused without its name: %.300s", line, with)
		}
	}
	for name, lines := range flagCases {
		bases := shared[name]
		if bases == nil {
			bases = []string{""}
		}
		for _, base := range bases {
			c, _, _ := (&program{}).command().Find(of(base))
			for _, line := range lines {
				if flag, _, _ := strings.Cut(strings.Trim(line, "[]-"), " "); base == "" || c.Flags().Lookup(flag) != nil {
					check(strings.TrimSpace(base + " " + line))
				}
			}
		}
	}
	eachCommand((&program{}).command(), func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !covered[c.CommandPath()+" --"+f.Name] {
				t.Errorf("%s --%s has no line in flagCases", c.CommandPath(), f.Name)
			}
		})
	})
}

// splitToy is toy with an official split.
func splitToy() string {
	lines := slices.Collect(strings.Lines(toy(false)))
	for i, line := range lines {
		part := "train"
		switch bag, _, _ := strings.Cut(line, ","); {
		case i == 0:
			part = "split"
		case len(bag) == 2: // b0 to b9
			part = "test"
		}
		lines[i] = strings.TrimSpace(line) + "," + part + "\n"
	}
	return strings.Join(lines, "")
}

// arrays writes a set as a folder of NumPy arrays of float64.
func arrays(t *testing.T, s *mil.Set) (folder string) {
	t.Helper()
	folder = t.TempDir()
	list := "bag,label\n"
	for _, b := range s.Bags {
		list += fmt.Sprintf("%s,%d\n", b.ID, b.Label)
		var numbers []byte
		for _, v := range b.Instances.(*mil.Dense).Values {
			numbers = binary.LittleEndian.AppendUint64(numbers, math.Float64bits(float64(v)))
		}
		put(t, filepath.Join(folder, b.ID+".npy"), npy("<f8", b.Instances.Len(), b.Instances.Features(), numbers))
	}
	put(t, filepath.Join(folder, "labels.csv"), list)
	return folder
}

// npy is a NumPy file of rows of numbers, which are of a kind such as <f4.
func npy(kind string, rows, columns int, numbers []byte) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", kind, rows, columns)
	header += strings.Repeat(" ", 64-(len(header)+11)%64) + "\n"
	return slices.Concat(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header))), []byte(header), numbers)
}
