package cheat

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
	"cookoff/verify"
	"cookoff/verify/checks"
	"cookoff/verify/distrust/tools"
	"cookoff/verify/lint"
	"cookoff/verify/tree"
	"cookoff/verify/verdict"
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
func Mutate(ctx context.Context, c *verify.Case, open verify.Opening, shortcuts []verify.Shortcut) ([]lint.Finding,
	error) {
	m := &mutation{Admission: verify.Admission{Case: mutants(c), Open: open, Alone: true}, of: c}
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
	if len(m.Solutions) > 0 {
		return nil
	}
	a := &verify.Admission{Case: m.of, Open: m.Open}
	return a.Staged(ctx, func(w sandbox.Sandbox, s *verify.Start) error {
		if err := a.Runnable(ctx, w, s); err != nil {
			return err
		}
		out, err := a.SealAndJudge(ctx, w, s, false)
		if err != nil {
			return err
		}
		return a.Startable(ctx, out)
	})
}

// unfit says why a task can't be run, unless the sandbox is at fault.
func (m *mutation) unfit(err error) ([]lint.Finding, error) {
	ex, err := m.Excluded(err)
	if ex == nil {
		return nil, err
	}
	return []lint.Finding{{Key: strings.Fields(ex.Phase)[0], Msg: "not fit to be run: " + ex.Why}}, nil
}

// mutants is a case with a weaker and a wrong block beside each block.
func mutants(c *verify.Case) *verify.Case {
	list := slices.Clone(c.Blocks)
	for _, b := range c.Blocks {
		if b.Strength() != trial.StrengthRuns {
			weak := b
			weak.Name, weak.Mode, weak.Version, weak.VersionCommand = b.Name+noPattern, lint.ModeFunctional, "", ""
			weak.Commands = slices.Clone(b.Commands)
			for i := range weak.Commands {
				weak.Commands[i].Patterns = nil
			}
			list = append(list, weak)
		}
		if b.Mode == lint.ModeVersion {
			b.Name, b.Version, b.VersionCommand = b.Name+otherVersion, "", ""
			list = append(list, b)
		}
	}
	return c.WithBlocks(list)
}

// mutation is one go over the states.
type mutation struct {
	verify.Admission
	of    *verify.Case
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
	Verdicts []trial.Verdict
}

