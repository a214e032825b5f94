// Package probe looks for what repairs answer. A probe is a script that looks
// and changes nothing; it needs only a place where commands run, so that it
// works inside a trial, as a tool, and on the user's own machine.
package probe

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/sashabaranov/go-openai/jsonschema"

	"cookoff/internal/pattern"
	"cookoff/model"
	"cookoff/sandbox"
	"cookoff/tools"
)

//go:embed probes/*.sh
var scripts embed.FS

//go:embed prelude.sh
var prelude string

// timeout bounds one probe: a project may be a stranger's.
const timeout = 30 * time.Second

// Runner is where a probe looks: a sandbox, or the user's own machine.
type Runner interface {
	Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error)
}

// Probe looks for one kind of finding. It is safe for concurrent use.
type Probe struct {
	ID     string
	Doc    string   // what it finds
	Params []string // what each finding may say, sorted; values for the templates of repairs
	script string
}

// Finding is one thing that is broken.
type Finding struct {
	Probe  string            `json:"probe"`
	What   string            `json:"what"` // for people
	Params map[string]string `json:"params,omitempty"`
}

// All gives the probes, sorted by id. The error is that one is written wrong.
func All() ([]*Probe, error) {
	files, err := fs.Glob(scripts, "probes/*.sh")
	if err != nil {
		return nil, err
	}
	var all []*Probe
	for _, name := range files {
		text, err := scripts.ReadFile(name)
		if err != nil {
			return nil, err
		}
		p, err := parse(strings.TrimSuffix(strings.TrimPrefix(name, "probes/"), ".sh"), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Probe) int { return strings.Compare(a.ID, b.ID) })
	return all, nil
}

// parse reads a script: the first line says what it finds, the second which
// params it supplies.
func parse(id, text string) (*Probe, error) {
	doc, rest, _ := strings.Cut(text, "\n")
	params, script, _ := strings.Cut(rest, "\n")
	doc, ok := strings.CutPrefix(doc, "# ")
	params, ok2 := strings.CutPrefix(params, "# params:")
	if !ok || !ok2 {
		return nil, fmt.Errorf("probe %s does not start with what it finds and its params", id)
	}
	p := &Probe{ID: id, Doc: doc, script: prelude + script + "\nexit 0\n"}
	for name := range strings.SplitSeq(params, ",") {
		if name = strings.TrimSpace(name); name != "" {
			p.Params = append(p.Params, name)
		}
	}
	slices.Sort(p.Params)
	return p, nil
}

// Select gives the probes whose id one of the globs matches, sorted by id. A
// glob that matches none is an error.
func Select(globs []string) ([]*Probe, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	chosen := map[*Probe]bool{}
	for _, g := range globs {
		any := false
		for _, p := range all {
			if ok, err := doublestar.Match(g, p.ID); err != nil {
				return nil, fmt.Errorf("probe %q is no glob", g)
			} else if ok {
				chosen[p], any = true, true
			}
		}
		if !any {
			return nil, fmt.Errorf("no probe matches %q; there are %s", g, ids(all))
		}
	}
	return slices.DeleteFunc(all, func(p *Probe) bool { return !chosen[p] }), nil
}

func ids(all []*Probe) string {
	var out []string
	for _, p := range all {
		out = append(out, p.ID)
	}
	return strings.Join(out, ", ")
}

// Find looks. The findings are in the order found; more says that there were
// further ones. A *tools.CallError says that the probe could not look, any
// other error is the place's.
func (p *Probe) Find(ctx context.Context, at Runner) (found []Finding, more bool, err error) {
	r, err := at.Exec(ctx, sandbox.Cmd{Script: p.script, Timeout: timeout})
	if err != nil {
		return nil, false, err
	}
	if !r.OK() {
		out, _ := tools.Output(sandbox.Result{Stderr: r.Stderr, Exit: r.Exit})
		return nil, false, &tools.CallError{Kind: tools.ToolFailed,
			Reason: fmt.Sprintf("the probe %s could not look: exit status %d%s: %s", p.ID, r.Exit, because(r),
				tools.Clip(out, 300))}
	}
	return p.decode(r.Stdout)
}

