package recipe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"cookoff/internal/nearest"
	"cookoff/recipe/blocks"
	"cookoff/recipe/dialect"
	"cookoff/recipe/source"
)

// scriptRoles are the words behind "sh" in the info string of a task's fence.
var scriptRoles = []string{"setup", "before", "after", "guard", "solution", "shortcut"}

// fenceWords says what may follow the role.
const fenceWords = "allowed behind it are timeout=10m, and for after and guard also live and NAME=value"

// taskFence reads one tagged fence.
func (p *taskReader) taskFence(tb *taskBlock, f *ast.FencedCodeBlock) {
	info := p.Info(f)
	words := strings.Fields(info.Text)
	t, role := tb.task, words[1]
	body := p.Fence(f)
	if words[0] == "toml" && role == "verify" {
		if len(words) > 2 {
			p.Problem(info.Off, "write \"live = true\" or \"timeout = '10m'\" in the block",
				"unexpected %q: a verify fence takes no further word", strings.Join(words[2:], " "))
			return
		}
		blocks := blocks.Fence[VerifyBlock](p.Reader, f, source.Slot{At: tb.at, Name: "verify"}, len(t.Verify))
		t.Verify = append(t.Verify, blocks...)
		return
	}
	if words[0] == "diff" && role == "solution" && !source.Blank(body) {
		words[0], body = "sh", asScript(body)
	}
	if words[0] == "sh" && (role == "service" || role == "ready") && !source.Blank(body) {
		p.serviceFence(tb, f)
		return
	}
	if words[0] == "sh" && (role == "service" || role == "ready") {
		p.Problem(info.Off, "", "the %s fence is empty", role)
		return
	}
	if words[0] != "sh" || !slices.Contains(scriptRoles, role) {
		hint := "a fence of the prompt has an info string of one word"
		near := nearest.Name(strings.Join(words[:2], " "), []string{"sh setup", "sh before", "sh after",
			"sh guard", "sh solution", "sh shortcut", "sh service", "sh ready", "toml verify"})
		if near != "" {
			hint = fmt.Sprintf("did you mean %q? %s", near, hint)
		}
		p.Problem(info.Off, hint, "unknown fence %q in a task: allowed are "+
			"sh setup, sh before, sh after, sh guard, sh solution, diff solution, sh shortcut, sh service, sh ready, "+
			"toml verify", info.Text).Near = near
		return
	}
	if source.Blank(body) {
		p.Problem(info.Off, "", "the %s fence is empty", role)
		return
	}
	c := Check{Script: body}
	if p.fenceSettings(info, role, words[2:], &c) {
		p.keepFence(tb, role, c, f)
	}
}

// asScript is the script that applies a patch. The word that ends it stands in
// no line of a patch: each begins with a sign, or with a word of git's.
func asScript(patch string) string {
	return "git apply --whitespace=nowarn - <<'PATCH ENDS'\n" + strings.TrimRight(patch, "\n") + "\nPATCH ENDS"
}

// fenceSettings reads the words behind the role of a fence, and reports whether
// all are allowed.
func (p *taskReader) fenceSettings(info source.Span, role string, words []string, c *Check) bool {
	check := role == "after" || role == "guard"
	for _, word := range words {
		name, value, set := strings.Cut(word, "=")
		at := info
		if i := strings.LastIndex(info.Text, word); i >= 0 {
			at = info.Slice(i, i+len(word))
		}
		switch {
		case word == "live" && check && !c.Live:
			c.Live = true
		case word == "live" && !check:
			p.Problem(info.Off, "only after and guard fences can be live", "a %s fence is never live", role)
			return false
		case role == "shortcut":
			p.Problem(at.Off, "", "unexpected %q: a shortcut fence takes no further word", word)
			return false
		case name == "timeout" && set && c.Timeout != 0:
			p.Problem(at.Off, "leave one of them", "a %s fence has two timeouts", role)
			return false
		case name == "timeout" && set:
			before := len(p.Problems)
			if c.Timeout = p.Duration(at.Slice(len("timeout="), len(word)), "timeout"); c.Timeout == 0 {
				if len(p.Problems) == before {
					p.Problem(at.Off, "leave it out for the two minutes that a script has by itself",
						"timeout: a %s fence that may take no time", role)
				}
				return false
			}
		case set && check && dialect.EnvName.MatchString(name):
			if !dialect.EnvEntry(p.Reader, at, c.Env) {
				return false
			}
			c.Env = append(c.Env, name+"="+value)
		default:
			p.Problem(at.Off, fenceWords, "unexpected %q in the fence's info %q", word, info.Text)
			return false
		}
	}
	return true
}

// info gives the words of a fence, as fmt and show write them.
func (c Check) info(role string) string {
	info := "sh " + role
	if c.Live {
		info += " live"
	}
	if c.Timeout != 0 {
		info += " timeout=" + dialect.FormatDuration(c.Timeout)
	}
	for _, e := range c.Env {
		info += " " + e
	}
	return info
}

// keepFence stores a script in its task.
func (p *taskReader) keepFence(tb *taskBlock, role string, c Check, f *ast.FencedCodeBlock) {
	t, key := tb.task, source.Slot{At: tb.at, Name: role}
	start := p.NextLine(f.Pos())
	if role == "solution" && t.Solution != "" {
		p.Note(source.Slot{At: tb.at, Name: "others"}, len(t.Others), start)
		t.Others = append(t.Others, c.Script)
		t.Limits.Solution = max(t.Limits.Solution, c.Timeout)
		return
	}
	if role == "shortcut" {
		p.Note(source.Slot{At: tb.at, Name: "shortcuts"}, len(t.Shortcuts), start)
		t.Shortcuts = append(t.Shortcuts, c.Script)
		return
	}
	if role == "after" || role == "guard" {
		checks := &t.After
		if role == "guard" {
			checks = &t.Guard
		}
		p.Note(key, len(*checks), start)
		*checks = append(*checks, c)
		return
	}
	if i := slices.IndexFunc(tb.seen, func(s seenFence) bool { return s.role == role }); i >= 0 {
		p.Problem(f.Pos(), "put both into one fence", "task %q has two %s fences: the first at line %d", t.Title, role,
			p.Line(tb.seen[i].off)+1)
		return
	}
	tb.seen = append(tb.seen, seenFence{role, f.Pos()})
	p.Note(key, -1, start)
	switch role {
	case "setup":
		t.Setup, t.Limits.Setup = c.Script, c.Timeout
	case "before":
		t.Before, t.Limits.Before = c.Script, c.Timeout
	default:
		t.Solution, t.Limits.Solution = c.Script, c.Timeout
	}
}
