package resolve

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"cookoff/recipe"
	"cookoff/sandbox"
)

// Given says what a contestant has of its own at a key of its block, in a few words;
// "": nothing.
func (o *Own) Given(key string) string {
	c := o.config
	if c == nil {
		return ""
	}
	list := func(items []string) string { return strings.Join(items, ", ") }
	switch key {
	case "system_prompt":
		return promptWords(c.SystemPrompt)
	case "tools":
		return list(c.Tools)
	case "add_tools":
		return list(c.AddTools)
	case "drop_tools":
		return list(c.DropTools)
	case "mcp":
		return list(c.MCP)
	case "files":
		return filesWords(c.Files, o.Files)
	}
	return params(c.Params())[key]
}

// promptWords says which system prompt it is.
func promptWords(p *string) string {
	switch {
	case p == nil:
		return ""
	case *p == "":
		return recipe.NoneOf
	}
	line, _, more := strings.Cut(strings.TrimSpace(*p), "\n")
	if r := []rune(line); len(r) > 60 {
		line, more = strings.TrimSpace(string(r[:60])), true
	}
	if !more {
		return fmt.Sprintf("%q", line)
	}
	return fmt.Sprintf("%q… (%d characters, SHA-256 %.4x)", line, len([]rune(*p)), sha256.Sum256([]byte(*p)))
}

// filesWords names files, and says how much they are.
func filesWords(items []string, files []sandbox.Item) string {
	n, size := 0, int64(0)
	for _, it := range files {
		if it.Mode.IsRegular() {
			n, size = n+1, size+it.Size
		}
	}
	switch {
	case len(items) == 0:
		return ""
	case n == len(items):
		return fmt.Sprintf("%s (%s)", strings.Join(items, ", "), sized(size))
	}
	return fmt.Sprintf("%s (%d files, %s)", strings.Join(items, ", "), n, sized(size))
}

// sized is a size for people.
func sized(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 10<<10:
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// params says which parameters are set, by their keys.
func params(p recipe.ModelParamsConfig) map[string]string {
	out := map[string]string{}
	if p.Temperature != nil {
		out["temperature"] = fmt.Sprint(*p.Temperature)
	}
	if p.TopP != nil {
		out["top_p"] = fmt.Sprint(*p.TopP)
	}
	if p.MaxTokens != nil {
		out["max_tokens"] = fmt.Sprint(*p.MaxTokens)
	}
	if p.Seed != nil {
		out["seed"] = fmt.Sprint(*p.Seed)
	}
	if p.ReasoningEffort != "" {
		out["reasoning_effort"] = p.ReasoningEffort
	}
	if p.ParallelToolCalls != nil {
		out["parallel_tool_calls"] = fmt.Sprint(*p.ParallelToolCalls)
	}
	return out
}
