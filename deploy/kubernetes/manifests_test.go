package kubernetes_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// shards names the manifests of shards.
var shards = []string{"shards-bucket.yaml", "shards-gpu.yaml", "shards.yaml"}

// decode decodes a manifest as the server does with strict field validation: a field that its kind lacks is an error.
func decode(manifest []byte) (any, error) {
	var kind struct{ Kind string }
	if err := yaml.Unmarshal(manifest, &kind); err != nil {
		return nil, err
	}
	var object any
	switch kind.Kind {
	case "Job":
		object = new(batchv1.Job)
	case "PersistentVolumeClaim":
		object = new(corev1.PersistentVolumeClaim)
	default:
		return nil, fmt.Errorf("kind %q", kind.Kind)
	}
	return object, yaml.UnmarshalStrict(manifest, object)
}

// job reads the manifest of a Job.
func job(t *testing.T, name string) *batchv1.Job {
	t.Helper()
	return decodeJob(t, name, []byte(read(t, name)))
}

// finish returns the Job that follows the shards of a manifest.
func finish(t *testing.T, name string) *batchv1.Job {
	t.Helper()
	manifest, err := exec.Command("./finish", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return decodeJob(t, "finish "+name, manifest)
}

func decodeJob(t *testing.T, name string, manifest []byte) *batchv1.Job {
	t.Helper()
	object, err := decode(manifest)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	j, ok := object.(*batchv1.Job)
	if !ok {
		t.Fatalf("%s: a %T", name, object)
	}
	return j
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func manifests(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no manifests (%v)", err)
	}
	return names
}

// exitCodes are the codes of the command's source, and 143.
func exitCodes(t *testing.T) map[string]int {
	t.Helper()
	codes := map[string]int{"TERM": 128 + int(syscall.SIGTERM)}
	for _, found := range regexp.MustCompile(`(?m)^\t(exit\w+) *= (\d+)`).FindAllStringSubmatch(read(t, "../../cmd/milbench/exit.go"), -1) {
		codes[found[1]], _ = strconv.Atoi(found[2]) // digits alone
	}
	return codes
}

// verdict is what the controller of Jobs does with a pod that failed: the action of the first rule that names its code or
// one of its conditions, else Count, which counts it against the limit of its index.
func verdict(j *batchv1.Job, code int32, conditions ...corev1.PodConditionType) batchv1.PodFailurePolicyAction {
	for _, rule := range j.Spec.PodFailurePolicy.Rules {
		for _, pattern := range rule.OnPodConditions {
			if slices.Contains(conditions, pattern.Type) && pattern.Status == corev1.ConditionTrue {
				return rule.Action
			}
		}
		on := rule.OnExitCodes
		if on != nil && slices.Contains(on.Values, code) == (on.Operator == batchv1.PodFailurePolicyOnExitCodesOpIn) {
			return rule.Action
		}
	}
	return batchv1.PodFailurePolicyActionCount
}

// TestPolicy compares what is done after each exit code with what the code says.
func TestPolicy(t *testing.T) {
	codes := exitCodes(t)
	const ignore, count, failIndex, failJob = batchv1.PodFailurePolicyActionIgnore, batchv1.PodFailurePolicyActionCount,
		batchv1.PodFailurePolicyActionFailIndex, batchv1.PodFailurePolicyActionFailJob
	for _, test := range []struct {
		code         string
		shard, fetch batchv1.PodFailurePolicyAction
	}{
		{"exitFinding", failIndex, failJob},
		{"exitUse", failIndex, failJob},
		{"exitTryAgain", count, count},
		{"TERM", ignore, ignore},
		{"killed", count, count},
	} {
		code := 128 + int(syscall.SIGKILL)
		if test.code != "killed" {
			var ok bool
			if code, ok = codes[test.code]; !ok || code == 0 {
				t.Fatalf("cmd/milbench/exit.go has no %s", test.code)
			}
		}
		for _, name := range append([]string{"fetch.yaml"}, shards...) {
			want := test.shard
			if name == "fetch.yaml" {
				want = test.fetch
			}
			if got := verdict(job(t, name), int32(code)); got != want {
				t.Errorf("%s: after %s (%d): %s, want %s", name, test.code, code, got, want)
			}
			if got := verdict(job(t, name), int32(code), corev1.DisruptionTarget); got != ignore {
				t.Errorf("%s: evicted with %d: %s, want %s", name, code, got, ignore)
			}
		}
	}
}

// argument returns the value of the flag --name of milbench.
func argument(c corev1.Container, name string) string {
	for _, a := range c.Args {
		if value, ok := strings.CutPrefix(a, "--"+name+"="); ok {
			return value
		}
	}
	return ""
}

// TestShards looks at what the parts of a study must agree in.
func TestShards(t *testing.T) {
	for _, name := range shards {
		s := job(t, name).Spec
		if s.CompletionMode == nil || *s.CompletionMode != batchv1.IndexedCompletion || s.Completions == nil ||
			s.Parallelism == nil || *s.Parallelism < 1 || *s.Parallelism > *s.Completions {
			t.Fatalf("%s: not indexed, or more at once than in all", name)
		}
		c := s.Template.Spec.Containers[0]
		if got, want := argument(c, "shard"), fmt.Sprintf("/%d", *s.Completions); got != want {
			t.Errorf("%s: --shard=%s, and %s are the completions", name, got, want)
		}
		if s.BackoffLimitPerIndex == nil || *s.BackoffLimitPerIndex < 3 {
			t.Errorf("%s: an index is not tried again three times", name)
		}
		if s.MaxFailedIndexes != nil {
			t.Errorf("%s: failed fits of some shards, whose others are done, end all", name)
		}
		last := finish(t, name)
		if last.Name != "milbench-finish" || *last.Spec.Completions != 1 || argument(last.Spec.Template.Spec.Containers[0], "shard") != "none" {
			t.Errorf("what follows %s is not one pod without shards: %v", name, last)
		}
		env := environment(c)
		data := environment(job(t, "fetch.yaml").Spec.Template.Spec.Containers[0])["MILBENCH_DATA"]
		if (name != "shards-bucket.yaml" || env["DATA"] == "") && env["MILBENCH_DATA"] != data {
			t.Errorf("%s looks for data sets in %s, and not where fetch.yaml puts them", name, env["MILBENCH_DATA"])
		}
		if gpu := c.Resources.Limits["nvidia.com/gpu"]; (name == "shards-gpu.yaml") != (gpu.Value() == 1) {
			t.Errorf("%s: %v devices", name, gpu.Value())
		}
	}
}

// environment returns the variables that a container is given by value.
func environment(c corev1.Container) map[string]string {
	env := make(map[string]string)
	for _, e := range c.Env {
		env[e.Name] = e.Value
	}
	return env
}

// TestPods looks at how every pod is run.
func TestPods(t *testing.T) {
	for _, name := range manifests(t) {
		if name == "volume.yaml" {
			continue
		}
		j := job(t, name)
		pod := j.Spec.Template.Spec
		if pod.RestartPolicy != corev1.RestartPolicyNever {
			t.Errorf("%s: restart policy %s; a failure policy needs Never", name, pod.RestartPolicy)
		}
		if j.Spec.PodReplacementPolicy == nil || *j.Spec.PodReplacementPolicy != batchv1.Failed {
			t.Errorf("%s: an attempt may begin beside one that still ends", name)
		}
		if g := pod.TerminationGracePeriodSeconds; g == nil || *g < 10 {
			t.Errorf("%s: less than 10 s after TERM; milbench takes up to 5", name)
		}
		if c := pod.SecurityContext; c == nil || c.RunAsNonRoot == nil || !*c.RunAsNonRoot ||
			c.RunAsUser == nil || *c.RunAsUser == 0 || c.FSGroup == nil {
			t.Errorf("%s: runs as root, or cannot write to its volumes", name)
		}
		if len(pod.Containers) != 1 {
			t.Errorf("%s: %d containers; a sidecar would outlive the command", name, len(pod.Containers))
		}
		for _, rule := range j.Spec.PodFailurePolicy.Rules {
			on := rule.OnExitCodes
			if on != nil && (on.ContainerName == nil || *on.ContainerName != pod.Containers[0].Name ||
				!slices.IsSorted(on.Values)) {
				t.Errorf("%s: a rule about exit codes of another container, or in disorder", name)
			}
		}
		volumes := make(map[string]bool)
		for _, v := range pod.Volumes {
			volumes[v.Name] = true
			if claim := v.PersistentVolumeClaim; claim != nil {
				checkClaim(t, name, claim.ClaimName)
			}
		}
		for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
			s := c.SecurityContext
			if s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem ||
				s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation ||
				s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
				t.Errorf("%s: %s has more rights than it needs", name, c.Name)
			}
			image := map[string]string{"milbench": "synpool", "rclone": "rclone/rclone:1.69"}[c.Name]
			if name == "shards-gpu.yaml" {
				image += ":cuda"
			}
			if c.Image != image {
				t.Errorf("%s: image %s of %s, want %s", name, c.Image, c.Name, image)
			}
			limits, requests := c.Resources.Limits, c.Resources.Requests
			if limits.Memory().IsZero() || !limits.Memory().Equal(*requests.Memory()) || requests.Cpu().IsZero() {
				t.Errorf("%s: %s does not say what it needs", name, c.Name)
			}
			for _, m := range c.VolumeMounts {
				if !volumes[m.Name] {
					t.Errorf("%s: %s mounts %s, which is no volume", name, c.Name, m.Name)
				}
			}
			env := environment(c)
			for _, path := range []string{argument(c, "out"), env["HOME"], env["RESULTS"], env["MILBENCH_DATA"], env["SYNPOOL_XLA_CACHE"]} {
				if path != "" && !slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool {
					return !m.ReadOnly && (path == m.MountPath || strings.HasPrefix(path, m.MountPath+"/"))
				}) {
					t.Errorf("%s: %s is to be written and lies on no volume", name, path)
				}
			}
		}
	}
}

