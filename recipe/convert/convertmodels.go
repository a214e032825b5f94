package convert

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/nearest"
	"cookoff/internal/pattern"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// errataProviders says who is asked for a model that Errata names without a
// provider, by how the name starts.
func errataProviders() [][2]string {
	return [][2]string{
		{"claude", "anthropic"},
		{"gpt-", "openai"}, {"chatgpt-", "openai"}, {"codex-", "openai"}, {"o1", "openai"}, {"o3", "openai"},
		{"o4", "openai"},
		{"gemini-", "gemini"}, {"gemma-", "gemini"},
		{"deepseek", "deepseek"},
		{"grok-", "xai"},
		{"mistral-", "mistral"}, {"ministral-", "mistral"}, {"magistral-", "mistral"}, {"codestral-", "mistral"},
		{"devstral-", "mistral"},
		{"pixtral-", "mistral"}, {"open-mistral-", "mistral"}, {"open-mixtral-", "mistral"},
	}
}

// keptProviders are those whose ids Errata did not have: they are ours already.
var keptProviders = []string{"baseline", "openrouter", "ollama", "lmstudio", "llamacpp", "vllm", "local"}

var modelName = pattern.New(`^[A-Za-z0-9][\w.:@*?\[\]{},-]*(/[\w.:@*?\[\]{},-]+)*$`)

// fromErrata gives the id of a model, or glob over ids, as this format has it.
// Errata asks OpenRouter for what has a slash.
func fromErrata(id string) (string, bool) {
	provider, _, slash := strings.Cut(id, "/")
	switch {
	case !modelName.MatchString(id):
		return "", false
	case slash && slices.Contains(keptProviders, provider):
		return id, true
	case slash:
		return "openrouter/" + id, true
	}
	for _, row := range errataProviders() {
		if strings.HasPrefix(strings.ToLower(id), row[0]) {
			return row[1] + "/" + id, true
		}
	}
	return "", false
}

var (
	modelBullet  = pattern.New(`^(\s*(?:[-*+]|\d+[.)])\s+)(.*)$`)
	modelKeyLine = pattern.New(`^(\s*(?:[-*+]\s+)?model:\s*)(.*)$`)
	modelHeading = pattern.New(`^(###\s+)(.*)$`)
)

// models writes the ids of models as this format has them. Whom to ask for one
// can't always be told: that is an error, and the line is left as a comment.
func (c *conversion) models() {
	if c.ours() {
		return
	}
	lines := map[string]*pattern.Pattern{"models": modelBullet, "sub-agent": modelKeyLine,
		"model profiles": modelHeading}
	listed, kept, heading := 0, 0, -1
	var unknown []int
	c.outside(func(i int, line string) {
		section := c.meant(i)
		if section == "models" && strings.HasPrefix(line, "## ") {
			heading = i
		}
		form := lines[section]
		if form == nil {
			return
		}
		m := form.FindStringSubmatch(line)
		if m == nil {
			return
		}
		said, comment, _ := strings.Cut(m[2], " #")
		given := strings.Trim(strings.TrimSpace(said), "\"'`")
		if given == "" || section == "model profiles" && (given == "*" || given == "**") {
			return
		}
		if section == "models" {
			listed++
		}
		id, ok := fromErrata(given)
		switch {
		case !ok:
			c.problem(i, len(m[1])+1, given)
			unknown = append(unknown, i)
			return
		case id != given:
			c.note(i, "", "Errata asks %s for %q; here it is %s", strings.SplitN(id, "/", 2)[0], given, id)
			if c.lines[i] = m[1] + id; comment != "" {
				c.lines[i] += " <!-- " + strings.TrimSpace(comment) + " -->"
			}
		}
		if section == "models" {
			kept++
		}
	}, func(int, string) {})
	for _, i := range unknown {
		if !strings.HasPrefix(c.lines[i], "<!--") {
			c.comment(i, c.itemEnd(i))
		}
	}
	if kept == 0 {
		c.notes = append(c.notes, problem.Problem{Pos: problem.Pos{File: c.file, Line: max(heading, 0) + 1, Col: 1},
			Msg: "the recipe names no model that could be asked", Hint: modelsHint})
	}
	if heading >= 0 && kept == 0 && listed > 0 {
		c.comment(heading, heading)
	}
}

// ours tells whether the recipe is of this format already: it has what Errata
// never knew.
func (c *conversion) ours() (is bool) {
	c.outside(func(i int, line string) {
		name, section := strings.CutPrefix(line, "## ")
		is = is || section && slices.Contains([]string{"comparison", "verify", "tool guidance"},
			strings.ToLower(strings.TrimSpace(name))) ||
			strings.HasPrefix(line, "### ") && c.section(i) == "tasks"
	}, func(int, string) {})
	return is
}

// meant gives the section that line i stands in, lower case, as mend will have it.
func (c *conversion) meant(i int) string {
	titles := recipe.SectionNames()
	name := c.section(i)
	if slices.ContainsFunc(titles, func(t string) bool { return strings.EqualFold(t, name) }) {
		return name
	}
	return strings.ToLower(nearest.Name(name, titles))
}

const modelsHint = "list them under ## Models as provider/model, for example openai/gpt-5-mini; " +
	"cookoff models names the providers"

func (c *conversion) problem(line, col int, id string) {
	c.notes = append(c.notes, problem.Problem{Pos: problem.Pos{File: c.file, Line: c.from[line] + 1, Col: col},
		Msg: fmt.Sprintf("whom to ask for the model %q can't be told by its name; it is left as a comment",
			source.FirstLine(id, 60)), Hint: modelsHint})
}
