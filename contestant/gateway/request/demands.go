package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cookoff/contestant/gateway/document"
	"cookoff/model/wire"
)

// demand is a member of a request that is not taken, and why.
type demand struct {
	name, why string
	harmless  func(json.RawMessage) bool // values that are; nil: none but null
}

// Why demands are not taken.
const (
	otherModels = "it names other models to fall back on, or other providers"
	elsewhere   = "it names what is kept elsewhere, and can't be counted"
	uncounted   = "nobody would count what it takes"
	otherPrice  = "it has another price"
	oneReply    = "ask for one reply at a time"
	theWeb      = "the provider would search the web for it"
	onlyText    = "what is no text has another price"
)

// demands are the members of requests that can't be counted, go past the gateway, or
// reach a network that the sandbox has not, in all dialects but as noted.
var demands = []demand{
	{"models", otherModels, nil}, {"fallbacks", otherModels, nil}, {"route", otherModels, nil},
	{"provider", otherModels, nil}, {"preset", otherModels, nil},
	{"conversation", elsewhere, nil}, {"previous_response_id", elsewhere, nil}, {"prompt", elsewhere, nil},
	{"cachedContent", elsewhere, is(`""`)}, {"cached_content", elsewhere, is(`""`)},
	{"background", uncounted, is("false")}, {"deferred", uncounted, is("false")},
	{"context_management", uncounted, edits},
	{"modalities", onlyText, is(`["text"]`)}, {"enable_code_interpreter", uncounted, is("false")},
	{"n", oneReply, atMost(1)}, {"best_of", oneReply, atMost(1)},
	{"service_tier", otherPrice, is(`"auto"`, `"default"`, `"standard"`, `"standard_only"`)},
	{"serviceTier", otherPrice, is(`"standard"`)},
	{"speed", otherPrice, is(`"standard"`)}, {"inference_geo", otherPrice, is(`"global"`)},
	{"enable_search", theWeb, is("false")}, {"enable_web_search", theWeb, is("false")}, {"search_parameters", theWeb,
		is(`{"mode":"off"}`)},
	{"enable_enhancement", theWeb, is("false")}, {"force_search_enhancement", theWeb, is("false")},
	{"search_options", theWeb, nil}, {"search_settings", theWeb, nil}, {"web_search", theWeb, is("false")},
}

// leftOut are members that stand for tools which the provider runs itself.
var leftOut = []string{"mcp_servers", "web_search_options", "plugins", "container", "connectors"}

// limitNames are what the limit of a reply's tokens is called, in each dialect; of Gemini
// within its generation's settings.
var limitNames = map[wire.Dialect][]string{
	wire.Chat: {"max_completion_tokens", "max_tokens"}, wire.Responses: {"max_output_tokens"},
	wire.Messages: {"max_tokens"},
	wire.Gemini:   {"maxOutputTokens", "max_output_tokens"},
}

// settings are what Gemini calls the settings of a generation, and candidates the number
// of replies that is asked for in it.
var (
	settings   = []string{"generationConfig", "generation_config"}
	candidates = []string{"candidateCount", "candidate_count"}
	modalities = []string{"responseModalities", "response_modalities"}
)

// guarded are the names of members that the gateway looks at.
var guarded = func() map[wire.Dialect]document.Names {
	names := []string{"model", "stream", "stream_options", "tools", "functions"}
	for _, d := range demands {
		names = append(names, d.name)
	}
	names = append(names, leftOut...)
	out := map[wire.Dialect]document.Names{}
	for d, limits := range limitNames {
		all := slices.Concat(names, limits)
		if d == wire.Gemini {
			all = slices.Concat(names, settings)
		}
		out[d] = document.Of(all...)
	}
	return out
}()

// generation are the names that are looked at in Gemini's settings of a generation.
var generation = document.Of(slices.Concat(limitNames[wire.Gemini], candidates, modalities)...)

// is gives the values that are one of these, as they stand.
func is(values ...string) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool { return slices.Contains(values, string(document.Compacted(raw))) }
}

