package recipe

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"cookoff/recipe/lookup"
	"cookoff/recipe/problem"
)

// world writes the files of a txtar text below a new directory; those below
// home/ are the user's. "NAME" stands for a recipe of that name.
func world(t testing.TB, text string) Finder {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(text)).Files {
		file := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Finder{Dirs: lookup.Dirs{Dir: dir, Home: filepath.Join(dir, "home")}}
}

// minimal is a recipe that sets nothing but its title.
func minimal(title string) string { return "# " + title + "\n\nversion: 1\n" }

func files(contents ...string) string {
	var b strings.Builder
	for i := 0; i < len(contents); i += 2 {
		fmt.Fprintf(&b, "-- %s --\n%s", contents[i], contents[i+1])
	}
	return b.String()
}

func TestDiscoveryOrder(t *testing.T) {
	places := []string{"recipe.md", ".cookoff/recipe.md", ".errata/recipe.md", "home/.cookoff/default.recipe.md",
		"home/.errata/default.recipe.md"}
	for i := range places {
		var contents []string
		for _, p := range places[i:] {
			contents = append(contents, p, minimal("in "+p))
		}
		r, err := world(t, files(contents...)).Discover("")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "found", r.Name, "in "+places[i])
	}
	r, err := world(t, "").Discover("")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "where nothing is found", r.Source(), "builtin:default")
}

