package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/shell"
	"cookoff/trial"
	"cookoff/verify/distrust/tools"
	"cookoff/verify/lint"
	"cookoff/verify/tree"
	"cookoff/verify/versions"
)

// maxLeftOut bounds the partial solutions that are tried.
const maxLeftOut = 6

// The names of mutated verify blocks, behind that of the block they are of.
const (
	noPattern    = " without its pattern"
	otherVersion = " of another version"
)

// Mutate tries a task's checks on states that are wrong in known ways: nothing
// done, the solution without one of its statements, everything deleted,
// programs that do nothing, and the shortcuts; verify blocks also without their
// pattern, and with another version asked for. It says which checks never
// decided anything, what no check missed, and which checks write where they
// should look; keys are relative to the task. A task that is not fit to be run
// gives one finding. An error is the sandbox's.
func (c *Case) Mutate(ctx context.Context, open Opening, shortcuts []Shortcut) ([]lint.Finding, error) {
	m := &mutation{admission: admission{Case: c.mutants(), open: open, alone: true}, of: c}
	if err := m.fit(ctx); err != nil {
		return m.unfit(err)
	}
	for _, st := range m.states(shortcuts) {
		if err := m.try(ctx, st); err != nil {
			return m.unfit(err)
		}
	}
	return m.findings(), nil
}

// fit demands of a task without a solution that its checks can run here.
func (m *mutation) fit(ctx context.Context) error {
	if len(m.solutions) > 0 {
		return nil
	}
	a := &admission{Case: m.of, open: m.open}
	return a.staged(ctx, func(w sandbox.Sandbox, s *Start) error {
		if err := a.runnable(ctx, w, s); err != nil {
			return err
		}
		out, err := a.judge(ctx, w, s, false)
		if err != nil {
			return err
		}
		return a.startable(ctx, out)
	})
}

// unfit says why a task can't be run, unless the sandbox is at fault.
func (m *mutation) unfit(err error) ([]lint.Finding, error) {
	ex, err := m.verdict(err)
	if ex == nil {
		return nil, err
	}
	return []lint.Finding{{Key: strings.Fields(ex.Phase)[0], Msg: "not fit to be run: " + ex.Why}}, nil
}

// mutants is the case with a weaker and a wrong block beside each block.
func (c *Case) mutants() *Case {
	out := *c
	out.foot = nil // checks are tried, not what a repair may touch
	out.blocks = slices.Clone(c.blocks)
	for _, b := range c.blocks {
		if b.strength() != trial.StrengthRuns {
			weak := b
			weak.name, weak.mode, weak.version, weak.versionCommand = b.name+noPattern, lint.ModeFunctional, "", ""
			weak.commands = slices.Clone(b.commands)
			for i := range weak.commands {
				weak.commands[i].patterns = nil
			}
			out.blocks = append(out.blocks, weak)
		}
		if b.mode == lint.ModeVersion {
			b.name, b.version, b.versionCommand = b.name+otherVersion, "", ""
			out.blocks = append(out.blocks, b)
		}
	}
	return &out
}

// mutation is one go over the states.
type mutation struct {
	admission
	of    *Case
	tried []judgedState
	asked map[string]string // block -> version asked for
	// writes has what checks changed in the project while they looked at the
	// solution.
	writes map[string][]tree.Change
}

// wrongState is a way to leave the task. right: the solution itself.
type wrongState struct {
	what   string
	script string
	stubs  bool // programs that do nothing, where the world can put them
	right  bool
	gone   bool // everything is deleted
	part   bool // of the solution
	front  bool // something is put before a file that says what a check runs
}

type judgedState struct {
	wrongState
	verdicts []trial.Verdict
}

func (m *mutation) states(shortcuts []Shortcut) []wrongState {
	list := []wrongState{{what: "nothing done"}, {what: "everything deleted", gone: true,
		script: "chmod -R u+rwx /work ~ 2>/dev/null; cd / && find /work ~ -mindepth 1 -delete"},
		{what: "programs that do nothing", stubs: true}}
	for _, f := range tools.Fronts() {
		if slices.ContainsFunc(m.of.texts(), f.Runs) {
			list = append(list, wrongState{what: f.What, script: f.Plant, front: true})
		}
	}
	if len(m.solutions) > 0 {
		list = append(list, wrongState{what: "the solution", script: m.solutions[0], right: true})
		for _, p := range leftOut(m.solutions[0]) {
			p.part = true
			list = append(list, p)
		}
	}
	for _, s := range shortcuts {
		list = append(list, wrongState{what: "shortcut " + s.ID, script: s.Command})
	}
	return list
}

