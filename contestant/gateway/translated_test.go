package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/contestant/gateway"
	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/model/wire"
	"cookoff/trial"
)

func chatOnly(o *gateway.Options) { o.Upstream.Dialects = []wire.Dialect{wire.Chat} }

// sameJSON compares two texts as JSON.
func sameJSON(t *testing.T, what, got, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		t.Errorf("%s: %v in %s", what, err, got)
	}
	if d := cmp.Diff(w, g); d != "" {
		t.Errorf("%s: %s", what, d)
	}
}

const (
	askMessages = `{"model":"claude-x","max_tokens":100,"stream":STREAM,"thinking":{"type":"adaptive"},
		"metadata":{"user_id":"u"},"system":[
			{"type":"text","text":"Be good.","cache_control":{"type":"ephemeral"}},
			{"type":"text","text":"Be brief."}],
		"tools":[
			{"name":"Bash","description":"runs","input_schema":{"type":"object"}},
			{"type":"bash_20250124","name":"bash"},{"type":"web_search_20250305","name":"web_search"}],
		"tool_choice":{"type":"any","disable_parallel_tool_use":true},"messages":[
			{"role":"user","content":"fix it"},
			{"role":"assistant","content":[
				{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"I look."},
				{"type":"tool_use","id":"tu1","name":"Bash","input":{"command":"ls"}}]},
			{"role":"user","content":[
				{"type":"tool_result","tool_use_id":"tu1","content":[
					{"type":"text","text":"a.txt"},
					{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA"}}]},
				{"type":"text","text":"go on"}]}]}`
	chatOfMessages = `{"model":"big-1","max_tokens":100,"parallel_tool_calls":false,
		"tool_choice":"required","tools":[
			{"type":"function",
				"function":{"name":"Bash","description":"runs","parameters":{"type":"object"}}}],
		"messages":[
			{"role":"system","content":"Be good.\nBe brief."},{"role":"user","content":"fix it"},
			{"role":"assistant","content":"I look.","tool_calls":[
				{"id":"tu1","type":"function",
					"function":{"name":"Bash","arguments":"{\"command\":\"ls\"}"}}]},
			{"role":"tool","tool_call_id":"tu1","content":"a.txt"},
			{"role":"user","content":[
				{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}},
				{"type":"text","text":"go on"}]}]}`
	askResponses = `{"model":"gpt-x","instructions":"Be good.","stream":STREAM,"store":false,
		"include":["reasoning.encrypted_content"],"reasoning":{"effort":"high"},"max_output_tokens":100,
		"tools":[
			{"type":"function","name":"shell","description":"runs","strict":false,
				"parameters":{"type":"object"}},
			{"type":"custom","name":"apply_patch","description":"patches",
				"format":{"type":"grammar","syntax":"lark","definition":"start: x"}},
			{"type":"namespace","name":"crm",
				"tools":[{"type":"function","name":"get","parameters":{"type":"object"}}]},
			{"type":"web_search"}],
		"tool_choice":"auto","parallel_tool_calls":true,"input":[
			{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]},
			{"role":"user","content":"fix it"},{"type":"reasoning","encrypted_content":"e"},
			{"type":"function_call","call_id":"c1","name":"shell","arguments":"{\"command\":\"ls\"}"},
			{"type":"custom_tool_call","call_id":"c2","name":"apply_patch","input":"x"},
			{"type":"function_call","call_id":"c3","namespace":"crm","name":"get","arguments":"{}"},
			{"type":"function_call_output","call_id":"c1","output":"a.txt"},
			{"type":"custom_tool_call_output","call_id":"c2",
				"output":[{"type":"input_text","text":"done"}]}]}`
	chatOfResponses = `{"model":"big-1","max_tokens":100,"parallel_tool_calls":true,
		"tool_choice":"auto","tools":[
			{"type":"function","function":{"name":"shell","description":"runs","strict":false,
				"parameters":{"type":"object"}}},
			{"type":"function","function":{"name":"apply_patch",
				"description":"patches\n\nThe input follows this lark grammar:\nstart: x",
				"parameters":{"type":"object","properties":{"input":{"type":"string"}},
					"required":["input"],"additionalProperties":false}}},
			{"type":"function","function":{"name":"crm__get","parameters":{"type":"object"}}}],
		"messages":[
			{"role":"system","content":"Be good."},{"role":"system","content":"rules"},
			{"role":"user","content":"fix it"},
			{"role":"assistant","content":null,"tool_calls":[
				{"id":"c1","type":"function",
					"function":{"name":"shell","arguments":"{\"command\":\"ls\"}"}},
				{"id":"c2","type":"function",
					"function":{"name":"apply_patch","arguments":"{\"input\":\"x\"}"}},
				{"id":"c3","type":"function","function":{"name":"crm__get","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"c1","content":"a.txt"},
			{"role":"tool","tool_call_id":"c2","content":"done"}]}`

	chatUse   = `{"prompt_tokens":100,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":40}}`
	chatReply = `{"id":"1","model":"big-1","choices":[
		{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"ok",
			"tool_calls":[
				{"id":"c9","type":"function","function":{"name":"NAME","arguments":"ARGS"}}]}}],
		"usage":` + chatUse + `}`
)

