package gateway_test

import (
	"strings"
	"testing"

	"cookoff/contestant/gateway"
	"cookoff/trial"
)

// TestNoWayAround: what reaches the web by way of the provider, is kept there, or can't be
// counted goes out in no spelling.
func TestNoWayAround(t *testing.T) {
	refused := func(path, body string) {
		t.Helper()
		r := newRig(t, says(200, jsonType, "{}"))
		if s, text := r.post(path, body); s != 400 || len(r.asked) != 0 {
			t.Errorf("%s: status %d %s; it went out: %v", body, s, text, r.asked)
		}
	}
	const chat, responses, messages, gemini = "/v1/chat/completions", "/v1/responses", "/v1/messages",
		"/v1beta/models/m:generateContent"
	for _, more := range []string{
		`"enable_search":true`, `"Enable_Search":true`, `"search_parameters":{"mode":"on"}`,
		`"provider":{"order":["x"]}`, `"best_of":2`, `"n":"8"`, `"n":[2]`,
		`"stream":"true"`, `"stream":1`, `"max_tokens":"9"`, `"stream":true,"stream_options":{"Include_Usage":true}`,
		`"stream":true,"stream_options":{"include_usage":1}`, `"stream":true,"stream_options":[]`,
		`"tools":[{"type":"web_search","Type":"function"}]`, `"tools":[{"type":"function","type":"web_search"}]`,
		`"tools":[{"\u0074ype":"web_search","type":"function"}]`,
		`"tools":[{"type":"function","function":{"name":"a"},"Function":{"name":"b"}}]`,
		`"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://evil.example/?q=secret"}}]}]`,
		`"messages":[{"role":"user","content":[{"type":"image_url","image_url":"http://evil.example"}]}]`,
		`"messages":[{"role":"user","content":[{"type":"image_url","image_\u0075rl":{"u\u0072l":" HTTPS://evil.example"}}]}]`,
		`"messages":[{"role":"user","content":[{"type":"image_url","Image_URL":{"url":"data:,"}}]}]`,
		`"messages":[
			{"role":"user","content":[
				{"type":"image_url","image_url":{"url":"data:,","url":"http://evil.example"}}]}]`,
		`"messages":[{"role":"user","content":[{"type":"video_url","video_url":{"url":"ftp://evil.example"}}]}]`,
		`"messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"file-of-the-user"}}]}]`,
		`"messages":[{"role":"user","content":[{"type":"file","file":{"file_data":"https://evil.example/?q= a b"}}]}]`,
		`"messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"https://evil.example/a.wav"}}]}]`,
		`"messages":[{"role":"user","content":[{"type":"video","video":["data:,","https://evil.example/1.png"]}]}]`,
		`"messages":[{"role":"user","content":[{"type":"image","image":"file:///etc/passwd"}]}]`,
		`"messages":[{"role":"user","content":[{"type":"image","url":"https://evil.example"}]}]`,
		`"messages":[{"role":"user","content":[{"type":"document_url","document_url":"https://evil.example/a.pdf"}]}]`,
		`"messages":[{"role":"user","content":[{"type":"new","Image_Place":" HTTPS://evil.example/a"}]}]`,
		`"webhook":"https://evil.example"`, `"deferred":true`, `"modalities":["text","audio"]`,
		`"enable_enhancement":true`, `"enable_code_interpreter":true`,
	} {
		refused(chat, `{"model":"m",`+more+`}`)
	}
	for _, more := range []string{
		`"input":[{"type":"message","content":[{"type":"input_image","image_url":"https://evil.example"}]}]`,
		`"input":[{"type":"input_file","file_url":"https://evil.example"}]`,
		`"input":[{"type":"item_reference","id":"rs_1"}]`,
		`"input":[{"type":"additional_tools","tools":[{"type":"web_search"}]}]`,
		`"tools":[{"type":"namespace","name":"a","tools":[{"type":"mcp","server_url":"https://evil.example"}]}]`,
		`"background":"true"`, `"background":1`,
		`"input":[{"type":"input_image","file_id":"file-1"}]`,
		`"input":[{"type":"code","container":{"file_ids":["file-1"]}}]`,
		`"tools":[{"type":"namespace","name":"a","tools":[{"type":"brand_new_server_tool"}]}]`,
		`"context_management":[{"type":"compaction","compact_threshold":1000}]`,
	} {
		refused(responses, `{"model":"m",`+more+`}`)
	}
	refused(messages,
		`{"model":"m","messages":[
			{"role":"user","content":[
				{"type":"image","source":{"type":"url","url":"https://evil.example"}}]}]}`)
	refused(messages,
		`{"model":"m","messages":[
			{"role":"user","content":[
				{"type":"tool_result","content":[
					{"type":"document","source":{"type":"url","url":"https://evil.example"}}]}]}]}`)
	refused(messages, `{"model":"m","inference_geo":"us"}`)
	refused(messages, `{"model":"m","speed":"fast"}`)
	refused(messages,
		`{"model":"m","context_management":{"edits":[{"type":"clear_thinking_20251015"},{"type":"compact_20260112"}]}}`)
	refused(messages, `{"model":"m","context_management":{"edits":[],"Edits":[{"type":"compact_20260112"}]}}`)
	for _, body := range []string{`{"cachedContent":"cachedContents/1"}`, `{"cached_content":"x"}`,
		`{"generationConfig":{"responseModalities":["TEXT","IMAGE"]}}`,
		`{"generationConfig":{"candidateCount":4}}`, `{"generation_config":{"candidate_count":4}}`,
		`{"generationConfig":{},"generation_config":{"maxOutputTokens":5}}`,
		`{"generationConfig":{"maxOutputTokens":999999}}`, `{"serviceTier":"priority"}`,
		`{"contents":[{"parts":[{"fileData":{"fileUri":"https://www.youtube.com/watch?v=1"}}]}]}`,
		`{"contents":[{"parts":[{"file_data":{"file_uri":"gs://b/o"}}]}]}`} {
		refused(gemini, body)
	}
}

