package backend

import (
	"runtime"
	"testing"
	"testing/fstest"
)

func TestFreeMemory(t *testing.T) {
	const (
		meminfo = "MemTotal:       24684100 kB\nMemFree:        100 kB\nMemAvailable:   8000 kB\nBuffers: 1 kB\n"
		free    = 8000 * 1024
		v1      = "9:name=systemd:/\n5:devices,memory:/jobs/one\n"
		v1dir   = "sys/fs/cgroup/memory/"
	)
	for _, test := range []struct {
		name  string
		files map[string]string
		want  uint64
		ok    bool
	}{
		{"no files", nil, 0, false},
		{"an old kernel", map[string]string{"proc/meminfo": "MemTotal: 24684100 kB\nMemFree: 100 kB\n"}, 0, false},
		{"no number", map[string]string{"proc/meminfo": "MemAvailable: much kB\n"}, 0, false},
		{"nothing after the name", map[string]string{"proc/meminfo": "MemAvailable:\n"}, 0, false},
		{"no groups", map[string]string{"proc/meminfo": meminfo}, free, true},
		{"groups of another form", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "\nmemory\n5:memory\n::\n"}, free, true},
		{"version 2", map[string]string{
			"proc/meminfo":     meminfo,
			"proc/self/cgroup": "0::/user.slice/a b:c\n",
			"sys/fs/cgroup/user.slice/a b:c/memory.max":     "5000000\n",
			"sys/fs/cgroup/user.slice/a b:c/memory.current": "3000000\n",
			"sys/fs/cgroup/user.slice/a b:c/memory.stat":    "anon 1\nactive_file 7\ninactive_file 1000000\n",
		}, 3000000, true},
		{"version 2 with a limit above", map[string]string{
			"proc/meminfo":                          meminfo,
			"proc/self/cgroup":                      "0::/job/step\n",
			"sys/fs/cgroup/job/memory.max":          "2000000\n",
			"sys/fs/cgroup/job/memory.current":      "1900000\n",
			"sys/fs/cgroup/job/step/memory.max":     "max\n",
			"sys/fs/cgroup/job/step/memory.current": "1900000\n",
		}, 100000, true},
		{"version 2 in a container", map[string]string{
			"proc/meminfo":                 meminfo,
			"proc/self/cgroup":             "0::/../other\n",
			"sys/fs/cgroup/memory.max":     "4000000\n",
			"sys/fs/cgroup/memory.current": "1000000\n",
		}, 3000000, true},
		{"version 2 with more than there is", map[string]string{
			"proc/meminfo":             meminfo,
			"proc/self/cgroup":         "0::/\n",
			"sys/fs/cgroup/memory.max": "99999999999\n",
		}, free, true},
		{"over the limit", map[string]string{
			"proc/meminfo":                 meminfo,
			"proc/self/cgroup":             "0::/\n",
			"sys/fs/cgroup/memory.max":     "1000\n",
			"sys/fs/cgroup/memory.current": "1001\n",
		}, 0, true},
		{"more cached than used", map[string]string{
			"proc/meminfo":                 meminfo,
			"proc/self/cgroup":             "0::/\n",
			"sys/fs/cgroup/memory.max":     "1000\n",
			"sys/fs/cgroup/memory.current": "10\n",
			"sys/fs/cgroup/memory.stat":    "inactive_file 11\n",
		}, 1000, true},
		{"version 1", map[string]string{
			"proc/meminfo":                              meminfo,
			"proc/self/cgroup":                          v1,
			v1dir + "jobs/one/memory.limit_in_bytes":    "6000000\n",
			v1dir + "jobs/one/memory.usage_in_bytes":    "2000000\n",
			v1dir + "jobs/one/memory.stat":              "inactive_file 1\ntotal_inactive_file 500000\n",
			v1dir + "memory.limit_in_bytes":             "9223372036854771712\n",
			v1dir + "memory.usage_in_bytes":             "23000000\n",
			"sys/fs/cgroup/jobs/one/memory.max":         "1\n", // not version 2
			"sys/fs/cgroup/devices/jobs/one/tasks":      "1\n",
			"sys/fs/cgroup/unified/jobs/one/memory.max": "1\n",
		}, 4500000, true},
		{"version 1 in a container", map[string]string{
			"proc/meminfo":                  meminfo,
			"proc/self/cgroup":              v1 + "0::/system.slice\n",
			v1dir + "memory.limit_in_bytes": "6000000\n",
			v1dir + "memory.usage_in_bytes": "2000000\n",
		}, 4000000, true},
		{"version 2 beside version 1", map[string]string{
			"proc/meminfo":                              meminfo,
			"proc/self/cgroup":                          "1:cpu:/\n0::/jobs\n",
			"sys/fs/cgroup/unified/jobs/memory.max":     "3000\n",
			"sys/fs/cgroup/unified/jobs/memory.current": "1000\n",
		}, 2000, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for name, text := range test.files {
				root[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if got, ok := freeMemory(root); got != test.want || ok != test.ok {
				t.Errorf("%d, %v, want %d, %v", got, ok, test.want, test.ok)
			}
		})
	}
	if free, ok := FreeMemory(); ok != (runtime.GOOS == "linux") || ok != (free > 0) {
		t.Errorf("this machine has %d bytes, %v", free, ok)
	}
}
