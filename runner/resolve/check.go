package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	names "cookoff/contestant"
	"cookoff/internal/hint"
	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner/budget"
	"cookoff/runner/toolset"
	"cookoff/sandbox/gate"
	"cookoff/tools"
)

// checker resolves every name of a recipe, and gathers all that is wrong.
type checker struct {
	report
	given Given
	out   *Values
}

func (c *checker) check() recipe.Problems {
	c.servers()
	c.tools()
	c.hooks()
	c.sandbox()
	c.projectRoot()
	(&taskChecker{checker: c}).all()
	c.models()
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

func (c *checker) models() {
	all := c.recipe.Names()
	if len(all) == 0 {
		c.at("models", "list them under ## Models, as - openai/gpt-5-mini or - baseline/oracle, or name them with --models; cookoff models says who can be asked", "no models to compare")
	}
	for i, id := range c.recipe.Models {
		c.model(fmt.Sprintf("models[%d]", i), id)
	}
	for _, named := range c.recipe.Contestants {
		key := c.recipe.ContestantKey(named.Name)
		if slices.Contains(c.recipe.Models, named.Name) {
			c.at(key, "give one of them another name", "contestant %q has the name of a model that is listed as well",
				named.Name)
			continue
		}
		c.model(key, named.Name)
	}
	if b := c.recipe.Comparison.Baseline; b != "" && !slices.Contains(all, b) {
		c.unknown("comparison.baseline", "model", b, slices.Compact(all))
	}
}

// model finds what stands behind the name of a contestant.
func (c *checker) model(key, name string) {
	behind := c.recipe.Behind(name)
	if behind == "" {
		return // where the recipe was read
	}
	agent, id := names.Split(behind)
	if agent != "" {
		c.agent(key, name, agent, id)
		return
	}
	if provider, _, _ := strings.Cut(id, "/"); provider == "baseline" {
		if !slices.Contains(baselines, id) {
			c.unknown(key, "baseline", id, baselines)
		}
		c.out.Models[name] = contestant{baseline: id, ID: id}
		return
	}
	chat, err := c.given.Chat(name)
	if err != nil {
		msg, next := hint.Of(err)
		c.at(key, next, "%s", msg)
	}
	c.out.Models[name] = contestant{chat: chat, ID: id}
}

func (c *checker) tools() {
	names := tools.Names()
	if c.recipe.SubAgent.MaxDepth > 0 {
		names = append(names, toolset.Spawn)
	}
	known := func(key, name string) {
		if name == "web_fetch" && !toolset.Fetches(c.recipe) {
			c.at(key, "say network: allow, with allow_hosts, or allow_local_fetch: true under Sandbox",
				"web_fetch has nothing to reach: the sandbox has no network")
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
				c.warn(fmt.Sprintf("tools.bash_prefixes[%d]", i), "write it as a word of its own, as in bash(go build *)",
					"the * in %q stands for itself: only as a whole word is it any word", word)
			}
		}
	}
	if c.recipe.Sandbox.Filesystem != "read_only" {
		c.warn("tools.bash_prefixes[0]", "filesystem: read_only keeps commands from writing in the project",
			"bash(…) says which programs a command may call, those in substitutions too; it does not restrict where a redirection writes (echo x > file), most variables set before a command, nor what an allowed program does")
		c.problems[len(c.problems)-1].Note = true
	}
}

// may reports whether the user lets a recipe do something.
func (c *checker) may(p recipe.Permission) bool { return slices.Contains(c.given.Allow, string(p)) }

// needs says what a recipe may only have when the user lets it.
func (c *checker) needs(key, what string, permission recipe.Permission) {
	if !c.may(permission) {
		c.at(key, fmt.Sprintf("run it with --allow %s if you trust it", permission), "%s needs your permission", what)
		c.problems[len(c.problems)-1].Needs = permission
	}
}

func (c *checker) sandbox() {
	s := c.recipe.Sandbox
	if s.Filesystem == "unrestricted" {
		c.unrestricted()
	}
	switch s.Network {
	case "full":
		c.needs("sandbox.network", "network: full", recipe.AllowNetwork)
	case "allow":
		if !c.may(recipe.AllowNetwork) {
			c.needs("sandbox.network", "network: allow", recipe.AllowHosts)
		}
		for i, h := range s.AllowHosts {
			if err := gate.CheckHost(h); err != nil {
				c.at(fmt.Sprintf("sandbox.allow_hosts[%d]", i),
					"write a name such as example.com, or *.example.com for all below it", "%v", err)
			}
		}
	}
	if s.Isolation != "" && !slices.Contains([]string{"", "auto", "gvisor"}, s.Backend) {
		c.at("sandbox.isolation", "drop one of them", "isolation: %s needs the gvisor backend, and backend says %s",
			s.Isolation, s.Backend)
	}
	if s.Image != "" {
		c.image("sandbox.image")
	}
	if s.Filesystem != "read_only" {
		return
	}
	for i, t := range c.recipe.Tasks {
		if t.Setup != "" {
			c.warn(fmt.Sprintf("tasks[%d].setup", i), "use filesystem: project_only, or let setup stage below HOME",
				"filesystem: read_only: nothing in /work can be written, by setup neither")
		}
	}
}

