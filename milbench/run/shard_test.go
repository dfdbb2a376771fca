package run_test

import (
	"fmt"
	"strings"
	"testing"

	"synpool/milbench/run"
)

func TestParseShard(t *testing.T) {
	slurm := func(id, low, high, count, step string) []string {
		return []string{"SLURM_ARRAY_TASK_ID=" + id, "SLURM_ARRAY_TASK_MIN=" + low, "SLURM_ARRAY_TASK_MAX=" + high, "SLURM_ARRAY_TASK_COUNT=" + count, "SLURM_ARRAY_TASK_STEP=" + step}
	}
	for _, c := range []struct {
		text string
		env  []string
		want string // i/n, an error, or "" for no shard
	}{
		{"", nil, ""},
		{"0/1", nil, "0/1"},
		{"11/12", nil, "11/12"},
		{"3/12", slurm("7", "0", "9", "10", "1"), "3/12"},
		{"12/12", nil, "--shard 12/12: shards count from 0; the last of 12 is 11/12"},
		{"-1/12", nil, "--shard -1/12: shards count from 0; the last of 12 is 11/12"},
		{"0/0", nil, "--shard 0/0: 1 to 100000 shards are possible"},
		{"0/-3", nil, "1 to 100000 shards are possible"},
		{"1/1000000", nil, "1 to 100000 shards are possible"},
		{"3", nil, "--shard 3: two integers are needed, say 0/12 to 11/12, or /12 in an array of jobs"},
		{"3/x", nil, "two integers are needed"},
		{"x/3", nil, "two integers are needed"},
		{"3/4/5", nil, "two integers are needed"},
		{"/12", nil, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX says which; write, say, 0/12"},
		{"/12", []string{"JOB_COMPLETION_INDEX=5"}, "5/12"},
		{"/12", []string{"JOB_COMPLETION_INDEX=12"}, "--shard /12 (JOB_COMPLETION_INDEX is 12): shards count from 0; the last of 12 is 11/12"},
		{"/12", []string{"JOB_COMPLETION_INDEX=five"}, "(JOB_COMPLETION_INDEX is five): shards count from 0"},
		{"/12", slurm("7", "7", "7", "1", "1"), "7/12"},   // one task of an array again
		{"/12", slurm("1", "1", "12", "12", "1"), "0/12"}, // a whole array, whatever it counts from
		{"/12", slurm("12", "1", "12", "12", "1"), "11/12"},
		{"", []string{"JOB_COMPLETION_INDEX=5"}, "JOB_COMPLETION_INDEX is 5, but the number of shards is not set; give --shard /n"},
		{"", slurm("0", "0", "11", "12", "1"), "0/12"},
		{"", slurm("12", "1", "12", "12", "1"), "11/12"},
		{"", slurm("40", "10", "50", "5", "10"), "3/5"},
		{"", slurm("9", "3", "9", "3", "1"), "task 9 of a Slurm array of 3 tasks from 3 to 9 is not in an evenly spaced row; give --shard /n"},
		{"", slurm("45", "10", "50", "5", "10"), "not in an evenly spaced row"},
		{"", slurm("2", "0", "", "12", "1"), `SLURM_ARRAY_TASK_MAX is "", no integer; give --shard i/n`},
		{"", slurm("two", "0", "11", "12", "1"), `SLURM_ARRAY_TASK_ID is "two", no integer`},
		{"", slurm("2", "0", "11", "12", ""), "2/12"},
		{"none", slurm("2", "0", "11", "12", "1"), ""},
		{"none", []string{"JOB_COMPLETION_INDEX=5"}, ""},
	} {
		for _, name := range []string{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_STEP", "JOB_COMPLETION_INDEX"} {
			t.Setenv(name, "")
		}
		for _, v := range c.env {
			name, value, _ := strings.Cut(v, "=")
			t.Setenv(name, value)
		}
		s, err := run.ParseShard(c.text)
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case s != nil:
			got = fmt.Sprintf("%d/%d", s.Index, s.Count)
		}
		if got != c.want && !(err != nil && c.want != "" && strings.Contains(got, c.want)) {
			t.Errorf("--shard %q with %q: %q, want %q", c.text, c.env, got, c.want)
		}
	}
}
