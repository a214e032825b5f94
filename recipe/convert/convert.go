// Package convert makes recipes of those of Errata, which looked alike and meant less.
package convert

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cookoff/internal/nearest"
	"cookoff/internal/pattern"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// Errata makes a recipe of this format out of one that was written for
// Errata, which read a file line by line, ignored what it did not know, and
// went on without a limit that it could not read. What can't be kept becomes
// an HTML comment. notes say of each such thing what Errata made of it, as
// warnings at their places in the given file. A model that nobody is known to
// serve, or none at all, is an error among them: the rest is converted all the
// same. The error is a problem.List where there is no sound recipe to be made.
func Errata(file string, content []byte) (out []byte, notes problem.List, err error) {
	content = bytes.ReplaceAll(bytes.TrimPrefix(content, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	c := &conversion{file: file, lines: strings.Split(string(content), "\n")}
	for i := range c.lines {
		c.from = append(c.from, i)
	}
	c.cutFences()
	c.comments()
	c.models()
	for range 2*len(c.lines) + 1 {
		r, err := recipe.ParseNamed(file, []byte(strings.Join(c.lines, "\n")))
		if err == nil {
			c.defaults(r)
			c.notes.Sort()
			out, err = recipe.Format(file, []byte(strings.Join(c.lines, "\n")))
			return out, c.notes, err
		}
		ps, _ := errors.AsType[problem.List](err)
		if c.part(ps) {
			continue
		}
		mended := map[int]bool{}
		for _, p := range ps {
			if l := p.Pos.Line - 1; !mended[l] {
				if mended[l] = true; !c.mend(p, l) {
					return nil, c.notes, c.asGiven(ps)
				}
			}
		}
	}
	return nil, c.notes, errors.New("no sound recipe could be made of it") // each turn mends a line, or parts two
}

// conversion is one recipe of Errata being made ours.
type conversion struct {
	file  string
	lines []string
	from  []int // by line: which of the given file it is
	notes problem.List
}

// part puts an empty line between keys and the text below them, which Errata
// does not ask for. It tells whether it did.
func (c *conversion) part(ps problem.List) bool {
	for _, p := range ps {
		if l := p.Pos.Line - 1; p.Kind == problem.TextAtKeys && l > 0 && strings.TrimSpace(c.lines[l-1]) != "" {
			c.lines = slices.Insert(c.lines, l, "")
			c.from = slices.Insert(c.from, l, c.from[l])
			return true
		}
	}
	return false
}

// asGiven gives problems their places in the given file.
func (c *conversion) asGiven(ps problem.List) problem.List {
	out := slices.Clone(ps)
	for i, p := range out {
		if p.Pos.Line > 0 && p.Pos.Line <= len(c.from) {
			out[i].Pos.Line = c.from[p.Pos.Line-1] + 1
		}
	}
	return out
}

func (c *conversion) note(line int, hint, format string, args ...any) {
	c.notes = append(c.notes, problem.Problem{Pos: problem.Pos{File: c.file, Line: c.from[line] + 1, Col: 1},
		Msg: fmt.Sprintf(format, args...), Hint: hint,
		Warning: true})
}

// outside calls f for each line that is in no fence, and in for the others.
func (c *conversion) outside(f, in func(i int, line string)) {
	fence := ""
	for i, line := range c.lines {
		mark := strings.TrimLeft(line, " ")
		mark = mark[:len(mark)-len(strings.TrimLeft(mark, "`~"))]
		switch {
		case fence == "" && len(mark) >= 3:
			fence = mark
		case fence != "" && strings.HasPrefix(mark, fence):
			fence = ""
		case fence == "":
			f(i, line)
		default:
			in(i, line)
		}
	}
}

// cutFences notes what Errata takes for a section within a fence.
func (c *conversion) cutFences() {
	c.outside(func(int, string) {}, func(i int, line string) {
		if strings.HasPrefix(line, "## ") {
			c.note(i, "", "Errata begins a section at %q, though it stands in a fence; here it is text",
				source.FirstLine(line, 40))
		}
	})
}

var valueComment = pattern.New(`^\s*[-*+]?\s*([a-z_]+):\s+(\S[^#]*?)\s+#\s`)

// comments notes values that Errata can't read for the comment behind them.
func (c *conversion) comments() {
	c.outside(func(i int, line string) {
		m := valueComment.FindStringSubmatch(line)
		if m == nil || strings.Contains("tasks success criteria tools", c.section(i)) {
			return
		}
		c.note(i, "", "Errata takes the comment for a part of the value of %q%s; here the value is %s", m[1],
			consequence(c.section(i), m[1]), m[2])
	}, func(int, string) {})
}

// section gives the name of the section that line i stands in, lower case.
func (c *conversion) section(i int) string {
	for ; i >= 0; i-- {
		if name, ok := strings.CutPrefix(c.lines[i], "## "); ok {
			return strings.ToLower(strings.TrimSpace(name))
		}
	}
	return "preamble"
}

// consequence says what comes of a value that Errata can't read.
func consequence(section, key string) string {
	switch {
	case section == "tools":
		return ", and allows everything"
	case section == "success criteria":
		return ", and it always holds"
	case key == "max_steps":
		return ", and sets no limit of steps"
	case key == "timeout" || key == "bash_timeout":
		return ", and goes on with a default of its own"
	case section == "sandbox":
		return ", and restricts nothing"
	}
	return ", and goes on as if it were not there"
}

var (
	leadingKey  = pattern.New(`^(\s*[-*+]?\s*)([A-Za-z_][\w-]*)(:)`)
	percent     = pattern.New(`^\d{1,3}(?:[.]\d{1,4})? ?%$`)
	leadingUnit = pattern.New(`^(\d+)(?:[.]\d+)?\s*(seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h)?\b`)
)

// mend changes line l so that the problem is gone. It tells whether it could.
func (c *conversion) mend(p problem.Problem, l int) bool {
	line, section := c.lines[l], c.section(l)
	near, key := p.Near, ""
	if m := leadingKey.FindStringSubmatch(line); m != nil {
		key = m[2]
	}
	switch {
	case p.Kind == problem.Unreadable || strings.TrimSpace(line) == "" || strings.HasPrefix(line, "<!--"):
		return false
	case p.Kind == problem.UnknownSection && near != "":
		c.note(l, "", "Errata ignores the section %q and all that is in it; here it is %q", strings.TrimSpace(line[2:]),
			near)
		c.lines[l] = "## " + near
	case p.Kind == problem.UnknownSection:
		c.note(l, "what is in it is left as a comment", "Errata ignores the section %q and all that is in it",
			strings.TrimSpace(line[2:]))
		c.comment(l, c.sectionEnd(l))
	case p.Kind == problem.SectionTwice:
		c.note(l, "the second is left as a comment", "Errata takes only one of two: %s", p.Msg)
		c.comment(l, c.sectionEnd(l))
	case p.Kind == problem.UnknownKey && near != "" && key != "" && nearest.Distance(key, near) <= 2 && !c.given(l,
		near):
		c.note(l, "", "Errata ignores the key %q; here it is %q", key, near)
		c.lines[l] = leadingKey.ReplaceAllString(line, "${1}"+near+"$3")
	case p.Kind == problem.UnknownKey || section == "preamble" || (p.Kind == problem.Unexpected ||
		p.Kind == problem.TextAtKeys) &&
		section != "success criteria":
		c.note(l, "it is left as a comment", "Errata ignores %q", source.FirstLine(strings.TrimSpace(line), 60))
		c.comment(l, c.itemEnd(l))
	case p.Kind == problem.Twice:
		c.note(l, "the second is left as a comment", "Errata takes only one of two: %s", p.Msg)
		c.comment(l, c.itemEnd(l))
	default:
		c.mendValue(p, l, near, key)
	}
	return true
}

// given tells whether the section that line l stands in has a key.
func (c *conversion) given(l int, key string) bool {
	for i, line := range c.lines {
		if m := leadingKey.FindStringSubmatch(line); m != nil && m[2] == key && c.section(i) == c.section(l) {
			return true
		}
	}
	return false
}

// mendValue finds a sound value for one that Errata can't read, or makes a
// comment of its line: then nothing is allowed that was not said.
func (c *conversion) mendValue(p problem.Problem, l int, near, key string) {
	line, section := c.lines[l], c.section(l)
	said := fmt.Sprintf("Errata can't read this%s: %s", consequence(section, key), p.Msg)
	col := min(max(p.Pos.Col-1, 0), len(line))
	value := ""
	if m := leadingUnit.FindStringSubmatch(line[col:]); m != nil && (section == "constraints" || section == "context" ||
		section == "sub-agent") {
		if value = m[1]; m[2] != "" && strings.Contains(key, "timeout") {
			value += m[2][:1]
		}
	}
	switch said := strings.ToLower(strings.TrimSpace(line[col:])); {
	case near != "" && key != "":
		value = near
	case p.Kind == problem.NotBool:
		value = map[string]string{"yes": "true", "on": "true", "no": "false", "off": "false"}[said]
	case percent.MatchString(said):
		share, _ := strconv.ParseFloat(strings.TrimRight(said, " %"), 64)
		value = strconv.FormatFloat(share/100, 'g', -1, 64)
	}
	if value != "" && strings.TrimSpace(line[col:]) != value && key != "" {
		c.note(l, "", "%s; here it is %s", said, value)
		c.lines[l] = line[:col] + value
		return
	}
	c.note(l, "it is left as a comment: say what you mean", "%s", said)
	c.comment(l, c.itemEnd(l))
}

// comment makes an HTML comment of lines from..to.
func (c *conversion) comment(from, to int) {
	for i := from; i <= to; i++ {
		if whole, ok := strings.CutPrefix(strings.TrimSpace(c.lines[i]), "<!-- "); ok &&
			strings.HasSuffix(whole, " -->") {
			c.lines[i] = strings.TrimSuffix(whole, " -->") // a comment already
		}
		c.lines[i] = strings.ReplaceAll(strings.ReplaceAll(c.lines[i], "<!--", "<! --"), "-->", "-- >")
	}
	c.lines[from] = "<!-- " + strings.TrimSpace(c.lines[from])
	c.lines[to] += " -->"
}

// itemEnd gives the last line of what line l begins: a block, or those behind
// it that are indented.
func (c *conversion) itemEnd(l int) int {
	if strings.HasPrefix(c.lines[l], "### ") {
		return c.endOf(l, "## ", "### ")
	}
	for l+1 < len(c.lines) && strings.TrimSpace(c.lines[l+1]) != "" && strings.HasPrefix(c.lines[l+1], "  ") {
		l++
	}
	return l
}

// sectionEnd gives the last line of the section whose heading is line l.
func (c *conversion) sectionEnd(l int) int { return c.endOf(l, "## ") }

// endOf gives the last line of what is under the heading on line l, up to one
// of the headings given.
func (c *conversion) endOf(l int, headings ...string) int {
	end := len(c.lines) - 1
	c.outside(func(i int, line string) {
		if i > l && i <= end && slices.ContainsFunc(headings,
			func(h string) bool { return strings.HasPrefix(line, h) }) {
			end = i - 1
		}
	}, func(int, string) {})
	for end > l && strings.TrimSpace(c.lines[end]) == "" {
		end--
	}
	return end
}

// defaults notes where what is not said means something else here.
func (c *conversion) defaults(r *recipe.Recipe) {
	if !r.HasSection("sandbox") {
		c.note(0, "say it under \"## Sandbox\" to have it otherwise",
			"Errata restricts nothing where a recipe has no Sandbox; here a trial sees the project alone, "+
				"and no network")
	}
	if len(r.Tasks) == 0 {
		c.note(0, "list them under \"## Tasks\"",
			"the recipe has no tasks: cookoff run has nothing to do; in the shoot-out tasks are typed")
	}
	for i, t := range r.Tasks {
		if t.Setup == "" && len(t.After) == 0 && len(t.Verify) == 0 && t.Repair == "" && len(r.SuccessCriteria) == 0 &&
			len(r.Verify) == 0 {
			p := r.At(fmt.Sprintf("tasks[%d]", i))
			c.note(p.Line-1, "give it an \"sh after\" fence, or the recipe success criteria",
				"nothing judges the task %q", t.Name())
		}
	}
}
