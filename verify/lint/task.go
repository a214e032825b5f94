package lint

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/internal/places"
	"cookoff/recipe"
	"cookoff/shell"
	"cookoff/verify/testrun"
	"cookoff/verify/tree"
)

// Task says what is wrong with a task's scripts and checks. Keys are
// relative to the task: "before", "after[0]", "verify[0].pattern".
func Task(t recipe.Task) []Finding {
	fs := Findings{List: lintTask(t, nil)}
	lintAllowed(&fs, scriptsOf("", t))
	return fs.List
}

// lintTask is LintTask with all that a task may allow. Others are scripts that
// judge it beside its own.
func lintTask(t recipe.Task, others []string) []Finding {
	var fs Findings
	for _, s := range []struct{ key, src string }{{"setup", t.Setup}, {"solution", t.Solution}} {
		if s.src != "" {
			lintScript(&fs, s.key, s.src)
		}
	}
	if t.Before != "" {
		lintCheck(&fs, "before", t.Before)
	}
	for i, s := range t.Services {
		lintService(&fs, fmt.Sprintf("services[%d]", i), s)
	}
	for i, c := range t.After {
		lintCheck(&fs, fmt.Sprintf("after[%d]", i), c.Script)
	}
	for i, c := range t.Guard {
		lintCheck(&fs, fmt.Sprintf("guard[%d]", i), c.Script)
	}
	lintPairs(&fs, t)
	lintDecisions(&fs, t, others)
	for i, b := range t.Verify {
		fs.Under(fmt.Sprintf("verify[%d]", i), Asked(b))
	}
	for i, text := range t.Others {
		lintScript(&fs, fmt.Sprintf("others[%d]", i), text)
	}
	for i, text := range t.Shortcuts {
		lintScript(&fs, fmt.Sprintf("shortcuts[%d]", i), text)
	}
	for _, k := range []struct {
		key  string
		list []string
	}{{"protect", t.Protect}, {"may_change", t.MayChange}, {"may_add", t.MayAdd}} {
		for i, g := range k.list {
			lintGlob(&fs, fmt.Sprintf("%s[%d]", k.key, i), g, absolute(t)...)
		}
	}
	lintPatch(&fs, t)
	lintSettings(&fs, t)
	lintMeant(&fs, t)
	for i, d := range t.Path {
		lintDir(&fs, fmt.Sprintf("path[%d]", i), d)
	}
	for i, g := range t.Hidden {
		key := fmt.Sprintf("hidden[%d]", i)
		if lintHidden(&fs, key, g) {
			continue
		}
		if p, err := tree.Glob(g); err == nil && strings.HasPrefix(p, "~/") {
			fs.fail(key, "name files of the project; HOME holds only what setup puts there",
				"%q lies in HOME: nothing can be hidden there", g)
			continue
		}
		lintGlob(&fs, key, g)
	}
	return fs.List
}

// absolute are the mounts of a task in which files have absolute names: with a root
// of its own, all of the world is one.
func absolute(t recipe.Task) []string {
	if t.Root != "" {
		return append(slices.Clone(t.Mounts), "")
	}
	return t.Mounts
}

// homeVariable begins a glob as a shell would have it.
var homeVariable = pattern.New(`^\$\{?HOME\}?/`)

// lintGlob refuses a glob that can match nothing.
func lintGlob(fs *Findings, key, g string, mounts ...string) {
	_, err := tree.Glob(g)
	if err == nil {
		if words := strings.Fields(g); len(words) > 1 && strings.ContainsAny(g, "*/.") {
			fs.Warn(key, "write a comma between globs: "+strings.Join(words, ", "), "%q is one glob, with a blank in it", g)
		}
		if m := homeVariable.FindString(g); m != "" {
			fs.Warn(key, "write ~/"+strings.TrimPrefix(g, m), "%q: nothing is expanded here", g)
		}
		return
	}
	for _, m := range mounts {
		from, at := places.MountAt(m)
		below, in := strings.CutPrefix(path.Clean(g), at+"/")
		switch {
		case in && from != "":
			fs.fail(key, "name it as the project does: "+path.Join(from, below),
				"%q is a file of the project, seen at another place", g)
			return
		case in:
			return
		}
	}
	fs.fail(key, "paths are relative to the project, or to HOME with ~/; absolute ones lie in a mount", "%v", err)
}

