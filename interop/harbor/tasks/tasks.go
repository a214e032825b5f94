// Package tasks makes recipes of tasks that were written for Harbor: what their
// Dockerfiles do with files becomes a setup, their tests a check in a fresh world, and
// their solutions ours. What can't be is refused, by name and all at once.
package tasks

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"cookoff/interop/imported"
)

// Task is a task of Harbor that can be one of ours.
type Task struct {
	Name, Instruction string
	Workdir           string // absolute
	Root              string // image, at a path of this machine; "": this machine's programs
	Mounts            []string
	Setup             []string // lines
	Path              []string // where programs are looked for; none: as worlds have it
	Env               map[string]string
	Test              string // tests/test.sh
	Tests             []file
	TestEnv           map[string]string
	Solution          string // solution/solve.sh; "": it has none
	Solving           []file // what lies beside it
	SolutionEnv       map[string]string
	AgentSeconds      float64 // 0: not said
	TestSeconds       float64
	BuildSeconds      float64
	Memory, Disk      int64    // bytes; 0: not said
	Offline           bool     // it has no network, whatever the recipe gives
	Patch             bool     // only the change of the project is judged
	Packages          []string // of Python, as pip is asked for them once, in prepare
	Notes             []string
}

func isFile(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.Mode().IsRegular()
}

// Read reads a task. The errors, all of them, say what of it can't be here.
func Read(dir string, m Machine) (Task, []error) {
	if st, err := os.Lstat(dir); err == nil && st.Mode()&os.ModeSymlink != 0 {
		return Task{}, []error{errors.New("it is a link, which is not followed")}
	}
	text, err := readFile(dir, "task.toml")
	if err != nil {
		return Task{}, []error{err}
	}
	var c config
	if err := toml.Unmarshal(text, &c); err != nil {
		return Task{}, []error{fmt.Errorf("task.toml: %w", err)}
	}
	r := reading{from: &folder{dir: dir}, out: &sheet{machine: m, task: Task{
		Name:         filepath.Base(dir),
		Env:          map[string]string{},
		TestEnv:      c.Verifier.Env,
		SolutionEnv:  c.Solution.Env,
		AgentSeconds: float64(c.Agent.Timeout),
		TestSeconds:  float64(c.Verifier.Timeout),
		BuildSeconds: float64(c.Environment.Build),
	}}}
	if c.Task.Name != "" {
		r.out.task.Name = c.Task.Name
	}
	r.settings(c)
	r.limits(c)
	r.instruction()
	r.environment(c.Environment.Image)
	r.separate(c)
	r.verifier()
	r.solution()
	for name, text := range map[string]string{"instruction.md": r.out.task.Instruction, "tests/test.sh": r.out.task.Test,
		"solution/solve.sh": r.out.task.Solution, "task.name": r.out.task.Name} {
		if !isText(text) {
			r.out.refuse("%s is no text", name)
		}
	}
	return r.out.task, r.out.refused
}

// reading is a task that is being read.
type reading struct {
	out  *sheet
	from *folder
}

