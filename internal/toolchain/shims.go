package toolchain

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cookoff/internal/pattern"
)

// shimMax is the size of a file that can be a shim, in bytes.
const shimMax = 16 << 10

// execs is the line of a shim that hands over to its manager.
var execs = pattern.New(`(?m)^\s*exec\s+["']?([^\s"'$]+)["']?\s+exec\b`)

// exports is a variable that a shim sets for its manager.
var exports = pattern.New(`(?m)^\s*export\s+(\w+=)["']?([^\s"'$` + "`" + `]+)["']?\s*$`)

// manager is a version manager, and what its shim sets for it.
type manager struct {
	program string
	env     []string
}

// shimOf gives the version manager that a script hands over to; ok is whether
// it is a shim.
func shimOf(path string) (m manager, ok bool) {
	head := firstBytes(path, shimMax)
	if !bytes.HasPrefix(head, []byte("#!")) {
		return m, false
	}
	found := execs.FindSubmatch(head)
	if found == nil {
		return m, false
	}
	m.program = string(found[1])
	for _, e := range exports.FindAllSubmatch(head, -1) {
		m.env = append(m.env, string(e[1])+string(e[2]))
	}
	return m, true
}

// managers are programs that are another when they are called by another name,
// and the program that says which.
var managers = map[string]string{
	"rustup": "rustup", "volta-shim": "volta", "mise": "mise", "rtx": "rtx", "asdf": "asdf",
}

// managerOf gives the version manager behind a link, "" where it leads to a
// program itself.
func managerOf(link string) string {
	if name := managers[filepath.Base(link)]; name != "" {
		return filepath.Join(filepath.Dir(link), name)
	}
	return ""
}

// managedBy reports whether a version manager keeps its tool chains where dir is.
func managedBy(manager, dir string) bool {
	name := strings.TrimPrefix(filepath.Base(manager), ".")
	return slices.ContainsFunc(strings.Split(dir, "/"),
		func(part string) bool { return strings.TrimPrefix(part, ".") == name })
}

// askTime bounds how long a version manager may think.
const askTime = 10 * time.Second

// which asks a version manager where a program is. It is asked away from the
// project, whose files could be a stranger's.
func (m manager) which(ctx context.Context, name string, env []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, m.program, "which", name)
	cmd.Dir, cmd.Env, cmd.WaitDelay = "/", env, time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	path := strings.TrimSpace(lines[len(lines)-1])
	if err == nil && filepath.IsAbs(path) && executable(path) {
		return path, nil
	}
	why, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
	if why == "" {
		why = "gives no program"
	}
	return "", fmt.Errorf("%s which %s: %s", filepath.Base(m.program), name, why)
}

// pin is what a version may be: nothing that is a path.
var pin = pattern.New(`^[A-Za-z0-9][\w.+-]*$`)

// pins gives what the project's files say of versions as variables that
// version managers read. What the user's own environment says stays.
func pins(project string, env []string) (out []string) {
	add := func(key string, versions ...string) {
		has := slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, key+"=") })
		good := len(versions) > 0 && !slices.ContainsFunc(versions, func(v string) bool { return !pin.MatchString(v) })
		if good && !has {
			out = append(out, key+"="+strings.Join(versions, ":"))
		}
	}
	for file, key := range map[string]string{
		".python-version": "PYENV_VERSION", ".ruby-version": "RBENV_VERSION", ".node-version": "NODENV_VERSION",
		".go-version": "GOENV_VERSION", ".java-version": "JENV_VERSION",
	} {
		if project != "" {
			add(key, strings.Fields(string(firstBytes(filepath.Join(project, file), shimMax)))...)
		}
	}
	if project == "" {
		return out
	}
	for line := range strings.Lines(string(firstBytes(filepath.Join(project, ".tool-versions"), shimMax))) {
		line, _, _ = strings.Cut(line, "#")
		if f := strings.Fields(line); len(f) > 1 && pin.MatchString(f[0]) {
			tool := strings.ToUpper(strings.NewReplacer("-", "_", ".", "_", "+", "_").Replace(f[0]))
			add("ASDF_"+tool+"_VERSION", f[1])
			add("MISE_"+tool+"_VERSION", f[1])
		}
	}
	slices.Sort(out)
	return out
}

// interpreterOf gives the interpreter that the first line of a script names:
// a path, or with env a name.
func interpreterOf(path string) (name string, byName bool) {
	head, found := bytes.CutPrefix(firstBytes(path, 512), []byte("#!"))
	if !found {
		return "", false
	}
	line, _, _ := strings.Cut(string(head), "\n")
	f := strings.Fields(line)
	if len(f) == 0 || !filepath.IsAbs(f[0]) {
		return "", false
	}
	if filepath.Base(f[0]) != "env" {
		return f[0], false
	}
	for _, arg := range f[1:] {
		if !strings.HasPrefix(arg, "-") && !strings.Contains(arg, "=") {
			return arg, true
		}
	}
	return "", false
}

// firstBytes reads the beginning of a regular file, nothing of any other.
func firstBytes(path string, n int) []byte {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, n)
	got, _ := f.Read(b)
	return b[:got]
}
