package contestant

import "testing"

func TestSplit(t *testing.T) {
	check := func(name, agent, model string) {
		t.Helper()
		a, m := Split(name)
		if a != agent || m != model {
			t.Errorf("%q is %q and %q, want %q and %q", name, a, m, agent, model)
		}
		if again := Canonical(Canonical(name)); again != Canonical(name) {
			t.Errorf("%q: %q", name, again)
		}
	}
	check("openai/gpt-5", "", "openai/gpt-5")
	check("openrouter/qwen/qwen3:free", "", "openrouter/qwen/qwen3:free")
	check("opencode: openai/gpt-5", "opencode", "openai/gpt-5")
	check("opencode:openai/gpt-5", "opencode", "openai/gpt-5")
	check("opencode : openrouter/q/qwen3:free", "opencode", "openrouter/q/qwen3:free")
	check(": openai/gpt-5", "", "openai/gpt-5")
	check("a:b:c/d", "a", "b:c/d")
	check("", "", "")
	for word, want := range map[string]bool{"qwen-code": true, "x2_y": true, "": false, "2x": false, "a b": false,
		"../x": false, "é": false} {
		if IsAgentName(word) != want {
			t.Errorf("IsAgentName(%q) is %v", word, !want)
		}
	}
}
