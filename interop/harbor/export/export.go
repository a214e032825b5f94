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

	"cookoff/internal/places"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/verify/checks"
)

// Given is what a task is written with.
type Given struct {
	Recipe  *recipe.Recipe
	Project string         // directory whose files its worlds start with; "": nothing
	Hidden  []sandbox.Item // what of it only checks have, by paths in it
	Judge   []sandbox.Item // files that checks have, by their paths in the project
	Image   string         // what the image begins with, where neither task nor recipe name one
	Name    string         // ORG/NAME
}

const (
	home = "/home/agent"
	work = "/work"
	// start is where the image keeps what was asked of the start; "--harbor" protects it.
	start = "/opt/cookoff/start"
)

const (
	noBase     = "base: write the commit's files into a directory, and name it with project"
	noServices = "services: Harbor stops them before its tests; start them in setup, and ask them in live checks"
	noRoot     = "root: load the image where Harbor runs, and name it with image"
	notFresh   = "a fresh world (live checks have a shared verifier, where an agent can forge the reward)"
)

// Refused says what of a task Harbor has no word for.
func Refused(r *recipe.Recipe, t recipe.Task) (why []string) {
	for what, is := range map[string]bool{
		"repair: its tasks are in a file of repairs": t.Repair != "",
		noBase:     t.Base != "",
		noServices: len(t.Services) > 0,
		noRoot:     t.Root != "" || r.Sandbox.Root != "",
		"plant: its tasks are made when a run starts": t.Plant != "",
		"path: " + strings.Join(t.Path, ", "):         strings.ContainsAny(strings.Join(t.Path, ""), "\"$\\:\n"),
		"filesystem: " + r.Sandbox.Filesystem:         r.Sandbox.Filesystem == string(sandbox.Unrestricted),
		"task_mode: sequential":                       r.Context.TaskMode == "sequential",
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
		if from, _ := places.MountAt(m); from != "" && from != "." {
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

// isLive reports whether a check of a task asks the processes that the agent left: those end
// before a separate verifier begins.
func isLive(r *recipe.Recipe, t recipe.Task) bool {
	return slices.ContainsFunc(slices.Concat(t.After, t.Guard), func(c recipe.Check) bool { return c.Live }) ||
		slices.ContainsFunc(blocks(r, t), func(b checks.Block) bool { return b.Live })
}

func isRun(c recipe.Criterion) bool { return c.Kind == "run" }

// Lost says what of a task holds here and is not held there.
func Lost(r *recipe.Recipe, t recipe.Task) (what []string) {
	for name, is := range map[string]bool{
		"protect": len(t.Protect) > 0, "before": t.Before != "", "shortcuts": len(t.Shortcuts) > 0,
		"tools": t.Tools != nil ||
			r.Tools != nil,
		"max_steps": t.MaxSteps != nil, "needs (put them into the image)": len(t.Needs) > 0, "hooks": len(r.Hooks) > 0,
		"MCP servers": len(r.MCPServers) > 0,
		notFresh:      isLive(r, t),
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
		from, at := places.MountAt(m)
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
		for _, it := range slices.Backward(w.Hidden) { // what holds others stands before them
			os.Remove(filepath.Join(to, filepath.FromSlash(it.Path))) // a directory that shows more stays
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
	if isLive(w.Recipe, w.task) {
		w.begins(&b)
		w.file("environment/Dockerfile", b.String(), 0o644)
		return
	}
	if w.task.Setup != "" {
		w.file("environment/setup.sh", w.script(w.task.Setup), 0o755)
		b.WriteString("COPY setup.sh /opt/cookoff/setup.sh\nRUN bash /opt/cookoff/setup.sh && rm -r /opt/cookoff\n")
	}
	w.told(&b)
	w.file("environment/Dockerfile", b.String(), 0o644)
}

// begins has the setup run when the container has started, by its health check: its processes live.
func (w *writing) begins(b *strings.Builder) {
	var run strings.Builder
	add := func(name, script string) {
		w.file("environment/"+name, w.script(script), 0o755)
		fmt.Fprintf(b, "COPY %s %s/%[1]s\n", name, start)
		fmt.Fprintf(&run, "bash %s/%s < /dev/null > %[1]s/log 2>&1 || { cat %[1]s/log >&2; exit 1; }\n", start, name)
	}
	if w.task.Setup != "" {
		add("setup.sh", w.task.Setup)
	}
	for i, c := range blocks(w.Recipe, w.task) {
		if c.VersionCommand != "" {
			name := fmt.Sprintf("version-%d", i+1)
			add(name+".sh", telling(c, start+"/"+name))
		}
	}
	run.WriteString("rm " + start + "/*.sh " + start + "/log\n")
	w.file("environment/begin.sh", w.script(run.String()), 0o755)
	fmt.Fprintf(b, "COPY begin.sh %s/begin.sh\n", start)
}

// told keeps what version commands say of the start, where no agent's artifacts lie.
func (w *writing) told(b *strings.Builder) {
	for i, c := range blocks(w.Recipe, w.task) {
		if c.VersionCommand == "" {
			continue
		}
		name := fmt.Sprintf("version-%d", i+1)
		w.file("environment/"+name+".sh", w.script(telling(c, start+"/"+name)), 0o755)
		fmt.Fprintf(b, "COPY %s.sh %s/%[1]s.sh\nRUN bash %[2]s/%[1]s.sh && rm %[2]s/%[1]s.sh\n", name, start)
	}
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
		switch {
		case it.Mode&fs.ModeSymlink != 0 && w.err == nil:
			w.err = fmt.Errorf("hidden: %q is a link, which Harbor's tests can't lay: hide the file itself", it.Path)
		case !it.Mode.IsRegular() || slices.Contains(strings.Split(it.Path, "/"), ".git"):
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
	b.WriteString("# Each check has a file of its own; all must exit 0.\nfixed=1\n")
	w.judged(&b)
	live := isLive(w.Recipe, w.task)
	if !live { // what is put back is not what processes have
		b.WriteString("# None sees what another did.\n")
		b.WriteString(w.kept())
	}
	for _, e := range w.task.JudgeEnv {
		name, value, _ := strings.Cut(e, "=")
		fmt.Fprintf(&b, "export %s=%s\n", name, quote(value))
	}
	first := true
	add := func(role string, i int, c recipe.Check) {
		if !first && !live {
			b.WriteString("back\n")
		}
		first = false
		name := fmt.Sprintf("%s-%d.sh", role, i+1)
		script := c.Script
		if strings.Contains(script, "COOKOFF_DRAW") { // of this script alone, unless it passes it on
			script = "COOKOFF_DRAW=$RANDOM$RANDOM$RANDOM\n" + script
		}
		w.file("tests/"+name, w.script(script), 0o755)
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
		add("verify", i, recipe.Check{Script: block(c, fmt.Sprintf("%s/version-%d", start, i+1))})
	}
	for i, c := range w.Recipe.SuccessCriteria {
		add("run", i, recipe.Check{Script: c.Text})
	}
	if live {
		b.WriteString("rm -rf /logs/verifier/reward.json /logs/verifier/reward.txt\n")
	}
	b.WriteString("mkdir -p /logs/verifier\necho \"$fixed\" > /logs/verifier/reward.txt\n")
	w.file("tests/test.sh", w.script(b.String()), 0o755)
}
