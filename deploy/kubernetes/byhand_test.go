//go:build linux

package kubernetes_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

var full = flag.Bool("full", false, "run what the manifests say, not a smaller network on fewer repeats")

// smaller is what is added to the arguments of milbench run for a test that takes seconds.
var smaller = []string{"--repeats=3", "--width=16", "--epochs=5"}

// patience is how long anything is waited for; the machine may be busy.
const patience = 30 * time.Minute

// accident is what happens to an attempt.
type accident string

const (
	podKilled     accident = "the pod is killed"
	commandKilled accident = "milbench is killed"
	terminated    accident = "the pod is terminated"
	diskFull      accident = "the disk is full"
)

// accidents are those of the first attempts of each index.
var accidents = map[int][]accident{
	0: {podKilled},
	1: {terminated},
	2: {podKilled, terminated},
	3: {commandKilled, diskFull},
}

// cluster runs the containers of Jobs on this machine.
type cluster struct {
	bin, volume, bucket string // milbench's folder, the claim, the folder that stands for the bucket
	entrypoint          []string
}

// results returns the folder of the results, in the bucket or on the volume.
func (c cluster) results(bucket bool) string {
	if bucket {
		return filepath.Join(c.bucket, "synpool", "musk1")
	}
	return filepath.Join(c.volume, "musk1")
}

// TestByHand runs the container of every index but one of each manifest, and of the Job that follows, with accidents, and
// tries again as the failure policy says. It compares the results with those of one undisturbed run. The last index comes too
// late and finds nothing to do.
func TestByHand(t *testing.T) {
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin+"/", "./cmd/milbench")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	one := filepath.Join(t.TempDir(), "one")
	whole := arguments(job(t, "shards.yaml"))
	whole = slices.DeleteFunc(whole[slices.Index(whole, "milbench")+1:], func(a string) bool {
		return strings.HasPrefix(a, "--shard=") || strings.HasPrefix(a, "--out=")
	})
	reference := exec.Command(filepath.Join(bin, "milbench"), whole...)
	reference.Args = append(reference.Args, "--out="+one)
	reference.Env = append(os.Environ(), "GOMLX_BACKEND=go")
	if out, err := reference.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", reference.Args, err, out)
	}
	for _, name := range shards {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			volume, bucket := filepath.Join(dir, "volume"), filepath.Join(dir, "bucket")
			c := cluster{bin: bin, volume: volume, bucket: bucket, entrypoint: entrypoint(t)}
			merged := c.results(name == "shards-bucket.yaml")
			j := job(t, name)
			last := int(*j.Spec.Completions) - 1
			for index := range last {
				c.complete(t, j, index)
			}
			finished := c.complete(t, finish(t, name), 0)
			if table := c.table(t, merged, "md"); !strings.Contains(finished, table) {
				t.Errorf("the log has no table:\n%s\nwant\n%s", finished, table)
			}
			code, log := c.run(t, j, strconv.Itoa(last), "")
			if code != 0 || !strings.Contains(log, " of them finished") || strings.Contains(log, " fits done in ") {
				t.Errorf("index %d ended with %d, after all fits were done:\n%s", last, code, log)
			}
			code, _ = c.run(t, j, strconv.Itoa(last+1), "")
			if verdict(j, int32(code)) != batchv1.PodFailurePolicyActionFailIndex {
				t.Errorf("a shard that there is not ended with %d, after which it is tried again", code)
			}
			out, err := exec.Command("../samelines.sh", one, merged).CombinedOutput()
			if err != nil {
				t.Fatalf("%s", out)
			}
			t.Logf("%s", out)
			for _, format := range []string{"md", "csv", "json", "tex"} {
				if a, b := c.table(t, one, format), c.table(t, merged, format); a != b {
					t.Errorf("the tables differ:\n%s\n%s", a, b)
				}
			}
		})
	}
}

// arguments returns the arguments of the container of a Job, for the smaller network unless all is asked for.
func arguments(j *batchv1.Job) []string {
	args := slices.Clone(j.Spec.Template.Spec.Containers[0].Args)
	if slices.Contains(args, "run") && !*full {
		args = append(args, smaller...)
	}
	return args
}

