package recipe

import (
	"fmt"
	"math"
	"strings"

	"github.com/yuin/goldmark/ast"

	"cookoff/internal/nearest"
	"cookoff/recipe/problem"
)

// criterionForms lists every kind of success criterion as it is written.
var criterionForms = []string{
	"no_errors", "has_writes", "files_written >= N", "contains: TEXT", "run: CMD", "run(timeout=N): CMD",
	"file_exists: GLOB",
	"file_contains: PATH: TEXT", "tool_used: NAME", "max_tool_calls: N", "max_cost: USD", "max_latency: MS",
	"protected: GLOB",
}

var criterionKinds = []string{
	"no_errors", "has_writes", "files_written", "contains", "run", "file_exists", "file_contains",
	"tool_used", "max_tool_calls", "max_cost", "max_latency", "protected",
}

// criterionReader reads criteria.
type criterionReader struct{ *reader }

func (p *parsing) criteria(s *section) {
	for _, item := range p.items(s.nodes) {
		if c, ok := (criterionReader{p.reader}).criterion(item); ok {
			p.listed("success_criteria", len(p.r.SuccessCriteria), item.off)
			p.r.SuccessCriteria = append(p.r.SuccessCriteria, c)
		}
	}
}

// criterion reads one bullet.
func (p criterionReader) criterion(v span) (c Criterion, ok bool) {
	found := len(p.problems)
	n := strings.IndexFunc(v.s, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
	if n < 0 {
		n = len(v.s)
	}
	kind, rest := v.slice(0, n), v.from(n).trim()
	c.Kind = kind.plain()
	known := false
	for _, k := range criterionKinds {
		known = known || k == c.Kind
	}
	if !known {
		near, hint := nearest.Name(c.Kind, criterionKinds), ""
		if near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		p.problem(v.off, hint, "unknown criterion %q: allowed are %s", FirstLine(v.plain(), 40),
			strings.Join(criterionForms, " · ")).Near = near
		return c, false
	}
	switch c.Kind {
	case "no_errors", "has_writes":
		if rest.s != "" {
			p.problem(rest.off, "", "%s takes no value, found %q", c.Kind, FirstLine(rest.plain(), 40))
		}
	case "files_written":
		num, isMin := strings.CutPrefix(rest.s, ">=")
		if !isMin {
			p.problem(rest.off, "write files_written >= 1", "expected \">=\" behind files_written, found %q",
				FirstLine(rest.plain(), 20)).Kind = problem.Unexpected
			break
		}
		c.Limit = p.count(rest.from(len(rest.s)-len(num)).trim(), c.Kind)
	case "run":
		rest = p.runOptions(rest, &c)
		c.Text = p.argument(rest, c.Kind).plain()
	default:
		p.criterionValue(&c, p.argument(rest, c.Kind))
	}
	return c, len(p.problems) == found
}

// argument gives what stands behind the colon of a criterion.
func (p criterionReader) argument(rest span, kind string) span {
	if !strings.HasPrefix(rest.s, ":") || rest.from(1).empty() {
		for _, f := range criterionForms {
			if strings.HasPrefix(f, kind+":") {
				p.problem(rest.off, "", "%s has no value: write %q", kind, f)
			}
		}
		return span{"", rest.off}
	}
	v := rest.from(1).trim()
	if kind == "file_contains" {
		return v // PATH and TEXT are quoted each for itself
	}
	return p.unquote(v)
}

func (p criterionReader) criterionValue(c *Criterion, v span) {
	if v.s == "" {
		return
	}
	switch c.Kind {
	case "max_tool_calls":
		c.Limit = p.count(v, c.Kind)
	case "max_cost", "max_latency":
		c.Limit, _ = p.float(v, c.Kind, bounds{high: math.Inf(1)})
	case "file_contains":
		i := 0
		for i < len(v.s) && !(v.s[i] == ':' && (i+1 == len(v.s) || v.s[i+1] == ' ')) {
			i = skipQuoted(v.s, i)
		}
		path := p.unquote(v.slice(0, min(i, len(v.s))).trim())
		text := span{off: v.off}
		if i < len(v.s) {
			text = p.unquote(v.from(i + 1).trim())
		}
		if path.empty() || text.s == "" {
			p.problem(v.off, "", "file_contains needs a path and a text: write \"file_contains: PATH: TEXT\"")
		}
		c.Path, c.Text = path.plain(), text.plain()
	case "file_exists", "protected":
		p.glob(v)
		c.Text = v.plain()
	default:
		c.Text = v.plain()
	}
}

// runOptions reads "(timeout=N)".
func (p criterionReader) runOptions(v span, c *Criterion) span {
	if !strings.HasPrefix(v.s, "(") {
		return v
	}
	end := strings.IndexByte(v.s, ')')
	if end < 0 {
		p.problem(v.off, "write run(timeout=30): CMD", "run(: the bracket is never closed").Kind = problem.Unreadable
		return v
	}
	name, value, ok := strings.Cut(v.s[1:end], "=")
	if !ok || strings.TrimSpace(name) != "timeout" {
		p.problem(v.off+1, "write run(timeout=30): CMD", "unknown option %q of run: allowed is timeout=N",
			v.slice(1, end).plain())
	} else if c.Timeout = p.duration(v.slice(end-len(value), end).trim(), "timeout"); c.Timeout == 0 {
		p.problem(v.off+1, "", "run can't have a timeout of 0")
	}
	return v.from(end + 1).trim()
}

func (p criterionReader) count(v span, kind string) float64 {
	f, ok := p.float(v, kind, bounds{high: math.Inf(1)})
	if ok && (f != math.Trunc(f) || f > 1<<53) {
		p.problem(v.off, "", "%s: %q is not a whole number", kind, v.plain())
	}
	return f
}

// verify reads the toml fences that apply to every task.
func (p *parsing) verify(s *section) {
	for _, n := range s.nodes {
		f, ok := n.(*ast.FencedCodeBlock)
		switch {
		case ok && (p.info(f).s == "toml" || p.info(f).s == "toml verify"):
			p.r.Verify = append(p.r.Verify, verifyFence(p.reader, f, slot{at: "verify"}, len(p.r.Verify))...)
		case ok:
			p.problem(p.info(f).off, "", "expected a \"toml\" fence, found %q", p.info(f).s).Kind = problem.Unexpected
		case !p.inert(n):
			p.problem(n.Pos(), "put the block into a \"```toml\" fence; what you say about it into <!-- a comment -->",
				"expected a toml fence, found %s", kindName(n)).Kind = problem.Unexpected
		}
	}
}
