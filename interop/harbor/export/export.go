// Package export writes tasks of a recipe as tasks that Harbor runs: what a world starts
// with becomes an image's, checks become tests in a separate verifier. What Harbor has no
// word for is refused by name, or told where it only guards.
package export

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/recipe"
	"cookoff/sandbox"
)

// Given is what a task is written with.
type Given struct {
	Recipe  *recipe.Recipe
	Project string         // directory whose files its worlds start with; "": nothing
	Judge   []sandbox.Item // files that checks have, by their paths in the project
	Image   string         // what the image begins with, where neither task nor recipe name one
	Name    string         // ORG/NAME
}

const (
	home = "/home/agent"
	work = "/work"
)

// Refused says what of a task Harbor has no word for.
func Refused(r *recipe.Recipe, t recipe.Task) (why []string) {
	live := func(c recipe.Check) bool { return c.Live }
	for what, is := range map[string]bool{
		"repair: its tasks are in a file of repairs": t.Repair != "",
		liveCheck: slices.ContainsFunc(slices.Concat(t.After, t.Guard), live),
		"hidden":  len(t.Hidden) > 0,
		"base":    t.Base != "",
		"services: nothing runs beside the tests of Harbor's separate verifier": len(t.Services) > 0,
		"plant: its tasks are made when a run starts":                           t.Plant != "",
		"root":                                t.Root != "" || r.Sandbox.Root != "",
		"path: " + strings.Join(t.Path, ", "): strings.ContainsAny(strings.Join(t.Path, ""), "\"$\\:\n"),
		"filesystem: " + r.Sandbox.Filesystem: r.Sandbox.Filesystem == string(sandbox.Unrestricted),
		"task_mode: sequential":               r.Context.TaskMode == "sequential",
		"nothing in it can be a test: no after check, no verify block and no run: criterion": len(t.After) == 0 &&
			len(t.Verify)+len(r.Verify) == 0 &&
			!slices.ContainsFunc(r.SuccessCriteria, isRun),
	} {
		if is {
			why = append(why, what)
		}
	}
	for _, c := range r.SuccessCriteria {
		if !isRun(c) {
			why = append(why, "success criterion "+c.Kind)
		}
	}
	for _, m := range slices.Concat(r.Sandbox.Mounts, t.Mounts) {
		if from, _ := recipe.MountAt(m); from != "" && from != "." {
			why = append(why, "mounts: "+m)
		}
	}
	for _, e := range slices.Concat(r.Sandbox.Env, t.Env) {
		if strings.ContainsAny(e, "\n\r") {
			why = append(why, "env: a value of several lines")
		}
	}
	why = append(why, blocked(r, t)...)
	slices.Sort(why)
	return slices.Compact(why)
}

// liveCheck is why a check that asks processes can't be a test.
const liveCheck = "live checks: Harbor's separate verifier has no processes"

func isRun(c recipe.Criterion) bool { return c.Kind == "run" }

// Lost says what of a task holds here and is not held there.
func Lost(r *recipe.Recipe, t recipe.Task) (what []string) {
	for name, is := range map[string]bool{
		"protect": len(t.Protect) > 0, "before": t.Before != "", "shortcuts": len(t.Shortcuts) > 0,
		"tools": t.Tools != nil ||
			r.Tools != nil,
		"max_steps": t.MaxSteps != nil, "needs (put them into the image)": len(t.Needs) > 0, "hooks": len(r.Hooks) > 0,
		"MCP servers": len(r.MCPServers) > 0,
	} {
		if is {
			what = append(what, name)
		}
	}
	slices.Sort(what)
	return what
}

// Task writes a task into a new directory.
func Task(dir string, g Given, t recipe.Task) error {
	w := &writing{dir: dir, Given: g, task: t, at: work}
	for _, m := range slices.Concat(g.Recipe.Sandbox.Mounts, t.Mounts) {
		from, at := recipe.MountAt(m)
		if from == "." && w.at == work {
			w.at = at
		}
		w.mounts = append(w.mounts, at)
	}
	w.file("instruction.md", t.Prompt+"\n", 0o644)
	w.file("task.toml", w.config(), 0o644)
	w.environment()
	w.tests()
	if t.Solution != "" {
		w.file("solution/solve.sh", w.script(t.Solution), 0o755)
	}
	return w.err
}

