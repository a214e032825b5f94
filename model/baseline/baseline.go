// Package baseline holds contestants that need no network: one that does
// nothing, one that knows the answer, and one that follows rules. They speak
// as models through the very same loop, so that a comparison has a floor, a
// ceiling and something to beat. They keep no conversation: where they are
// follows from the messages of a request alone.
package baseline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cookoff/model"
)

// The tool that Oracle runs its solution with, and its parameter that takes a
// script.
const (
	shell    = "bash"
	argument = "command"
)

// chatFunc makes a function that answers a request a model.
type chatFunc func(*model.Request) model.Message

// Generate answers at once; its only error is that ctx has ended.
func (f chatFunc) Generate(ctx context.Context, req *model.Request) (*model.Reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := f(req)
	m.Role = model.Assistant
	r := &model.Reply{Message: m, Finish: model.FinishStop, Usage: model.Usage{Known: true}}
	if len(m.Calls) > 0 {
		r.Finish = model.FinishCalls
	}
	return r, nil
}

// Noop answers at once and changes nothing: the floor of a comparison.
func Noop() model.Chat {
	return chatFunc(func(*model.Request) model.Message {
		return says("nothing was changed: this baseline does nothing")
	})
}

// Oracle runs the solution of a task, a shell script, and ends: the ceiling of
// a comparison. Without a solution, or without a shell to run it in, it says
// so and changes nothing.
func Oracle(solution string) model.Chat {
	if strings.TrimSpace(solution) == "" {
		return chatFunc(func(*model.Request) model.Message {
			return says("nothing was changed: this task has no solution")
		})
	}
	args, err := json.Marshal(map[string]string{argument: solution})
	if err != nil { // a string always encodes
		panic(err)
	}
	call := model.Call{ID: "oracle_1", Name: shell, Arguments: string(args)}
	return chatFunc(func(req *model.Request) model.Message {
		if _, answered := result(req, call); answered {
			return says("the solution of this task was run")
		}
		if !takesScript(req.Tools) {
			return says(fmt.Sprintf("nothing was changed: "+
				"the solution needs the tool %q with a parameter %q, which is not offered", shell, argument))
		}
		return model.Message{Calls: []model.Call{call}}
	})
}

// Matcher makes the given repair calls, one a step, until the result of one
// says that its fix exited 0, then ends: what a rule-based doctor would do. A
// result says so in its first line, as tools/repair writes it: "fix <id>: exit
// status <n>". A call to a tool that is not offered is passed over. The ids of
// the calls given are replaced.
func Matcher(calls []model.Call) model.Chat {
	own := slices.Clone(calls)
	for i := range own {
		own[i].ID = fmt.Sprintf("matcher_%d", i+1)
	}
	return chatFunc(func(req *model.Request) model.Message {
		if len(own) == 0 {
			return says("nothing was changed: no repair answers to this task")
		}
		made := 0
		for _, c := range own {
			text, answered := result(req, c)
			switch {
			case answered && fixed(text):
				return says(fmt.Sprintf("the repair %s has run", c.Name))
			case answered:
				made++
			case offered(req.Tools, c.Name):
				return model.Message{Calls: []model.Call{c}}
			}
		}
		if made == 0 {
			return says("nothing was changed: none of the repairs that answer to this task is offered")
		}
		return says(fmt.Sprintf("no repair succeeded, tried: %d", made))
	})
}

func says(text string) model.Message { return model.Message{Content: text} }

// result gives the text that answered c, if c was made in this conversation.
func result(req *model.Request, c model.Call) (text string, ok bool) {
	asked := false
	for _, m := range req.Messages {
		switch {
		case m.Role == model.Assistant:
			asked = asked || slices.Contains(m.Calls, c)
		case m.Role == model.ToolRole && m.CallID == c.ID && asked:
			return m.Content, true
		}
	}
	return "", false
}

// fixed reports whether the result of a repair says that its fix exited 0. A
// refusal or a tool error never begins with "fix ".
func fixed(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return strings.HasPrefix(line, "fix ") && strings.HasSuffix(strings.TrimRight(line, " \r"), ": exit status 0")
}

func offered(tools []model.ToolSpec, name string) bool {
	return slices.ContainsFunc(tools, func(t model.ToolSpec) bool { return t.Name == name })
}

// takesScript reports whether the shell tool is offered, with the parameter
// that the oracle fills.
func takesScript(tools []model.ToolSpec) bool {
	i := slices.IndexFunc(tools, func(t model.ToolSpec) bool { return t.Name == shell })
	if i < 0 {
		return false
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(tools[i].Parameters, &schema) != nil {
		return false
	}
	_, ok := schema.Properties[argument]
	return ok
}