// TestOwnWordsPass: addresses in an agent's text and in the arguments of its tools are
// nobody's to fetch, and data in content passes; a host that the recipe allows does, too.
func TestOwnWordsPass(t *testing.T) {
	pass := func(path, body string, change ...func(*gateway.Options)) {
		t.Helper()
		r := newRig(t, says(200, jsonType, "{}"), change...)
		if s, text := r.post(path, body); s != 200 || r.asked[0].body != strings.Replace(body, `"model":"m"`,
			`"model":"big-1"`, 1) {
			t.Errorf("%s: status %d %s; %v", body, s, text, r.asked)
		}
	}
	const chat, messages = "/v1/chat/completions", "/v1/messages"
	pass(chat,
		`{"model":"m","messages":[
			{"role":"user","content":"see https://go.dev"},
			{"role":"user",
				"content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]}]}`)
	pass(chat,
		`{"model":"m","tools":[
			{"type":"function","function":{"name":"f",
				"parameters":{"properties":{"url":{"type":"string"},"URL":{"type":"mcp"}}}}}],
			"metadata":{"url":"https://x"}}`)
	pass(messages,
		`{"model":"m","messages":[
			{"role":"assistant","content":[
				{"type":"tool_use","id":"1","name":"f","input":{"source":{"url":"https://go.dev"},
					"file_id":"1","Type":1,"type":2}}]}]}`)
	pass("/v1beta/models/m:generateContent",
		`{"contents":[
			{"parts":[
				{"functionCall":{"name":"f","args":{"fileUri":"https://go.dev"}}},
				{"inlineData":{"mimeType":"image/png","data":"AA"}}]}],
			"generationConfig":{"candidateCount":1}}`)
	pass(messages,
		`{"model":"m","context_management":{"edits":[{"type":"clear_tool_uses_20250919","keep":"all"}]},
			"messages":[{"role":"user","content":"https://go.dev"}]}`)
	pass("/v1/responses",
		`{"model":"m","input":"https://go.dev","tools":[
			{"type":"local_shell"},
			{"type":"custom","name":"p","format":{"type":"grammar","definition":"https://x"}}],
			"include":["reasoning.encrypted_content"]}`)
	image := `{"model":"m","messages":[
		{"role":"user","content":[
			{"type":"image","source":{"type":"url","url":"https://img.example/a.png"}}]}]}`
	pass(messages, image,
		func(o *gateway.Options) { o.Reach = func(host string) bool { return host == "img.example" } })
}

