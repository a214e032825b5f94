package agents

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"cookoff/internal/hint"
	"cookoff/internal/toolchain"
	"cookoff/sandbox"
)

// Place is where agents are looked for on this machine.
type Place struct {
	Dir  string // where install puts packages, a directory each; "": nowhere
	Home string
	Path string // directories with programs, as in PATH
}

// Installed is an agent that is there.
type Installed struct {
	Agent
	Found  string // its version; "": it does not say
	Dir    string // its package
	Mounts []sandbox.Mount
	argv   []string // inside, without Args
}

// MissingError says that an agent is not there, and what is.
type MissingError struct {
	Name, Why string
	Absent    bool // it is not installed
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("the agent %q can't be run: %s", e.Name, e.Why)
}

// missing is a MissingError with the command that helps; "": nobody knows one.
func missing(a Agent, why, next string) error {
	return helped(&MissingError{Name: a.Name, Why: why}, next)
}

func helped(err *MissingError, next string) error {
	if next == "" {
		return err
	}
	return &hint.Error{Err: err, Hint: next}
}

// Find looks for an agent. One that is not there is a *MissingError.
func (p Place) Find(ctx context.Context, a Agent) (Installed, error) {
	next := p.InstallLine(a)
	dir := p.packageOf(a)
	if dir == "" {
		return Installed{}, missing(a, "this user has no home to install it in", "")
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return Installed{}, helped(
			&MissingError{Name: a.Name, Why: "it is not installed: there is no " + dir, Absent: true}, next)
	}
	program := ""
	for _, name := range a.Program {
		name = strings.ReplaceAll(name, "{arch}", arch())
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil && st.Mode().IsRegular() {
			program = name
			break
		}
	}
	if program == "" {
		return Installed{}, missing(a, fmt.Sprintf("%s holds no %s", dir,
			strings.ReplaceAll(strings.Join(a.Program, " or "), "{arch}", arch())), next)
	}
	file := filepath.Join(dir, program)
	if st, err := os.Stat(file); a.Node == 0 && (err != nil || st.Mode()&0o111 == 0) {
		return Installed{}, missing(a, file+" is not executable", "chmod +x "+quoted(file))
	}
	i := Installed{Agent: a, Dir: dir, Found: versionIn(filepath.Join(dir, filepath.FromSlash(a.Version)), a.Version)}
	at := inside + "/" + a.Name
	i.Mounts = []sandbox.Mount{{Source: dir, Target: at}}
	i.argv = []string{at + "/" + program}
	if a.Node == 0 {
		beside, err := p.beside(ctx, a, dir, file)
		if err != nil {
			return Installed{}, err
		}
		i.Mounts = append(i.Mounts, beside...)
	}
	if a.Node > 0 {
		node, err := p.node(ctx, a.Node)
		if err != nil {
			return Installed{}, missing(a, err.Error(), p.nodeLine())
		}
		i.Mounts = append(i.Mounts, sandbox.Mount{Source: node, Target: nodeFile})
		i.argv = append([]string{nodeFile}, i.argv...)
	}
	return i, nil
}

// beside shows what a program needs beside its package, where it lies: the Python that
// its virtual environment is of, an interpreter, what a link leads to.
func (p Place) beside(ctx context.Context, a Agent, dir, file string) ([]sandbox.Mount, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, missing(a, err.Error(), "")
	}
	below, err := filepath.Rel(dir, file)
	if err != nil {
		return nil, missing(a, err.Error(), "")
	}
	t := toolchain.New(toolchain.Options{Path: p.Path, Home: p.Home}).Follow(ctx, real, filepath.Join(real, below))
	if t.Why != "" {
		at := cmp.Or(t.Hidden, t.Path)
		if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
			return nil, missing(a, fmt.Sprintf("it needs %s, which is not on this machine", at),
				Installed{Agent: a, Dir: dir}.Again())
		}
		return nil, missing(a, fmt.Sprintf("it needs %s, which no sandbox shows: %s", at, t.Why), t.Hint)
	}
	var out []sandbox.Mount
	for _, d := range t.Dirs {
		out = append(out, sandbox.Mount{Source: d, Target: d})
	}
	return out, nil
}

