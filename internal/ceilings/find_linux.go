package ceilings

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Find gives the ceilings of this machine for this user, whose worlds lie in dir, of
// trials like t. What can't be read limits nothing.
func Find(dir string, t Trial) []Ceiling {
	out := find("/", t)
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		out = append(out, Ceiling{"descriptors", room(limit.Max, spareDescriptors, t.descriptors),
			fmt.Sprintf("ulimit -Hn: %d", limit.Max)})
	}
	// root is not held to it
	if syscall.Getrlimit(rlimitNproc, &limit) == nil && limit.Cur < 1<<40 && os.Getuid() != 0 {
		out = append(out, Ceiling{"processes", room(limit.Cur, spareThreads, t.threads),
			fmt.Sprintf("ulimit -u: %d", limit.Cur)})
	}
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) == nil {
		free := st.Bavail * uint64(st.Bsize)
		out = append(out, Ceiling{"disk", room(free, spareDisk, need{trialDisk, trialDisk}),
			fmt.Sprintf("%d MiB free for %s", free>>20, dir)})
		if st.Files > 0 {
			out = append(out, Ceiling{"inodes", room(st.Ffree, 0, need{trialInodes, trialInodes}),
				fmt.Sprintf("%d free for %s", st.Ffree, dir)})
		}
	}
	return out
}

// rlimitNproc is RLIMIT_NPROC, which package syscall lacks.
const rlimitNproc = 6

// find gives the ceilings that stand in files below root.
func find(root string, t Trial) []Ceiling {
	var out []Ceiling
	add := func(what string, spare uint64, each need, names ...string) {
		for _, name := range names {
			if n, ok := number(filepath.Join(root, name)); ok {
				out = append(out, Ceiling{what, room(n, spare, each), fmt.Sprintf("/%s: %d", name, n)})
			}
		}
	}
	if free, ok := available(filepath.Join(root, "proc/meminfo")); ok {
		out = append(out, Ceiling{"memory", room(free, spareMemory, t.memory),
			fmt.Sprintf("%d MiB available", free>>20)})
	}
	add("threads", spareThreads, t.threads, "proc/sys/kernel/threads-max", "proc/sys/kernel/pid_max")
	add("namespaces", 0, t.users, "proc/sys/user/max_user_namespaces")
	add("namespaces", 0, t.namespaces, "proc/sys/user/max_mnt_namespaces",
		"proc/sys/user/max_pid_namespaces", "proc/sys/user/max_net_namespaces", "proc/sys/user/max_ipc_namespaces")
	for _, group := range groups(filepath.Join(root, "proc/self/cgroup")) {
		at := "sys/fs/cgroup" + group
		add("processes of the control group", spareThreads, t.threads, at+"/pids.max")
		add("memory of the control group", spareMemory, t.memory, at+"/memory.max")
	}
	return out
}

// number reads a file that is a number; "max" is none.
func number(path string) (uint64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// available reads how much memory programs can get, in bytes.
func available(path string) (uint64, bool) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), "MemAvailable:"); ok {
			n, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
}

// groups gives the control group (v2) of this process and those above it, "/" first.
func groups(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if own, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			all := []string{""}
			for i, r := range own {
				if r == '/' && i > 0 {
					all = append(all, own[:i])
				}
			}
			if own != "/" {
				all = append(all, own)
			}
			return all
		}
	}
	return nil
}
