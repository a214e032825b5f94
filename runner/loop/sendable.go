package loop

import (
	"encoding/json"
	"fmt"
	"strings"

	"cookoff/model"
	"cookoff/runner/v1"
)

// cut bounds a reply: what is too long to be an answer, or a call, would be
// sent back with every request that follows.
func cut(r *model.Reply) {
	if n := len(r.Message.Content) - v1.MaxReply; n > 0 {
		r.Message.Content = strings.ToValidUTF8(r.Message.Content[:v1.MaxReply], "")
		r.Notes = append(r.Notes, fmt.Sprintf("%d bytes of the text were left out: a reply may have %d MiB of it", n,
			v1.MaxReply>>20))
	}
	for i, c := range r.Message.Calls {
		if n := len(c.Arguments); n > v1.MaxReply {
			r.Message.Calls[i].Arguments = fmt.Sprintf(`{"left_out":"%d bytes"}`, n)
			r.Notes = append(r.Notes, fmt.Sprintf("the arguments of call %d were left out: "+
				"%d bytes, and a call may have %d MiB of them", i+1, n, v1.MaxReply>>20))
		}
	}
}

// readable is how arguments stand in the conversation. Servers that read them
// reject a whole conversation in which some are no JSON object: the model's
// mistake would become the provider's fault.
func readable(arguments string) string {
	var o map[string]json.RawMessage
	switch {
	case strings.TrimSpace(arguments) == "":
		return "{}"
	case json.Unmarshal([]byte(arguments), &o) == nil && o != nil:
		return arguments
	}
	text, _ := json.Marshal(map[string]string{"unreadable": arguments}) // a map of strings always marshals
	return string(text)
}
