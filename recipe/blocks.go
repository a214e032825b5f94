package recipe

import (
	"slices"
	"strings"

	"cookoff/recipe/source"
)

// reminders reads "### name", "trigger: expression" and the text to inject.
func (p *parsing) reminders(s *section) {
	for i, b := range p.named(s, "name") {
		at := source.At("system_reminders", i)
		p.origin(at, b.name.Off)
		c := SystemReminderConfig{Name: b.name.Plain()}
		es, rest := p.mapThenProse(b)
		p.mapping(at, es, reminderKeys(&c))
		if c.Trigger == "" {
			p.problem(b.name.Off, "write \"trigger: context_usage > 0.75\" below the heading",
				"reminder %q has no trigger", c.Name)
		}
		if c.Content = p.prose(rest); c.Content == "" {
			p.problem(b.name.Off, "write it below the trigger, behind an empty line", "reminder %q has no text", c.Name)
		}
		p.r.SystemReminders = append(p.r.SystemReminders, c)
	}
}

// hooks reads "### name" and a map.
func (p *parsing) hooks(s *section) {
	for i, b := range p.named(s, "name") {
		at := source.At("hooks", i)
		p.origin(at, b.name.Off)
		c := HookConfig{Name: b.name.Plain()}
		es := p.entries(b.nodes, "")
		p.mapping(at, es, hookKeys(&c))
		if !slices.ContainsFunc(es, func(e entry) bool { return e.key.Text == "event" }) {
			p.problem(b.name.Off, "write \"event: pre_tool_use\" below the heading", "hook %q has no event", c.Name)
		}
		if c.Command == "" {
			p.problem(b.name.Off, "add a line command: …", "hook %q has no command", c.Name)
		}
		p.r.Hooks = append(p.r.Hooks, c)
	}
}

func (p *parsing) outputProcessing(s *section) {
	p.r.OutputProcessing = map[string]OutputRuleConfig{}
	for _, b := range p.named(s, "tool") {
		at := "output_processing." + b.name.Plain()
		p.origin(at, b.name.Off)
		var c OutputRuleConfig
		p.mapping(at, p.entries(b.nodes, ""), outputKeys(&c))
		p.r.OutputProcessing[b.name.Plain()] = c
	}
}

// placeholders reports a {name} that nothing fills in.
func placeholders(p *reader, v source.Span) {
	allowed := []string{"line_count", "token_count", "max_lines", "max_tokens"}
	for i := strings.IndexByte(v.Text, '{'); i >= 0 && i < len(v.Text); i++ {
		if v.Text[i] != '{' {
			continue
		}
		j := strings.IndexAny(v.Text[i+1:], "{}") + 1
		if j < 1 {
			return
		}
		name := v.Slice(i+1, i+j)
		if strings.Trim(name.Text, "abcdefghijklmnopqrstuvwxyz_") == "" && !slices.Contains(allowed, name.Text) {
			p.unknown(name, "placeholder", allowed)
		}
	}
}

func (p *parsing) modelProfiles(s *section) {
	p.r.ModelProfiles = map[string]ModelProfileConfig{}
	for _, b := range p.named(s, "model id or glob") {
		at := "model_profiles." + b.name.Plain()
		p.origin(at, b.name.Off)
		p.glob(b.name)
		var c ModelProfileConfig
		p.mapping(at, p.entries(b.nodes, ""), profileKeys(&c))
		p.r.ModelProfiles[b.name.Plain()] = c
	}
}

func reminderKeys(c *SystemReminderConfig) []key { return []key{textKey("trigger", &c.Trigger)} }

// hookKeys: which events there are is part of the format, so that a hook that
// could never be asked is an error.
func hookKeys(c *HookConfig) []key {
	return []key{
		eventKey(&c.Event),
		textKey("matcher", &c.Matcher),
		enumKey("action", &c.Action, "command"),
		textKey("command", &c.Command),
		{"timeout", false, func(p *reader, e entry, _ source.Slot) {
			v := p.scalar(e)
			p.duration(v, "timeout")
			c.Timeout = v.Plain()
		}, showText(&c.Timeout)},
		boolKey("inject_output", &c.InjectOutput),
	}
}

// eventKey is an enum that knows what Claude Code calls the same.
func eventKey(to *string) key {
	k := enumKey("event", to, "session_start", "pre_prompt", "post_response", "pre_tool_use", "post_tool_use",
		"context_compact", "subagent_start", "subagent_stop", "pre_verify", "session_end")
	theirs := map[string]string{"SessionStart": "session_start", "UserPromptSubmit": "pre_prompt",
		"PreToolUse": "pre_tool_use", "PostToolUse": "post_tool_use",
		"PreCompact": "context_compact", "SubagentStart": "subagent_start", "SubagentStop": "subagent_stop",
		"Stop": "pre_verify", "SessionEnd": "session_end"}
	return key{k.name, k.many, func(p *reader, e entry, at source.Slot) {
		v := p.scalar(e)
		if ours, ok := theirs[v.Plain()]; ok {
			p.problem(v.Off, "write event: "+ours, "unknown event %q: that is what Claude Code calls it", v.Plain())
			return
		}
		k.read(p, e, at)
	}, k.show}
}

func outputKeys(c *OutputRuleConfig) []key {
	return []key{
		intKey("max_lines", &c.MaxLines, 0),
		intKey("max_tokens", &c.MaxTokens, 0),
		enumKey("truncation", &c.Truncation, "head", "tail", "head_tail"),
		{"truncation_message", false, func(p *reader, e entry, _ source.Slot) {
			v := p.scalar(e)
			placeholders(p, v)
			c.TruncationMessage = v.Plain()
		}, showText(&c.TruncationMessage)},
	}
}

func profileKeys(c *ModelProfileConfig) []key {
	return []key{
		intKey("context_budget", &c.ContextBudget, 1),
		enumKey("tool_format", &c.ToolFormat, "native", "function_calling", "text_in_prompt"),
		boolPtrKey("system_role", &c.SystemRole),
		boolPtrKey("mid_convo_system", &c.MidConvoSystem),
	}
}
