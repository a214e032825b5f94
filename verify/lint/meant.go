package lint

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"cookoff/internal/glob"
	"cookoff/internal/pattern"
	"cookoff/recipe"
	"cookoff/shell"
)

// What of a task is well-formed and can't be what somebody meant: scripts that contradict one another, words that
// nothing obeys, commands that worlds have no use for.

var (
	// obeyedByPrograms are variables in lower case that programs read.
	obeyedByPrograms = pattern.New(`_proxy$|^npm_`)
	port             = pattern.New(`^([A-Z_]*_)?PORT=([0-9]+)$`)
	// installers change a system; sudo and su are none for worlds.
	installers = []string{"apt", "apt-get", "dnf", "yum", "apk", "pacman", "zypper", "brew"}
	superusers = []string{"sudo", "su", "doas"}
)

// asksHistory is a command of git that says what a history holds.
var asksHistory = pattern.New(`\bgit\b[^;&|\n]*\b(log|rev-list|rev-parse|merge-base|for-each-ref|` +
	`show-ref|ls-remote|cherry|range-diff|describe)\b`)

// lintRepository warns of a may_change that names a whole repository whose history no check looks at.
func lintRepository(fs *Findings, t recipe.Task) {
	asks := func(c recipe.Check) bool { return asksHistory.MatchString(c.Script) }
	if slices.ContainsFunc(t.After, asks) || slices.ContainsFunc(t.Guard, asks) {
		return
	}
	for i, g := range t.MayChange {
		if g := path.Clean(g); strings.Contains(g, ".git") && glob.Covers(g, ".git/refs/tags/any") && glob.Covers(g, ".git/objects/aa/any") {
			fs.Warn(fmt.Sprintf("may_change[%d]", i),
				"name what a repair may change (.git/index.lock, .git/refs/heads/main), or compare the history in a guard",
				"%q lets a repair rewrite the repository, and no check looks at its history: "+
					"commits, tags, notes and stashes may go", t.MayChange[i])
		}
	}
}

// lintMeant says what is contradicted or obeyed by nothing.
func lintMeant(fs *Findings, t recipe.Task) {
	lintContradictions(fs, t)
	lintWords(fs, t)
	lintPorts(fs, t)
	for i, g := range t.MayChange {
		if j := slices.Index(t.Protect, g); j >= 0 {
			fs.Warn(fmt.Sprintf("may_change[%d]", i), "leave it in one of them",
				"%q is protected as well, and what is protected may not change", g)
		}
	}
	lintRepository(fs, t)
	for i, g := range t.Protect {
		if t.Solution != "" && (glob.Covers(path.Clean(g), "any") && glob.Covers(path.Clean(g), "other/path.x")) {
			fs.Warn(fmt.Sprintf("protect[%d]", i), "name what a repair must leave alone: tests/**",
				"%q protects every file of the project: no repair can change one", g)
		}
	}
	for i, g := range t.Hidden {
		if !strings.ContainsAny(g, "*?[{") && g != "" && slices.ContainsFunc(append(slices.Clone(t.Others), t.Solution),
			func(s string) bool { return names(s, g) }) {
			fs.Warn(fmt.Sprintf("hidden[%d]", i), "hide what only the checks need; a solution runs where models do",
				"the solution speaks of %q, which is not there", g)
		}
	}
	lintGetting(fs, "prepare", t.Prepare, getting{t.Root != "", t.User})
	lintGetting(fs, "warm", t.Warm, getting{t.Root != "", t.User})
}

// names reports whether a script speaks of a path, as a whole.
func names(script, of string) bool {
	ends := func(r rune) bool { return strings.ContainsRune(" \t\n;|&<>()'\"=", r) }
	return slices.Contains(strings.FieldsFunc(script, ends), of)
}

