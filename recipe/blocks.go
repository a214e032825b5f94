package recipe

import (
	"slices"
	"strings"

	"cookoff/recipe/dialect"
	"cookoff/recipe/source"
)

// reminders reads "### name", "trigger: expression" and the text to inject.
func (p *parsing) reminders(s *dialect.Section) {
	for i, b := range p.Named(s, "name") {
		at := source.At("system_reminders", i)
		p.Origin(at, b.Name.Off)
		c := SystemReminderConfig{Name: b.Name.Plain()}
		es, rest := p.MapThenProse(b)
		p.Mapping(at, es, reminderKeys(&c))
		if c.Trigger == "" {
			p.Problem(b.Name.Off, "write \"trigger: context_usage > 0.75\" below the heading",
				"reminder %q has no trigger", c.Name)
		}
		if c.Content = p.Prose(rest); c.Content == "" {
			p.Problem(b.Name.Off, "write it below the trigger, behind an empty line", "reminder %q has no text", c.Name)
		}
		p.r.SystemReminders = append(p.r.SystemReminders, c)
	}
}

// hooks reads "### name" and a map.
func (p *parsing) hooks(s *dialect.Section) {
	for i, b := range p.Named(s, "name") {
		at := source.At("hooks", i)
		p.Origin(at, b.Name.Off)
		c := HookConfig{Name: b.Name.Plain()}
		es := p.Entries(b.Nodes, "")
		p.Mapping(at, es, hookKeys(&c))
		if !slices.ContainsFunc(es, func(e dialect.Entry) bool { return e.Key.Text == "event" }) {
			p.Problem(b.Name.Off, "write \"event: pre_tool_use\" below the heading", "hook %q has no event", c.Name)
		}
		if c.Command == "" {
			p.Problem(b.Name.Off, "add a line command: …", "hook %q has no command", c.Name)
		}
		p.r.Hooks = append(p.r.Hooks, c)
	}
}

func (p *parsing) outputProcessing(s *dialect.Section) {
	p.r.OutputProcessing = map[string]OutputRuleConfig{}
	for _, b := range p.Named(s, "tool") {
		at := "output_processing." + b.Name.Plain()
		p.Origin(at, b.Name.Off)
		var c OutputRuleConfig
		p.Mapping(at, p.Entries(b.Nodes, ""), outputKeys(&c))
		p.r.OutputProcessing[b.Name.Plain()] = c
	}
}

// placeholders reports a {name} that nothing fills in.
func placeholders(p *dialect.Reader, v source.Span) {
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
			p.Unknown(name, "placeholder", allowed)
		}
	}
}

func (p *parsing) modelProfiles(s *dialect.Section) {
	p.r.ModelProfiles = map[string]ModelProfileConfig{}
	for _, b := range p.Named(s, "model id or glob") {
		at := "model_profiles." + b.Name.Plain()
		p.Origin(at, b.Name.Off)
		p.Glob(b.Name)
		var c ModelProfileConfig
		p.Mapping(at, p.Entries(b.Nodes, ""), profileKeys(&c))
		p.r.ModelProfiles[b.Name.Plain()] = c
	}
}

func reminderKeys(c *SystemReminderConfig) []dialect.Key {
	return []dialect.Key{dialect.TextKey("trigger", &c.Trigger)}
}

// hookKeys: which events there are is part of the format, so that a hook that
// could never be asked is an error.
func hookKeys(c *HookConfig) []dialect.Key {
	return []dialect.Key{
		eventKey(&c.Event),
		dialect.TextKey("matcher", &c.Matcher),
		dialect.EnumKey("action", &c.Action, "command"),
		dialect.TextKey("command", &c.Command),
		{Name: "timeout", Read: func(p *dialect.Reader, e dialect.Entry, _ source.Slot) {
			v := p.Scalar(e)
			p.Duration(v, "timeout")
			c.Timeout = v.Plain()
		}, Show: dialect.ShowText(&c.Timeout)},
		dialect.BoolKey("inject_output", &c.InjectOutput),
	}
}

// eventKey is an enum that knows what Claude Code calls the same.
func eventKey(to *string) dialect.Key {
	k := dialect.EnumKey("event", to, "session_start", "pre_prompt", "post_response", "pre_tool_use", "post_tool_use",
		"context_compact", "subagent_start", "subagent_stop", "pre_verify", "session_end")
	theirs := map[string]string{"SessionStart": "session_start", "UserPromptSubmit": "pre_prompt",
		"PreToolUse": "pre_tool_use", "PostToolUse": "post_tool_use",
		"PreCompact": "context_compact", "SubagentStart": "subagent_start", "SubagentStop": "subagent_stop",
		"Stop": "pre_verify", "SessionEnd": "session_end"}
	return dialect.Key{Name: k.Name, Many: k.Many, Read: func(p *dialect.Reader, e dialect.Entry, at source.Slot) {
		v := p.Scalar(e)
		if ours, ok := theirs[v.Plain()]; ok {
			p.Problem(v.Off, "write event: "+ours, "unknown event %q: that is what Claude Code calls it", v.Plain())
			return
		}
		k.Read(p, e, at)
	}, Show: k.Show}
}

func outputKeys(c *OutputRuleConfig) []dialect.Key {
	return []dialect.Key{
		dialect.IntKey("max_lines", &c.MaxLines, 0),
		dialect.IntKey("max_tokens", &c.MaxTokens, 0),
		dialect.EnumKey("truncation", &c.Truncation, "head", "tail", "head_tail"),
		{Name: "truncation_message", Read: func(p *dialect.Reader, e dialect.Entry, _ source.Slot) {
			v := p.Scalar(e)
			placeholders(p, v)
			c.TruncationMessage = v.Plain()
		}, Show: dialect.ShowText(&c.TruncationMessage)},
	}
}

func profileKeys(c *ModelProfileConfig) []dialect.Key {
	return []dialect.Key{
		dialect.IntKey("context_budget", &c.ContextBudget, 1),
		dialect.EnumKey("tool_format", &c.ToolFormat, "native", "function_calling", "text_in_prompt"),
		dialect.BoolPtrKey("system_role", &c.SystemRole),
		dialect.BoolPtrKey("mid_convo_system", &c.MidConvoSystem),
	}
}