// writing is a task being written; err is the first that failed.
type writing struct {
	Given
	dir    string
	task   recipe.Task
	at     string // where the project is
	mounts []string
	err    error
}

// file writes one, unless something failed before.
func (w *writing) file(name, text string, mode os.FileMode) {
	if w.err != nil {
		return
	}
	at := filepath.Join(w.dir, filepath.FromSlash(name))
	if w.err = os.MkdirAll(filepath.Dir(at), 0o755); w.err == nil {
		w.err = os.WriteFile(at, []byte(text), mode)
	}
	if w.err == nil {
		w.err = os.Chmod(at, mode) // whatever the mask is
	}
}

// script is a script that runs where ours do.
func (w *writing) script(text string) string {
	return "#!/bin/bash\nexport HOME=" + home + "\ncd " + quote(w.at) + " || exit 1\n" + strings.TrimRight(text,
		"\n") + "\n"
}

// quote is a text as one word of a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// environment writes what the image is made of.
func (w *writing) environment() {
	var b strings.Builder
	image := w.Image
	for _, named := range []string{w.Recipe.Sandbox.Image, w.task.Image} {
		if named != "" {
			image = named
		}
	}
	fmt.Fprintf(&b, "FROM %s\nRUN mkdir -p %s %s\n", image, w.at, home)
	if w.at != work {
		fmt.Fprintf(&b, "RUN test -e %s || ln -s %s %[1]s\n", work, w.at)
	}
	for _, at := range w.mounts {
		if at != w.at {
			fmt.Fprintf(&b, "RUN mkdir -p %s\n", at)
		}
	}
	fmt.Fprintf(&b, "ENV HOME=%s\n", home)
	for _, e := range slices.Concat(w.Recipe.Sandbox.Env, w.task.Env) {
		name, value, _ := strings.Cut(e, "=")
		fmt.Fprintf(&b, "ENV %s=\"%s\"\n", name, strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(value))
	}
	if dirs := search(w.task, w.at); dirs != "" {
		fmt.Fprintf(&b, "ENV PATH=\"%s:$PATH\"\n", dirs)
	}
	fmt.Fprintf(&b, "WORKDIR %s\n", w.at)
	if w.Project != "" && w.err == nil {
		to := filepath.Join(w.dir, "environment", "project")
		if w.err = os.MkdirAll(filepath.Dir(to), 0o755); w.err == nil {
			w.err = copyProject(to, w.Project)
		}
		if entries, err := os.ReadDir(to); err == nil && len(entries) > 0 {
			fmt.Fprintf(&b, "COPY project/ %s/\n", w.at)
		}
	}
	if command := prepare(w.Recipe, w.task); command != "" {
		w.file("environment/prepare.sh", w.script("set -e\n"+command), 0o755)
		b.WriteString("COPY prepare.sh /opt/cookoff/prepare.sh\n" +
			"RUN bash /opt/cookoff/prepare.sh && rm -r /opt/cookoff\n")
	}
	if w.task.Setup != "" {
		w.file("environment/setup.sh", w.script(w.task.Setup), 0o755)
		b.WriteString("COPY setup.sh /opt/cookoff/setup.sh\nRUN bash /opt/cookoff/setup.sh && rm -r /opt/cookoff\n")
	}
	w.file("environment/Dockerfile", b.String(), 0o644)
}

