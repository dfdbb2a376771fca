package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"synpool/backend"
	"synpool/milbench/dataset"
	"synpool/milbench/results"
)

func TestWrongUse(t *testing.T) {
	noArray(t)
	toy, empty := write(t, "toy.csv", toy(false)), t.TempDir()
	out := newFolder(t)
	var list []string
	for i := range 101 {
		list = append(list, fmt.Sprintf("0.%03d", i+1))
	}
	for _, c := range []struct{ args, want string }{
		{"tabel x", `did you mean "table"?`},
		{"frobnicate", "use one of demo, audit, run, table, compare, plot"},
		{"data lst", `did you mean "list"?`},
		{"backend instal", `did you mean "install"?`},
		{"hlep", `milbench has no subcommand "hlep"; did you mean "help"?`},
		{"help NOPE", `milbench has no subcommand "NOPE"; use one of demo, `},
		{"help tabel", `milbench has no subcommand "tabel"; did you mean "table"?`},
		{"help data lst", `milbench data has no subcommand "lst"; did you mean "list"?`},
		{"help run musk1", "milbench run has no subcommands"},
		{"--bogus", "unknown flag: --bogus; see milbench --help"},
		{"run musk1 --iteration 3 --out OUT", "did you mean --iterations?"},
		{"table", "an argument is missing; usage: milbench table DIR"},
		{"table a b", `"b" is one argument too many`},
		{"version now", `"now" is one argument too many`},
		{"data fetch", "an argument is missing"},
		{"run --out OUT", "an argument is missing"},
		{"run musk1", "--out is missing"},
		{"train musk1", "--out is missing"},
		{"predict model", "an argument is missing"},

		{"run musk --out OUT", "did you mean musk1?"},
		{"audit elefant", "did you mean elephant?"},
		{"data fetch foxx", "did you mean fox?"},
		{"audit nothing.csv", "no file and no named set"},
		{"run musk1 --pooling sin --out OUT", `--pooling "sin": there is no such pooling; did you mean "syn"?`},
		{"run musk1 --pooling syn,,max --out OUT", `"" is not a name`},
		{"run musk1 --pooling zzzzzzzz --out OUT", "use one of syn, softmax"},
		{"run musk1 --protocol onest --out OUT", `did you mean "honest"?`},
		{"table OUT --format jsn", `did you mean "json"?`},

		{"run musk1 --iterations=3,x --out OUT", `--iterations "3,x": "x" is not an integer`},
		{"run musk1 --gamma 0 --out OUT", "--gamma 0"},
		{"run musk1 --gamma 7 --pooling softmax --out OUT", "--gamma 7"},
		{"run musk1 --gamma NaN --out OUT", `--gamma "NaN"`},
		{"run musk1 --heads 5 --out OUT", "--heads 5 does not divide --embed 32"},
		{"run musk1 --embed 8 --pooling mean --out OUT", "--embed: not a setting of --pooling mean, but of syn, softmax, hopfield, attention, gated"},
		{"run musk1 --beta 1 --out OUT", "--beta: not a setting of --pooling softmax,syn, but of hopfield"},
		{"train musk1 --pooling softmax --iterations=-3 --out OUT", "--iterations: not a setting of --pooling softmax, but of syn"},
		{"run musk1 --norm maybe --out OUT", `"maybe" is not true or false`},
		{"run musk1 --lr 1e999 --out OUT", `"1e999" is not a number`},
		{"run musk1 --folds x --out OUT", `--folds "x": an integer is needed`},
		{"run musk1 --folds 1 --out OUT", "--folds 1"},
		{"run musk1 --folds 60 --out OUT", "use at most 45 folds"},
		{"run musk1 --repeats 0 --out OUT", "--repeats 0"},
		{"run musk1 --lr LIST --dropout LIST --out OUT", "more than 10000 settings"},
		{"run musk1 --lr LIST --repeats 1000 --out OUT", "at most 100000 fits of a set"},
		{"run musk1 --seed=-1 --out OUT", `--seed "-1": an integer from 0 is needed`},
		{"run musk1 --cores 0 --out OUT", "--cores 0"},
		{"run musk1 --memory 500 --out OUT", `--memory "500": a size is needed, say 500MB, 2GB or 1.5GiB`},
		{"run musk1 --dry-run", "--out is missing"},
		{"run musk1 --dry-run --folds 60 --out OUT", "use at most 45 folds"},
		{"run musk1 --json=perhaps --out OUT", "--json \"perhaps\": true or false is needed"},
		{"run musk1 musk1 --out OUT", "holds the same bags as musk1"},
		{"run TOY --instance-label-column 0 --out OUT", "--instance-label-column \"0\""},
		{"run TOY --instance-label-column first --out OUT", "give last or the number of a column"},
		{"run TOY --instance-label-column 4 --out OUT", "no column 4"},
		{"run musk1 --instance-label-column last --out OUT", "--instance-label-column is for files"},
		{"run musk1 --keep-leak --out OUT", "--keep-leak is for files"},
		{"run TOY --shard 2/2 --out OUT", "--shard 2/2: shards count from 0; the last of 2 is 1/2"},
		{"study noise --shard 2/2 --out OUT", "--shard 2/2: shards count from 0; the last of 2 is 1/2"},
		{"run TOY --shard 0/2 --json --out OUT", "--json: a shard prints no table"},
		{"plan run TOY --shards 2", `milbench has no subcommand "plan": --shard i/n needs no plan, and milbench run --dry-run says what it takes`},
		{"merge OUT --out OUT", "results folder: open OUT: no such file"},
		{"merge EMPTY --out EMPTY", "no results yet"},
		{"merge EMPTY", "--out is missing"},
		{"merge --out OUT", "an argument is missing"},

		{"train TOY --learner mint --out OUT", `--learner "mint": there is no such learner; did you mean "mind"?`},
		{"train TOY --learner mind --pooling max --out OUT", "--pooling: one model is trained; leave out --pooling or --learner"},
		{"train TOY --learner mind --width 8 --out OUT", "--width: a setting of networks; use --setting for fields of --learner mind"},
		{`train TOY --setting {"c":1} --out OUT`, "--setting: the setting of a learner that is no network; name one with --learner"},
		{`train TOY --learner mind --setting {"gama":1} --out OUT`, `--setting of mind: there is no field "gama"; did you mean "gamma"?`},
		{"train TOY --learner mind --memory 1MB --out OUT", "raise --memory"},
		{"train TOY --learner mind --cores 0 --out OUT", "--cores 0: at least 1 is needed"},
		{"train TOY --learner mind --calibrate plat --out OUT", `--calibrate "plat": no such calibration; did you mean "platt"?`},
		{"train TOY --learner mind --calibrate= --out OUT", `--calibrate "": no such calibration; use one of temperature, platt, isotonic, conformal, instances`},
		{"train TOY --learner mind --calibrate platt,conformol --out OUT", `--calibrate "conformol": no such calibration; did you mean "conformal"?`},
		{"train TOY --learner mind --calibrate platt,conformal,isotonic --out OUT", "both platt and isotonic give probabilities; choose one"},
		{"train TOY --learner mind --calibrate conformal --level 1 --out OUT", "--level 1: give a level above 0 and below 1"},
		{"train TOY --learner mind --calibrate platt --level 0.8 --out OUT", "--level: for sets and intervals; add --calibrate conformal"},
		{"run TOY --learner instence --out OUT", `--learner "instence": there is no such learner; did you mean "instance"?`},
		{"run TOY --learner mind,max --out OUT", `--learner "max": a pooling of networks; use --pooling max`},
		{"train TOY --learner max --out OUT", `--learner "max": a pooling of networks; use --pooling max`},
		{"run TOY --learner instance --width 8 --out OUT", "--width: a setting of networks; name one with --pooling"},
		{"run TOY --learner instance,instance --out OUT", "occurs twice"},
		{"run TOY --sample 0 --out OUT", "--sample 0: from 1 to 10000 settings can be drawn"},
		{"run TOY --learner miles --sample 2 --out OUT", "--sample: draws settings of networks; name one with --pooling"},
		{"run TOY --pooling mean --scale 2 --sample 2 --out OUT", "--scale: not a setting of --pooling mean"},

		{"study noize --out OUT", `no study "noize"; did you mean noise?`},
		{"study noise", "--out is missing"},
		{"study", "an argument is missing"},
		{"study noise --out OUT --cores 0", "--cores 0"},
		{"study archive EMPTY --out OUT", "no results yet"},
		{"study archive EMPTY", "--out is missing"},
		{"study noise --quick --sets musk1,musk3 --out OUT", `--sets: "musk3" is no set of this study; its sets are musk1`},
		{"study report EMPTY", "no results yet"},
		{"plot EMPTY --out OUT.png", "no results yet"},
		{"plot EMPTY", "--out is missing"},
		{"compare EMPTY", "no results"},

		{"train musk1 --gamma 0.5,1 --out OUT", "one value is needed here"},
		{"train musk1 --gamma 0.5 --gamma 1 --out OUT", "one value is needed here"},
		{"train musk1 --out OUT/deeper/model", `--out "OUT/deeper/model": there is no folder OUT/deeper`},
		{"train nothing.csv --out OUT/deeper/model", `--out "OUT/deeper/model": there is no folder OUT/deeper`},
		{"train musk1 --out .", `--out ".": . holds something other than a model`},
		{"train musk1 --out TOY", `--out "TOY": `},
		{"train musk1 --cores 2 --out OUT", "--cores: for --learner; a network is trained on all cores"},
		{"demo --out OUT.gif", "end the name with .png, .svg or .pdf"},
		{"demo --out OUT/demo.png", "there is no folder"},
		{"demo --cores=-1", "--cores -1"},
		{"predict OUT TOY", "OUT: not a model of this version of milbench"},
		{"predict OUT TOY --format tex", `--format "tex": no such format`},
		{"predict OUT nothing.csv", "not a model of this version of milbench: there is no such folder; make one with"},
		{"table OUT", "OUT: no results yet"},
	} {
		t.Run(c.args, func(t *testing.T) {
			place := strings.NewReplacer("OUT", out, "TOY", toy, "EMPTY", empty, "LIST", strings.Join(list, ","))
			refuse(t, exitUse, place.Replace(c.want), strings.Fields(place.Replace(c.args))...)
			absent(t, out)
		})
	}
}