func because(r sandbox.Result) string {
	if r.Reason == "" {
		return ""
	}
	return " (" + r.Reason + ")"
}

// decode reads what found wrote: fields that NUL ends, an empty one after each
// finding.
func (p *Probe) decode(out []byte) (all []Finding, more bool, err error) {
	f := Finding{Probe: p.ID, Params: map[string]string{}}
	for field := range bytes.SplitSeq(out, []byte{0}) {
		key, val, ok := strings.Cut(string(field), "=")
		switch {
		case len(field) == 0 && f.What != "":
			all = append(all, f)
			f = Finding{Probe: p.ID, Params: map[string]string{}}
		case len(field) == 0:
		case string(field) == "more":
			more = true
		case ok && key == "what":
			f.What = tools.Clean([]byte(val))
		case ok && slices.Contains(p.Params, key):
			f.Params[key] = val
		default:
			return nil, false, &tools.CallError{Kind: tools.ToolFailed,
				Reason: fmt.Sprintf("the probe %s wrote %q", p.ID, tools.Clip(tools.Clean(field), 80))}
		}
	}
	return all, more, nil
}

// ToolName is what the probe is called as a function.
func (p *Probe) ToolName() string { return "probe_" + strings.ReplaceAll(p.ID, "-", "_") }

// Tool makes the probe a function that a model may call: it takes nothing and
// changes nothing.
func (p *Probe) Tool() tools.Tool {
	def := &jsonschema.Definition{Type: jsonschema.Object, Properties: map[string]jsonschema.Definition{},
		AdditionalProperties: false}
	doc := "Looks, and changes nothing. Finds: " + p.Doc
	if len(p.Params) > 0 {
		doc += " A finding says " + strings.Join(p.Params, ", ") + "."
	}
	return tool{probe: p, def: def, spec: tools.NewSpec(p.ToolName(), doc, def)}
}

type tool struct {
	probe *Probe
	def   *jsonschema.Definition
	spec  model.ToolSpec
}

func (t tool) Spec() model.ToolSpec { return t.spec }

func (t tool) Call(ctx context.Context, sb sandbox.Sandbox, raw json.RawMessage) (tools.Result, error) {
	var none struct{}
	if err := tools.Decode(t.def, raw, &none); err != nil {
		return tools.Result{}, err
	}
	found, more, err := t.probe.Find(ctx, sb)
	if err != nil {
		return tools.Result{}, err
	}
	return tools.Result{Text: Format(found, more)}, nil
}

// nothing is what Format says of no finding.
const nothing = "nothing found"

// Format writes findings as a model reads them, one a line; Parse reads it
// back.
func Format(found []Finding, more bool) string {
	if len(found) == 0 {
		return nothing
	}
	var b strings.Builder
	for _, f := range found {
		line := "- " + f.What
		for _, k := range slices.Sorted(maps.Keys(f.Params)) {
			v, _ := json.Marshal(tools.Clean([]byte(f.Params[k]))) // a text always encodes
			line += "; " + k + "=" + string(v)
		}
		b.WriteString(line + "\n")
	}
	if more {
		b.WriteString("and more\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// said is the end of a finding's line: what it says, one value after another.
// Before it stands text for people, with names of files that may look alike.
var (
	values   = pattern.New(`(; [A-Za-z_][A-Za-z0-9_]*="([^"\\]|\\.)*")+$`)
	oneValue = pattern.New(`; ([A-Za-z_][A-Za-z0-9_]*)=("(?:[^"\\]|\\.)*")`)
)

// Parse gives the params of each finding in what Format wrote.
func Parse(text string) []map[string]string {
	var out []map[string]string
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "- ")
		if !ok {
			continue
		}
		params := map[string]string{}
		for _, m := range oneValue.FindAllStringSubmatch(values.FindString(line), -1) {
			var v string
			if json.Unmarshal([]byte(m[2]), &v) == nil {
				params[m[1]] = v
			}
		}
		out = append(out, params)
	}
	return out
}
