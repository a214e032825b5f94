package responses

import (
	"encoding/json"

	"cookoff/model"
	"cookoff/model/endpoint"
	"cookoff/model/wire/responses"
)

// assembly puts the events of a stream together.
type assembly struct {
	onText func(string)
	items  []json.RawMessage // as they were finished
	whole  *responses.Reply
	size   int
}

func (a *assembly) Ended() bool { return a.whole != nil }
func (a *assembly) Size() int   { return a.size }

type event struct {
	Type     string           `json:"type"`
	Delta    json.RawMessage  `json:"delta"`
	Item     json.RawMessage  `json:"item"`
	Response *responses.Reply `json:"response"`
	Code     string           `json:"code"`
	Message  string           `json:"message"`
}

// Event takes one event.
func (a *assembly) Event(data []byte) error {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return err
	}
	switch e.Type {
	case "response.output_text.delta", "response.function_call_arguments.delta",
		"response.reasoning_summary_text.delta":
		var piece string
		if err := json.Unmarshal(e.Delta, &piece); err != nil {
			return err
		}
		a.size += len(piece)
		if e.Type == "response.output_text.delta" && piece != "" {
			a.onText(piece)
		}
	case "response.output_item.done":
		a.items = append(a.items, e.Item)
	case "response.completed", "response.incomplete", "response.failed":
		return a.end(e.Response)
	case "error":
		p := endpoint.Read(data)
		if p.Text == "" {
			p = endpoint.Problem{Text: e.Message}
		}
		p.Code = e.Code
		return &endpoint.ReplyError{Problem: p}
	}
	return nil
}

// end takes the reply as a whole.
func (a *assembly) end(r *responses.Reply) error {
	switch {
	case r == nil:
		return nil
	case r.Status == "failed" || r.Error != nil:
		p := endpoint.Problem{Text: "the provider says nothing of why"}
		if r.Error != nil {
			p = endpoint.Problem{Code: r.Error.Code, Text: r.Error.Message}
		}
		return &endpoint.ReplyError{Problem: p}
	case r.Status == "completed" || r.Status == "incomplete":
		a.whole = r
	}
	return nil
}

// Whole takes a reply in one piece.
func (a *assembly) Whole(body []byte) error {
	var r responses.Reply
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	if r.Object != "response" {
		return nil
	}
	if err := a.end(&r); err != nil {
		return err
	}
	if text := a.text(r.Output); text != "" {
		a.onText(text)
	}
	return nil
}

func (a *assembly) text(items []json.RawMessage) (text string) {
	for _, raw := range items {
		var i responses.Item
		if json.Unmarshal(raw, &i) == nil && i.Type == "message" {
			parts, _ := responses.Parts(i.Content) // what is neither text nor parts says nothing
			text += textOf(parts)
		}
	}
	return text
}

// Reply is what has arrived as a whole.
func (a *assembly) Reply() (*model.Reply, error) {
	items := a.whole.Output
	if len(items) == 0 { // some servers leave it out there
		items = a.items
	}
	r := &model.Reply{Message: model.Message{Role: model.Assistant, Content: a.text(items)}, Served: a.whole.Model,
		Usage: a.whole.Usage.Record()}
	refusal, thought := "", false
	for _, raw := range items {
		var i responses.Item
		if err := json.Unmarshal(raw, &i); err != nil {
			return nil, err
		}
		switch i.Type {
		case "message":
			parts, _ := responses.Parts(i.Content) // as above
			for _, p := range parts {
				refusal += p.Refusal
			}
		case "function_call":
			call := model.Call{ID: i.CallID, Name: i.Name}
			if i.Arguments != nil {
				call.Arguments = *i.Arguments
			}
			r.Message.Calls = append(r.Message.Calls, call)
		case "reasoning":
			thought = true
		}
	}
	if refusal != "" && r.Message.Content == "" && len(r.Message.Calls) == 0 {
		return nil, &model.RefusedError{Reason: refusal, Usage: r.Usage}
	}
	if thought {
		raw, err := endpoint.Marshal(items)
		if err != nil {
			return nil, err
		}
		r.Message.Kept = raw
	}
	r.Finish = a.finish(len(r.Message.Calls) > 0)
	return r, nil
}

func (a *assembly) finish(calls bool) model.Finish {
	switch d := a.whole.IncompleteDetails; {
	case a.whole.Status == "incomplete" && d != nil && d.Reason == "content_filter":
		return model.FinishFilter
	case a.whole.Status == "incomplete":
		return model.FinishLength
	case calls:
		return model.FinishCalls
	}
	return model.FinishStop
}
