package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cookoff/runner/toolset"
	"cookoff/tools"
)

// toolChecker checks the tools that a recipe offers and speaks of.
type toolChecker struct{ *checker }

// all checks every name of one.
func (c *toolChecker) all() {
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
func (c *toolChecker) patterns(list []string) {
	if len(list) == 0 {
		return
	}
	for i, p := range list {
		for _, word := range strings.Fields(p) {
			if word != "*" && strings.Contains(word, "*") {
				c.warn(fmt.Sprintf("tools.bash_prefixes[%d]", i),
					"write it as a word of its own, as in bash(go build *)",
					"the * in %q stands for itself: only as a whole word is it any word", word)
			}
		}
	}
	if c.recipe.Sandbox.Filesystem != "read_only" {
		c.warn("tools.bash_prefixes[0]", "filesystem: read_only keeps commands from writing in the project",
			"bash(…) says which programs a command may call, those in substitutions too; it does not restrict "+
				"where a redirection writes (echo x > file), most variables set before a command, nor what an "+
				"allowed program does")
		c.problems[len(c.problems)-1].Note = true
	}
}
