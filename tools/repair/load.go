package repair

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"cookoff/internal/pattern"
	"cookoff/recipe"
	"cookoff/recipe/problem"
)

//go:embed library/*.yaml
var embedded embed.FS

// Default gives the library that is part of the program.
func Default() (*Library, error) {
	dir, err := fs.Sub(embedded, "library")
	if err != nil {
		return nil, err
	}
	return Load(dir, "library")
}

// Load reads every *.yaml and *.yml file of the top directory of fsys, each
// one repair. name is what messages call that directory. All that is wrong in
// any file is reported together, as a problem.List; any other error is that
// the files can't be read.
func Load(fsys fs.FS, name string) (*Library, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("reading repairs of %s: %w", name, cause(err))
	}
	var problems problem.List
	first := map[string]*Repair{}
	lib := &Library{}
	for _, e := range entries {
		if ext := path.Ext(e.Name()); e.IsDir() || ext != ".yaml" && ext != ".yml" {
			continue
		}
		d := &decoder{file: path.Join(name, e.Name())}
		data, err := fs.ReadFile(fsys, e.Name())
		if err != nil {
			problems = append(problems, problem.Problem{Pos: problem.Pos{File: d.file},
				Msg: fmt.Sprintf("reading the file: %v", cause(err))})
			continue
		}
		r := d.repair(data)
		if r != nil && r.ID != "" {
			if was, twice := first[r.ID]; twice {
				d.problems = append(d.problems, duplicate(r, was))
			} else {
				first[r.ID] = r
				lib.repairs = append(lib.repairs, r)
			}
		}
		problems = append(problems, d.problems...)
	}
	if len(problems) > 0 {
		problems.Sort()
		return nil, problems
	}
	slices.SortFunc(lib.repairs, func(a, b *Repair) int { return strings.Compare(a.ID, b.ID) })
	return lib, nil
}

// cause is an error of a file without the name that fs knows it by, which
// says nothing to whoever named the directory.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// The file as written. A field without a tag takes the mapping's position.
type (
	fileDoc struct {
		Pos   problem.Pos
		ID    value    `yaml:"id"`
		Probe value    `yaml:"probe"`
		Fixes []fixDoc `yaml:"fixes"`
	}
	fixDoc struct {
		Pos      problem.Pos
		ID       value    `yaml:"id"`
		Class    value    `yaml:"class"`
		When     whenDoc  `yaml:"when"`
		Label    value    `yaml:"label"`
		Command  value    `yaml:"command"`
		Fallback bool     `yaml:"fallback"`
		Test     *testDoc `yaml:"test"`
	}
	whenDoc struct {
		OS      value `yaml:"os"`
		Arch    value `yaml:"arch"`
		Distro  value `yaml:"distro"`
		HasTool value `yaml:"has_tool"`
	}
	testDoc struct {
		Pos       problem.Pos
		Image     value         `yaml:"image"`
		Params    []named       `yaml:"params"`
		Setup     value         `yaml:"setup"`
		Before    *checkDoc     `yaml:"before"`
		After     *afterDoc     `yaml:"after"`
		Prompt    value         `yaml:"prompt"`
		Live      bool          `yaml:"live"`
		Path      []value       `yaml:"path"`
		Solution  value         `yaml:"solution"`
		Solutions []value       `yaml:"solutions"`
		Guard     value         `yaml:"guard"`
		Protect   []value       `yaml:"protect"`
		MayChange []value       `yaml:"may_change"`
		MayAdd    []value       `yaml:"may_add"`
		Verify    []verifyDoc   `yaml:"verify"`
		VerifyEnv value         `yaml:"verify_env"`
		Shortcuts []shortcutDoc `yaml:"shortcuts"`
	}
	verifyDoc struct {
		pos   problem.Pos
		block recipe.VerifyBlock
	}
	checkDoc struct {
		Pos   problem.Pos
		Check value `yaml:"check"`
	}
	afterDoc struct {
		Pos        problem.Pos
		Check      value `yaml:"check"`
		Idempotent bool  `yaml:"idempotent"`
	}
	shortcutDoc struct {
		Pos     problem.Pos
		ID      value `yaml:"id"`
		Command value `yaml:"command"`
		Why     value `yaml:"why"`
	}
)