// Files that cannot be read are refused by every subcommand that reads one, and nothing is left of the run.
func TestUnreadable(t *testing.T) {
	good := toy(false)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(good))
	z.Close()
	flipped := zipped.Bytes()
	flipped[len(flipped)/2] ^= 0x10
	header := fmt.Sprintf("%-116s", "MATLAB 5.0 MAT-file") + strings.Repeat("\x00", 8)

	for _, c := range []struct{ name, content, want string }{
		{"empty.csv", "", "the file is empty"},
		{"flipped.csv.gz", string(flipped), "the file is damaged"},
		{"lying.mat", header + "\x00\x01IM" + "\x0e\x00\x00\x00\xff\xff\xff\x7f" + "\x06\x00\x00\x00\x08\x00\x00\x00", "ends early"},
		{"nan.csv", good + "b0,0,1,NaN,2\n", "1 value is missing, in q (1, the first in bag b0); --missing median"},
		{"inf.csv", good + "b0,0,1,2,+Inf\n", "bag b0, feature r: value +Inf"},
		{"digits.idx", "\x00\x00\x08\x01\x00\x00\x00\x01\x05", "an IDX file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := write(t, c.name, c.content)
			for _, args := range [][]string{{"audit", file}, {"run", file, "--out", file + ".out"}, {"train", file, "--out", file + ".out"}} {
				refuse(t, exitUse, c.want, args...)
				refuse(t, exitUse, filepath.Base(file), args...)
			}
			absent(t, file+".out")
		})
	}
}