// edits are changes of a conversation that the provider makes without asking its model.
func edits(raw json.RawMessage) bool {
	var c struct {
		Edits []struct {
			Type string `json:"type"`
		} `json:"edits"`
	}
	doc, err := document.Open(raw, document.Of("edits"))
	if err != nil || json.Unmarshal(raw, &c) != nil {
		return false
	}
	for _, e := range c.Edits {
		if !strings.HasPrefix(e.Type, "clear_") {
			return false
		}
	}
	return doc.Value("edits") != nil || string(document.Compacted(raw)) == "{}"
}

// atMost gives numbers up to n.
func atMost(n float64) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool {
		var f float64
		return json.Unmarshal(raw, &f) == nil && f <= n
	}
}

func unset(raw json.RawMessage) bool { return raw == nil || string(raw) == "null" }

// forbidden says what of a call can't be counted, or goes past the gateway.
func (c *Call) forbidden() error {
	for _, d := range demands {
		if raw := c.Doc.Value(d.name); !unset(raw) && (d.harmless == nil || !d.harmless(raw)) {
			return fmt.Errorf("%s is not taken here: %s", d.name, d.why)
		}
	}
	return nil
}

// generationOf gives Gemini's settings, and what they are called; nil: there are none.
func generationOf(of *document.Document) (name string, doc *document.Document, err error) {
	for _, n := range settings {
		raw := of.Value(n)
		if unset(raw) {
			continue
		}
		if doc != nil {
			return "", nil, fmt.Errorf("%s stands there twice", settings[0])
		}
		if doc, err = document.Open(raw, generation); err != nil {
			return "", nil, fmt.Errorf("%s: %w", n, err)
		}
		name = n
	}
	return name, doc, nil
}

// limits reads how many tokens the reply may have, and how many replies are asked for.
func (c *Call) limits() error {
	doc := c.Doc
	if c.Dialect == wire.Gemini {
		var err error
		if _, doc, err = generationOf(doc); err != nil || doc == nil {
			return err
		}
		for _, name := range candidates {
			if n, ok := doc.Number(name); !ok || n > 1 {
				return errors.New(name + " is not taken here: " + oneReply)
			}
		}
		for _, name := range modalities {
			if raw := doc.Value(name); !unset(raw) && !is(`["TEXT"]`, `["text"]`, `[]`)(raw) {
				return errors.New(name + " is not taken here: " + onlyText)
			}
		}
	}
	for _, name := range limitNames[c.Dialect] {
		n, ok := doc.Number(name)
		if !ok {
			return fmt.Errorf("%s is no number", name)
		}
		c.Output = max(c.Output, n)
	}
	if c.Output > maxOutput {
		return fmt.Errorf("a reply of %d tokens is not taken here: ask for %d at most", c.Output, maxOutput)
	}
	return nil
}

// Fill makes the body that is sent on of a document in a dialect, with the user's own
// parameters.
func (c *Call) Fill(u wire.Upstream, doc *document.Document, d wire.Dialect) {
	for name, v := range u.Params {
		doc.Set(name, document.Marshal(v))
	}
	for _, name := range limitNames[d] {
		if v, ok := u.Params[name]; ok {
			c.Output, _ = strconv.Atoi(string(document.Marshal(v)))
		}
	}
	c.BodyDialect, c.Body = d, doc.Bytes()
}

// usageOption is what asks for the usage of a chat's stream.
const usageOption = "include_usage"

var streamOptions = document.Of(usageOption)

// AskUsage sees that the stream of a chat tells its usage, whatever the agent asks for.
func (c *Call) AskUsage(u wire.Upstream) error {
	raw := c.Doc.Value("stream_options")
	if c.Dialect != wire.Chat || !c.Stream {
		return nil
	}
	if unset(raw) {
		raw = []byte("{}")
	}
	options, err := document.Open(raw, streamOptions)
	if err != nil {
		return fmt.Errorf("stream_options: %w", err)
	}
	asked, ok := options.Flag(usageOption)
	switch {
	case !ok:
		return fmt.Errorf("%s is neither true nor false", usageOption)
	case u.NoStreamUsage:
		c.Doc.Remove("stream_options") // the provider rejects the question
	case !asked:
		c.Strip = true
		options.Set(usageOption, []byte("true"))
		c.Doc.Set("stream_options", options.Bytes())
	}
	return nil
}