// repair reads one file; what is wrong with it is in d.problems.
func (d *decoder) repair(data []byte) *Repair {
	root := d.document(data)
	if root == nil {
		return nil
	}
	var doc fileDoc
	d.decode(root, reflect.ValueOf(&doc).Elem())
	d.kebab("id", doc.ID, doc.Pos)
	d.kebab("probe", doc.Probe, doc.Pos)
	if len(doc.Fixes) == 0 {
		d.problem(doc.Pos, "missing fixes: a repair has at least one")
	}
	r := &Repair{ID: doc.ID.s, Probe: doc.Probe.s, Pos: doc.Pos}
	if doc.ID.given() {
		r.Pos = doc.ID.pos
	}
	seen := map[string]problem.Pos{}
	for _, f := range doc.Fixes {
		if at, twice := seen[f.ID.s]; twice && f.ID.s != "" {
			d.problem(f.ID.pos, "fix %q is already defined at %s", f.ID.s, at)
		}
		seen[f.ID.s] = f.ID.pos
		r.Fixes = append(r.Fixes, d.fix(f))
	}
	d.params(doc, r)
	return r
}

// fix reads one fix of a repair, and notes as problems what is missing or not allowed in
// it.
func (d *decoder) fix(doc fixDoc) *Fix {
	d.kebab("id of a fix", doc.ID, doc.Pos)
	d.required("class of a fix", doc.Class, doc.Pos)
	if doc.Class.s != "" {
		d.oneOf("class", doc.Class, Classes())
	}
	d.oneOf("os", doc.When.OS, []string{"linux", "darwin"})
	d.oneOf("arch", doc.When.Arch, []string{"amd64", "arm64"})
	if t := doc.When.HasTool; t.given() && !toolName.MatchString(t.s) {
		d.problem(t.pos, "has_tool %q is no name of a program", t.s)
	}
	f := &Fix{
		ID: doc.ID.s, Class: Class(doc.Class.s), Fallback: doc.Fallback, Pos: doc.Pos, Label: doc.Label.s,
		Command: doc.Command.s,
		When:    When{OS: doc.When.OS.s, Arch: doc.When.Arch.s, Distro: doc.When.Distro.s, HasTool: doc.When.HasTool.s},
	}
	f.label = d.template("label", doc.Label)
	if d.required("command of a fix", doc.Command, doc.Pos) {
		f.command = d.template("command", doc.Command)
		d.shell(f, doc.Command)
	}
	if doc.Test != nil {
		f.Test = d.test(*doc.Test)
	}
	return f
}

// test reads the test of a fix, and notes as problems what it must have and has not.
func (d *decoder) test(doc testDoc) *Test {
	t := &Test{
		Image: doc.Image.s, Setup: doc.Setup.s, Prompt: doc.Prompt.s, Live: doc.Live, Solution: doc.Solution.s,
		Guard:  doc.Guard.s,
		Params: map[string]string{}, Path: plainTexts(doc.Path), Others: plainTexts(doc.Solutions),
		Protect: d.globs("protect", doc.Protect), MayChange: d.globs("may_change", doc.MayChange),
		MayAdd: d.globs("may_add", doc.MayAdd),
	}
	if t.VerifyEnv = doc.VerifyEnv.s; t.VerifyEnv != "" && t.VerifyEnv != "agent" {
		d.problem(doc.VerifyEnv.pos, "unknown verify_env %q: agent, or none", t.VerifyEnv)
	}
	for _, v := range doc.Verify {
		t.Verify = append(t.Verify, v.block)
	}
	for _, p := range doc.Params {
		t.Params[p.name] = p.s
	}
	if doc.Before != nil {
		d.required("check of before", doc.Before.Check, doc.Before.Pos)
		t.Before = doc.Before.Check.s
	}
	if doc.After != nil {
		d.required("check of after", doc.After.Check, doc.After.Pos)
		t.After, t.Idempotent = doc.After.Check.s, doc.After.Idempotent
	} else if doc.Before != nil {
		d.problem(doc.Before.Pos, "before without after: nothing would tell that the fix worked")
	}
	t.At = doc.at()
	seen := map[string]bool{}
	for _, s := range doc.Shortcuts {
		d.kebab("id of a shortcut", s.ID, s.Pos)
		d.required("command of a shortcut", s.Command, s.Pos)
		if seen[s.ID.s] && s.ID.s != "" {
			d.problem(s.ID.pos, "shortcut %q is already defined", s.ID.s)
		}
		seen[s.ID.s] = true
		t.Shortcuts = append(t.Shortcuts, Shortcut{ID: s.ID.s, Command: s.Command.s, Why: s.Why.s})
	}
	return t
}