// settings refuses what no world of ours has.
func (r reading) settings(c config) {
	if known := []string{"", "1.0", "1.1", "1.2", "1.3", "1.4"}; !slices.Contains(known, c.Schema) {
		r.out.refuse("schema_version %q: 1.0 to 1.4 are known", c.Schema)
	}
	for what, is := range map[string]bool{
		"steps: a task of several steps": len(c.Steps) > 0,
		"os: " + c.Environment.OS:        c.Environment.OS != "" && c.Environment.OS != "linux",
		"gpus":                           c.Environment.GPUs != 0,
		"tpu":                            c.Environment.TPU != nil,
		"mcp_servers":                    len(c.Environment.MCP) > 0,
		"healthcheck: a process that must be running when it begins":  c.Environment.Health != nil,
		"verifier.collect: it asks the processes that the agent left": len(c.Verifier.Collect) > 0,
		"verifier.environment: a verifier with an image of its own":   c.Verifier.Own != nil,
		"agent.user":    c.Agent.User != nil,
		"verifier.user": c.Verifier.User != nil,
		"environment/docker-compose.yaml: services":             r.from.has("environment/docker-compose.yaml"),
		"tests/Dockerfile: a verifier with an image of its own": r.from.has("tests/Dockerfile"),
	} {
		if is {
			r.out.refuse("%s", what)
		}
	}
	slices.SortFunc(r.out.refused, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	for _, name := range slices.Sorted(maps.Keys(c.Environment.Env)) {
		r.out.env(name, c.Environment.Env[name])
	}
	for where, env := range map[string]map[string]string{"verifier": c.Verifier.Env, "solution": c.Solution.Env} {
		for name, value := range env {
			if strings.Contains(value, "${") || strings.ContainsRune(value, 0) || !isName(name) {
				r.out.refuse("%s.env %s: it takes what the machine's environment has", where, name)
			}
		}
	}
	if dir := c.Environment.Skills; dir != "" {
		r.out.note("skills_dir: Harbor gives agents the skills in %.200q; here they lie there, "+
			"and files of ## Contestants gives one some",
			dir)
	}
	if c.Environment.Workdir != "" {
		r.out.task.Workdir = path.Clean(c.Environment.Workdir)
	}
}

// limits takes over what a task may use; what can't be is said.
func (r reading) limits(c config) {
	e := c.Environment
	for what, seconds := range map[string]number{"agent.timeout_sec": c.Agent.Timeout,
		"verifier.timeout_sec": c.Verifier.Timeout, "environment.build_timeout_sec": e.Build} {
		if !(seconds >= 0 && seconds <= maxSeconds) {
			r.out.refuse("%s %v: from 0 to %d are taken", what, seconds, maxSeconds)
		}
	}
	memory, disk := size(e.Memory, e.OldMemory), size(e.Storage, e.OldStorage)
	if !(memory >= 0 && memory <= maxMiB && disk >= 0 && disk <= maxMiB) {
		r.out.refuse("memory_mb %v, storage_mb %v: from 0 to %d are taken", e.Memory, e.Storage, maxMiB)
		return
	}
	r.out.task.Memory, r.out.task.Disk = int64(memory)<<20, int64(disk)<<20
	if e.CPUs > 0 {
		r.out.note("cpus = %v is not held: worlds share this machine's processors", e.CPUs)
	}
	mode := c.Agent.Network
	if mode == "" {
		mode = e.Network
	}
	hosts := slices.Concat(e.Hosts, c.Agent.Hosts)
	switch allow := e.Allow; {
	case mode == "allowlist":
		r.out.note("Harbor lets it reach %s; here its worlds have no network, unless network: allow of ## Sandbox names them",
			strings.Join(hosts, ", "))
	case mode == "no-network" || mode == "" && allow != nil && !*allow:
		r.out.task.Offline = true
	case mode != "" && mode != "public":
		r.out.refuse("network_mode %q: no-network, public and allowlist are known", mode)
	default:
		r.out.note("Harbor gives it a network; here its worlds have none, unless network: of ## Sandbox says so")
	}
}

// The largest limits that are taken over.
const (
	maxSeconds = 7 * 24 * 3600
	maxMiB     = 1 << 30
)

// environment is the image that the task names, where it is here, else what its Dockerfile
// does.
func (r reading) environment(image string) {
	if i := rooting(r); i.named(image) || i.built(image) {
		return
	}
	if image != "" && !r.from.has(Dockerfile) {
		r.out.refuse("docker_image %.200s without a Dockerfile: "+
			"no image of that name lies in %s (podman save or docker save -o FILE puts it there, or --build)",
			image, imagesAt)
		return
	}
	d := &dockerfile{out: r.out, from: r.from}
	d.build()
	d.mounts()
}

func (r reading) instruction() {
	text, err := r.from.read("instruction.md")
	if err != nil {
		r.out.fail(err)
		return
	}
	if r.out.task.Instruction = strings.TrimSpace(string(text)); r.out.task.Instruction == "" {
		r.out.refuse("instruction.md is empty")
	}
}

func (r reading) verifier() {
	r.out.task.Tests = r.out.have(r.from.files("tests", nil))
	for _, f := range r.out.task.Tests {
		if f.name == "test.sh" {
			r.out.task.Test = string(f.data)
		}
	}
	if r.out.task.Test == "" {
		r.out.refuse("there is no tests/test.sh")
		return
	}
	r.out.task.Test = r.out.standIn("tests/test.sh", r.out.task.Test)
	for i := range r.out.task.Tests {
		if f := &r.out.task.Tests[i]; f.name == "test.sh" {
			f.data = []byte(r.out.task.Test)
		}
	}
	for _, name := range fetches(r.out.task.Test) {
		r.out.refuse("tests/test.sh calls %s, which fetches, or asks a process that has ended: "+
			"it is judged in a fresh world without a network", name)
	}
}

func (r reading) solution() {
	if _, err := os.Lstat(filepath.Join(r.from.dir, "solution")); imported.Missing(err) {
		r.out.note("it has no solution: nothing proves that it can be solved")
		return
	}
	for _, f := range r.out.have(r.from.files("solution", nil)) {
		if f.name == "solve.sh" {
			r.out.task.Solution = r.out.standIn("solution/solve.sh", string(f.data))
		} else {
			r.out.task.Solving = append(r.out.task.Solving, f)
		}
	}
}

// isName reports whether a variable can be called so.
func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return !(c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9')
	})
}

var errLarge = errors.New("its files have more than 4 MiB, which no recipe holds")
