package runner

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner/budget"
	"cookoff/runner/toolset"
	"cookoff/sandbox/gate"
	"cookoff/tools"
	"cookoff/verify/lint"
)

// checker resolves every name of a recipe into a Runner, and gathers all that
// is wrong.
type checker struct {
	recipe   *recipe.Recipe
	env      Env
	runner   *Runner
	problems recipe.Problems
}

func (c *checker) check() recipe.Problems {
	c.models()
	c.servers()
	c.tools()
	c.hooks()
	c.sandbox()
	c.projectRoot()
	c.tasks()
	c.subAgents()
	c.profiles()
	c.context()
	c.reminders()
	c.matchers()
	c.costs()
	c.problems = append(c.problems, c.recipe.Dropped()...)
	c.problems.Sort()
	return c.problems
}

// at reports a problem with the value at key.
func (c *checker) at(key, hint, format string, args ...any) {
	c.problems = append(c.problems, recipe.Problem{Pos: c.recipe.Place(key), Msg: fmt.Sprintf(format, args...), Hint: hint})
}

// warn reports what is worth saying and no reason to refuse.
func (c *checker) warn(key, hint, format string, args ...any) {
	c.at(key, hint, format, args...)
	c.problems[len(c.problems)-1].Warning = true
}

// unknown reports a name that means nothing, with what is allowed.
func (c *checker) unknown(key, what, name string, allowed []string) {
	hint := ""
	if n := recipe.Nearest(name, allowed); n != "" {
		hint = fmt.Sprintf("did you mean %s?", n)
	}
	c.at(key, hint, "unknown %s %q; allowed: %s", what, name, strings.Join(allowed, ", "))
}

func (c *checker) models() {
	if len(c.recipe.Models) == 0 {
		c.at("models", "list them under ## Models, as - openai/gpt-5-mini or - baseline/oracle, or name them with --models; cookoff models says who can be asked", "no models to compare")
	}
	for i, id := range c.recipe.Models {
		key := fmt.Sprintf("models[%d]", i)
		if provider, _, _ := strings.Cut(id, "/"); provider == "baseline" {
			if !slices.Contains(baselines, id) {
				c.unknown(key, "baseline", id, baselines)
			}
			c.runner.models[id] = contestant{baseline: id}
			continue
		}
		chat, err := c.env.Chat(id)
		if err != nil {
			msg, hint, _ := strings.Cut(err.Error(), "\n")
			c.at(key, strings.TrimPrefix(strings.TrimSpace(hint), "hint: "), "%s", msg)
		}
		c.runner.models[id] = contestant{chat: chat}
	}
	if b := c.recipe.Comparison.Baseline; b != "" && !slices.Contains(c.recipe.Models, b) {
		c.unknown("comparison.baseline", "model", b, c.recipe.Models)
	}
}

