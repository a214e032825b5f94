package repair

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cookoff/model"
	"cookoff/sandbox"
	"cookoff/tools"

	"github.com/sashabaranov/go-openai/jsonschema"
)

// ToolOptions are what a recipe sets of repairs as tools.
type ToolOptions struct {
	Classes []string // classes that may run; nil: safe. Privileged never does
}

// Tool makes the repair a function that a model may call. Its parameters are
// the variables of its templates, and fix, which defaults to the fix that
// matches.
func (r *Repair) Tool(opt ToolOptions) tools.Tool {
	classes := opt.Classes
	if classes == nil {
		classes = []string{string(Safe)}
	}
	def := r.parameters()
	return tool{repair: r, classes: classes, def: def, spec: tools.NewSpec(r.ToolName(), r.describe(), def)}
}

// ToolName is what the repair is called as a function.
func (r *Repair) ToolName() string { return "repair_" + strings.ReplaceAll(r.ID, "-", "_") }

type tool struct {
	repair  *Repair
	classes []string
	def     *jsonschema.Definition
	spec    model.ToolSpec
}

// fixParam is the parameter that names a fix; a variable of that name would
// hide it.
const fixParam = "fix"

// explained says what the conventional variables mean.
var explained = map[string]string{
	"Required":     "the exact version that is needed",
	"MajorVersion": "the first part of the version that is needed",
	"Port":         "a TCP port number",
	"Holder":       "the process that holds the port",
	"Key":          "the name of an environment variable",
	"Keys":         "the names of environment variables, with blanks between",
	"Command":      "the name of a command",
	"Name":         "the name of what is to be mended",
	"FixedVersion": "the first version without the fault",
	"Path":         "a file or directory, relative to the project",
	"Ref":          "a git reference",
}

// parameters is the schema of what a model may give the repair as a tool: the values that
// its fixes take, and by which id a fix can be chosen.
func (r *Repair) parameters() *jsonschema.Definition {
	def := &jsonschema.Definition{Type: jsonschema.Object, Properties: map[string]jsonschema.Definition{},
		AdditionalProperties: false}
	uses := map[string][]string{}
	var ids, vars []string
	for _, f := range r.Fixes {
		ids = append(ids, f.ID)
		for _, v := range f.Vars() {
			uses[v] = append(uses[v], f.ID)
			vars = append(vars, v)
		}
	}
	slices.Sort(vars)
	for _, v := range slices.Compact(vars) {
		doc := explained[v]
		if len(uses[v]) == len(r.Fixes) {
			def.Required = append(def.Required, v)
		} else {
			doc = strings.TrimPrefix(doc+"; for "+strings.Join(uses[v], ", "), "; ")
		}
		def.Properties[v] = jsonschema.Definition{Type: jsonschema.String, Description: doc}
	}
	def.Properties[fixParam] = jsonschema.Definition{Type: jsonschema.String, Enum: ids,
		Description: "which fix to run; by default the first that matches this machine"}
	return def
}

func (r *Repair) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Mends what the probe %s finds. Fixes:", r.Probe)
	for _, f := range r.Fixes {
		fmt.Fprintf(&b, "\n- %s (%s", f.ID, f.Class)
		if when := f.When.String(); when != "" {
			b.WriteString("; " + when)
		}
		if f.Fallback {
			b.WriteString("; fallback")
		}
		b.WriteByte(')')
		if f.Label != "" {
			fmt.Fprintf(&b, ": %s", f.Label)
		}
	}
	return tools.Clean([]byte(b.String()))
}

func (t tool) Spec() model.ToolSpec { return t.spec }

// Call chooses the fix that fits what is found in the sandbox, and runs it. The result
// names the fix, its exit status and what it printed.
func (t tool) Call(ctx context.Context, sb sandbox.Sandbox, raw json.RawMessage) (tools.Result, error) {
	given := map[string]*string{}
	if err := tools.Decode(t.def, raw, &given); err != nil {
		return tools.Result{}, err
	}
	args := map[string]string{}
	for name, v := range given {
		if v != nil { // null is not given, and no empty text
			args[name] = *v
		}
	}
	facts, err := Gather(ctx, sb, t.repair.ToolNames())
	if err != nil {
		return tools.Result{}, err
	}
	fix, err := t.choose(facts, args[fixParam])
	if err != nil {
		return tools.Result{}, err
	}
	delete(args, fixParam)
	command, err := fix.Render(args)
	if err != nil {
		return tools.Result{}, &tools.CallError{Kind: tools.BadArguments, Reason: tools.Clean([]byte(err.Error()))}
	}
	if err := t.permit(fix, command); err != nil {
		return tools.Result{}, err
	}
	cmd := sandbox.Cmd{Script: command}
	if facts.Tools[fix.When.HasTool] == Function {
		cmd = sandbox.Cmd{Argv: []string{"/bin/bash", "-l", "-c", command}}
	}
	r, err := sb.Exec(ctx, cmd)
	if err != nil {
		return tools.Result{}, err
	}
	return report(fix, r), nil
}

func report(fix *Fix, r sandbox.Result) tools.Result {
	out, cut := tools.Output(r)
	text := fmt.Sprintf("fix %s: exit status %d\n%s", fix.ID, r.Exit, out)
	switch {
	case r.Reason != "":
		text += fmt.Sprintf("\n[ended by the sandbox: limit of %s]", r.Reason)
	case r.Signal != "":
		text += fmt.Sprintf("\n[ended by %s]", r.Signal)
	}
	return tools.Result{Text: text, Failed: !r.OK(), Cut: cut, Wrote: true}
}

// choose gives the fix to run, or a *tools.CallError that says why each fix
// was passed over.
func (t tool) choose(facts *Facts, asked string) (*Fix, error) {
	chosen, passed := t.repair.Choose(facts)
	if asked == "" {
		if chosen != nil {
			return chosen, nil
		}
		var why []string
		for _, p := range passed {
			why = append(why, p.Fix.ID+" "+p.Why)
		}
		return nil, failed("no fix of %s matches here: %s", t.spec.Name, strings.Join(why, "; "))
	}
	i := slices.IndexFunc(t.repair.Fixes, func(f *Fix) bool { return f.ID == asked })
	fix := t.repair.Fixes[i] // Decode has held it against the enum
	if why := fix.When.Misses(facts); why != "" {
		return nil, failed("fix %s does not match here: it %s", fix.ID, why)
	}
	return fix, nil
}

func failed(format string, a ...any) *tools.CallError {
	return &tools.CallError{Kind: tools.ToolFailed, Reason: fmt.Sprintf(format, a...)}
}

// permit refuses a fix whose class may not run. A privileged one never may.
func (t tool) permit(fix *Fix, command string) error {
	why := fmt.Sprintf("classes that may run here: %s", cmp.Or(strings.Join(t.classes, ", "), "none"))
	switch {
	case fix.Class == Privileged:
		why = "commands of this class are only shown, never run: " + tools.Clip(tools.Clean([]byte(command)), 500)
	case slices.Contains(t.classes, string(fix.Class)):
		return nil
	}
	e := &tools.CallError{Kind: tools.ClassRefused, Reason: fmt.Sprintf("fix %s is of class %s; %s", fix.ID, fix.Class,
		why)}
	if fix.Class != Privileged {
		e.Class, e.Command = string(fix.Class), tools.Clip(tools.Clean([]byte(command)), 2000)
	}
	return e
}

// Permit gives the tool with one more class that may run. Privileged never
// may.
func (t tool) Permit(class string) tools.Tool {
	t.classes = append(slices.Clone(t.classes), class)
	return t
}
