package resolve

import (
	"path"
	"slices"
	"strings"
)

// notes are the files in which people write instructions for agents.
var notes = []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md"}

// unread says what of the files that an agent is given it would not read, or has itself.
func (c *agentChecker) unread(key string, own *Own, a *Agent) {
	for _, it := range own.Files {
		if _, its := a.Files[it.Path]; its {
			c.at(key+".files", "give it other settings in your cookoff.toml, [agents."+a.Name+"]",
				"the agent %s has its own settings at %q", a.Name, it.Path)
		}
		base, dir := path.Base(it.Path), path.Dir(it.Path)
		top := dir == "." || strings.HasPrefix(dir, "~") && strings.Count(dir, "/") <= 1
		if !top || a.Notes == nil || !slices.Contains(notes, base) || slices.Contains(a.Notes, base) {
			continue
		}
		if len(a.Notes) == 0 {
			c.warn(key+".files", "say in the task that it is there", "%s does not read %q by itself", a.Name, it.Path)
			continue
		}
		c.warn(key+".files", "write FILE:"+path.Join(dir, a.Notes[0]), "%s does not read %q by itself, but %s", a.Name,
			it.Path, joinAnd(a.Notes))
	}
}