func TestWhatIsThereIsNeverPassedOver(t *testing.T) {
	f := world(t, files("recipe.md", "# Broken\n", ".cookoff/recipe.md", minimal("fine")))
	if r, err := f.Discover(""); err == nil || !strings.Contains(err.Error(), "recipe.md:1:1: no version") {
		t.Errorf("a recipe.md that does not parse gave %v and %v", r, err)
	}
	f = world(t, files(".cookoff/recipe.md", minimal("fine")))
	if err := os.Mkdir(filepath.Join(f.Dir, "recipe.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Discover(""); err == nil || !strings.Contains(err.Error(), "a directory") {
		t.Errorf("a directory recipe.md gave %v", err)
	}
	f = world(t, files(".cookoff/recipe.md", minimal("fine")))
	if err := os.Symlink("nowhere", filepath.Join(f.Dir, "recipe.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Discover(""); err == nil || !strings.Contains(err.Error(), "no such recipe file") {
		t.Errorf("a dangling recipe.md gave %v", err)
	}
}

func TestNames(t *testing.T) {
	f := world(t, files(".cookoff/recipes/node.recipe.md", minimal("one"), ".cookoff/recipes/node.md", minimal("two"),
		"home/.cookoff/recipes/git.md", minimal("three"),
		"node.md", minimal("four"), ".cookoff/recipes/default.md", minimal("mine"), "sub/x.md", minimal("five")))
	for name, want := range map[string]string{"node": "one", "git": "three", "node.md": "four", "default": "mine",
		"sub/x.md": "five", "builtin:default": Default().Name} {
		r, err := f.Discover(name)
		if err != nil {
			t.Fatal(err)
		}
		same(t, name, r.Name, want)
	}
	for name, want := range map[string]string{
		"defualt":      `did you mean "default"?`,
		"missing.md":   "missing.md: no such recipe file",
		"builtin:no":   "no built-in recipe is named",
		"git+https://": "the address lacks a path or a revision",
		"sub":          `no recipe is named "sub", which is a directory`,
	} {
		if r, err := f.Discover(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gave %v, %v, not %s", name, r, err, want)
		}
	}
}

func TestLayers(t *testing.T) {
	f := world(t, files(
		"recipe.md", "# Top\n\nversion: 1\n\n## Metadata\nextends: base/a.md, b.md\n\n## Tasks\n- top\n",
		"base/a.md",
		"# A\n\nversion: 1\n\n## Metadata\nextends: c.md\nauthor: a\n\n## System Prompt\nfrom a\n\n## Constraints\n"+
			"max_steps: 7\n",
		"base/c.md",
		"# C\n\nversion: 1\n\n## System Prompt\nfrom c\n\n## Sandbox\nfilesystem: read_only\n\n## Constraints\n"+
			"timeout: 1m\nmax_cost: 1\n",
		"b.md", "# B\n\nversion: 1\n\n## Constraints\nbash_timeout: 3s\n"))
	r, err := f.Discover("")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "name", r.Name, "Top")
	same(t, "an undeclared section comes from the nearest layer", r.SystemPrompt, "from a")
	same(t, "or one deeper", r.Sandbox, SandboxConfig{Filesystem: "read_only"})
	same(t, "a declared section replaces all of it", r.Constraints, ConstraintsConfig{BashTimeout: 3e9})
	same(t, "what nobody declares is not the demonstration's", r.Models, []string(nil))
	same(t, "tools that nobody names are all", r.Tools, (*ToolsConfig)(nil))
	same(t, "metadata are a section too", r.Metadata, MetadataConfig{Extends: []string{"base/a.md", "b.md"}})
	same(t, "files", r.Files(), []string{"base/c.md", "base/a.md", "b.md", "recipe.md"})
	for section, want := range map[string]string{"tasks": "recipe.md", "system prompt": "base/a.md",
		"sandbox": "base/c.md", "constraints": "b.md", "models": "", "hooks": ""} {
		same(t, "source of "+section, r.SectionSource(section), want)
	}
	same(t, "place of a value", r.At("sandbox.filesystem").String(), "base/c.md:9:13")
	same(t, "place of a value of the section below is gone", r.At("constraints.max_steps").String(), "b.md:5:4")
	same(t, "source", r.Source(), "recipe.md")
}

// TestDefaultsAreValues: what a file inherits that extends nothing are numbers,
// switches and a prompt that names no task.
func TestDefaultsAreValues(t *testing.T) {
	r, err := world(t, files("recipe.md", minimal("mine"))).Discover("")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "sections", r.SectionsPresent, map[string]bool{"system prompt": true, "constraints": true, "sandbox": true})
	same(t, "source", r.SectionSource("constraints"), FromDefaults)
	same(t, "files", r.Files(), []string{"recipe.md"})
	same(t, "network", r.Sandbox.Network, "none")
	for _, word := range []string{"environment", "broken", "network"} {
		if strings.Contains(r.SystemPrompt, word) {
			t.Errorf("the prompt speaks of %q: %s", word, r.SystemPrompt)
		}
	}
	r, err = world(t, files("recipe.md", minimal("mine")+"\n## Metadata\nextends: builtin:default\n")).Discover("")
	if err != nil || len(r.Tasks) != len(Default().Tasks) || len(r.Tools.Repairs) == 0 || len(r.Models) == 0 {
		t.Errorf("the demonstration is not taken when it is extended: %v", err)
	}
}

// TestMetadataAreTheFilesOwn: nobody gives away a recipe for another, nor is
// its author.
func TestMetadataAreTheFilesOwn(t *testing.T) {
	f := world(t, files("recipe.md", minimal("mine"), "top.md", "version: 1\n\n## Metadata\nextends: base.md\n",
		"over.md", "version: 1\n\n## Metadata\nextends: top.md\nauthor: me\n",
		"base.md", "version: 1\n\n## Metadata\nauthor: them\ncontribute: true\ntags: x\nproject_root: sub\n"))
	for name, want := range map[string]MetadataConfig{"recipe.md": {}, "top.md": {Extends: []string{"base.md"}},
		"over.md": {Extends: []string{"top.md"}, Author: "me"}} {
		r, err := f.Discover(name)
		if err != nil {
			t.Fatal(err)
		}
		same(t, name, r.Metadata, want)
	}
	r, err := Parse(filepath.Join(f.Dir, "base.md"))
	if err != nil {
		t.Fatal(err)
	}
	top := mustParse(t, "## Constraints\nmax_steps: 3\n").Over(r)
	same(t, "only the root is inherited", top.Metadata, MetadataConfig{ProjectRoot: "sub"})
	same(t, "its place", top.At("metadata.project_root").Line, 7)
	for _, v := range top.Values() {
		if v.Key == "metadata.contribute" || v.Key == "metadata.author" {
			t.Errorf("%s is %s", v.Key, v.Text)
		}
	}
	if r, err := f.Discover("recipe.md"); err != nil || r.HasSection("metadata") ||
		r.At("metadata.author") != (problem.Pos{}) {
		t.Errorf("a recipe without metadata has them: %v", err)
	}
}