// lintDir refuses a directory of PATH that leads out of what it is named
// relative to, where a task can have put nothing, and one that PATH can't hold.
func lintDir(fs *Findings, key, dir string) {
	const hint = "directories are relative to the project, to HOME with ~/, or absolute"
	_, err := tree.Glob(strings.NewReplacer("*", "x", "?", "x", "[", "x", "{", "x", "\\", "x").Replace(dir))
	switch {
	case strings.Contains(dir, ":"):
		fs.fail(key, "one directory an entry, with a comma between them", "%q: a colon ends a directory on PATH", dir)
	case strings.Contains(dir, "$"):
		fs.fail(key, hint, "%q: nothing is expanded here", dir)
	case path.IsAbs(dir):
	case err != nil:
		fs.fail(key, hint, "%q lies neither in the project nor in HOME", dir)
	}
}

// Recipe lints every check of a recipe: its tasks, its own verify blocks
// and success criteria. Keys are relative to the recipe: "tasks[0].before",
// "verify[0].pattern", "success_criteria[1]".
func Recipe(r *recipe.Recipe) []Finding {
	var fs Findings
	var scripts []keyed
	var others []string
	for i, b := range r.Verify {
		key := fmt.Sprintf("verify[%d]", i)
		fs.Under(key, Asked(b))
		scripts, others = append(scripts, keyed{key + ".command", b.Command}), append(others, b.Command)
	}
	for i, c := range r.SuccessCriteria {
		key := fmt.Sprintf("success_criteria[%d]", i)
		switch c.Kind {
		case "run":
			lintCheck(&fs, key, c.Text)
			lintMatches(&fs, key, c.Text)
			scripts, others = append(scripts, keyed{key, c.Text}), append(others, c.Text)
		case "protected", "file_exists":
			lintGlob(&fs, key, c.Text, r.Sandbox.Mounts...)
		}
	}
	lintSandbox(&fs, r.Sandbox)
	lintTime(&fs, "constraints.timeout", r.Constraints.Timeout)
	lintTime(&fs, "constraints.bash_timeout", r.Constraints.BashTimeout)
	for i, t := range r.Tasks {
		key := fmt.Sprintf("tasks[%d]", i)
		t.Mounts, t.Root = slices.Concat(r.Sandbox.Mounts, t.Mounts), cmp.Or(t.Root, r.Sandbox.Root)
		fs.Under(key, lintTask(t, others))
		scripts = append(scripts, scriptsOf(key+".", t)...)
		switch why := noControl(r, t); {
		case t.Repair != "":
		case !judged(r, t):
			next := "add an after check, a verify block or a success criterion"
			if strings.Contains(t.Prompt, "```sh\n") || strings.Contains(t.Prompt, "```bash\n") {
				next += "; a fence that says no more than sh is part of the prompt, one of sh after is a check"
			}
			fs.Warn(key, next, "nothing judges this task")
		case why != "":
			fs.rule("no-control", key, "add an after check that fails on the broken state", "no control: %s", why)
		}
	}
	lintOpenTests(&fs, r)
	lintFronts(&fs, r)
	lintAllowed(&fs, scripts)
	return fs.List
}

// ofTests are names of tests and of directories that hold them.
var ofTests = pattern.New(`(?i)test_|[_.-]test|[_.-]spec|\b(tests?|spec|__tests__)/`)

// closedBySolution reports whether a task has solutions, beside which nobody may change what they leave alone, and
// neither they nor may_change name a test.
func closedBySolution(t recipe.Task) bool {
	names := strings.Join(slices.Concat(t.MayChange, t.Others), "\n") + "\n" + t.Solution
	return t.Solution != "" && !ofTests.MatchString(names) &&
		!slices.ContainsFunc(t.MayChange, func(glob string) bool { return strings.HasPrefix(glob, "*") })
}

// lintOpenTests warns where tests decide that whoever is judged may rewrite.
func lintOpenTests(fs *Findings, r *recipe.Recipe) {
	const msg, hint = "nothing keeps the tests from being rewritten",
		"protect them: protect: tests/** (behind a task), or a success criterion protected: **/*_test.go"
	if slices.ContainsFunc(r.SuccessCriteria, func(c recipe.Criterion) bool { return c.Kind == "protected" }) {
		return
	}
	open := false
	for i, t := range r.Tasks {
		if len(t.Protect) > 0 || t.Repair != "" || t.JudgeFiles != "" || len(t.Hidden) > 0 || t.Plant != "" ||
			closedBySolution(t) {
			continue // of tasks that a run plants, the recipe can't say it
		}
		open = true
		for j, c := range t.After {
			if testrun.Runs(c.Script) {
				fs.rule("open-tests", fmt.Sprintf("tasks[%d].after[%d]", i, j), hint, msg)
			}
		}
	}
	for i, c := range r.SuccessCriteria {
		if open && c.Kind == "run" && testrun.Runs(c.Text) {
			fs.rule("open-tests", fmt.Sprintf("success_criteria[%d]", i), hint, msg)
		}
	}
}

