package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"cookoff/model/wire"
)

// call is a request of the model as the agent put it.
type call struct {
	route
	doc     *document
	asked   string
	stream  bool
	tools   []string // their names
	output  int      // tokens, at most; 0: it does not say
	dropped []string
	strip   bool // the usage that the agent did not ask a stream for
	body    []byte
}

// maxOutput is how many tokens a call may ask for: what it could cost is held back.
const maxOutput = 1 << 17

// read takes a request's body apart, and makes of it what is sent on.
func (g *Gateway) read(rt route, body []byte) (*call, *refusal) {
	doc, err := open(body)
	if err != nil {
		return nil, invalid(err.Error())
	}
	c := &call{route: rt, doc: doc, asked: doc.text("model"), stream: doc.flag("stream")}
	if rt.dialect == wire.Gemini {
		c.asked, c.stream = rt.model, rt.action == "streamGenerateContent"
	}
	for _, name := range []string{"max_completion_tokens", "max_output_tokens", "max_tokens"} {
		c.output = max(c.output, doc.number(name))
	}
	if bad := c.forbidden(); bad != "" {
		return c, invalid(bad)
	}
	if c.output > maxOutput {
		return c, invalid(fmt.Sprintf("a reply of %d tokens is not taken here: ask for %d at most", c.output, maxOutput))
	}
	if c.asked == "" {
		return c, invalid("the request names no model")
	}
	if g.opts.Strict && !g.same(c.asked) {
		return c, &refusal{http.StatusNotFound, "not_found_error", "model_not_found", fmt.Sprintf("there is no model %q here, only %q", short(c.asked), g.opts.Upstream.Model), true}
	}
	if err := c.readTools(g.opts.ServerTools); err != nil {
		return c, invalid(err.Error())
	}
	return c, nil
}

// same reports whether a name means the trial's model.
func (g *Gateway) same(name string) bool {
	return name == g.opts.Model || name == g.opts.Upstream.Model || name == "models/"+g.opts.Upstream.Model
}

// forbidden says what of a call can't be counted, or goes past the gateway; ""
// is nothing.
func (c *call) forbidden() string {
	for name, why := range map[string]string{
		"models": "other models to fall back on", "fallbacks": "other models to fall back on", "route": "other models to fall back on",
		"conversation": "a conversation that is kept elsewhere", "previous_response_id": "a reply that is kept elsewhere",
		"prompt": "a prompt that is kept elsewhere",
	} {
		if v := c.doc.value(name); v != nil && string(v) != "null" && c.dialect != wire.Gemini {
			return fmt.Sprintf("%s is not taken here: it names %s", name, why)
		}
	}
	if c.doc.flag("background") {
		return "background is not taken here: nobody would count what it takes"
	}
	if n := c.doc.number("n"); n > 1 {
		return "n is not taken here: ask for one reply at a time"
	}
	if tier := c.doc.text("service_tier"); tier != "" && !slices.Contains([]string{"auto", "default", "standard_only", "standard"}, tier) {
		return "service_tier is not taken here: it has another price"
	}
	if speed := c.doc.text("speed"); speed != "" && speed != "standard" {
		return "speed is not taken here: it has another price"
	}
	return ""
}

// offered is a tool as far as its name and kind go.
type offered struct {
	Type     string `json:"type"`
	Name     string `json:"name"`
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
	Declarations []struct {
		Name string `json:"name"`
	} `json:"functionDeclarations"`
}

// readTools finds the names of the tools, and leaves out those that the
// provider would run itself.
func (c *call) readTools(all bool) error {
	if !all {
		for _, name := range []string{"mcp_servers", "web_search_options", "plugins", "container"} {
			if v := c.doc.value(name); v != nil && string(v) != "null" && string(v) != "[]" {
				c.dropped = append(c.dropped, name)
				c.doc.remove(name)
			}
		}
	}
	var old []offered // as chats had them once
	decodeInto(c.doc.value("functions"), &old)
	for _, t := range old {
		c.tools = append(c.tools, t.names()...)
	}
	raw := c.doc.value("tools")
	if raw == nil || string(raw) == "null" {
		return nil
	}
	var each []json.RawMessage
	if err := json.Unmarshal(raw, &each); err != nil {
		return fmt.Errorf("tools is no list")
	}
	kept, before := each[:0:0], len(c.dropped)
	for _, one := range each {
		var t offered
		if err := json.Unmarshal(one, &t); err != nil {
			return fmt.Errorf("tools holds what is no tool")
		}
		if what := serverRun(c.dialect, t, one); what != "" && !all {
			c.dropped = append(c.dropped, what)
			if one = clientPart(t, one); one == nil {
				continue
			}
		}
		kept = append(kept, one)
		c.tools = append(c.tools, t.names()...)
	}
	if len(c.dropped) > before {
		text, err := joined(kept)
		if err != nil {
			return err
		}
		c.doc.set("tools", text)
	}
	return nil
}

func joined(each []json.RawMessage) ([]byte, error) {
	var b strings.Builder
	b.WriteByte('[')
	for i, one := range each {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(one)
	}
	b.WriteByte(']')
	return []byte(b.String()), nil
}

func (t offered) names() []string {
	var names []string
	for _, d := range t.Declarations {
		names = append(names, d.Name)
	}
	for _, name := range []string{t.Function.Name, t.Name, t.Type} {
		if name != "" && len(names) == 0 {
			return []string{name}
		}
	}
	return names
}