func TestExtendsRefuses(t *testing.T) {
	check := func(what, text string, want ...string) {
		t.Helper()
		_, err := world(t, text).Discover("recipe.md")
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s gave %v, not %s", what, err, w)
			}
		}
	}
	top := func(ext string) string { return "version: 1\n\n## Metadata\nextends: " + ext + "\n" }
	check("itself", files("recipe.md", top("recipe.md")),
		"recipe.md:4:10: recipes extend each other in a circle: recipe.md → recipe.md")
	check("a circle", files("recipe.md", top("a/b.md"), "a/b.md", top("../c.md"), "c.md", top("./recipe.md")),
		"c.md:4:10: ", "recipe.md → a/b.md → c.md → recipe.md")
	check("a missing file", files("recipe.md", top("a.md"), "a.md", top("gone.md")),
		`a.md:4:10: extending "gone.md": no such file (recipe.md → a.md → gone.md)`)
	check("git", files("recipe.md", top("git+http://host/org/repo//a.md@v1")), "recipe.md:4:10: ",
		"git sources are git+https://, git+ssh:// and git+file:// alone", "(recipe.md → git+http://")
	check("an absolute path", files("recipe.md", top("/etc/passwd")), "recipe.md:4:10: ", "a path relative to the file")
	check("a home path", files("recipe.md", top("~/x.md")), "a path relative to the file")
	check("an address", files("recipe.md", top("https://example.org/x.md")), "a path relative to the file")
	check("an unknown built-in", files("recipe.md", top("builtin:nope")), `no built-in recipe is named "nope"`,
		"default")
	check("a directory", files("recipe.md", top("d"), "d/x", ""), "d: a directory")
	check("problems of every file at once",
		files("recipe.md", top("a.md")+"\n## Tols\n", "a.md", top("gone.md")+"colour: red\n"),
		"a.md:4:10: ", `a.md:5:1: unknown key "colour"`, `recipe.md:6:4: unknown section "Tols"`)

	var deep []string
	for i := range 20 {
		deep = append(deep, fmt.Sprintf("%d.md", i), top(fmt.Sprintf("%d.md", i+1)))
	}
	deep[0] = "recipe.md"
	check("too deep", files(deep...), "more than 16 deep: recipe.md → 1.md → ")

	// A diamond is no circle, and is no work of 2^n either.
	var wide []string
	for i := range 14 {
		wide = append(wide, fmt.Sprintf("a%d.md", i), top(fmt.Sprintf("a%d.md, b%d.md", i+1, i+1)),
			fmt.Sprintf("b%d.md", i), top(fmt.Sprintf("a%d.md, b%d.md", i+1, i+1)))
	}
	wide = append(wide, "a14.md", minimal("x"), "b14.md", minimal("y"), "recipe.md", top("a0.md"))
	if _, err := world(t, files(wide...)).Discover(""); err != nil {
		t.Errorf("a diamond: %v", err)
	}
}

func TestNamed(t *testing.T) {
	f := world(t, files(".cookoff/recipes/go.md", minimal("a"), ".cookoff/recipes/go.recipe.md", minimal("b"),
		".cookoff/recipes/notes.txt", "x", ".cookoff/recipes/a b.md", minimal("c"),
		"home/.cookoff/recipes/default.md", minimal("d"), "home/.cookoff/recipes/go.md", minimal("e")))
	same(t, "names", f.Named(), []string{"default", "go"})
	for name, want := range map[string]string{"default": "d", "go": "b"} {
		if r, err := f.Discover(name); err != nil || r.Name != want {
			t.Errorf("%s is %q, %v", name, r.Name, err)
		}
	}
	same(t, "no directory, no name", len(world(t, "").Named()), 0)
}

