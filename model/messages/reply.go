package messages

import (
	"encoding/json"
	"slices"
	"strings"

	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/wire/messages"
)

// assembly puts the events of a stream together.
type assembly struct {
	onText func(string)
	blocks []*block
	served string
	stop   string
	usage  messages.Usage
	ended  bool
	size   int
}

// block is a block as far as it has arrived.
type block struct {
	messages.Block
	index int // as events name it
	input strings.Builder
}

func (a *assembly) Ended() bool { return a.ended }
func (a *assembly) Size() int   { return a.size }

// Event takes one event.
func (a *assembly) Event(data []byte) error {
	var e messages.Event
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	switch e.Type {
	case "message_start":
		if e.Message != nil {
			a.served = e.Message.Model
			a.usage.Merge(e.Message.Usage)
		}
	case "content_block_start":
		if e.Block != nil {
			b := &block{Block: *e.Block, index: len(a.blocks)}
			if e.Index != nil {
				b.index = *e.Index
			}
			a.blocks = append(a.blocks, b)
			a.size += len(e.Block.Name)
			a.text(e.Block.Text)
		}
	case "content_block_delta":
		if b := a.at(e.Index); b != nil && e.Delta != nil {
			a.delta(b, e.Delta)
		}
	case "message_delta":
		a.usage.Merge(e.Usage)
		if e.Delta != nil && e.Delta.StopReason != nil {
			a.stop = *e.Delta.StopReason
		}
	case "message_stop":
		a.ended = true
	case "error":
		return &endpoint.ReplyError{Problem: endpoint.Read(data)}
	}
	return nil
}

// at gives the block that an event tells of: the latest of its index, which need not be
// its place. nil: there is none.
func (a *assembly) at(index *int) *block {
	for _, b := range slices.Backward(a.blocks) {
		if index != nil && b.index == *index {
			return b
		}
	}
	return nil
}

func (a *assembly) text(s string) {
	if s != "" {
		a.size += len(s)
		a.onText(s)
	}
}

func (a *assembly) delta(b *block, d *messages.Delta) {
	b.Thinking += d.Thinking
	b.Signature += d.Signature
	b.Text += d.Text
	a.size += len(d.Thinking)
	a.text(d.Text)
	if d.PartialJSON != nil {
		b.input.WriteString(*d.PartialJSON)
		a.size += len(*d.PartialJSON)
	}
}

// Whole takes a reply in one piece.
func (a *assembly) Whole(body []byte) error {
	var r messages.Reply
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	if r.Type != "message" {
		return nil
	}
	a.served, a.ended = r.Model, true
	a.usage.Merge(r.Usage)
	if r.StopReason != nil {
		a.stop = *r.StopReason
	}
	for _, b := range r.Content {
		a.blocks = append(a.blocks, &block{Block: b})
		a.text(b.Text)
	}
	return nil
}

// thoughtBlock is what a model thought; the text may be empty beside the signature.
type thoughtBlock struct {
	Type      string `json:"type"`
	Thinking  string `json:"thinking"`
	Signature string `json:"signature"`
}

// Reply is what has arrived as a whole.
func (a *assembly) Reply() (*model.Reply, error) {
	r := &model.Reply{Message: model.Message{Role: model.Assistant}, Served: a.served, Usage: a.usage.Record()}
	thought := false
	var kept []any
	for i, b := range a.blocks {
		switch b.Type {
		case "text":
			r.Message.Content += b.Text
		case "tool_use":
			if b.input.Len() > 0 {
				b.Input = nil
			}
			r.Message.Calls = append(r.Message.Calls,
				model.Call{ID: b.ID, Name: b.Name, Arguments: string(b.Input) + b.input.String()})
			b.Input = nil // the call has it
		case "thinking":
			if b.Signature == "" && i == len(a.blocks)-1 && finish(a.stop) == model.FinishLength {
				continue // it was cut off before it was signed: nobody takes it back
			}
			thought = true
			kept = append(kept, thoughtBlock{b.Type, b.Thinking, b.Signature})
			continue
		case "redacted_thinking":
			thought = true
		default:
			continue
		}
		kept = append(kept, b.Block)
	}
	if thought {
		raw, err := endpoint.Marshal(kept)
		if err != nil {
			return nil, err
		}
		r.Message.Kept = raw
	}
	if a.stop == "refusal" {
		return nil, &model.RefusedError{Reason: "the provider stopped the reply", Usage: r.Usage}
	}
	r.Finish = finish(a.stop)
	return r, nil
}

func finish(stop string) model.Finish {
	switch stop {
	case "end_turn", "stop_sequence", "pause_turn":
		return model.FinishStop
	case "tool_use":
		return model.FinishCalls
	case "max_tokens", "model_context_window_exceeded":
		return model.FinishLength
	}
	return model.FinishUnknown
}