// NoControl says, one line a task, of which tasks of a recipe nothing shows that
// their checks can fail.
func NoControl(r *recipe.Recipe) (lines []string) {
	for _, t := range r.Tasks {
		if why := noControl(r, t); why != "" && t.Repair == "" && judged(r, t) {
			lines = append(lines, fmt.Sprintf("task %q: %s", t.Name(), why))
		}
	}
	return lines
}

// noControl says why nothing shows that the checks of a task can fail: no check
// of its own must reject the broken state, none runs tests beside which failing
// ones can be planted, and no before proves that it is broken. "": something does.
func noControl(r *recipe.Recipe, t recipe.Task) string {
	proves := func(src string) bool {
		f := shell.Parsed(src)
		return f != nil && len(f.Stmts) > 0 && shell.CannotFail(f.Stmts[len(f.Stmts)-1]) == ""
	}
	if len(t.After)+len(t.Verify) > 0 || t.Setup != "" && len(r.Verify) > 0 || proves(t.Before) {
		return ""
	}
	for _, c := range r.SuccessCriteria {
		if c.Kind == "run" && slices.ContainsFunc(testrun.Commands(c.Text), testrun.Command.Plantable) {
			return ""
		}
	}
	return "none of its checks must reject the broken state, and no test can be planted beside them"
}

// judged reports whether anything decides about a task.
func judged(r *recipe.Recipe, t recipe.Task) bool {
	return len(t.After)+len(t.Verify)+len(r.Verify)+len(r.SuccessCriteria) > 0
}

// Asked is Lint for a block that no command line gives a version to.
func Asked(b recipe.VerifyBlock) []Finding {
	list := Block(b)
	if ModeOf(b) == ModeVersion && b.Version == "" && b.VersionCommand == "" {
		list = append(list, Finding{Key: "version", Msg: "mode version needs to know which version was asked for",
			Hint: "set version, or version_command (cat .nvmrc)"})
	}
	return list
}

// lintCheck demands that a check is a script and warns when it can't fail.
func lintCheck(fs *Findings, key, src string) {
	f := lintScript(fs, key, src)
	if f == nil {
		return
	}
	if len(f.Stmts) == 0 {
		fs.fail(key, "", "no command")
		return
	}
	if name := shell.CannotFail(f.Stmts[len(f.Stmts)-1]); name != "" {
		fs.rule("cannot-fail", key, "end with the command that decides", "this check can't fail: it ends in %q", name)
		return
	}
	lintUndecided(fs, key, src, f)
}

// lintPairs looks at what belongs together.
func lintPairs(fs *Findings, t recipe.Task) {
	decides := len(t.After)+len(t.Verify) > 0
	if t.Before != "" && !decides {
		fs.Warn("before", "add an after check or a verify block",
			"before without after: proved broken, then judged by the recipe's criteria alone")
	}
	if t.Setup != "" && t.Before == "" && decides {
		fs.rule("no-before", "before", "add a before check that exits 0 in the broken state",
			"nothing proves that setup breaks the environment")
	}
	if strings.TrimSpace(t.Solution) == "" && t.Setup != "" && decides {
		fs.rule("no-solution", "solution", "add the commands that mend it",
			"nothing proves that this task can be solved")
	}
}

// lintService looks at both scripts of a service; that each is there the recipe says.
func lintService(fs *Findings, key string, s recipe.Service) {
	if f := lintScript(fs, key, s.Command); s.Command != "" && f != nil && len(f.Stmts) == 0 {
		fs.fail(key, "", "no command")
	} else if f != nil && len(f.Stmts) > 0 && f.Stmts[len(f.Stmts)-1].Background {
		fs.Warn(key, "leave & out: a service stays in the foreground, as with exec PROGRAM",
			"the service's command ends at once, and what it started in the background is ended with it")
	}
	for _, name := range shell.Programs(s.Command) {
		if slices.Contains([]string{"systemctl", "service", "initctl"}, name) {
			fs.Warn(key, "write the program itself, in the foreground: exec nginx -g 'daemon off;'",
				"%s: worlds have no such manager of services", name)
		}
	}
	if s.Ready != "" {
		lintCheck(fs, key+".ready", s.Ready)
	}
}
