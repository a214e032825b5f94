package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/model/openai/openaitest"
)

func TestWhatIsKnownOfModels(t *testing.T) {
	own := "[models.\"ollama/gemma3:*\"]\ntool_format = \"native\"\n[models.\"groq/*\"]\nomit = [\"seed\"]\n" +
		"[models.\"groq/big-*\"]\nomit = [\"top_p\"]\n"
	c := must(t, own, "DEEPSEEK_API_KEY", "x", "ANTHROPIC_API_KEY", "x", "GROQ_API_KEY", "x", "OPENAI_API_KEY", "x",
		"TOGETHER_API_KEY", "x")
	check := func(id string, want model.Traits) {
		t.Helper()
		chat, err := c.Chat(id)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, model.TraitsOf(chat)); d != "" {
			t.Errorf("%s: %s", id, d)
		}
	}
	check("openai/gpt-5", model.Traits{Omit: []string{"seed"}})
	check("openai/o1-mini-2024-09-12", model.Traits{ToolFormat: "text_in_prompt",
		Omit: []string{"temperature", "top_p", "reasoning_effort", "parallel_tool_calls", "seed"}})
	check("anthropic/claude-opus-4", model.Traits{Omit: []string{"seed"}})
	check("deepseek/deepseek-chat", model.Traits{})
	check("deepseek/deepseek-reasoner", model.Traits{Omit: []string{"temperature", "top_p"}})
	check("ollama/gemma2", model.Traits{ToolFormat: "text_in_prompt"})
	check("ollama/llama3:8b", model.Traits{ToolFormat: "text_in_prompt"})
	check("ollama/llama3.1:8b", model.Traits{})
	check("ollama/gemma3:4b", model.Traits{ToolFormat: "native"}) // the user's word
	check("groq/small", model.Traits{Omit: []string{"seed"}})
	check("groq/big-one", model.Traits{Omit: []string{"top_p"}})
	for id, want := range map[string]bool{"deepseek/deepseek-reasoner": true, "deepseek/deepseek-chat": false,
		"together/moonshotai/Kimi-K2-Thinking": true} {
		if got, _ := c.traitsOf(id); got.EchoReasoning != want {
			t.Errorf("%s: echoes reasoning: %v", id, got.EchoReasoning)
		}
	}
}

// TestEchoIsInForce: the table's word reaches the wire.
func TestEchoIsInForce(t *testing.T) {
	for _, echo := range []string{"true", "false"} {
		s := openaitest.New(openaitest.Raw("application/json",
			oneline.Of(`{"choices":[
				{"message":{"reasoning_content":"hm",
					"tool_calls":[{"id":"1","function":{"name":"x","arguments":"{}"}}]},
					"finish_reason":"tool_calls"}]}`)))
		t.Cleanup(s.Close)
		c := must(t, "[providers.mine]\nbase_url = \""+s.URL+"\"\n[models.\"mine/*\"]\necho_reasoning = "+echo+"\n")
		r, err := ask(t, c, "mine/one")
		if err != nil || (r.Message.Reasoning == "hm") != (echo == "true") {
			t.Errorf("%s: %+v, %v", echo, r, err)
		}
	}
}

func TestModelsThatCanNotBeMeant(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if _, err := load(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot  %v\nwant %q", text, err, want)
		}
	}
	check("[models.\"a/*\"]\ntool_format = \"nativ\"",
		"cookoff.toml:2:1: tool_format is \"nativ\", want one of native, function_calling, text_in_prompt\n"+
			"  hint: did you mean native?")
	check("[models.\"a/*\"]\nomit = [\"sead\"]",
		"cookoff.toml:2:1: omit holds \"sead\", want some of temperature, top_p, max_tokens, seed, reasoning_effort, "+
			"parallel_tool_calls\n  hint: did you mean seed?")
	check("[models.\"a/[\"]\nomit = [\"seed\"]", "\"a/[\" matches no model")
	check("[models.gpt]\nomit = [\"seed\"]", "\"gpt\" matches no model")
	check("[models.\"a/*\"]\necho = true", "unknown key echo, allowed: tool_format, omit, echo_reasoning")
}
