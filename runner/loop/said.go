package loop

import (
	"strings"

	"cookoff/model"
	"cookoff/runner/v1"
	"cookoff/trial"
)

// Conversation is what was said in the trials of one model, one after another, as the
// journal has it. The zero Said is empty. It is not safe for concurrent use.
type Conversation struct {
	h      History
	prompt bool   // the next message of the user is a task
	from   string // the last trial
}

// Tokens is about how many tokens it has.
func (s *Conversation) Tokens() int { return s.h.size / v1.TokenBytes }

// Turns is how many replies it holds.
func (s *Conversation) Turns() int { return s.h.turns() }

// Copy gives the same, to be gone on with apart from s.
func (s *Conversation) Copy() *Conversation {
	c := *s
	c.h.messages = append([]model.Message{}, s.h.messages...)
	c.h.prompts = append([]int{}, s.h.prompts...)
	return &c
}

// Recall adds what an event of a trial says. Sub-agents have conversations of
// their own.
func (s *Conversation) Recall(e trial.Event) {
	if e.Agent != "" {
		return
	}
	switch {
	case e.Kind == trial.TrialStarted && e.Start != nil:
		s.prompt, s.from = true, e.Trial
		s.h.closeCalls()
	case e.Kind == trial.ModelCalled && e.Called != nil:
		s.called(e.Called.New)
	case e.Kind == trial.ModelReplied && e.Replied != nil:
		m := sendable(e.Replied.Reply.Message)
		m.Role = model.Assistant
		s.push(m)
	case e.Kind == trial.ToolReturned && e.Returned != nil:
		if s.awaits(e.Returned.CallID) {
			s.push(model.Message{Role: model.ToolRole, CallID: e.Returned.CallID, Name: e.Returned.Name,
				Content: e.Returned.Text})
		}
	}
}

// called takes in what a request added. One that starts with the system
// message began the conversation anew.
func (s *Conversation) called(news []model.Message) {
	if len(news) > 0 && news[0].Role == model.System {
		s.h = History{head: news[0]}
	}
	for _, m := range news {
		last := len(s.h.messages) - 1
		switch {
		case m.Role == model.ToolRole && !s.awaits(m.CallID):
			continue
		case m.Role == model.User && last >= 0 && s.h.messages[last].Role == model.User: // it was written on
			s.h.size += len(m.Content) - len(s.h.messages[last].Content)
			s.h.messages[last] = m
		default:
			s.push(m)
		}
		if m.Role == model.User && s.prompt {
			s.prompt, s.h.task = false, m.Content
			s.h.prompts = append(s.h.prompts, len(s.h.messages)-1)
		}
	}
}

func (s *Conversation) push(m model.Message) {
	s.h.size += size(m)
	s.h.messages = append(s.h.messages, m)
}

// awaits reports whether a call of the last reply has no result yet.
func (s *Conversation) awaits(id string) bool {
	for i := len(s.h.messages) - 1; i >= 0; i-- {
		m := s.h.messages[i]
		if m.Role == model.ToolRole && m.CallID == id {
			return false
		}
		if m.Role == model.Assistant {
			for _, c := range m.Calls {
				if c.ID == id {
					return true
				}
			}
			return false
		}
	}
	return false
}

// History gives what was said to the next trial, which knows what its first message
// begins with; nil: nothing was. Where that stands in one message with a prompt, the
// prompt is what follows.
func (s *Conversation) History() *History {
	if s == nil || len(s.h.messages) == 0 {
		return nil
	}
	h := s.Copy().h
	if len(h.prompts) == 0 {
		h.prompts = []int{0}
	}
	return &h
}

// Trial is the last one in which something was said.
func (s *Conversation) Trial() string { return s.from }

// adopt makes a head of the first message where the conversation has none of
// its own: a model without system messages is told it in the first prompt.
func (h *History) adopt(head model.Message) {
	if h.head.Content == "" && strings.HasPrefix(h.messages[0].Content, head.Content) {
		h.head = head
	}
}
