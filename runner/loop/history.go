package loop

import (
	"slices"

	"cookoff/model"
	"cookoff/runner/v1"
)

// History is the conversation of a loop as it is sent to the model.
type History struct {
	messages []model.Message
	head     model.Message // what every conversation begins with
	task     string        // the prompt of the present task
	prompts  []int         // where the prompts of tasks stand
	sent     int           // messages that the journal already has
	size     int           // bytes of the messages
	specs    int           // bytes of what a request has beside them: the tools
	exact    int           // tokens that a provider counted in the first at bytes; 0: it has not
	wire     *model.Wire   // what was encoded of the messages
	at       int
}

// Messages gives what was said.
func (h *History) Messages() []model.Message { return slices.Clone(h.messages) }

// Len is how many messages it has.
func (h *History) Len() int { return len(h.messages) }

func newHistory() *History { return &History{wire: &model.Wire{}} }

// push appends a message. Texts of the user that follow each other become one
// message: some models refuse two in a row.
func (h *History) push(m model.Message) {
	h.size += size(m)
	last := len(h.messages) - 1
	if m.Role == model.User && last >= h.sent && h.messages[last].Role == model.User {
		h.messages[last].Content += "\n\n" + m.Content
		return
	}
	h.messages = append(h.messages, m)
}

// prompt appends what a task asks for.
func (h *History) prompt(text string) {
	h.push(model.Message{Role: model.User, Content: text})
	h.prompts = append(h.prompts, len(h.messages)-1)
	h.task = text
}

// fresh gives the messages that the journal does not have, and takes them for
// written.
func (h *History) fresh() []model.Message {
	news := slices.Clone(h.messages[h.sent:]) // an event stays as it is
	h.sent = len(h.messages)
	return news
}

// counted keeps what a provider counted for everything up to now, the last
// reply included.
func (h *History) counted(u model.Usage) {
	if u.Known && u.Input > 0 {
		h.exact, h.at = u.Input+u.Output-u.Reasoning, h.size
	}
}

// estimate is about how many tokens the next request has: the provider's own
// count, and an estimate of what came after it.
func (h *History) estimate() int {
	if h.exact == 0 {
		return (h.size + h.specs) / v1.TokenBytes
	}
	return h.exact + (h.size-h.at)/v1.TokenBytes
}

// trim leaves out all but the last turns: a turn is a reply and what followed
// it. The system message and the prompt that the oldest kept turn works on
// stay. It gives how many messages it left out.
func (h *History) trim(turns int) int {
	from := len(h.messages)
	for n := 0; n < turns && from > 0; {
		if from--; h.messages[from].Role == model.Assistant {
			n++
		}
	}
	keep := []int{0}
	for i, p := range h.prompts {
		if p < from && (i+1 == len(h.prompts) || h.prompts[i+1] >= from) && p > 0 {
			keep = append(keep, p)
		}
	}
	if from <= keep[len(keep)-1]+1 {
		return 0
	}
	return h.leaveOut(keep, from)
}

// leaveOut keeps the messages at keep, and those from the given one on. What
// was handed out before stays as it was.
func (h *History) leaveOut(keep []int, from int) int {
	kept := make([]model.Message, 0, len(h.messages))
	var prompts []int
	for i, m := range h.messages {
		if i < from && !slices.Contains(keep, i) {
			h.size -= size(m)
			if h.exact > 0 {
				h.at -= size(m)
				h.exact = max(h.exact-size(m)/v1.TokenBytes, 1)
			}
			continue
		}
		if slices.Contains(h.prompts, i) {
			prompts = append(prompts, len(kept))
		}
		kept = append(kept, m)
	}
	dropped := len(h.messages) - len(kept)
	h.messages, h.prompts, h.sent, h.wire = kept, prompts, h.sent-dropped, &model.Wire{}
	return dropped
}

// size is how many bytes of a message a model reads.
func size(m model.Message) int {
	n := len(m.Content)
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Arguments)
	}
	return n
}

// closeCalls answers the calls that a limit cut off: no conversation goes on
// with a call that has no result.
func (h *History) closeCalls() {
	last := len(h.messages) - 1
	for last >= 0 && h.messages[last].Role == model.ToolRole {
		last--
	}
	if last < 0 {
		return
	}
	answered := len(h.messages) - 1 - last
	for _, c := range h.messages[last].Calls[min(answered, len(h.messages[last].Calls)):] {
		h.push(model.Message{Role: model.ToolRole, CallID: c.ID, Name: c.Name, Content: v1.Ended})
	}
}