// packageOf is the directory of an agent's package; "": there is no place for it.
func (p Place) packageOf(a Agent) string {
	switch {
	case strings.HasPrefix(a.Package, "~/") && p.Home != "":
		return filepath.Join(p.Home, a.Package[2:])
	case a.Package != "":
		return filepath.Clean(a.Package)
	case p.Dir != "":
		return filepath.Join(p.Dir, a.Name)
	}
	return ""
}

// Again says how to install it anew, "" where nobody knows.
func (i Installed) Again() string {
	if i.Install == "" {
		return ""
	}
	return "install it again: " + strings.ReplaceAll(i.Install, "{package}", quoted(i.Dir))
}

// InstallLine is the command that installs an agent; "": nobody knows one.
func (p Place) InstallLine(a Agent) string {
	dir := p.packageOf(a)
	if a.Install == "" || dir == "" {
		return ""
	}
	return strings.ReplaceAll(a.Install, "{package}", quoted(dir))
}

// nodeVersion is the node that nodeLine installs.
const nodeVersion = "22"

func (p Place) nodeLine() string {
	if p.Dir == "" {
		return ""
	}
	return fmt.Sprintf("npm install --prefix %s node-linux-%s@%s", quoted(filepath.Join(p.Dir, "node")), arch(),
		nodeVersion)
}

func quoted(s string) string {
	if strings.ContainsAny(s, " '\"$`\\!*?()[]{}<>|&;~") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// node finds a node from a version on: one installed for agents, else the user's.
func (p Place) node(ctx context.Context, least int) (string, error) {
	var all []string
	if p.Dir != "" {
		all = append(all, filepath.Join(p.Dir, "node", "node_modules", "node-linux-"+arch(), "bin", "node"))
	}
	for _, d := range filepath.SplitList(p.Path) {
		if filepath.IsAbs(d) {
			all = append(all, filepath.Join(d, "node"))
		}
	}
	seen := ""
	for _, f := range all {
		real, err := filepath.EvalSymlinks(f)
		if err != nil {
			continue
		}
		n, err := nodeMajor(ctx, real)
		if err == nil && n >= least {
			return real, nil
		}
		if err == nil && seen == "" {
			seen = fmt.Sprintf(", and %s is %d", f, n)
		}
	}
	return "", fmt.Errorf("it needs node from version %d on%s", least, seen)
}

// nodeMajor asks a node for the first number of its version.
func nodeMajor(ctx context.Context, file string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, file, "--version").Output()
	if err != nil {
		return 0, err
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(out)), "v"), ".")
	return strconv.Atoi(major)
}

// arch is this machine's processor as npm names it.
func arch() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}

// versionIn reads a version from a package.json, or from what pip writes of a package;
// "" where neither says one.
func versionIn(path, pattern string) string {
	if pattern == "" {
		return ""
	}
	files, _ := filepath.Glob(path)
	if len(files) == 0 {
		return ""
	}
	text, err := readHead(files[len(files)-1])
	if err != nil {
		return ""
	}
	var p struct {
		Version string `json:"version"`
	}
	if json.Unmarshal(text, &p) == nil {
		return clean(p.Version)
	}
	for in := bufio.NewScanner(bytes.NewReader(text)); in.Scan(); {
		if v, ok := strings.CutPrefix(in.Text(), "Version: "); ok {
			return clean(v)
		}
	}
	return ""
}

// clean is a version on one short line.
func clean(v string) string {
	v = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, v)
	return v[:min(len(v), 40)]
}

// readHead reads a file of reasonable size.
func readHead(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > 1<<20 {
		return nil, errors.New("no file to read")
	}
	return os.ReadFile(path)
}