// lintContradictions says which scripts demand what others forbid.
func lintContradictions(fs *Findings, t recipe.Task) {
	same := func(a, b string) bool {
		return strings.TrimSpace(a) == strings.TrimSpace(b) && strings.TrimSpace(a) != ""
	}
	if len(t.After) == 1 && len(t.Verify) == 0 {
		const hint = "before exits 0 while it is broken, after once it is mended, guard both times"
		if same(t.Before, t.After[0].Script) {
			fs.Warn("before", hint, // what its admission says of it decides
				"before and after are the same script: what shows that it is broken can't show that it is mended")
		}
		for i, g := range t.Guard {
			if same(g.Script, t.After[0].Script) {
				fs.fail(fmt.Sprintf("guard[%d]", i), hint,
					"guard and after are the same script: a guard holds at the start, where after must not")
			}
		}
	}
	right := append([]string{t.Solution}, t.Others...)
	for i, s := range t.Shortcuts {
		if slices.ContainsFunc(right, func(r string) bool { return same(r, s) }) {
			fs.fail(fmt.Sprintf("shortcuts[%d]", i), "write a wrong repair that looks right, or leave it out",
				"this shortcut is the solution: no check can take one and reject the other")
		}
	}
	for i, s := range t.Others {
		if slices.ContainsFunc(right[:i+1], func(r string) bool { return same(r, s) }) {
			fs.Warn(fmt.Sprintf("others[%d]", i), "write another way to mend it, or leave it out",
				"this solution is one that is there already")
		}
	}
}

// lintWords warns of variables of a fence that look like settings and are none.
func lintWords(fs *Findings, t recipe.Task) {
	look := func(key, obeys string, env []string, scripts ...string) {
		for _, e := range env {
			name, _, _ := strings.Cut(e, "=")
			if name != strings.ToLower(name) || obeyedByPrograms.MatchString(name) || strings.Contains(
				strings.Join(scripts, "\n"), name) {
				continue
			}
			fs.Warn(key, obeys, "%q sets a variable, which the script does not name", e)
		}
	}
	for i, c := range t.After {
		look(fmt.Sprintf("after[%d]", i), "what a fence obeys is live and timeout=90s", c.Env, c.Script)
	}
	for i, c := range t.Guard {
		look(fmt.Sprintf("guard[%d]", i), "what a fence obeys is live and timeout=90s", c.Env, c.Script)
	}
	for i, s := range t.Services {
		look(fmt.Sprintf("services[%d]", i), "what a service obeys is down and timeout=20s; they start in the order in "+
			"which they are written, each once the one before it is ready", s.Env, s.Command, s.Ready)
	}
}

// lintPorts warns of two services that have one port.
func lintPorts(fs *Findings, t recipe.Task) {
	of := map[string]string{}
	for i, s := range t.Services {
		for _, e := range s.Env {
			m := port.FindStringSubmatch(e)
			if m == nil {
				continue
			}
			if other := of[m[2]]; other != "" && other != s.Name {
				fs.Warn(fmt.Sprintf("services[%d]", i), "give each a port of its own: two tasks may have one",
					"service %q has port %s, and service %q too", s.Name, m[2], other)
			}
			of[m[2]] = s.Name
		}
	}
}

// getting is the world that such a command runs in: with a root of its own, and as whom.
type getting struct {
	root bool
	user string
}

// rootAndOthers is the user of a world in which it can become another.
const rootAndOthers = "root+others"

// lintGetting looks at a command that gets or compiles what worlds need.
func lintGetting(fs *Findings, key, src string, in getting) {
	if src == "" || src == "none" || src == "false" {
		return
	}
	f := lintScript(fs, key, src)
	if f == nil {
		return
	}
	if len(f.Stmts) > 0 && f.Stmts[len(f.Stmts)-1].Background {
		fs.fail(key, "leave & out", "%s: the command ends at once, and what it started is ended with it", key)
	}
	for _, name := range superusers {
		if names(src, name) && in.user != rootAndOthers {
			fs.Warn(key, "leave it out; user: root makes the user root of the world, and root+others has other users, too",
				"%s: %s: nobody can become another user in a world", key, name)
		}
	}
	for _, name := range shell.Programs(src) {
		switch {
		case slices.Contains(installers, name) && !in.root:
			fs.Warn(key, "give the world a root of its own (root: IMAGE.tar, user: root), or get it into the project or HOME",
				"%s: %s changes the system, which worlds see as it is on this machine", key, name)
		}
	}
	for _, w := range []string{"npm install", "npm i", "pnpm install", "yarn install"} {
		if strings.TrimSpace(src) == w && key == "prepare" {
			fs.Warn(key, "npm ci, pnpm install --frozen-lockfile, yarn install --frozen-lockfile",
				"prepare: %q writes the lockfile, and a command that changes the project is refused", w)
		}
	}
}