func (c *checker) tools() {
	names := tools.Names()
	if c.recipe.SubAgent.MaxDepth > 0 {
		names = append(names, toolset.Spawn)
	}
	known := func(key, name string) {
		if name == "web_fetch" && !toolset.Fetches(c.recipe) {
			c.at(key, "say network: allow, with allow_hosts, or allow_local_fetch: true under Sandbox", "web_fetch has nothing to reach: the sandbox has no network")
		}
		if !slices.Contains(names, name) && !c.served(key, name) {
			c.unknown(key, "tool", name, names)
		}
	}
	if t := c.recipe.Tools; t != nil {
		for i, name := range t.Allowlist {
			known(fmt.Sprintf("tools.allowlist[%d]", i), name)
		}
		c.patterns(t.BashPrefixes)
	}
	for _, name := range slices.Sorted(maps.Keys(c.recipe.ToolDescriptions)) {
		if !strings.HasPrefix(name, "repair_") {
			known("tool_descriptions."+name, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.recipe.OutputProcessing)) {
		if !strings.HasPrefix(name, "repair_") {
			known("output_processing."+name, name)
		}
	}
	for i, class := range c.recipe.Constraints.AllowClasses {
		allowed := []string{"safe", "shared", "destructive"}
		switch {
		case class == "privileged":
			c.at(fmt.Sprintf("constraints.allow_classes[%d]", i), "", "repairs of class privileged are never executed")
		case !slices.Contains(allowed, class):
			c.unknown(fmt.Sprintf("constraints.allow_classes[%d]", i), "class", class, allowed)
		}
	}
}

// patterns says what the patterns of bash(…) leave open.
func (c *checker) patterns(list []string) {
	if len(list) == 0 {
		return
	}
	for i, p := range list {
		for _, word := range strings.Fields(p) {
			if word != "*" && strings.Contains(word, "*") {
				c.warn(fmt.Sprintf("tools.bash_prefixes[%d]", i), "write it as a word of its own, as in bash(go build *)", "the * in %q stands for itself: only as a whole word is it any word", word)
			}
		}
	}
	if c.recipe.Sandbox.Filesystem != "read_only" {
		c.warn("tools.bash_prefixes[0]", "filesystem: read_only keeps commands from writing in the project",
			"bash(…) says which programs a command may call, those in substitutions too; it does not restrict where a redirection writes (echo x > file), most variables set before a command, nor what an allowed program does")
		c.problems[len(c.problems)-1].Note = true
	}
}

// needs says what a recipe may only have when the user lets it.
func (c *checker) needs(key, what, permission string) {
	if !slices.Contains(c.env.Allow, permission) {
		c.at(key, "run it with --allow "+permission+" if you trust it", "%s needs your permission", what)
	}
}

func (c *checker) sandbox() {
	s := c.recipe.Sandbox
	if s.Filesystem == "unrestricted" {
		c.unrestricted()
	}
	switch s.Network {
	case "full":
		c.needs("sandbox.network", "network: full", "network")
	case "allow":
		if !slices.Contains(c.env.Allow, "network") {
			c.needs("sandbox.network", "network: allow", "hosts")
		}
		for i, h := range s.AllowHosts {
			if err := gate.CheckHost(h); err != nil {
				c.at(fmt.Sprintf("sandbox.allow_hosts[%d]", i), "write a name such as example.com, or *.example.com for all below it", "%v", err)
			}
		}
	}
	if s.Isolation != "" && !slices.Contains([]string{"", "auto", "gvisor"}, s.Backend) {
		c.at("sandbox.isolation", "drop one of them", "isolation: %s needs the gvisor backend, and backend says %s", s.Isolation, s.Backend)
	}
	if s.Image != "" {
		c.image("sandbox.image")
	}
	if s.Filesystem != "read_only" {
		return
	}
	for i, t := range c.recipe.Tasks {
		if t.Setup != "" {
			c.warn(fmt.Sprintf("tasks[%d].setup", i), "use filesystem: project_only, or let setup stage below HOME", "filesystem: read_only: nothing in /work can be written, by setup neither")
		}
	}
}

// unrestricted refuses the whole host where nobody allowed it or nothing can
// show it.
func (c *checker) unrestricted() {
	const key = "sandbox.filesystem"
	s := c.recipe.Sandbox
	c.needs(key, "filesystem: unrestricted", "unrestricted")
	switch dir, err := filepath.EvalSymlinks(c.env.Dir); {
	case s.Isolation != "" || !slices.Contains([]string{"", "auto", "native"}, s.Backend):
		c.at(key, "use backend: native, or filesystem: project_only", "filesystem: unrestricted needs the native backend, and the recipe asks for %s", cmp.Or(s.Backend, "gvisor"))
	case c.hasImage():
		c.at(key, "drop the image, or use filesystem: project_only", "filesystem: unrestricted shows this machine's files, and an image brings its own")
	case err == nil && dir == "/":
		c.at(key, "stand in a directory of the project's own", "filesystem: unrestricted conceals the project's place on the host, and here that is everything")
	}
}

// hasImage reports whether the recipe or one of its tasks names an image.
func (c *checker) hasImage() bool {
	return c.recipe.Sandbox.Image != "" || slices.ContainsFunc(c.recipe.Tasks, func(t recipe.Task) bool { return t.Image != "" })
}

// image refuses an image that no container could be made of.
func (c *checker) image(key string) {
	s := c.recipe.Sandbox
	if s.Isolation != "" || !slices.Contains([]string{"", "auto", "container"}, s.Backend) {
		c.at(key, "use backend: container, without isolation", "an image needs the container backend, and the recipe asks for %s", cmp.Or(s.Backend, "gvisor"))
	}
}

// projectRoot finds the directory whose content trials start with. The tasks
// of a built-in recipe bring their own world: they start with nothing.
func (c *checker) projectRoot() {
	if strings.HasPrefix(c.recipe.SectionSource("tasks"), "builtin:") {
		return
	}
	key, root := "constraints.project_root", c.recipe.Constraints.ProjectRoot
	if root == "" {
		key, root = "metadata.project_root", c.recipe.Metadata.ProjectRoot
	}
	dir, err := filepath.EvalSymlinks(c.env.Dir)
	if err != nil {
		c.at(key, "", "the working directory can't be used: %v", err)
		return
	}
	if root == "" {
		c.runner.project, c.runner.root = dir, "."
		return
	}
	real, err := filepath.EvalSymlinks(filepath.Join(dir, root))
	rel, relErr := filepath.Rel(dir, real)
	switch {
	case filepath.IsAbs(root) || strings.HasPrefix(root, "~") || (err == nil && (relErr != nil || rel == ".." || strings.HasPrefix(rel, "../"))):
		c.at(key, "give a path below the directory you stand in", "project_root %q lies outside %s", root, dir)
	case err != nil:
		c.at(key, "", "project_root: %v", err)
	case !isDir(real):
		c.at(key, "", "project_root %q is no directory", root)
	}
	c.runner.project, c.runner.root = real, rel
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// costs refuses a limit in money that could not be kept, or judged.
func (c *checker) costs() {
	for i, k := range c.recipe.SuccessCriteria {
		if k.Kind == "max_cost" {
			c.priced(fmt.Sprintf("success_criteria[%d]", i), "judged")
		}
	}
	if c.recipe.Constraints.MaxCost == 0 {
		return
	}
	if c.recipe.ModelParams.MaxTokens == nil {
		c.warn("constraints.max_cost", "set it in Model Parameters", "without max_tokens a single reply can cost more than is left of max_cost")
	}
	c.priced("constraints.max_cost", "kept")
}

// priced refuses models whose price is not known where money is limited at key.
func (c *checker) priced(key, done string) {
	for i, id := range c.recipe.Models {
		if _, ok := budget.Cost(c.env.Prices, id, model.Usage{Known: true}); !ok {
			c.at(fmt.Sprintf("models[%d]", i), fmt.Sprintf("add its price under [prices] in your cookoff.toml, or drop max_cost at %s", c.recipe.Place(key)),
				"max_cost can't be %s for %s: its price is unknown", done, id)
		}
	}
}

// findings reports what verify found, at key.
func (c *checker) findings(key string, fs []lint.Finding) {
	for _, f := range fs {
		c.problems = append(c.problems, recipe.Problem{Pos: c.recipe.At(key + f.Key), Msg: f.Msg, Hint: f.Hint, Warning: f.Warning})
	}
}
