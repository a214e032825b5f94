package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"cookoff/model"
	"cookoff/model/wire/chat"
)

// finish names the reason a reply ended in our words.
func finish(r goopenai.FinishReason) model.Finish {
	switch r {
	case "stop":
		return model.FinishStop
	case "tool_calls", "function_call":
		return model.FinishCalls
	case "length", "max_tokens":
		return model.FinishLength
	case "content_filter":
		return model.FinishFilter
	}
	return model.FinishUnknown
}

// completion is an answer in one piece: what of it is read.
type completion struct {
	Model   string                          `json:"model"`
	Choices []goopenai.ChatCompletionChoice `json:"choices"`
	Usage   *chat.Usage                     `json:"usage"`
}

// chosen reports whether there is a reply: a choice, and in it a message. One that was
// ended by a filter or a limit may have none.
func (c *completion) chosen() bool {
	if len(c.Choices) == 0 {
		return false
	}
	f := finish(c.Choices[0].FinishReason)
	m := c.Choices[0].Message
	return f != model.FinishStop && f != model.FinishCalls || m.Role+m.Content+m.Refusal+m.ReasoningContent != "" ||
		len(m.MultiContent)+len(m.ToolCalls) > 0 || m.FunctionCall != nil
}

// usage believes a provider's numbers only where they can be true: no reply
// takes no input, and none has text without output. What was written to a cache
// is input like any other here: few prices of chats know it.
func usage(u *chat.Usage, r *model.Reply) model.Usage {
	said := r.Message.Content != "" || len(r.Message.Calls) > 0
	if u == nil || said && u.CompletionTokens == 0 {
		return model.Usage{}
	}
	out := u.Record()
	out.CacheWrite5m = 0
	return out
}

// unusable tells replies that are none: a refusal, and an error in the place
// of a reason to finish.
func unusable(r *model.Reply, reason goopenai.FinishReason, refusal string) error {
	switch {
	case refusal != "" && r.Message.Content == "" && len(r.Message.Calls) == 0:
		return &model.RefusedError{Reason: refusal, Usage: r.Usage}
	case reason == "error":
		return fmt.Errorf("the provider ended the reply with an error")
	}
	return nil
}

// assembly puts the pieces of a stream together.
type assembly struct {
	reasons bool // keep them
	text    strings.Builder
	thought strings.Builder
	refusal strings.Builder
	calls   []*piece       // as they came
	at      map[int]*piece // the latest of each index
	last    *piece
	finish  goopenai.FinishReason
	usage   *chat.Usage
	served  string
}

// piece is a tool call as far as it has arrived.
type piece struct {
	index     int
	id, name  string
	arguments strings.Builder
}

// chunk is one event of a stream: what of it is read. Some providers put an
// error beside what go-openai looks for.
type chunk struct {
	Model   string                                `json:"model"`
	Choices []goopenai.ChatCompletionStreamChoice `json:"choices"`
	Usage   *chat.Usage                           `json:"usage"`
	Error   json.RawMessage                       `json:"error"`
}

// add takes one event and gives the text that it adds.
func (a *assembly) add(raw []byte) (text string, err error) {
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return "", err
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return "", &noChoiceError{raw}
	}
	a.served = cmp.Or(c.Model, a.served) // another may take over
	if c.Usage != nil {
		a.usage = c.Usage
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		text += choice.Delta.Content
		a.refusal.WriteString(choice.Delta.Refusal)
		if a.reasons {
			a.thought.WriteString(choice.Delta.ReasoningContent)
		}
		for _, d := range choice.Delta.ToolCalls {
			a.addCall(d)
		}
		if f := choice.Delta.FunctionCall; f != nil {
			a.addCall(goopenai.ToolCall{Index: new(int), Function: *f})
		}
		if choice.FinishReason != goopenai.FinishReasonNull {
			a.finish = cmp.Or(choice.FinishReason, a.finish)
		}
	}
	a.text.WriteString(text)
	return text, nil
}

// addCall finds the call that d continues. Providers differ: an index a call,
// no index at all, the id in each piece, or index 0 for every call of a reply,
// told apart by their ids.
func (a *assembly) addCall(d goopenai.ToolCall) {
	p := a.last
	if d.Index != nil {
		p = a.at[*d.Index]
	}
	if p == nil || d.ID != "" && p.id != "" && d.ID != p.id {
		p = &piece{index: len(a.calls)}
		if d.Index != nil {
			p.index = *d.Index
		}
		if a.at == nil {
			a.at = map[int]*piece{}
		}
		a.at[p.index] = p
		a.calls = append(a.calls, p)
	}
	a.last = p
	p.id = cmp.Or(p.id, d.ID)
	if p.name != d.Function.Name && p.arguments.Len() == 0 {
		p.name += d.Function.Name
	}
	p.arguments.WriteString(d.Function.Arguments)
}

// size is how many bytes have come of what the model wrote.
func (a *assembly) size() int {
	n := a.text.Len() + a.thought.Len()
	for _, p := range a.calls {
		n += len(p.name) + p.arguments.Len()
	}
	return n
}

// ended reports whether the provider said why the reply ended.
func (a *assembly) ended() bool { return a.finish != "" }

func (a *assembly) reply() (*model.Reply, error) {
	r := &model.Reply{
		Message: model.Message{Role: model.Assistant, Content: a.text.String(), Reasoning: a.thought.String()},
		Finish:  finish(a.finish),
		Served:  a.served,
	}
	slices.SortStableFunc(a.calls, func(x, y *piece) int { return cmp.Compare(x.index, y.index) })
	for _, p := range a.calls {
		r.Message.Calls = append(r.Message.Calls, model.Call{ID: p.id, Name: p.name, Arguments: p.arguments.String()})
	}
	r.Usage = usage(a.usage, r)
	return r, unusable(r, a.finish, a.refusal.String())
}