// What does not suit the targets of a file is refused by run and by train.
func TestUnsuited(t *testing.T) {
	binary, grades := write(t, "binary.csv", toy(false)), write(t, "grades.csv", "bag,label,p\na,low,2\nb,mid,3\nc,low,4\nd,mid,1\ne,top,5\nf,top,7\n")
	times := write(t, "survival.csv", "bag,time,event,p\na,1,1,2\nb,2,0,3\nc,3,1,4\nd,4,1,5\n")
	for _, command := range []string{"run", "train"} {
		for want, args := range map[string]string{
			"mi-svm-bag cannot learn targets of kind classes; it learns: binary":                  grades + " --learner mi-svm-bag",
			"binary: --loss huber: targets of kind binary have one loss alone; leave --loss out":  binary + " --loss huber --pooling mean",
			"--loss hubr: one of squared, huber":                                                  binary + " --loss hubr --pooling mean",
			"--loss: a setting of networks":                                                       binary + " --loss huber --learner miles",
			"survival: --loss huber: not a loss of targets of kind survival; take hazards or cox": times + " --loss huber --pooling mean",
		} {
			refuse(t, exitUse, want, append([]string{command, "--out", newFolder(t)}, strings.Fields(args)...)...)
		}
	}
	words := write(t, "words.csv", "bag,label,p\na,normal,2\nb,tumour,3\nc,normal,4\nd,tumour,1\n")
	args := with("run", words, "--folds", "2", "--repeats", "1", "--pooling", "mean", "--out", newFolder(t))
	prints(t, "positive is tumour, negative normal", args...)
	prints(t, "positive is normal, negative tumour", append(args, "--positive", "normal")...)
	refuse(t, exitUse, `no bag has label "tumor"; did you mean "tumour"?`, append(args, "--positive", "tumor")...)
}

