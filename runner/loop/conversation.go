package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cookoff/model"
	"cookoff/runner/loop/textcalls"
	"cookoff/runner/toolset"
	"cookoff/runner/v1"
)

// The ways to offer tools to a model.
const (
	formatNative    = "native"
	formatFunctions = "function_calling"
	formatText      = "text_in_prompt"
)

// dialect is how a model is spoken to.
type dialect struct {
	budget    int    // tokens of a conversation
	format    string // formatNative, formatFunctions or formatText
	system    bool   // it knows system messages
	midSystem bool   // also in the middle of a conversation
	plain     string // the system message, but for what the format adds
}

// conversation is what a model is told, in the way that it is spoken to.
type conversation struct {
	*History
	dialect
	set    *toolset.Set
	asides []aside
}

// dialect is what the recipe's profiles say of a model. Baselines answer to
// the messages themselves, so they are always offered tools natively.
func (m *manner) dialect() dialect {
	p := m.Recipe.ModelProfiles[v1.ProfileOf(m.Recipe, m.id)]
	d := dialect{budget: cmp.Or(p.ContextBudget, v1.AssumedBudget), system: true}
	d.format, _ = m.toolFormat()
	if p.SystemRole != nil {
		d.system = *p.SystemRole
	}
	if p.MidConvoSystem != nil {
		d.midSystem = *p.MidConvoSystem
	}
	return d
}

// open begins a conversation.
func (c *conversation) open(system, prompt string) {
	c.head = c.headOf(system)
	c.push(c.head)
	c.prompt(prompt)
}

// headOf is the message that a conversation begins with. A model without
// system messages is told the same in the first message of the user.
func (c *conversation) headOf(system string) model.Message {
	c.plain = system
	if c.format == formatText {
		system += "\n\n" + textcalls.Offer(c.set.Specs)
	} else {
		c.specs = c.set.Size()
	}
	role := model.System
	if !c.system {
		role = model.User
	}
	return model.Message{Role: role, Content: system}
}

// aside is something that neither the task nor a tool says: a reminder, what a
// hook adds.
type aside struct{ tag, text string }

// mention says an aside before the next request: between a reply and the
// results of its calls nothing may stand.
func (c *conversation) mention(tag, text string) {
	if text != "" {
		c.asides = append(c.asides, aside{tag, text})
	}
}

// interject appends the asides.
func (c *conversation) interject() {
	for _, a := range c.asides {
		m := model.Message{Role: model.System, Content: a.text}
		if !c.midSystem {
			m = model.Message{Role: model.User, Content: tagged(a.tag, "", a.text)}
		}
		c.push(m)
	}
	c.asides = nil
}

func tagged(tag, attributes, text string) string {
	return fmt.Sprintf("<%s%s>\n%s\n</%s>", tag, attributes, strings.TrimSuffix(text, "\n"), tag)
}

// result answers a call. The journal has it as tool.returned, but where it is
// sent in other words.
func (c *conversation) result(to model.Call, text string) {
	if c.format == formatText {
		c.push(model.Message{Role: model.User,
			Content: tagged("tool_result", fmt.Sprintf(" id=%q name=%q", to.ID, to.Name), text)})
		return
	}
	c.push(model.Message{Role: model.ToolRole, CallID: to.ID, Name: to.Name, Content: text})
	c.sent = len(c.messages)
}

// callsOf gives the calls of a reply, and what is wrong with those that can't be
// read.
func (c *conversation) callsOf(reply *model.Reply, step int) (calls []model.Call, wrong []string) {
	if c.format != formatText {
		return reply.Message.Calls, nil
	}
	calls, wrong = textcalls.Read(reply.Message.Content)
	nameCalls(calls, step)
	return calls, wrong
}

// resume begins a task's conversation where the last task's ended.
func (c *conversation) resume(said *History, system, prompt string) {
	h := *said
	h.messages, h.prompts = slices.Clone(said.messages), slices.Clone(said.prompts)
	h.wire = &model.Wire{}
	h.closeCalls()
	h.sent = len(h.messages)
	if h.messages[h.sent-1].Role == model.User {
		h.sent-- // the prompt becomes part of it
	}
	*c.History = h
	c.setHead(system)
	c.prompt(prompt)
}

// setHead puts another system message in the place of the one there is.
func (c *conversation) setHead(system string) {
	old := c.head
	c.head = c.headOf(system)
	if c.head.Content == old.Content {
		return
	}
	rest := c.messages[0].Content[len(old.Content):]
	c.size += len(c.head.Content) - len(old.Content)
	c.messages[0].Content = c.head.Content + rest
}
