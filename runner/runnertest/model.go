package runnertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"cookoff/model"
)

// DollarAToken gives test/model a price of one dollar a token.
func DollarAToken(t *testing.T) *model.Prices {
	t.Helper()
	p, err := model.LoadPrices([]byte("[prices.\"test/model\"]\ninput = 1000000.0\noutput = 1000000.0\n"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Roles gives who speaks in a request.
func Roles(req model.Request) string {
	var out []string
	for _, m := range req.Messages {
		out = append(out, string(m.Role))
	}
	return strings.Join(out, " ")
}

// Call is a reply that calls a tool; args is JSON.
func Call(id, name, args string) *model.Reply {
	return &model.Reply{Message: model.Message{Calls: []model.Call{{ID: id, Name: name, Arguments: args}}},
		Finish: model.FinishCalls, Usage: model.Usage{Input: 10, Output: 2, Known: true}}
}

// Say is a reply of text, which ends the trial.
func Say(text string) *model.Reply {
	return &model.Reply{Message: model.Message{Content: text}, Finish: model.FinishStop,
		Usage: model.Usage{Input: 10, Output: 2, Known: true}}
}

// Chat plays replies and errors in order, then fails.
type Chat struct {
	mu    sync.Mutex
	Steps []any // *model.Reply or error
	Seen  []model.Request
}

// Generate plays the next step.
func (c *Chat) Generate(ctx context.Context, req *model.Request) (*model.Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	clone := *req
	clone.Messages = append([]model.Message(nil), req.Messages...)
	c.Seen = append(c.Seen, clone)
	if len(c.Steps) == 0 {
		return nil, errors.New("the script has ended")
	}
	s := c.Steps[0]
	if len(c.Steps) > 1 {
		c.Steps = c.Steps[1:] // the last one repeats
	}
	return play(s)
}

// play gives a step as the reply or the error that it is.
func play(step any) (*model.Reply, error) {
	switch s := step.(type) {
	case error:
		return nil, s
	case *model.Reply:
		r := *s
		r.Message.Calls = append([]model.Call(nil), s.Message.Calls...)
		return &r, nil
	}
	panic("unknown step")
}

// Turns plays replies and errors in order in each conversation, however many there are at once; the last one repeats.
type Turns []any

// Generate plays the step behind those that the conversation has had.
func (t Turns) Generate(_ context.Context, req *model.Request) (*model.Reply, error) {
	had := 0
	for _, m := range req.Messages {
		if m.Role == model.Assistant {
			had++
		}
	}
	return play(t[min(had, len(t)-1)])
}

// Saw notes a request that somebody else answers.
func (c *Chat) Saw(req *model.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Seen = append(c.Seen, *req)
}

// Told gives what a request says, one line a message.
func Told(req model.Request) string {
	var b strings.Builder
	for _, m := range req.Messages {
		text, _ := json.Marshal(m.Content)
		fmt.Fprintf(&b, "%s %s", m.Role, text)
		for _, c := range m.Calls {
			fmt.Fprintf(&b, " %s%s", c.Name, c.Arguments)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Bash is a call that prints text.
func Bash(n int, text string) *model.Reply {
	return Call(fmt.Sprint(n), "bash", fmt.Sprintf(`{"command":"echo %s"}`, text))
}
