package verify

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"cookoff/recipe"
)

// LintTask says what is wrong with a task's scripts and checks. Keys are
// relative to the task: "before", "after[0]", "verify[0].pattern".
func LintTask(t recipe.Task) []Finding {
	var fs findings
	for _, s := range []struct{ key, src string }{{"setup", t.Setup}, {"solution", t.Solution}} {
		if s.src != "" {
			lintScript(&fs, s.key, s.src)
		}
	}
	if t.Before != "" {
		lintCheck(&fs, "before", t.Before)
	}
	for i, c := range t.After {
		lintCheck(&fs, fmt.Sprintf("after[%d]", i), c.Script)
	}
	for i, c := range t.Guard {
		lintCheck(&fs, fmt.Sprintf("guard[%d]", i), c.Script)
	}
	lintPairs(&fs, t)
	for i, b := range t.Verify {
		fs.under(fmt.Sprintf("verify[%d]", i), lintAsked(b))
	}
	for i, text := range t.Others {
		lintScript(&fs, fmt.Sprintf("others[%d]", i), text)
	}
	for _, k := range []struct {
		key  string
		list []string
	}{{"protect", t.Protect}, {"may_change", t.MayChange}, {"may_add", t.MayAdd}} {
		for i, g := range k.list {
			lintGlob(&fs, fmt.Sprintf("%s[%d]", k.key, i), g)
		}
	}
	for i, d := range t.Path {
		lintDir(&fs, fmt.Sprintf("path[%d]", i), d)
	}
	for i, g := range t.Hidden {
		key := fmt.Sprintf("hidden[%d]", i)
		if p, err := Glob(g); err == nil && strings.HasPrefix(p, "~/") {
			fs.fail(key, "name files of the project; HOME holds only what setup puts there", "%q lies in HOME: nothing can be hidden there", g)
			continue
		}
		lintGlob(&fs, key, g)
	}
	return fs.list
}

// lintGlob refuses a glob that can match nothing.
func lintGlob(fs *findings, key, g string) {
	if _, err := Glob(g); err != nil {
		fs.fail(key, "paths are relative to the project, or to HOME with ~/", "%v", err)
	}
}

// lintDir refuses a directory of PATH that leads out of what it is named
// relative to, where a task can have put nothing, and one that PATH can't hold.
func lintDir(fs *findings, key, dir string) {
	const hint = "directories are relative to the project, to HOME with ~/, or absolute"
	_, err := Glob(strings.NewReplacer("*", "x", "?", "x", "[", "x", "{", "x", "\\", "x").Replace(dir))
	switch {
	case strings.Contains(dir, ":"):
		fs.fail(key, "one directory an entry, with a comma between them", "%q: a colon ends a directory on PATH", dir)
	case path.IsAbs(dir):
	case err != nil:
		fs.fail(key, hint, "%q lies neither in the project nor in HOME", dir)
	}
}

// LintRecipe lints every check of a recipe: its tasks, its own verify blocks
// and success criteria. Keys are relative to the recipe: "tasks[0].before",
// "verify[0].pattern", "success_criteria[1]".
func LintRecipe(r *recipe.Recipe) []Finding {
	var fs findings
	for i, b := range r.Verify {
		fs.under(fmt.Sprintf("verify[%d]", i), lintAsked(b))
	}
	for i, c := range r.SuccessCriteria {
		key := fmt.Sprintf("success_criteria[%d]", i)
		switch c.Kind {
		case "run":
			lintCheck(&fs, key, c.Text)
		case "protected", "file_exists":
			lintGlob(&fs, key, c.Text)
		}
	}
	for i, t := range r.Tasks {
		key := fmt.Sprintf("tasks[%d]", i)
		fs.under(key, LintTask(t))
		if t.Repair == "" && !judged(r, t) {
			fs.warn(key, "add an after check, a verify block or a success criterion", "nothing judges this task")
		}
	}
	lintOpenTests(&fs, r)
	lintFronts(&fs, r)
	return fs.list
}

// lintOpenTests warns where tests decide that whoever is judged may rewrite.
func lintOpenTests(fs *findings, r *recipe.Recipe) {
	const msg, hint = "nothing keeps the tests from being rewritten", "protect them: protect: tests/** (behind a task), or a success criterion protected: **/*_test.go"
	if slices.ContainsFunc(r.SuccessCriteria, func(c recipe.Criterion) bool { return c.Kind == "protected" }) {
		return
	}
	open := false
	for i, t := range r.Tasks {
		if len(t.Protect) > 0 || t.Repair != "" || t.JudgeFiles != "" || len(t.Hidden) > 0 {
			continue
		}
		open = true
		for j, c := range t.After {
			if runsTests(c.Script) {
				fs.warn(fmt.Sprintf("tasks[%d].after[%d]", i, j), hint, msg)
			}
		}
	}
	for i, c := range r.SuccessCriteria {
		if open && c.Kind == "run" && runsTests(c.Text) {
			fs.warn(fmt.Sprintf("success_criteria[%d]", i), hint, msg)
		}
	}
}

// judged reports whether anything decides about a task.
func judged(r *recipe.Recipe, t recipe.Task) bool {
	return len(t.After)+len(t.Verify)+len(r.Verify)+len(r.SuccessCriteria) > 0
}

// lintAsked is Lint for a block that no command line gives a version to.
func lintAsked(b recipe.VerifyBlock) []Finding {
	list := Lint(b)
	if modeOf(b) == modeVersion && b.Version == "" && b.VersionCommand == "" {
		list = append(list, Finding{Key: "version", Msg: "mode version needs to know which version was asked for",
			Hint: "set version, or version_command (cat .nvmrc)"})
	}
	return list
}

// lintCheck demands that a check is a script and warns when it can't fail.
func lintCheck(fs *findings, key, src string) {
	f := lintScript(fs, key, src)
	if f == nil {
		return
	}
	if len(f.Stmts) == 0 {
		fs.fail(key, "", "no command")
		return
	}
	if name := cannotFail(f.Stmts[len(f.Stmts)-1]); name != "" {
		fs.warn(key, "end with the command that decides", "this check can't fail: it ends in %q", name)
	}
}

// lintPairs looks at what belongs together.
func lintPairs(fs *findings, t recipe.Task) {
	decides := len(t.After)+len(t.Verify) > 0
	if t.Before != "" && !decides {
		fs.warn("before", "add an after check or a verify block", "before without after: proved broken, then judged by the recipe's criteria alone")
	}
	if t.Setup != "" && t.Before == "" && decides {
		fs.warn("before", "add a before check that exits 0 in the broken state", "nothing proves that setup breaks the environment")
	}
	if strings.TrimSpace(t.Solution) == "" && t.Setup != "" && decides {
		fs.warn("solution", "add the commands that mend it", "nothing proves that this task can be solved")
	}
}
