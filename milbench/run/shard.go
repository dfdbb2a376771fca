package run

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// maxShards bounds the number of shards.
const maxShards = 100_000

// ParseShard returns the shard of a text: "i/n" is part i of n, from 0, and "/n" the part of n of this task of an array of jobs. "" is
// the part of this task of a Slurm array, and nil, for no shard, outside of arrays; "none" is nil everywhere. Errors name the flag --shard.
func ParseShard(text string) (*Shard, error) {
	switch text {
	case "":
		return shardOfArray()
	case "none":
		return nil, nil
	}
	left, right, found := strings.Cut(text, "/")
	n, err := strconv.Atoi(right)
	if !found || err != nil {
		return nil, fmt.Errorf("--shard %s: two integers are needed, say 0/12 to 11/12, or /12 in an array of jobs", text)
	}
	if n < 1 || n > maxShards {
		return nil, fmt.Errorf("--shard %s: 1 to %d shards are possible", text, maxShards)
	}
	if s, err := shardOfArray(); left == "" && err == nil && s != nil && s.Count == n {
		return s, nil // whatever the array counts from
	}
	index, name := left, ""
	for _, variable := range []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"} {
		if index == "" {
			index, name = os.Getenv(variable), variable
		}
	}
	if index == "" {
		return nil, fmt.Errorf("--shard %s: neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX says which; write, say, 0/%d", text, n)
	}
	i, err := strconv.Atoi(index)
	if err != nil && name == "" {
		return nil, fmt.Errorf("--shard %s: two integers are needed, say 0/12 to 11/12, or /12 in an array of jobs", text)
	}
	if name != "" {
		name = " (" + name + " is " + index + ")"
	}
	if err != nil || i < 0 || i >= n {
		return nil, fmt.Errorf("--shard %s%s: shards count from 0; the last of %d is %d/%d", text, name, n, n-1, n)
	}
	return &Shard{Index: i, Count: n}, nil
}

// shardOfArray returns the shard of Slurm's variables, nil outside of arrays.
func shardOfArray() (*Shard, error) {
	if os.Getenv("SLURM_ARRAY_TASK_ID") == "" {
		if index := os.Getenv("JOB_COMPLETION_INDEX"); index != "" {
			return nil, fmt.Errorf("JOB_COMPLETION_INDEX is %s, but the number of shards is not set; give --shard /n with the Job's completions, or --shard none", index)
		}
		return nil, nil
	}
	values := make(map[string]int)
	for _, name := range []string{"ID", "MIN", "MAX", "COUNT", "STEP"} {
		text := os.Getenv("SLURM_ARRAY_TASK_" + name)
		if text == "" && name == "STEP" {
			text = "1"
		}
		v, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("SLURM_ARRAY_TASK_%s is %q, no integer; give --shard i/n", name, text)
		}
		values[name] = v
	}
	id, low, count, step := values["ID"], values["MIN"], values["COUNT"], values["STEP"]
	if step < 1 || count < 1 || id < low || (id-low)%step != 0 || values["MAX"] != low+(count-1)*step || id > values["MAX"] {
		return nil, fmt.Errorf("task %d of a Slurm array of %d tasks from %d to %d is not in an evenly spaced row; give --shard /n", id, count, low, values["MAX"])
	}
	if count > maxShards {
		return nil, fmt.Errorf("a Slurm array of %d tasks: at most %d shards are possible", count, maxShards)
	}
	return &Shard{Index: (id - low) / step, Count: count}, nil
}