// entrypoint returns what the image puts before the arguments of a container, without the program that reaps processes.
func entrypoint(t *testing.T) []string {
	t.Helper()
	file, err := os.ReadFile("../../docker/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^ENTRYPOINT (.*)$`).FindSubmatch(file)
	if found == nil {
		t.Fatal("docker/Dockerfile has no entry point")
	}
	var list []string
	if err := json.Unmarshal(found[1], &list); err != nil {
		t.Fatal(err)
	}
	return list[slices.Index(list, "--")+1:]
}

// complete tries an index until it is done, as the controller of Jobs does, and returns the log of the last attempt.
func (c cluster) complete(t *testing.T, j *batchv1.Job, index int) string {
	t.Helper()
	counted := 0
	for attempt := 0; ; attempt++ {
		var what accident
		if attempt < len(accidents[index]) {
			what = accidents[index][attempt]
		}
		code, log := c.run(t, j, strconv.Itoa(index), what)
		if code == 0 && what != "" {
			t.Fatalf("index %d: %s, and it is done", index, what)
		}
		if code == 0 {
			return log
		}
		if what == "" {
			t.Fatalf("index %d: attempt %d ended with %d", index, attempt+1, code)
		}
		switch action := verdict(j, int32(code)); action {
		case batchv1.PodFailurePolicyActionIgnore:
		case batchv1.PodFailurePolicyActionCount:
			if counted++; counted > int(*j.Spec.BackoffLimitPerIndex) {
				t.Fatalf("index %d: given up", index)
			}
		default:
			t.Fatalf("index %d: %s, exit code %d: %s", index, what, code, action)
		}
		want := map[accident]int{podKilled: 137, commandKilled: 137, terminated: 143, diskFull: 75}[what]
		if code != want {
			t.Fatalf("index %d: %s, and the exit code is %d, want %d", index, what, code, want)
		}
	}
}

// run runs the containers of a pod of an index, lets an accident happen when its first result is there, and returns the exit
// code as the kubelet reports it, and the log.
func (c cluster) run(t *testing.T, j *batchv1.Job, index string, what accident) (int, string) {
	t.Helper()
	spec := j.Spec.Template.Spec
	paths := map[string]string{"/workspace/synpool": absolute(t, "../..")}
	for _, v := range spec.Volumes {
		paths[v.Name] = t.TempDir() // that of a pod
		if v.PersistentVolumeClaim != nil {
			paths[v.Name] = c.volume
		}
	}
	for _, init := range spec.InitContainers {
		program, err := exec.LookPath(init.Name)
		if err != nil {
			t.Skipf("%s is missing (Debian: apt-get install %s)", init.Name, init.Name)
		}
		paths["/usr/local/bin/"+init.Name] = program
		command := mapped(init.Command, paths, init.VolumeMounts)
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	container := spec.Containers[0]
	args := mapped(slices.Concat(c.entrypoint, arguments(j)), paths, container.VolumeMounts)
	if what == diskFull {
		args = append([]string{"bash", "-c", `ulimit -f 1 && exec "$@"`, "bash"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = []string{"PATH=" + c.bin + ":" + os.Getenv("PATH"), "HOSTNAME=" + j.Name + "-" + index, "JOB_COMPLETION_INDEX=" + index, "PAUSE=1",
		"RCLONE_CONFIG_BUCKET_TYPE=alias", "RCLONE_CONFIG_BUCKET_REMOTE=" + c.bucket}
	for _, e := range container.Env {
		if strings.Contains(e.Value, "$(") {
			t.Fatalf("%s: $(...) is not expanded here", e.Name)
		}
		cmd.Env = append(cmd.Env, e.Name+"="+mapped([]string{e.Value}, paths, container.VolumeMounts)[0])
	}
	cmd.Env = append(cmd.Env, "GOMLX_BACKEND=go")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	results := mapped([]string{argument(container, "out")}, paths, container.VolumeMounts)[0]
	before := max(lines(t, results), lines(t, c.results(true))) // what is in the bucket is fetched first
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if what != "" && what != diskFull {
		for deadline := time.Now().Add(patience); lines(t, results) <= before; time.Sleep(5 * time.Millisecond) {
			if len(ended) > 0 || time.Now().After(deadline) {
				t.Fatalf("%v wrote no result\n%s", args, &output)
			}
		}
		var err error
		switch what {
		case podKilled:
			err = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		case commandKilled:
			err = syscall.Kill(process(t, cmd.Process.Pid), syscall.SIGKILL)
		case terminated:
			err = cmd.Process.Signal(syscall.SIGTERM)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	grace := patience
	if what == terminated { // four times as long as the kubelet waits, on a machine that may be busy
		grace = 4 * time.Duration(*spec.TerminationGracePeriodSeconds) * time.Second
	}
	select {
	case <-ended:
	case <-time.After(grace):
		t.Fatalf("%v did not end within %v\n%s", args, grace, &output)
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	code := status.ExitStatus()
	if status.Signaled() {
		code = 128 + int(status.Signal())
	}
	if code != 0 && what == "" {
		t.Logf("%v ended with %d\n%s", args, code, &output)
	}
	return code, output.String()
}

// process returns milbench's process: that of a container itself, or its child.
func process(t *testing.T, container int) int {
	t.Helper()
	children := strings.Fields(read(t, fmt.Sprintf("/proc/%d/task/%[1]d/children", container)))
	for _, id := range append([]string{strconv.Itoa(container)}, children...) {
		if exe, err := os.Readlink("/proc/" + id + "/exe"); err == nil && filepath.Base(exe) == "milbench" {
			n, err := strconv.Atoi(id)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("the process %d has no milbench", container)
	return 0
}

// lines counts the results in the file of a folder, which may be missing, and in those of its attempts; a copy does not count.
func lines(t *testing.T, dir string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "attempts", "*", "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if own := filepath.Join(dir, "results.jsonl"); exists(own) {
		files = append(files, own)
	}
	all := make(map[string]bool)
	for _, f := range files {
		for line := range strings.Lines(read(t, f)) {
			if strings.HasSuffix(line, "\n") {
				all[line] = true
			}
		}
	}
	return len(all)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// mapped returns arguments of a container, or values of its variables, with its paths as they are on this machine.
func mapped(args []string, paths map[string]string, mounts []corev1.VolumeMount) []string {
	places := maps.Clone(paths)
	for _, m := range mounts {
		places[m.MountPath] = paths[m.Name]
	}
	args = slices.Clone(args)
	for i, arg := range args {
		prefix, path := "", arg
		if name, value, ok := strings.Cut(arg, "="); ok {
			prefix, path = name+"=", value
		}
		for from, to := range places {
			rest, ok := strings.CutPrefix(path, from)
			if ok && strings.HasPrefix(from, "/") && (rest == "" || rest[0] == '/') {
				args[i] = prefix + to + rest
			}
		}
	}
	return args
}

// table returns a table of milbench.
func (c cluster) table(t *testing.T, dir, format string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(c.bin, "milbench"), "table", dir, "--format", format)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || len(out) == 0 {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, &stderr)
	}
	return string(out)
}

// TestWithBucket looks at what with-bucket does with files that it has fetched: one that a merge has rewritten in the
// meantime, one that another attempt is still writing, one that the command rewrites, and one that it removes.
func TestWithBucket(t *testing.T) {
	if _, err := exec.LookPath("rclone"); err != nil {
		t.Skip("rclone is missing (Debian: apt-get install rclone)")
	}
	dir := t.TempDir()
	bucket, data := filepath.Join(dir, "bucket"), filepath.Join(dir, "data")
	for name, text := range map[string]string{
		"results/results.jsonl":                    "a merge\n",
		"results/times.jsonl":                      "a merge\n",
		"results/checkpoints/fit":                  "an epoch\n",
		"results/attempts/0 [*?{}]/results.jsonl":  "a line\n",
		"results/attempts/0 [*?{}]/finished.jsonl": "a line\n",
		"data/set": "bags\n",
	} {
		name = filepath.Join(bucket, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	results := filepath.Join(dir, "results")
	cmd := exec.Command(absolute(t, "with-bucket"), "bash", "-ec", `
		cmp "$MILBENCH_DATA/set" <(echo bags)
		cd "$RESULTS"
		echo another merge >"$TO/results.jsonl"
		echo another line >>"$TO/attempts/0 [*?{}]/results.jsonl"
		echo this command >times.jsonl
		rm -r checkpoints
		echo this command >curves.jsonl
		until [ -e "$TO/curves.jsonl" ]; do sleep 0.1; done
		exit 1`)
	cmd.Env = append(os.Environ(), "PAUSE=0.1", "RESULTS="+results, "BUCKET=bucket:results", "DATA=bucket:data",
		"MILBENCH_DATA="+data, "TO="+filepath.Join(bucket, "results"),
		"RCLONE_CONFIG_BUCKET_TYPE=alias", "RCLONE_CONFIG_BUCKET_REMOTE="+bucket)
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range map[string]string{
		"results.jsonl":                    "another merge\n",
		"times.jsonl":                      "this command\n",
		"attempts/0 [*?{}]/results.jsonl":  "a line\nanother line\n",
		"attempts/0 [*?{}]/finished.jsonl": "a line\n",
		"curves.jsonl":                     "this command\n",
	} {
		if got := read(t, filepath.Join(bucket, "results", name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if exists(filepath.Join(bucket, "results", "checkpoints", "fit")) {
		t.Error("a file was removed and is still in the bucket")
	}
}
