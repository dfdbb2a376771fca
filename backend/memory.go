package backend

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// FreeMemory returns how many bytes this process can still allocate without swapping: what Linux reports as available,
// limited by the memory limits of the process's control groups (version 1 or 2). ok is false if that is unknown, as on every
// other system.
func FreeMemory() (bytes uint64, ok bool) { return freeMemory(os.DirFS("/")) }

// memoryGroups has the files with the memory limit and use of a control group. cached is the entry of memory.stat for the
// part of the use that the kernel releases first: cached files that were not read again.
var memoryGroups = []struct{ controller, root, limit, use, cached string }{
	{"", "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
	{"", "sys/fs/cgroup/unified", "memory.max", "memory.current", "inactive_file"}, // beside version 1
	{"memory", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
}

func freeMemory(root fs.FS) (uint64, bool) {
	free, ok := number(root, "proc/meminfo", "MemAvailable:")
	if !ok {
		return 0, false
	}
	free *= 1024 // it is in kB
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(groups)) {
		_, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		controllers, group, found := strings.Cut(rest, ":")
		if !found {
			continue
		}
		for _, g := range memoryGroups {
			if !slices.Contains(strings.Split(controllers, ","), g.controller) {
				continue
			}
			// The limits of parent groups also apply. In a container only the last of them, the root, may be visible.
			for dir := path.Join(g.root, path.Clean("/"+group)); ; dir = path.Dir(dir) {
				if limit, ok := number(root, path.Join(dir, g.limit), ""); ok {
					use, _ := number(root, path.Join(dir, g.use), "")
					cached, _ := number(root, path.Join(dir, "memory.stat"), g.cached)
					use -= min(use, cached)
					free = min(free, limit-min(limit, use))
				}
				if dir == g.root {
					break
				}
			}
		}
	}
	return free, true
}

// number reads the number after a name in a file of lines; with name "" it reads the only number in the file.
func number(root fs.FS, file, name string) (uint64, bool) {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if name != "" && len(fields) > 0 && fields[0] == name {
			fields = fields[1:]
		} else if name != "" {
			continue
		}
		if len(fields) == 0 {
			return 0, false
		}
		n, err := strconv.ParseUint(fields[0], 10, 64)
		return n, err == nil
	}
	return 0, false
}