// leftOut gives a script without one of its statements, once for each.
func leftOut(src string) []wrongState {
	f, err := shell.Parse(src)
	if err != nil || len(f.Stmts) < 2 {
		return nil
	}
	var list []wrongState
	for _, s := range f.Stmts[:min(len(f.Stmts), maxLeftOut)] {
		from, to := int(s.Pos().Offset()), int(s.End().Offset())
		if whole(s) {
			continue
		}
		line, _, _ := strings.Cut(src[from:to], "\n")
		list = append(list, wrongState{what: line, script: src[:from] + ":" + src[to:]})
	}
	return list
}

// whole reports whether a statement can't be left out alone: it has a document
// behind it, or it is a way out for the second run, which admission tries.
func whole(s *syntax.Stmt) bool {
	found := false
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Redirect:
			found = found || n.Hdoc != nil
		case *syntax.CallExpr:
			words := shell.CommandWords(n)
			found = found || len(words) > 0 && shell.Text(words[0]) == "exit"
		}
		return !found
	})
	return found
}

// stubs is a script that makes every program of the world's own, and every
// one that a check calls and the system lacks, one that only exits 0.
func (m *mutation) stubs(path string) string {
	var b strings.Builder
	b.WriteString("stub() { mkdir -p \"${1%/*}\"; rm -f \"$1\"; printf '#!/bin/sh\\nexit 0\\n' > \"$1\"; chmod 755 \"$1\"; }\n")
	b.WriteString("find /work ~ -name .git -prune -o \\( -type f -o -type l \\) -perm -u+x -print0 | while IFS= read -r -d '' f; do [ -d \"$f\" ] || stub \"$f\"; done\n")
	for _, name := range m.of.tools() {
		q, err := syntax.Quote(name, syntax.LangBash)
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "if ! type -t -- %s > /dev/null; then ", q)
		for _, dir := range strings.Split(path, ":") {
			if strings.HasPrefix(dir, sandbox.HomeDir+"/") || strings.HasPrefix(dir, sandbox.WorkDir+"/") {
				fmt.Fprintf(&b, "stub %s/%s; ", dir, q)
			}
		}
		b.WriteString(":; fi\n")
	}
	return b.String()
}

// try stages the task, runs a script in it and judges what it leaves.
func (m *mutation) try(ctx context.Context, st wrongState) error {
	return m.staged(ctx, func(w sandbox.Sandbox, s *Start) error {
		m.ask(s)
		if st.stubs {
			path, err := pathOf(ctx, w)
			if err != nil {
				return err
			}
			st.script = m.stubs(path)
		}
		if st.script != "" {
			if _, err := w.Exec(ctx, sandbox.Cmd{Script: st.script}); err != nil {
				return err
			}
		}
		if st.right {
			m.wrote = map[string][]tree.Change{}
			defer func() { m.writes, m.wrote = m.wrote, nil }()
		}
		out, err := m.judge(ctx, w, s, false)
		if err != nil {
			return err
		}
		m.tried = append(m.tried, judgedState{st, out.verdicts})
		if !st.right {
			return nil
		}
		for _, v := range out.verdicts {
			if v.Status != trial.Held && !mutant(v.Check) {
				return &brokenStep{phase(&v), "after the solution: " + sentence(&v)}
			}
		}
		return nil
	})
}

func mutant(check string) bool {
	return strings.HasSuffix(check, noPattern) || strings.HasSuffix(check, otherVersion)
}

// ask gives the mutants of another version one that is not asked for.
func (m *mutation) ask(s *Start) {
	m.asked = maps.Clone(s.versions)
	for _, b := range m.of.blocks {
		s.versions[b.name+otherVersion] = another(b.format, s.versions[b.name])
	}
}

var lastOfCore = pattern.New(`\d+(?:\.\d+)*`)

// another gives a version that the format makes something else of; "" where
// there is none.
func another(format, version string) string {
	want, err := versions.Transform(format, version)
	at := lastOfCore.FindStringIndex(version)
	if err != nil || at == nil {
		return ""
	}
	for i := at[1] - 1; i >= at[0]; i-- {
		if version[i] == '.' {
			continue
		}
		changed := version[:i] + string('0'+(version[i]-'0'+1)%10) + version[i+1:]
		if got, err := versions.Transform(format, changed); err == nil && got != want {
			return changed
		}
	}
	return ""
}