// checkClaim looks at the volume of a claim.
func checkClaim(t *testing.T, name, claim string) {
	t.Helper()
	object, err := decode([]byte(read(t, "volume.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	volume, ok := object.(*corev1.PersistentVolumeClaim)
	if !ok || volume.Name != claim || !slices.Contains(volume.Spec.AccessModes, corev1.ReadWriteMany) {
		t.Errorf("%s claims %s, which volume.yaml does not offer to many nodes", name, claim)
	}
}

// TestImage names the image in every manifest with the commands of the documentation.
func TestImage(t *testing.T) {
	commands := regexp.MustCompile(`sed '([^']*)'`).FindAllStringSubmatch(read(t, "../../docs/cluster.md"), -1)
	if len(commands) == 0 {
		t.Fatal("docs/cluster.md names no image")
	}
	for _, name := range manifests(t) {
		if name == "volume.yaml" {
			continue
		}
		for _, command := range commands {
			manifest, err := exec.Command("sed", command[1], name).Output()
			if err != nil {
				t.Fatal(err)
			}
			object, err := decode(manifest)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			pod := object.(*batchv1.Job).Spec.Template.Spec
			if got := pod.Containers[0].Image; got != "REGISTRY/synpool@sha256:DIGEST" {
				t.Errorf("%s, after %s: image %s", name, command[0], got)
			}
		}
	}
}