func (m *mutation) states(shortcuts []verify.Shortcut) []wrongState {
	list := []wrongState{{what: "nothing done"}, {what: "everything deleted", gone: true,
		script: "chmod -R u+rwx /work ~ 2>/dev/null; cd / && find /work ~ -mindepth 1 -delete"},
		{what: "programs that do nothing", stubs: true}}
	for _, f := range tools.Fronts() {
		if slices.ContainsFunc(m.of.Texts(), f.Runs) {
			list = append(list, wrongState{what: f.What, script: f.Plant, front: true})
		}
	}
	if len(m.Solutions) > 0 {
		list = append(list, wrongState{what: "the solution", script: m.Solutions[0], right: true})
		for _, p := range leftOut(m.Solutions[0]) {
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
	b.WriteString("stub() { mkdir -p \"${1%/*}\"; rm -f \"$1\"; " +
		"printf '#!/bin/sh\\nexit 0\\n' > \"$1\"; chmod 755 \"$1\"; }\n")
	b.WriteString("find /work ~ -name .git -prune -o \\( -type f -o -type l \\) -perm -u+x -print0 | " +
		"while IFS= read -r -d '' f; do [ -d \"$f\" ] || stub \"$f\"; done\n")
	for _, name := range m.of.Tools() {
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
	return m.Staged(ctx, func(w sandbox.Sandbox, s *verify.Start) error {
		m.ask(s)
		if st.stubs {
			path, err := verify.PathOf(ctx, w)
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
			m.Wrote = map[string][]tree.Change{}
			defer func() { m.writes, m.Wrote = m.Wrote, nil }()
		}
		out, err := m.SealAndJudge(ctx, w, s, false)
		if err != nil {
			return err
		}
		m.tried = append(m.tried, judgedState{st, out.Verdicts})
		if !st.right {
			return nil
		}
		for _, v := range out.Verdicts {
			if v.Status != trial.Held && !mutant(v.Check) {
				return &verify.BrokenStep{Phase: verdict.Phase(&v), Why: "after the solution: " + verdict.Sentence(&v)}
			}
		}
		return nil
	})
}

func mutant(check string) bool {
	return strings.HasSuffix(check, noPattern) || strings.HasSuffix(check, otherVersion)
}

// ask gives the mutants of another version one that is not asked for.
func (m *mutation) ask(s *verify.Start) {
	m.asked = maps.Clone(s.Versions)
	for _, b := range m.of.Blocks {
		s.Versions[b.Name+otherVersion] = another(b.Format, s.Versions[b.Name])
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
	for _, g := range m.of.Guard {
		m.guards(&fs, g.Name)
	}
	if len(m.of.Protect) > 0 {
		m.guards(&fs, "protect")
	}
	for _, a := range m.of.After {
		m.decides(&fs, a.Name)
	}
	for _, b := range m.of.Blocks {
		if !b.Own {
			continue // it judges other tasks as well
		}
		m.decides(&fs, b.Name)
		if b.Strength() != trial.StrengthRuns && !m.differs(b.Name, b.Name+noPattern) && m.alwaysPrinted(b) {
			fs.Warn(b.Name, "look for text that only the mended environment prints",
				"its pattern never decides: every wrong state that was tried prints it too")
		}
		if right := m.right(); b.Mode == lint.ModeVersion && right != nil && right.held(b.Name+otherVersion) {
			fs.Warn(b.Name, "let the command print the version, and look for no more than that",
				"holds for another version as well")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.writes)) {
		if !mutant(name) {
			fs.Warn(verify.Key(name), "let it write below /tmp; what it changes here is gone with it, "+
				"and no other check sees it",
				"changes the files that it judges: %s", tree.Listed(m.writes[name]))
		}
	}
	for _, st := range m.tried {
		all := verdict.First(st.Verdicts, func(v trial.Verdict) bool {
			return v.Status != trial.Held &&
				!mutant(v.Check)
		}) == nil
		if all && st.stubs {
			fs.Warn("after", "look at what the programs give",
				"all checks hold with programs that do nothing and exit 0")
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

// guards warns of a check that holds even when everything is gone.
func (m *mutation) guards(fs *lint.Findings, name string) {
	for _, st := range m.tried {
		if !st.held(name) {
			return
		}
	}
	fs.Warn(verify.Key(name), "", "guards nothing: it holds even when every file is deleted")
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
	fs.Warn(verify.Key(name), "make it look at what is broken, or leave it out",
		"never decides anything: it holds for %s", strings.Join(tried, ", "))
}

// differs reports whether two checks disagree on a wrong state.
func (m *mutation) differs(a, b string) bool {
	return slices.ContainsFunc(m.tried, func(st judgedState) bool { return !st.right && st.held(a) != st.held(b) })
}

// alwaysPrinted reports whether the patterns of a block's own command are in
// what it prints in every state where it can be run at all.
func (m *mutation) alwaysPrinted(b checks.Block) bool {
	for _, st := range m.tried {
		v := verdict.First(st.Verdicts, func(v trial.Verdict) bool { return v.Check == b.Name })
		if st.right || st.gone || v == nil || v.Status == trial.Held {
			continue
		}
		for _, pat := range b.Commands[0].Patterns {
			want := versions.Expanded{Text: pat}
			if version, err := versions.Transform(b.Format, m.asked[b.Name]); b.Mode == lint.ModeVersion && err == nil {
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
	v := verdict.First(st.Verdicts, func(v trial.Verdict) bool { return v.Check == check })
	return v != nil && v.Status == trial.Held
}