func streamed(text string, stream string) string { return strings.Replace(text, "STREAM", stream, 1) }

// chatStream is the reply of chatReply as a stream, with a second call between.
func chatStream(name, half, rest string) string {
	var b strings.Builder
	for _, chunk := range []string{
		`{"id":"1","model":"big-1","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"o"}}]}`, `{"choices":[{"index":0,"delta":{"content":"k"}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c9","type":"function","function":{"name":"` +
			name +
			`","arguments":""}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"` + half + `"}}]}}]}`,
		oneline.Of(`{"choices":[
			{"index":0,"delta":{"tool_calls":[
				{"index":1,"id":"c10","type":"function",
					"function":{"name":"other","arguments":"{}"}}]}}]}`),
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"` + rest + `"}}]}}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, `{"choices":[],"usage":` + chatUse + `}`,
		`[DONE]`,
	} {
		b.WriteString("data: " + chunk + "\n\n")
	}
	return b.String()
}

// events gives the names of a stream's events, each once in a row, and the data
// of all.
func events(text string) (names string, data []string) {
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "event: "); ok && name != last {
			names, last = names+" "+name, name
		}
		if d, ok := strings.CutPrefix(line, "data: "); ok {
			data = append(data, d)
		}
	}
	return names, data
}

// TestTranslatedMessages: an agent that speaks Messages works on a model that is
// asked by chat, in one piece and streamed.
func TestTranslatedMessages(t *testing.T) {
	want := model.Usage{Input: 100, Output: 9, Cached: 40, Known: true}
	r := newRig(t, says(200, jsonType, strings.NewReplacer("NAME", "Bash", "ARGS",
		`{\"command\":\"ls\"}`).Replace(chatReply)), chatOnly)
	_, got := r.post("/v1/messages?beta=true", streamed(askMessages, "false"))
	sameJSON(t, "sent", r.asked[0].body, chatOfMessages)
	sameJSON(t, "reply", got,
		`{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","stop_reason":"tool_use",
			"stop_sequence":null,"content":[
				{"type":"text","text":"ok"},
				{"type":"tool_use","id":"c9","name":"Bash","input":{"command":"ls"}}],
			"usage":{"input_tokens":60,"cache_read_input_tokens":40,"cache_creation_input_tokens":0,
				"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},
				"output_tokens":9}}`)
	if rec := r.last(); rec.To != "chat" || rec.Usage != want || strings.Join(rec.Dropped,
		",") != "web_search_20250305,thinking,tool bash" || r.asked[0].path != "/v1/chat/completions" {
		t.Errorf("recorded %+v", rec)
	}
	r = newRig(t, says(200, sse, chatStream("Bash", `{\"comm`, `and\":\"ls\"}`)), chatOnly)
	_, got = r.post("/v1/messages", streamed(askMessages, "true"))
	names, data := events(got)
	const grammar = " message_start content_block_start content_block_delta content_block_stop content_block_start " +
		"content_block_delta content_block_stop content_block_start content_block_delta content_block_stop " +
		"message_delta message_stop"
	if names != grammar {
		t.Errorf("events%s", names)
	}
	if !strings.Contains(data[0], `"cache_creation":{`) || strings.Contains(data[0], `"input_tokens":0`) {
		t.Errorf("begins with %s", data[0])
	}
	sameJSON(t, "text", data[1], `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	sameJSON(t, "call", data[5],
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c9","name":"Bash","input":{}}}`)
	sameJSON(t, "half", data[6],
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"comm"}}`)
	sameJSON(t, "rest", data[7],
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"and\":\"ls\"}"}}`)
	sameJSON(t, "other", data[9],
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"c10","name":"other","input":{}}}`)
	if rec := r.last(); rec.Usage != want || rec.Outcome != trial.RequestOK {
		t.Errorf("recorded %+v", rec)
	}
}

// TestTranslatedResponses: so does one that speaks Responses, with its custom
// tools and namespaces.
func TestTranslatedResponses(t *testing.T) {
	r := newRig(t, says(200, jsonType, strings.NewReplacer("NAME", "apply_patch", "ARGS",
		`{\"input\":\"x y\"}`).Replace(chatReply)), chatOnly)
	_, got := r.post("/v1/responses", streamed(askResponses, "false"))
	sameJSON(t, "sent", r.asked[0].body, chatOfResponses)
	sameJSON(t, "reply", got,
		`{"id":"resp_1","object":"response","created_at":0,"status":"completed","model":"gpt-x",
			"error":null,"incomplete_details":null,"output":[
				{"type":"message","id":"msg_1","role":"assistant","status":"completed",
					"content":[{"type":"output_text","text":"ok","annotations":[]}]},
				{"type":"custom_tool_call","id":"ctc_1","status":"completed","call_id":"c9",
					"name":"apply_patch","input":"x y"}],
			"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":40},"output_tokens":9,
				"output_tokens_details":{"reasoning_tokens":0},"total_tokens":109}}`)
	if rec := r.last(); strings.Join(rec.Dropped, ",") != "web_search,reasoning" {
		t.Errorf("recorded %+v", rec)
	}
	r = newRig(t, says(200, sse, chatStream("crm__get", `{\"a`, `\":1}`)), chatOnly)
	_, got = r.post("/v1/responses", streamed(askResponses, "true"))
	names, data := events(got)
	const grammar = " response.created response.in_progress response.output_item.added response.content_part.added " +
		"response.output_text.delta response.output_text.done response.content_part.done response.output_item.done" +
		" response.output_item.added response.function_call_arguments.delta response.function_call_arguments.done " +
		"response.output_item.done" +
		" response.output_item.added response.function_call_arguments.delta response.function_call_arguments.done " +
		"response.output_item.done response.completed"
	if names != grammar {
		t.Errorf("events%s", names)
	}
	sameJSON(t, "call", data[12],
		`{"type":"response.output_item.done","sequence_number":12,"output_index":1,
			"item":{"type":"function_call","id":"fc_1","status":"completed","call_id":"c9","name":"get",
				"namespace":"crm","arguments":"{\"a\":1}"}}`)
}

