package loop

import (
	"encoding/json"
	"strings"

	"cookoff/model"
)

// omission names what of the parameters is not taken: name, or name=value, so that
// contestants who ask the same model with another value go on to ask with it. Seeds
// differ in each trial: those are all meant.
func omission(p model.Params, e *model.UnsupportedError) string {
	if !e.Value || e.What == "seed" {
		return e.What
	}
	return e.What + "=" + valueOf(p, e.What)
}

// taken are the parameters without those that the model does not take.
func (h *habit) taken(p model.Params) model.Params {
	for _, what := range h.omit {
		if name, value, of := strings.Cut(what, "="); !of || valueOf(p, name) == value {
			p, _ = p.Without(name)
		}
	}
	return p
}

// valueOf is a parameter's value as it is sent; "" where it is not set.
func valueOf(p model.Params, name string) string {
	var values map[string]json.RawMessage
	if text, err := json.Marshal(p); err != nil || json.Unmarshal(text, &values) != nil {
		return ""
	}
	return string(values[name])
}
