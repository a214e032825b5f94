package gateway

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"cookoff/contestant/gateway/request"
	"cookoff/model/wire"
	"cookoff/trial"
)

// list says which models there are: the trial's, by the name that the provider
// has for it, in the forms of all dialects together.
func (g *Gateway) list(w http.ResponseWriter, rt request.Route) {
	type object = map[string]any
	name := g.opts.Upstream.Model
	if g.opts.Strict && rt.Model != "" && !g.rules.Same(rt.Model) {
		(&refusal{http.StatusNotFound, "not_found_error", "model_not_found", "there is no such model here",
			true}).write(w, rt.Dialect)
		return
	}
	var answer any
	one := object{"id": name, "object": "model", "type": "model", "display_name": name, "created": 0,
		"owned_by": "gateway", "created_at": time.Unix(0, 0).UTC()}
	if rt.Dialect == wire.Gemini {
		one = object{"name": "models/" + name, "displayName": name,
			"supportedGenerationMethods": []string{"generateContent", "countTokens"}}
	}
	switch answer = one; {
	case rt.Model != "":
	case rt.Dialect == wire.Gemini:
		answer = object{"models": []object{one}}
	default:
		answer = object{"object": "list", "data": []object{one}, "has_more": false, "first_id": name, "last_id": name}
	}
	writeJSON(w, http.StatusOK, answer)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, _ := json.Marshal(v) // of strings and numbers
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // who is gone gets no answer
}

// countTokens tells about how many tokens a request has. The provider is not asked:
// no budget counts such requests.
func countTokens(x *exchange, rt request.Route) {
	body, free, bad := x.g.body(x.from)
	defer free()
	if bad != nil {
		x.rec.Sent = int64(len(body))
		x.refuse(bad)
		return
	}
	x.rec.Outcome = trial.RequestOK
	n := max(len(body)/4, 1)
	if rt.Dialect == wire.Gemini {
		writeJSON(x.w, http.StatusOK, map[string]any{"totalTokens": n})
		return
	}
	writeJSON(x.w, http.StatusOK, map[string]any{"input_tokens": n})
}
