package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"cookoff/internal/glob"
	"cookoff/internal/nearest"
	"cookoff/internal/pattern"
	"cookoff/recipe"
)

// Bounds of what a recipe may ask for. Below them nothing runs at all, above them it is a slip of units.
const (
	mostTime      = 24 * time.Hour
	hardlyTime    = 500 * time.Millisecond
	leastMemory   = 16 << 20
	leastDisk     = 64 << 10
	leastPrograms = 4
	mostProcesses = 4 << 20 // that Linux can number
	mostMemory    = 4 << 40
	mostDisk      = 64 << 40
)

// unexpanded is what a shell would put something else for.
var unexpanded = pattern.New(`\$\{?[A-Za-z_]|\$\(|^~(/|$)|` + "`[^`]+`")

// program is what a program may be called that a task needs.
var program = pattern.New(`^(/[^\s,]*/)?[A-Za-z0-9_][A-Za-z0-9_.+@-]*$`)

// obeyed are variables whose files every program or every shell runs, those of the judge too.
var obeyed = []string{"LD_PRELOAD", "LD_AUDIT", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS"}

// ofSystem are directories whose programs and libraries are none of a contestant's.
var ofSystem = []string{"/usr/", "/lib/", "/lib64/", "/bin/"}

// lintSettings says what is wrong with a task's settings that are well-formed.
func lintSettings(fs *Findings, t recipe.Task) {
	lintTime(fs, "timeout", t.Timeout)
	lintTime(fs, "setup", t.Limits.Setup)
	lintTime(fs, "before", t.Limits.Before)
	lintTime(fs, "solution", t.Limits.Solution)
	for _, of := range []struct {
		key  string
		list []recipe.Check
	}{{"after", t.After}, {"guard", t.Guard}} {
		for i, c := range of.list {
			key := fmt.Sprintf("%s[%d]", of.key, i)
			lintTime(fs, key, c.Timeout)
			for _, e := range c.Env {
				lintVariable(fs, key, e)
			}
		}
	}
	for _, of := range []struct {
		key  string
		list []string
	}{{"env", t.Env}, {"judge_env", t.JudgeEnv}} {
		for i, e := range of.list {
			lintVariable(fs, fmt.Sprintf("%s[%d]", of.key, i), e)
		}
	}
	for i, n := range t.Needs {
		if !program.MatchString(n) {
			fs.fail(fmt.Sprintf("needs[%d]", i),
				"name programs, with commas between them; a before or setup may ask for a version",
				"%q is no name of a program: the task would be left out everywhere", n)
		}
	}
	lintSizes(fs, t.Memory, t.Disk)
}

// lintSandbox says the same of what holds for all tasks.
func lintSandbox(fs *Findings, s recipe.SandboxConfig) {
	var own Findings
	for i, e := range s.Env {
		lintVariable(&own, fmt.Sprintf("env[%d]", i), e)
	}
	lintSizes(&own, s.Memory, s.Disk)
	if s.Processes > 0 && s.Processes < leastPrograms {
		own.fail("processes", fmt.Sprintf("write %d or more, or leave it out", leastPrograms),
			"processes: %d: a shell and what it starts are more", s.Processes)
	}
	lintTime(&own, "prepare_timeout", s.PrepareTimeout)
	lintGetting(&own, "prepare", s.Prepare, getting{s.Root != "", s.User})
	lintGetting(&own, "warm", s.Warm, getting{s.Root != "", s.User})
	if s.Processes > mostProcesses {
		own.fail("processes", "write 512, or leave it out",
			"processes: %d are as good as no limit: no system numbers so many", s.Processes)
	}
	if s.FileSize > 0 && s.FileSize < leastDisk {
		own.fail("file_size", "write 512MiB or 2GiB; no unit means bytes",
			"file_size: %d bytes are too few for any program's files: at least 64KiB", s.FileSize)
	}
	if s.Disk > 0 && s.FileSize > s.Disk {
		own.Warn("file_size", "write less than the disk, or leave it out",
			"file_size: no file can have %dMiB on a disk of %dMiB", s.FileSize>>20, s.Disk>>20)
	}
	fs.Under("sandbox", own.List)
}

// lintTime refuses time limits that are a slip.
func lintTime(fs *Findings, key string, d time.Duration) {
	switch {
	case d > mostTime:
		fs.fail(key, "write at most 24h, as 90s, 5m or 1.5h; whole seconds have no unit",
			"a time limit of %v is as good as none: a trial that hangs would hold the run", d)
	case d > 0 && d < hardlyTime:
		fs.Warn(key, "write 90s, 5m or 1.5h", "a time limit of %v: hardly a program has started by then", d)
	}
}

// lintSizes refuses memory and disk in which no world can work, and what no machine has.
func lintSizes(fs *Findings, memory, disk int64) {
	if memory > mostMemory {
		fs.fail("memory", "write at most 4096GiB, as 512MiB or 2GiB",
			"memory: %dGiB are as good as no limit: no machine has them", memory>>30)
	}
	if disk > mostDisk {
		fs.fail("disk", "write at most 65536GiB, as 512MiB or 2GiB",
			"disk: %dGiB are as good as no limit: no machine has them", disk>>30)
	}
	if memory > 0 && memory < leastMemory {
		fs.fail("memory", "write 512MiB or 2GiB; no unit means bytes",
			"memory: %d bytes are too few for a shell and its programs: at least 16MiB", memory)
	}
	if disk > 0 && disk < leastDisk {
		fs.fail("disk", "write 512MiB or 2GiB; no unit means bytes",
			"disk: %d bytes are too few for any work: at least 64KiB", disk)
	}
}

// lintVariable refuses a variable that has the judge run what a contestant may write, and warns of a value that
// looks as if a shell would expand it.
func lintVariable(fs *Findings, key, entry string) {
	name, value, _ := strings.Cut(entry, "=")
	switch {
	case value != "" && slices.Contains(obeyed, name) &&
		!slices.ContainsFunc(ofSystem, func(d string) bool { return strings.HasPrefix(path.Clean(value), d) }):
		fs.fail(key, "name a file of the system (/usr/lib/…), or set it in the command that wants it: "+name+"=… COMMAND",
			"%s: every program would run what lies at %q, those of the judge too", name, value)
	case unexpanded.MatchString(value):
		fs.Warn(key, "write the value itself: HOME is /home/agent, the project /work",
			"%s is set to %q as it stands here: nothing in it is expanded", name, value)
	}
}

// lintHidden refuses a glob that hides the project as a whole.
func lintHidden(fs *Findings, key, g string) bool {
	c := path.Clean(g)
	if c != "." && (!glob.Covers(c, "any") || !glob.Covers(c, "other/path.x")) {
		return false
	}
	fs.fail(key, "name the files that models must not see; with \"project: none\" a task starts with nothing",
		"%q hides the whole project", g)
	return true
}

// well are programs that tasks often need, which a name that nobody has is most likely a slip of.
var well = strings.Fields("git python3 python pip uv pytest node npm pnpm yarn go cargo rustc gcc g++ make cmake " +
	"mvn gradle java javac ruby perl php psql postgres mysql redis-server redis-cli sqlite3 nginx curl jq tar unzip " +
	"openssl docker")

// Lacks warns of the i-th program that a task needs, which this machine does not have.
func (fs *Findings) Lacks(i int, name string) {
	next := "install it, or leave it out where the task can do without"
	if near := nearest.Name(name, well); near != "" && !slices.Contains(well, name) {
		next = fmt.Sprintf("did you mean %q?", near)
	}
	fs.Warn(fmt.Sprintf("needs[%d]", i), next, "this machine has no %q: the task is left out here", name)
}