// unrestricted refuses the whole host where nobody allowed it or nothing can
// show it.
func (c *checker) unrestricted() {
	const key = "sandbox.filesystem"
	s := c.recipe.Sandbox
	c.needs(key, "filesystem: unrestricted", recipe.AllowUnrestricted)
	switch dir, err := filepath.EvalSymlinks(c.given.Dir); {
	case s.Isolation != "" || !slices.Contains([]string{"", "auto", "native"}, s.Backend):
		c.at(key, "use backend: native, or filesystem: project_only",
			"filesystem: unrestricted needs the native backend, and the recipe asks for %s", cmp.Or(s.Backend, "gvisor"))
	case hasImage(c.recipe):
		c.at(key, "drop the image, or use filesystem: project_only",
			"filesystem: unrestricted shows this machine's files, and an image brings its own")
	case err == nil && dir == "/":
		c.at(key, "stand in a directory of the project's own",
			"filesystem: unrestricted conceals the project's place on the host, and here that is everything")
	}
}

// hasImage reports whether the recipe or one of its tasks names an image.
func hasImage(r *recipe.Recipe) bool {
	return r.Sandbox.Image != "" || slices.ContainsFunc(r.Tasks, func(t recipe.Task) bool { return t.Image != "" })
}

// image refuses an image that no container could be made of.
func (c *checker) image(key string) {
	s := c.recipe.Sandbox
	if s.Isolation != "" || !slices.Contains([]string{"", "auto", "container"}, s.Backend) {
		c.at(key, "use backend: container, without isolation",
			"an image needs the container backend, and the recipe asks for %s", cmp.Or(s.Backend, "gvisor"))
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
	dir, err := filepath.EvalSymlinks(c.given.Dir)
	if err != nil {
		c.at(key, "", "the working directory can't be used: %v", err)
		return
	}
	if root == "" {
		c.out.Dir, c.out.Root = dir, "."
		return
	}
	c.out.Dir, c.out.Root = c.below(key, dir, root)
}

// below gives the directory root in dir, and its path relative to dir: it must lie
// there, by whatever links. key, or what follows its last point, says what names it.
func (c *checker) below(key, dir, root string) (real, rel string) {
	what := key[strings.LastIndex(key, ".")+1:]
	real, err := filepath.EvalSymlinks(filepath.Join(dir, root))
	rel, relErr := filepath.Rel(dir, real)
	switch {
	case filepath.IsAbs(root) || strings.HasPrefix(root, "~") || (err == nil &&
		(relErr != nil || rel == ".." || strings.HasPrefix(rel, "../"))):
		c.at(key, "give a path below the directory you stand in", "%s %q lies outside %s", what, root, dir)
	case errors.Is(err, fs.ErrNotExist):
		c.at(key, "", "%s %q: there is no such directory", what, root)
	case err != nil:
		c.at(key, "", "%s: %v", what, err)
	case !isDir(real):
		c.at(key, "", "%s %q is no directory", what, root)
	}
	return real, rel
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// keyOf is where a contestant stands in the recipe.
func (c *checker) keyOf(name string) string {
	if c.recipe.Named(name) != nil {
		return c.recipe.ContestantKey(name)
	}
	return fmt.Sprintf("models[%d]", slices.Index(c.recipe.Models, name))
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
	if slices.ContainsFunc(c.recipe.Names(), func(name string) bool { // what agents ask for the gateway bounds
		agent, _ := names.Split(c.recipe.Behind(name))
		return agent == "" && c.out.OwnOf(name).Recipe.ModelParams.MaxTokens == nil
	}) {
		c.warn("constraints.max_cost", "set it in Model Parameters",
			"without max_tokens a single reply can cost more than is left of max_cost")
	}
	c.priced("constraints.max_cost", "kept")
}

// priced refuses models whose price is not known where money is limited at key.
func (c *checker) priced(key, done string) {
	for _, name := range c.recipe.Names() {
		if _, ok := budget.Cost(c.given.Prices, c.recipe.Behind(name), model.Usage{Known: true}); !ok {
			c.at(c.keyOf(name), fmt.Sprintf("add its price under [prices] in your cookoff.toml, or drop max_cost at %s",
				c.recipe.Place(key)),
				"max_cost can't be %s for %s: its price is unknown", done, name)
		}
	}
}