// TestOutputByDialect: the limit of a reply is read where the dialect has it, and nowhere else.
func TestOutputByDialect(t *testing.T) {
	var got gateway.Ask
	r := newRig(t, says(200, jsonType, "{}"), func(o *gateway.Options) { o.Admit = asks(&got) })
	for body, want := range map[string]int{
		`/v1/chat/completions {"model":"m","max_output_tokens":5}`:                               0,
		`/v1/chat/completions {"model":"m","max_completion_tokens":7}`:                           7,
		`/v1/responses {"model":"m","max_tokens":5,"max_output_tokens":8}`:                       8,
		`/v1/messages {"model":"m","max_output_tokens":5,"max_tokens":9.5}`:                      10,
		`/v1beta/models/m:generateContent {"generationConfig":{"maxOutputTokens":6},"n":1}`:      6,
		`/v1beta/models/m:generateContent {"generation_config":{"max_output_tokens":6}}`:         6,
		`/v1beta/models/m:generateContent {"maxOutputTokens":6,"max_tokens":6,"contents":[]}`:    0,
		`/v1/messages {"model":"m","max_tokens":5,"generationConfig":{"maxOutputTokens":100}}`:   5,
		`/v1/chat/completions {"model":"m","max_tokens":null,"stop":["x"],"temperature":1.0e-1}`: 0,
	} {
		path, text, _ := strings.Cut(body, " ")
		if r.post(path, text); got.Output != want {
			t.Errorf("%s may have %d tokens, want %d", body, got.Output, want)
		}
	}
}

// TestUsageIsAsked: the usage of a chat's stream is asked for, and told only to an agent
// that asked; a provider that rejects the question is not asked.
func TestUsageIsAsked(t *testing.T) {
	const reply = "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n" +
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}\n\ndata: [DONE]\n\n"
	check := func(options, sent string, told, not bool) {
		t.Helper()
		r := newRig(t, says(200, sse, reply), func(o *gateway.Options) { o.Upstream.NoStreamUsage = not })
		_, got := r.post("/v1/chat/completions", `{"model":"m","stream":true`+options+`}`)
		if body := r.asked[0].body; !strings.Contains(body, sent) || not == strings.Contains(body, "include_usage") ||
			strings.Contains(got, "usage") != told || r.last().Usage.Input != 5 {
			t.Errorf("%s: sent %s, got %s, counted %+v", options, body, got, r.last())
		}
	}
	check(``, `"stream_options":{"include_usage":true}`, false, false)
	check(`,"stream_options":null`, `"stream_options":{"include_usage":true}`, false, false)
	check(`,"stream_options":{"include_usage":false}`, `"stream_options":{"include_usage":true}`, false, false)
	check(`,"stream_options":{"include_obfuscation":false}`, `{"include_usage":true,"include_obfuscation":false}`,
		false, false)
	check(`,"stream_options":{"include_usage":true}`, `"stream_options":{"include_usage":true}`, true, false)
	check(`,"stream_options":{"include_usage":true}`, `"stream":true`, true, true)
}

// TestPassedHeaders: a provider sees of an agent's address and headers what it needs, and
// nothing that a filter on the way would take for an attack.
func TestPassedHeaders(t *testing.T) {
	r := newRig(t, says(200, jsonType, "{}"))
	r.post("/v1/messages?beta=true&api-version=2024-01-01&account=other&key="+token, hello, "User-Agent",
		"() { :; }; <script>", "Anthropic-Beta", "a-1,b",
		"Idempotency-Key", "1", "Anthropic-Organization", "o", "X-Stainless-Lang", "js", "Accept", "text/event-stream")
	got := r.asked[0]
	if got.path != "/v1/messages?api-version=2024-01-01&beta=true" {
		t.Errorf("asked %s", got.path)
	}
	for name, want := range map[string]string{"Anthropic-Beta": "a-1,b", "Idempotency-Key": "",
		"Anthropic-Organization": "", "X-Stainless-Lang": "js", "Accept": "text/event-stream"} {
		if got.header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.header.Get(name), want)
		}
	}
	if strings.Contains(got.header.Get("User-Agent"), "script") {
		t.Errorf("User-Agent: %s", got.header.Get("User-Agent"))
	}
	if s, _ := r.post("/v1/messages", hello, "X-Stainless-Os", strings.Repeat("x", 9<<10)); s != 431 ||
		r.last().Outcome != trial.RequestRefused || len(r.asked) != 1 {
		t.Errorf("9 KB of headers: status %d", s)
	}
}