func TestExtendsABuiltin(t *testing.T) {
	r, err := world(t, files("recipe.md", "version: 1\n\n## Metadata\nextends: builtin:runtimes\n")).Discover("")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "tasks come from", r.SectionSource("tasks"), "builtin:runtimes")
}

func TestARecipeBuiltInCodeIsLaidFieldByField(t *testing.T) {
	base := Default()
	over := &Recipe{
		Models:      []string{"a/b"},
		Constraints: ConstraintsConfig{MaxSteps: 3},
		ModelParams: ModelParamsConfig{Seed: new(int64(0))},
		SubAgent:    SubAgentConfig{MaxDepth: -1},
	}
	r := over.Over(base)
	same(t, "a list is replaced", r.Models, []string{"a/b"})
	same(t, "a field is replaced", r.Constraints.MaxSteps, 3)
	same(t, "the field beside it is not", r.Constraints.Timeout, base.Constraints.Timeout)
	same(t, "an explicit zero is a value", *r.ModelParams.Seed, int64(0))
	same(t, "a depth that is not set is none", r.SubAgent, base.SubAgent)
	same(t, "tasks are inherited", len(r.Tasks), len(base.Tasks))
	same(t, "sources", []string{r.SectionSource("models"), r.SectionSource("tasks"), r.SectionSource("sub-agent")},
		[]string{"code", "builtin:default", ""})
	if base.Constraints.MaxSteps == 3 || slices.Equal(base.Models, r.Models) {
		t.Error("the layer below was changed")
	}
}

func TestDigestChangesWithWhatCanChangeAnOutcome(t *testing.T) {
	base := Default().Digest()
	differs := func(what string, differs bool, change func(*Recipe)) {
		t.Helper()
		r := Default()
		change(r)
		if got := r.Digest() != base; got != differs {
			t.Errorf("%s: the digest changes is %v", what, got)
		}
	}
	differs("nothing", false, func(*Recipe) {})
	differs("title", false, func(r *Recipe) { r.Name = "x" })
	differs("author", false, func(r *Recipe) { r.Metadata.Author = "x" })
	differs("tags of a task", false, func(r *Recipe) { r.Tasks[0].Tags = []string{"x"} })
	differs("title of a task", false, func(r *Recipe) { r.Tasks[0].Title = "x" })
	differs("number of trials", false, func(r *Recipe) { r.Comparison.Trials = 9 })
	differs("an empty map for none", false, func(r *Recipe) { r.OutputProcessing = map[string]OutputRuleConfig{} })
	differs("prompt", true, func(r *Recipe) { r.Tasks[0].Prompt += "." })
	differs("setup", true, func(r *Recipe) { r.Tasks[0].Setup += "#" })
	differs("a verify block", true, func(r *Recipe) { r.Tasks[0].Verify[0].ExitCode = new(0) })
	differs("an explicit zero", true, func(r *Recipe) { r.ModelParams.Temperature = new(0.0) })
	differs("no tools for every tool", true, func(r *Recipe) { r.Tools = nil })
	differs("no tools in a task", true, func(r *Recipe) { r.Tasks[0].Tools = []string{} })
	differs("network", true, func(r *Recipe) { r.Sandbox.Network = "full" })
	differs("order of models", true, func(r *Recipe) { slices.Reverse(r.Models) })
}

// TestInPlaceOf: a version of a recipe that was written elsewhere keeps what
// models must not see of the first one.
func TestInPlaceOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recipe.md")
	if err := os.WriteFile(path, []byte("# Old\nversion: 1\n\n## Models\n- baseline/noop\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	old, err := Discover(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ParseContent([]byte("# New\nversion: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := r.InPlaceOf(old)
	if got.Name != "New" || len(got.Models) != 0 || got.Source() != old.Source() || !slices.Contains(got.LocalFiles(),
		path) || len(r.LocalFiles()) != 0 {
		t.Errorf("%q from %q, files %q", got.Name, got.Source(), got.LocalFiles())
	}
}
