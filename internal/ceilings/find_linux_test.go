package ceilings

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// machine makes the files that ceilings are read from.
func machine(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestTheScarcestIsFound, whatever it is.
func TestTheScarcestIsFound(t *testing.T) {
	ample := map[string]string{
		"proc/meminfo":                                  "MemTotal: 99 kB\nMemAvailable:   67108864 kB\n",
		"proc/sys/kernel/threads-max":                   "192729\n",
		"proc/sys/user/max_mnt_namespaces":              "96364\n",
		"proc/self/cgroup":                              "0::/user.slice/app.scope\n",
		"sys/fs/cgroup/user.slice/app.scope/pids.max":   "max\n",
		"sys/fs/cgroup/user.slice/app.scope/memory.max": "max\n",
		"sys/fs/cgroup/user.slice/pids.max":             "max\n",
	}
	like := Living()
	check := func(file, text, what string, trials int) {
		t.Helper()
		files := map[string]string{}
		for name, text := range ample {
			files[name] = text
		}
		files[file] = text
		low, ok := Lowest(find(machine(t, files), like))
		if !ok || low.What != what || low.Trials != trials {
			t.Errorf("%s %q: %v, want %d by %s", file, text, low, trials, what)
		}
	}
	check("proc/meminfo", "MemAvailable: 1048576 kB\n", "memory", 512/5)
	check("proc/meminfo", "MemAvailable: 1024 kB\n", "memory", 1)
	check("proc/sys/kernel/threads-max", "1700\n", "threads", 100)
	check("proc/sys/kernel/pid_max", "1700\n", "threads", 100)
	check("proc/sys/user/max_user_namespaces", "0\n", "namespaces", 1)
	check("sys/fs/cgroup/user.slice/pids.max", "1100\n", "processes of the control group", 50)
	check("sys/fs/cgroup/user.slice/app.scope/memory.max", fmt.Sprint(spareMemory+7*(5<<20)),
		"memory of the control group", 7)
	like = Hibernating()
	check("sys/fs/cgroup/user.slice/app.scope/memory.max", fmt.Sprint(spareMemory+7*(5<<20)),
		"memory of the control group", 7)
	check("proc/meminfo", "MemAvailable: 1048576 kB\n", "memory", keptAwake+(512-5*keptAwake)*2)
	check("sys/fs/cgroup/user.slice/pids.max", "700\n", "processes of the control group", 16)
}

// TestWhatCanNotBeReadLimitsNothing.
func TestWhatCanNotBeReadLimitsNothing(t *testing.T) {
	root := machine(t, map[string]string{"proc/self/cgroup": "4:memory:/old\n", "proc/meminfo": "MemAvailable: much\n",
		"proc/sys/kernel/pid_max": "?"})
	if all := find(root, Living()); len(all) != 0 {
		t.Errorf("%v", all)
	}
	if _, ok := Lowest(nil); ok {
		t.Error("a ceiling of nothing")
	}
}

// TestThisMachine holds a trial, and says where its ceilings stand.
func TestThisMachine(t *testing.T) {
	all := Find(t.TempDir(), Living())
	if len(all) < 4 {
		t.Errorf("only %v", all)
	}
	for _, c := range all {
		if c.Trials < 1 || c.Found == "" {
			t.Errorf("%+v", c)
		}
	}
}