// TestTranslatedFaults: what goes wrong arrives in the agent's dialect.
func TestTranslatedFaults(t *testing.T) {
	check := func(name, media, reply string, status int, stream string, wantStatus int, want string,
		outcome trial.RequestOutcome) {
		t.Helper()
		r := newRig(t, says(status, media, reply), chatOnly)
		s, got := r.post("/v1/messages", streamed(askMessages, stream))
		if rec := r.last(); s != wantStatus || !strings.Contains(got, want) || rec.Outcome != outcome {
			t.Errorf("%s: status %d %s, want %d %s; %+v", name, s, got, wantStatus, want, rec)
		}
	}
	check("busy", jsonType, `{"error":{"message":"slow down `+key+`","type":"x"}}`, 429, "true", 429,
		`{"error":{"message":"slow down [redacted:ACME_API_KEY]","type":"rate_limit_error"},"type":"error"}`,
		trial.RequestProvider)
	check("no reply", jsonType, `{"choices":[]}`, 200, "false", 502, "no chat completion", trial.RequestProvider)
	check("streams nothing", jsonType, strings.NewReplacer("NAME", "Bash", "ARGS", `nonsense`).Replace(chatReply), 200,
		"true", 200, "event: message_stop", trial.RequestOK)
	check("fails within", sse,
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"error\":{\"message\":\"broke\"}}\n\n",
		200, "true", 200, `event: error`, trial.RequestProvider)
	check("cut", sse, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", 200, "true", 200, "<broke off>",
		trial.RequestProvider)
	check("malformed arguments", jsonType, strings.NewReplacer("NAME", "Bash", "ARGS", `nonsense`).Replace(chatReply),
		200, "false", 200, `"input":{"malformed_arguments":"nonsense"}`, trial.RequestOK)
	r := newRig(t, says(200, jsonType, `{}`), chatOnly)
	if s, got := r.post("/v1/messages", `{"model":"m","messages":{}}`); s != 400 || !strings.Contains(got,
		"not of the form of Messages") {
		t.Errorf("status %d %s", s, got)
	}
}
