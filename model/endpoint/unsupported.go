package endpoint

import (
	"net/http"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/model"
)

// The ways in which endpoints say that they don't take something.
var (
	denies = pattern.New(
		`(?i)\bunsupported\b|\bnot? (be )?support|\bn't support` +
			`|\bnot (be )?(permitted|allowed|available|enabled|recognized)\b` +
			`|\bunrecognized\b|\bunknown (name|parameter|field|argument)\b|\bunexpected keyword\b` +
			`|\bextra_forbidden\b|\bdeprecated\b|\bno endpoints found that\b`)

	// tools: as a whole, not something within one of them.
	noTools = pattern.New(
		`(?i)(does not|doesn't|do not|don't|not|found that) support(s|ed)?\W[^.]{0,12}\b(tools?|functions?)\b` +
			`|\b(tools|tool calls?|tool calling|tool use|function calling|functions|tool[ _]choice)` +
			`\W{0,2} (param(eter)? )?(is|are) not (supported|available|enabled|permitted)` +
			`|\btool choice requires|\btools param requires` +
			`|\bunsupported (parameter|param|argument)\W{1,4}(tools|tool_choice|functions)\b`)

	paramName = pattern.New(
		`(?i)\b(temperature|top_?p|max_completion_tokens|max_tokens|seed|reasoning_?effort` +
			`|parallel_tool_calls|stream_options)\b`)
)

// aliases are other spellings of parameters.
var aliases = map[string]string{"topp": "top_p", "reasoningeffort": "reasoning_effort", "tool_choice": model.Tools,
	"functions": model.Tools}

// unsupported names what of a request the endpoint does not take: tools, or a
// parameter; "" when that is not what is wrong.
func (p Problem) unsupported(status int) string {
	rejects := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity,
		http.StatusInternalServerError, http.StatusNotImplemented}
	if !slices.Contains(rejects, status) {
		return ""
	}
	said := p.Code == "unsupported_parameter" || p.Code == "unsupported_value" || denies.MatchString(p.Text)
	if name := known(p.Param); name != "" && said {
		return name
	}
	if noTools.MatchString(p.Text) {
		return model.Tools
	}
	if !said || status == http.StatusInternalServerError {
		return ""
	}
	return known(paramName.FindString(p.Text))
}

var badValue = pattern.New(`(?i)\bunsupported value\b|\bvalue\b.{0,40}\bnot (be )?support|does not support [0-9'"\x60]`)

// ofValue reports whether it is a value that is not taken, and not all of a parameter.
func (p Problem) ofValue() bool {
	return p.Code == "unsupported_value" || p.Code != "unsupported_parameter" && badValue.MatchString(p.Text)
}

// known is the name of a parameter as it is sent, or tools; "" for any other.
func known(name string) string {
	name = strings.ToLower(name)
	if other, ok := aliases[name]; ok {
		return other
	}
	if name == model.Tools || name == "stream_options" || name == "max_completion_tokens" ||
		slices.Contains(model.ParamNames(), name) {
		return name
	}
	return ""
}