func TestUnfetched(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("MILBENCH_DATA", folder)
	refuse(t, exitUse, "run `milbench data fetch elephant`", "run", "elephant", "--out", filepath.Join(folder, "out"))
	refuse(t, exitUse, "run `milbench data fetch elephant`", "data", "verify", "elephant")

	put(t, filepath.Join(folder, "elephant.mat"), "MATLAB")
	for _, args := range [][]string{{"audit", "elephant"}, {"data", "verify"}, {"data", "verify", "elephant", "musk1"}} {
		refuse(t, exitUse, "elephant.mat is not the file it should be", args...)
	}
}

func TestBackendErrors(t *testing.T) {
	toy := write(t, "toy.csv", toy(false))
	out := newFolder(t)
	for _, config := range []string{"xlaa", "xla:/nothing/plugin.so"} {
		t.Setenv("GOMLX_BACKEND", config)
		for _, args := range [][]string{{"backend"}, {"run", toy, "--folds", "2", "--out", out}, {"train", toy, "--out", out}, {"demo", "--out", out + ".png"}} {
			refuse(t, exitUse, config[3:], args...)
		}
	}
}

func TestExitCodes(t *testing.T) {
	terminated, cancel := context.WithCancelCause(t.Context())
	cancel(&stopped{syscall.SIGTERM})
	interrupted, cancel := context.WithCancelCause(t.Context())
	cancel(&stopped{syscall.SIGINT})
	failed := finding{errors.New("a fit")}
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want int
	}{
		{t.Context(), errors.New("x"), exitUse},
		{t.Context(), fmt.Errorf("x: %w", failed), exitFinding},
		{t.Context(), fmt.Errorf("x: %w", results.ErrLocked), exitTryAgain},
		{t.Context(), finding{errors.Join(failed, results.ErrDiskFull)}, exitTryAgain},
		{t.Context(), errors.Join(errors.New("x"), dataset.ErrTemporary), exitTryAgain},
		{t.Context(), fmt.Errorf("x: %w", backend.ErrTemporary), exitTryAgain},
		{t.Context(), &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, exitTryAgain},
		{t.Context(), &os.PathError{Op: "read", Path: "x", Err: syscall.EIO}, exitTryAgain},
		{t.Context(), finding{&os.PathError{Op: "write", Path: "x", Err: syscall.ESTALE}}, exitTryAgain},
		{t.Context(), &os.PathError{Op: "mkdir", Path: "x", Err: syscall.EROFS}, exitUse},
		{t.Context(), &os.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, exitUse},
		{t.Context(), context.Canceled, exitUse},
		{terminated, fmt.Errorf("x: %w", context.Canceled), 143},
		{interrupted, fmt.Errorf("x: %w", context.Canceled), 130},
		{interrupted, stoppedBy(interrupted), 130},
		{terminated, errors.New("x"), exitUse},
	} {
		if got := exitCode(c.ctx, c.err); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
}

// full is a standard output without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestFullOutput(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"version", "--json"}, {"data", "list"}, {"audit", "musk1"}} {
		var stderr bytes.Buffer
		if code := start(t.Context(), args, full{}, &stderr); code != exitTryAgain || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("milbench %v on a full disk: exit code %d, %s", args, code, &stderr)
		}
	}
}