// kept are the lines that keep what the agent left, and the function that puts it back, for the
// next check: here each has a world of its own.
func (w *writing) kept() string {
	var places []string
	for _, at := range append([]string{w.at, home}, w.mounts...) {
		if !slices.Contains(places, quote(at)) {
			places = append(places, quote(at))
		}
	}
	return "left=$(mktemp -d); places=(" + strings.Join(places, " ") + `)
for at in "${places[@]}"; do mkdir -p "$left$at" && cp -a "$at/." "$left$at/" || fixed=0; done
back() {
  cd /
  for at in "${places[@]}"; do
    find "$at" -mindepth 1 -delete 2> /dev/null
    cp -a "$left$at/." "$at/" || fixed=0
  done
  cd ` + quote(w.at) + ` || fixed=0
}
`
}

// prepare is the command that gets what a task needs, with a network; "": there is none.
func prepare(r *recipe.Recipe, t recipe.Task) string {
	if command := cmp.Or(t.Prepare, r.Sandbox.Prepare); command != "none" {
		return command
	}
	return ""
}

// judged writes the judge's files, and the lines that put them over what the agent left:
// whatever lies in their place, or is no directory on the way there, goes first. Else a
// link that it left would take the copy elsewhere.
func (w *writing) judged(b *strings.Builder) {
	var dirs, files []string
	for _, it := range w.Judge {
		if !it.Mode.IsRegular() {
			continue
		}
		w.file("tests/judge/"+it.Path, string(it.Data), 0o644|it.Mode.Perm()&0o111)
		files = append(files, it.Path)
		for dir := path.Dir(it.Path); dir != "."; dir = path.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	if len(files) == 0 {
		return
	}
	slices.Sort(dirs) // what holds others stands before them
	for _, dir := range slices.Compact(dirs) {
		at := quote(path.Join(w.at, dir))
		fmt.Fprintf(b, "test -d %s && ! test -L %[1]s || rm -rf %[1]s || fixed=0\n", at)
	}
	for _, file := range files {
		fmt.Fprintf(b, "rm -rf %s || fixed=0\n", quote(path.Join(w.at, file)))
	}
	fmt.Fprintf(b, "cp -R /tests/judge/. %s || fixed=0\n", w.at)
}

// copyProject copies a project without what git knows of it: its history may hold the
// recipe with its solutions, and whatever else the task keeps from the agent.
func copyProject(to, from string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(to, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || at == to || !strings.EqualFold(d.Name(), ".git"):
			return err
		case !d.IsDir():
			return os.Remove(at)
		}
		if err := os.RemoveAll(at); err != nil {
			return err
		}
		return fs.SkipDir
	})
}

// tests writes the checks, and the script that runs them.
func (w *writing) tests() {
	var b strings.Builder
	b.WriteString("# Each check has a file of its own; all must exit 0. None sees what another did.\nfixed=1\n")
	w.judged(&b)
	b.WriteString(w.kept())
	for _, e := range w.task.JudgeEnv {
		name, value, _ := strings.Cut(e, "=")
		fmt.Fprintf(&b, "export %s=%s\n", name, quote(value))
	}
	first := true
	add := func(role string, i int, c recipe.Check) {
		if !first {
			b.WriteString("back\n")
		}
		first = false
		name := fmt.Sprintf("%s-%d.sh", role, i+1)
		w.file("tests/"+name, w.script(c.Script), 0o755)
		before := ""
		for _, e := range c.Env {
			n, value, _ := strings.Cut(e, "=")
			before += n + "=" + quote(value) + " "
		}
		fmt.Fprintf(&b, "%sbash /tests/%s || { echo '%s does not hold'; fixed=0; }\n", before, name, name)
	}
	for i, c := range w.task.Guard {
		add("guard", i, c)
	}
	for i, c := range w.task.After {
		add("after", i, c)
	}
	for i, c := range blocks(w.Recipe, w.task) {
		add("verify", i, recipe.Check{Script: block(c)})
	}
	for i, c := range w.Recipe.SuccessCriteria {
		add("run", i, recipe.Check{Script: c.Text})
	}
	b.WriteString("mkdir -p /logs/verifier\necho \"$fixed\" > /logs/verifier/reward.txt\n")
	w.file("tests/test.sh", w.script(b.String()), 0o755)
}
