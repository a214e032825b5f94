package recipe

import (
	"fmt"
	"math"
	"strings"

	"github.com/yuin/goldmark/ast"

	"cookoff/internal/nearest"
	"cookoff/recipe/blocks"
	"cookoff/recipe/dialect"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"
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
type criterionReader struct{ *dialect.Reader }

func (p *parsing) criteria(s *dialect.Section) {
	for _, item := range p.Items(s.Nodes) {
		if c, ok := (criterionReader{p.Reader}).criterion(item); ok {
			p.Listed("success_criteria", len(p.r.SuccessCriteria), item.Off)
			p.r.SuccessCriteria = append(p.r.SuccessCriteria, c)
		}
	}
}

// criterion reads one bullet.
func (p criterionReader) criterion(v source.Span) (c Criterion, ok bool) {
	found := len(p.Problems)
	n := strings.IndexFunc(v.Text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
	if n < 0 {
		n = len(v.Text)
	}
	kind, rest := v.Slice(0, n), v.From(n).Trim()
	c.Kind = kind.Plain()
	known := false
	for _, k := range criterionKinds {
		known = known || k == c.Kind
	}
	if !known {
		near, hint := nearest.Name(c.Kind, criterionKinds), ""
		if near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		p.Problem(v.Off, hint, "unknown criterion %q: allowed are %s", source.FirstLine(v.Plain(), 40),
			strings.Join(criterionForms, " · ")).Near = near
		return c, false
	}
	switch c.Kind {
	case "no_errors", "has_writes":
		if rest.Text != "" {
			p.Problem(rest.Off, "", "%s takes no value, found %q", c.Kind, source.FirstLine(rest.Plain(), 40))
		}
	case "files_written":
		num, isMin := strings.CutPrefix(rest.Text, ">=")
		if !isMin {
			p.Problem(rest.Off, "write files_written >= 1", "expected \">=\" behind files_written, found %q",
				source.FirstLine(rest.Plain(), 20)).Kind = problem.Unexpected
			break
		}
		c.Limit = p.count(rest.From(len(rest.Text)-len(num)).Trim(), c.Kind)
	case "run":
		rest = p.runOptions(rest, &c)
		c.Text = p.argument(rest, c.Kind).Plain()
	default:
		p.criterionValue(&c, p.argument(rest, c.Kind))
	}
	return c, len(p.Problems) == found
}

// argument gives what stands behind the colon of a criterion.
func (p criterionReader) argument(rest source.Span, kind string) source.Span {
	if !strings.HasPrefix(rest.Text, ":") || rest.From(1).Empty() {
		for _, f := range criterionForms {
			if strings.HasPrefix(f, kind+":") {
				p.Problem(rest.Off, "", "%s has no value: write %q", kind, f)
			}
		}
		return source.Span{Text: "", Off: rest.Off}
	}
	v := rest.From(1).Trim()
	if kind == "file_contains" {
		return v // PATH and TEXT are quoted each for itself
	}
	return p.Unquote(v)
}

func (p criterionReader) criterionValue(c *Criterion, v source.Span) {
	if v.Text == "" {
		return
	}
	switch c.Kind {
	case "max_tool_calls":
		c.Limit = p.count(v, c.Kind)
	case "max_cost", "max_latency":
		c.Limit, _ = p.Float(v, c.Kind, dialect.Bounds{High: math.Inf(1)})
	case "file_contains":
		i := 0
		for i < len(v.Text) && !(v.Text[i] == ':' && (i+1 == len(v.Text) || v.Text[i+1] == ' ')) {
			i = dialect.SkipQuoted(v.Text, i)
		}
		path := p.Unquote(v.Slice(0, min(i, len(v.Text))).Trim())
		text := source.Span{Off: v.Off}
		if i < len(v.Text) {
			text = p.Unquote(v.From(i + 1).Trim())
		}
		if path.Empty() || text.Text == "" {
			p.Problem(v.Off, "", "file_contains needs a path and a text: write \"file_contains: PATH: TEXT\"")
		}
		c.Path, c.Text = path.Plain(), text.Plain()
	case "file_exists", "protected":
		p.Glob(v)
		c.Text = v.Plain()
	default:
		c.Text = v.Plain()
	}
}

// runOptions reads "(timeout=N)".
func (p criterionReader) runOptions(v source.Span, c *Criterion) source.Span {
	if !strings.HasPrefix(v.Text, "(") {
		return v
	}
	end := strings.IndexByte(v.Text, ')')
	if end < 0 {
		p.Problem(v.Off, "write run(timeout=30): CMD", "run(: the bracket is never closed").Kind = problem.Unreadable
		return v
	}
	name, value, ok := strings.Cut(v.Text[1:end], "=")
	if !ok || strings.TrimSpace(name) != "timeout" {
		p.Problem(v.Off+1, "write run(timeout=30): CMD", "unknown option %q of run: allowed is timeout=N",
			v.Slice(1, end).Plain())
	} else if c.Timeout = p.Duration(v.Slice(end-len(value), end).Trim(), "timeout"); c.Timeout == 0 {
		p.Problem(v.Off+1, "", "run can't have a timeout of 0")
	}
	return v.From(end + 1).Trim()
}

func (p criterionReader) count(v source.Span, kind string) float64 {
	f, ok := p.Float(v, kind, dialect.Bounds{High: math.Inf(1)})
	if ok && (f != math.Trunc(f) || f > 1<<53) {
		p.Problem(v.Off, "", "%s: %q is not a whole number", kind, v.Plain())
	}
	return f
}

// verify reads the toml fences that apply to every task.
func (p *parsing) verify(s *dialect.Section) {
	for _, n := range s.Nodes {
		f, ok := n.(*ast.FencedCodeBlock)
		switch {
		case ok && (p.Info(f).Text == "toml" || p.Info(f).Text == "toml verify"):
			p.r.Verify = append(p.r.Verify, blocks.Fence[VerifyBlock](p.Reader, f, source.Slot{At: "verify"}, len(p.r.Verify))...)
		case ok:
			p.Problem(p.Info(f).Off, "", "expected a \"toml\" fence, found %q", p.Info(f).Text).Kind = problem.Unexpected
		case !p.Inert(n):
			p.Problem(n.Pos(), "put the block into a \"```toml\" fence; what you say about it into <!-- a comment -->",
				"expected a toml fence, found %s", dialect.KindName(n)).Kind = problem.Unexpected
		}
	}
}