// findings says what the tried states show.
func (m *mutation) findings() []lint.Finding {
	var fs lint.Findings
	for _, g := range m.of.guard {
		m.guards(&fs, g.name)
	}
	if len(m.of.protect) > 0 {
		m.guards(&fs, "protect")
	}
	for _, a := range m.of.after {
		m.decides(&fs, a.name)
	}
	for _, b := range m.of.blocks {
		if !b.own {
			continue // it judges other tasks as well
		}
		m.decides(&fs, b.name)
		if b.strength() != trial.StrengthRuns && !m.differs(b.name, b.name+noPattern) && m.alwaysPrinted(b) {
			fs.Warn(b.name, "look for text that only the mended environment prints", "its pattern never decides: every wrong state that was tried prints it too")
		}
		if right := m.right(); b.mode == lint.ModeVersion && right != nil && right.held(b.name+otherVersion) {
			fs.Warn(b.name, "let the command print the version, and look for no more than that", "holds for another version as well")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.writes)) {
		if !mutant(name) {
			fs.Warn(key(name), "let it write below /tmp; what it changes here is gone with it, and no other check sees it", "changes the files that it judges: %s", tree.Listed(m.writes[name]))
		}
	}
	for _, st := range m.tried {
		all := first(st.verdicts, func(v trial.Verdict) bool { return v.Status != trial.Held && !mutant(v.Check) }) == nil
		if all && st.stubs {
			fs.Warn("after", "look at what the programs give", "all checks hold with programs that do nothing and exit 0")
		}
		if all && st.front {
			fs.Warn("protect", "protect what a check looks for first", "all checks hold with %s", st.what)
		}
		if all && st.part {
			fs.Warn("solution", "check what it does, or leave it out", "no check misses %q", st.what)
		}
	}
	return fs.List
}

// key is where a check stands in its task.
func key(name string) string {
	if name == "after" || name == "guard" {
		return name + "[0]"
	}
	return name
}

// guards warns of a check that holds even when everything is gone.
func (m *mutation) guards(fs *lint.Findings, name string) {
	for _, st := range m.tried {
		if !st.held(name) {
			return
		}
	}
	fs.Warn(key(name), "", "guards nothing: it holds even when every file is deleted")
}

// decides warns of a check that rejects no wrong state.
func (m *mutation) decides(fs *lint.Findings, name string) {
	var tried []string
	for _, st := range m.tried {
		if st.right || st.gone {
			continue
		}
		if !st.held(name) {
			return
		}
		what := st.what
		if st.part {
			what = fmt.Sprintf("the solution without %q", what)
		}
		tried = append(tried, what)
	}
	fs.Warn(key(name), "make it look at what is broken, or leave it out", "never decides anything: it holds for %s", strings.Join(tried, ", "))
}

// differs reports whether two checks disagree on a wrong state.
func (m *mutation) differs(a, b string) bool {
	return slices.ContainsFunc(m.tried, func(st judgedState) bool { return !st.right && st.held(a) != st.held(b) })
}

// alwaysPrinted reports whether the patterns of a block's own command are in
// what it prints in every state where it can be run at all.
func (m *mutation) alwaysPrinted(b block) bool {
	for _, st := range m.tried {
		v := first(st.verdicts, func(v trial.Verdict) bool { return v.Check == b.name })
		if st.right || st.gone || v == nil || v.Status == trial.Held {
			continue
		}
		for _, pat := range b.commands[0].patterns {
			want := versions.Expanded{Text: pat}
			if version, err := versions.Transform(b.format, m.asked[b.name]); b.mode == lint.ModeVersion && err == nil {
				want = versions.Expand(pat, version)
			}
			if v.Evidence == nil {
				return false
			}
			if found, _ := want.In(v.Evidence.Tail); !found {
				return false
			}
		}
	}
	return true
}

func (m *mutation) right() *judgedState {
	for i := range m.tried {
		if m.tried[i].right {
			return &m.tried[i]
		}
	}
	return nil
}

func (st judgedState) held(check string) bool {
	v := first(st.verdicts, func(v trial.Verdict) bool { return v.Check == check })
	return v != nil && v.Status == trial.Held
}
