package mine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cookoff/internal/history"
	"cookoff/internal/mine/commands"
	"cookoff/internal/mine/lines"
	"cookoff/internal/pattern"
)

// mostParts is how many parts of a fix are left out in turn.
const mostParts = 8

// part is a piece of a fix that can be left out.
type part struct {
	name    string // file and line
	path    string
	without string // the file without it; "" and gone: there is no such file
	gone    bool
}

// hunk is a piece of a patch without lines around it.
type hunk struct {
	at, n    int // first line of what was there, from 1, and how many
	to       int // first line of what is there now
	old, new []string
}

var hunkHead = pattern.New(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// hunksOf reads the hunks of a patch of one file.
func hunksOf(patch string) (list []hunk) {
	for l := range strings.SplitAfterSeq(patch, "\n") {
		if m := hunkHead.FindStringSubmatch(l); m != nil {
			h := hunk{n: 1}
			h.at, _ = strconv.Atoi(m[1]) // digits
			h.to, _ = strconv.Atoi(m[3])
			if m[2] != "" {
				h.n, _ = strconv.Atoi(m[2])
			}
			list = append(list, h)
			continue
		}
		if len(list) == 0 || l == "" {
			continue
		}
		h := &list[len(list)-1]
		switch l[0] {
		case '-':
			h.old = append(h.old, l[1:])
		case '+':
			h.new = append(h.new, l[1:])
		case '\\': // no line end at the end of the file
			side := &h.old
			if len(h.new) > 0 {
				side = &h.new
			}
			if n := len(*side); n > 0 {
				(*side)[n-1] = strings.TrimSuffix((*side)[n-1], "\n")
			}
		}
	}
	return list
}

// apply gives a text after hunks, but for one.
func apply(text string, list []hunk, but int) string {
	lines := strings.SplitAfter(text, "\n")
	var b strings.Builder
	next := 0
	for i, h := range list {
		from := h.at - 1
		if h.n == 0 {
			from = h.at
		}
		if i == but {
			continue
		}
		for ; next < from && next < len(lines); next++ {
			b.WriteString(lines[next])
		}
		for _, l := range h.new {
			b.WriteString(l)
		}
		next = from + h.n
	}
	for ; next < len(lines); next++ {
		b.WriteString(lines[next])
	}
	return b.String()
}

// needed reports whether a hunk holds more than comments and imports. was and now tell which lines of the
// file are remarks, before and after it.
func (h hunk) needed(was, now []bool) bool {
	return says(h.old, h.at, was) || says(h.new, h.to, now)
}

// says reports whether some of the lines from one on, counted from 1, are no remarks.
func says(list []string, from int, remark []bool) bool {
	for i, l := range list {
		at := from - 1 + i
		if (at >= len(remark) || !remark[at]) && !lines.Idle(strings.TrimRight(l, "\r\n")) {
			return true
		}
	}
	return false
}

// weakness looks for what the tests of a candidate do not ask for.
type weakness struct{ *attempt }

// weigh finds the parts of a task's fix, and the faults in it, that no test misses.
func (a *attempt) weigh(ctx context.Context, t *Task) (err error) {
	w := weakness{a}
	if t.Half, err = w.halves(ctx); err != nil {
		return err
	}
	t.Weak, err = w.mutants(ctx)
	t.Recipe.Tags = tags(a.c, t)
	return err
}

// parts gives the pieces of a candidate's fix, at most mostParts, and how many there
// are.
func (a weakness) parts(ctx context.Context) (list []part, all int, err error) {
	for _, ch := range a.c.fix {
		if ch.Was.ID == "" || ch.Now.ID == "" {
			text := ""
			if ch.Was.ID != "" {
				if text, err = side(a.world.contents, ch.Was); err != nil {
					return nil, 0, err
				}
			}
			list = append(list, part{name: ch.Path, path: ch.Path, without: text, gone: ch.Was.ID == ""})
			continue
		}
		if ch.Now.Mode == history.ModeLink || ch.Was.Mode == history.ModeLink {
			continue
		}
		was, err := side(a.world.contents, ch.Was)
		if err != nil {
			return nil, 0, err
		}
		now, err := side(a.world.contents, ch.Now)
		if err != nil {
			return nil, 0, err
		}
		patch, err := a.repo.Patch(ctx, a.c.parent, a.c.now(), 0, []string{ch.Path})
		if err != nil {
			return nil, 0, err
		}
		hunks := hunksOf(patch)
		before, after := lines.Remarks(ch.Path, was), lines.Remarks(ch.Path, now)
		for i, h := range hunks {
			if h.needed(before, after) {
				list = append(list, part{name: fmt.Sprintf("%s:%d", ch.Path, max(1, h.to)), path: ch.Path,
					without: apply(was, hunks, i)})
			}
		}
	}
	return list[:min(len(list), mostParts)], len(list), nil
}

// halves leaves out each part of a fix in turn, and names those that no test misses.
func (a weakness) halves(ctx context.Context) (out []string, err error) {
	list, _, err := a.parts(ctx)
	if err != nil || len(list) < 2 {
		return nil, err
	}
	return a.survivors(ctx, "tests without a part of the fix", list)
}

// survivors names the changes to the mended state that no test misses.
func (a weakness) survivors(ctx context.Context, what string, list []part) (out []string, err error) {
	for i, p := range list {
		a.says(fmt.Sprintf("%s, %d of %d", what, i+1, len(list)))
		want, bare := maps.Clone(a.states.mended), map[string]string{}
		if p.gone {
			delete(want, p.path)
		} else {
			want[p.path] = history.File{Path: p.path, Mode: a.states.mended[p.path].Mode}
			bare[p.path] = p.without
		}
		if err := a.world.set(ctx, want, bare); err != nil {
			return nil, err
		}
		passes, err := a.allPass(ctx)
		if err != nil {
			return nil, err
		}
		if passes && !slices.Contains(out, p.name) { // two places of a line
			out = append(out, p.name)
		}
	}
	return out, nil
}

// allPass reports whether all tests pass in the world as it is: first those that the fix mends, where all take long.
func (a weakness) allPass(ctx context.Context) (bool, error) {
	if command, ok := a.onlyNamed(); ok {
		if passes, err := a.world.passes(ctx, command, a.most()); !passes || err != nil {
			return false, err
		}
	}
	return a.world.passes(ctx, commands.Hasty(a.command, a.runner), a.most())
}
