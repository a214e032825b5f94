package report

import "testing"

// TestSameModel: a dated or longer name of a model is its own.
func TestSameModel(t *testing.T) {
	same := func(id, served string, want bool) {
		t.Helper()
		if got := sameModel(id, served); got != want {
			t.Errorf("%s served as %s: %v", id, served, got)
		}
	}
	same("openai/gpt-5", "gpt-5-2026-01-01", true)
	same("router/openai/gpt-5", "openai/GPT-5", true)
	same("local/llama3:8b", "llama3:8b", true)
	same("openai/gpt-5", "gpt-4o", false)
	same("noprovider", "noprovider", true)
	same("mistral/mistral-large-latest", "mistral-large-2411", true)
	same("gemini/gemini-2.5-pro", "models/gemini-2.5-pro-preview-05-06", true)
	same("anthropic/claude-sonnet-4", "claude-sonnet-4-20250514", true)
	same("local/qwen3", "qwen3:latest", true)
	same("local/smollm2-135m", "/models/SmolLM2-135M.gguf", true)
	same("openai/gpt-5", "gpt-5-mini", false)
	same("openai/gpt-4", "gpt-4.1", false)
	same("openai/gpt-4", "gpt-4o-2024-08-06", false)
}
