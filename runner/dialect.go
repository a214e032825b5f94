package runner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner/v1"

	"github.com/bmatcuk/doublestar/v4"
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
	base      string // the system message, but for what the format adds
}

// dialect is what the recipe's profiles say of a model. Baselines answer to
// the messages themselves, so they are always offered tools natively.
func (r *Runner) dialect(id string) dialect {
	p := r.recipe.ModelProfiles[profileOf(r.recipe, id)]
	d := dialect{budget: cmp.Or(p.ContextBudget, v1.AssumedBudget), system: true}
	d.format, _ = r.format(id)
	if p.SystemRole != nil {
		d.system = *p.SystemRole
	}
	if p.MidConvoSystem != nil {
		d.midSystem = *p.MidConvoSystem
	}
	return d
}

// profileOf names the profile of a model: its very id, else the longest glob
// that matches it; "" for none.
func profileOf(r *recipe.Recipe, id string) string {
	if _, ok := r.ModelProfiles[id]; ok {
		return id
	}
	globs := slices.DeleteFunc(slices.Sorted(maps.Keys(r.ModelProfiles)), func(g string) bool {
		ok, err := doublestar.Match(g, id)
		return err != nil || !ok
	})
	if len(globs) == 0 {
		return ""
	}
	return slices.MaxFunc(globs, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
}

// open begins a conversation.
func (l *loop) open(system, prompt string) {
	l.head = l.headOf(system)
	l.push(l.head)
	l.prompt(prompt)
}

// headOf is the message that a conversation begins with. A model without
// system messages is told the same in the first message of the user.
func (l *loop) headOf(system string) model.Message {
	l.base = system
	if l.format == formatText {
		system += "\n\n" + v1ToolText(l.set.Specs)
	} else {
		l.specs = l.set.Size()
	}
	role := model.System
	if !l.system {
		role = model.User
	}
	return model.Message{Role: role, Content: system}
}

// aside is something that neither the task nor a tool says: a reminder, what a
// hook adds.
type aside struct{ tag, text string }

// mention says an aside before the next request: between a reply and the
// results of its calls nothing may stand.
func (l *loop) mention(tag, text string) {
	if text != "" {
		l.asides = append(l.asides, aside{tag, text})
	}
}

// interject appends the asides.
func (l *loop) interject() {
	for _, a := range l.asides {
		m := model.Message{Role: model.System, Content: a.text}
		if !l.midSystem {
			m = model.Message{Role: model.User, Content: tagged(a.tag, "", a.text)}
		}
		l.push(m)
	}
	l.asides = nil
}

func tagged(tag, attributes, text string) string {
	return fmt.Sprintf("<%s%s>\n%s\n</%s>", tag, attributes, strings.TrimSuffix(text, "\n"), tag)
}

// result answers a call. The journal has it as tool.returned, but where it is
// sent in other words.
func (l *loop) result(c model.Call, text string) {
	if l.format == formatText {
		l.push(model.Message{Role: model.User, Content: tagged("tool_result", fmt.Sprintf(" id=%q name=%q", c.ID, c.Name), text)})
		return
	}
	l.push(model.Message{Role: model.ToolRole, CallID: c.ID, Name: c.Name, Content: text})
	l.sent = len(l.messages)
}

// calls gives the calls of a reply, and what is wrong with those that can't be
// read.
func (l *loop) callsOf(reply *model.Reply) (calls []model.Call, wrong []string) {
	if l.format != formatText {
		return reply.Message.Calls, nil
	}
	calls, wrong = readCalls(reply.Message.Content)
	nameCalls(calls, l.out.Steps)
	return calls, wrong
}

// profiles checks what the recipe says of models.
func (c *checker) profiles() {
	used := map[string]bool{}
	for _, id := range c.recipe.Models {
		used[profileOf(c.recipe, id)] = true
	}
	if s := c.recipe.SubAgent.Model; s != "" {
		used[profileOf(c.recipe, s)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(c.recipe.ModelProfiles)) {
		key, p := "model_profiles."+name, c.recipe.ModelProfiles[name]
		if !used[name] {
			c.warn(key, "* stands for anything but /, ** for anything", "profile %q is of none of this recipe's models", name)
		}
		if p.SystemRole != nil && !*p.SystemRole && p.MidConvoSystem != nil && *p.MidConvoSystem {
			c.at(key+".mid_convo_system", "", "a model without system_role can't have mid_convo_system")
		}
	}
}