// at says where each part of a test stands.
func (doc testDoc) at() map[string]problem.Pos {
	all := map[string]problem.Pos{"": doc.Pos, "setup": doc.Setup.pos, "guard": doc.Guard.pos,
		"solution": doc.Solution.pos}
	if doc.Before != nil {
		all["before"] = doc.Before.Check.pos
	}
	if doc.After != nil {
		all["after"] = doc.After.Check.pos
	}
	for key, list := range map[string][]value{
		"protect": doc.Protect, "may_change": doc.MayChange, "may_add": doc.MayAdd, "path": doc.Path,
		"others": doc.Solutions,
	} {
		for i, v := range list {
			all[fmt.Sprintf("%s[%d]", key, i)] = v.pos
		}
	}
	for i, s := range doc.Shortcuts {
		all[fmt.Sprintf("shortcuts[%d]", i)] = s.Command.pos
	}
	for i, b := range doc.Verify {
		all[fmt.Sprintf("verify[%d]", i)] = b.pos
	}
	return all
}

// globs reads a list of globs.
func (d *decoder) globs(key string, vs []value) []string {
	for _, g := range vs {
		if !doublestar.ValidatePattern(g.s) {
			d.problem(g.pos, "%s: %q is no glob", key, g.s)
		}
	}
	return plainTexts(vs)
}

func plainTexts(vs []value) []string {
	var out []string
	for _, v := range vs {
		out = append(out, v.s)
	}
	return out
}

var (
	kebabCase = pattern.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	toolName  = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9._+-]*$`)
)

// maxID keeps repair_<id> within the 64 characters of a function name.
const maxID = 57

// ValidID gives nil where a repair or a fix may be called id, and else why not.
func ValidID(id string) error {
	switch {
	case !kebabCase.MatchString(id):
		return fmt.Errorf("%q is not kebab-case: small letters, digits and single hyphens", id)
	case len(id) > maxID:
		return fmt.Errorf("%q is longer than %d characters", id, maxID)
	}
	return nil
}

func (d *decoder) required(what string, v value, at problem.Pos) bool {
	if v.given() {
		at = v.pos
	}
	if strings.TrimSpace(v.s) == "" {
		d.problem(at, "missing %s", what)
		return false
	}
	return true
}

func (d *decoder) kebab(what string, v value, at problem.Pos) {
	if !d.required(what, v, at) {
		return
	}
	if err := ValidID(v.s); err != nil {
		d.problem(v.pos, "%s %v", what, err)
	}
}

// params holds the values of each test against the variables of the templates:
// what a fix uses must be given, and what is given must be used by some fix.
func (d *decoder) params(doc fileDoc, r *Repair) {
	used := map[string]bool{}
	for _, f := range r.Fixes {
		for _, v := range f.Vars() {
			used[v] = true
			if v == fixParam {
				d.problem(f.Pos, "fix %q uses {{.%s}}: that name is taken, a call says with it which fix to run", f.ID,
					v)
			}
		}
	}
	for i, f := range r.Fixes {
		if f.Test == nil {
			continue
		}
		for _, v := range f.Vars() {
			if _, ok := f.Test.Params[v]; !ok {
				d.problem(doc.Fixes[i].Test.Pos, "fix %q uses {{.%s}}, which the params of its test lack", f.ID, v)
			}
		}
		for _, p := range doc.Fixes[i].Test.Params {
			if !used[p.name] {
				d.problem(p.pos, "param %q is used by no fix of the repair", p.name)
			}
		}
	}
}
