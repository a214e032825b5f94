package preflight

import (
	"errors"
	"strings"
	"testing"

	"cookoff/internal/config"
	"cookoff/model"
)

// TestAdvice: what came of asking a model says what to do next, where that is known.
func TestAdvice(t *testing.T) {
	a := Asker{Config: &config.Config{}}
	check := func(listed []string, err error, want string) {
		t.Helper()
		got := a.advised("ollama/qwen3", listed, err)
		if _, advice, _ := strings.Cut(got.Error(), "\nhint: "); !errors.Is(got, err) || advice != want {
			t.Errorf("%v: %q, want %q", err, advice, want)
		}
	}
	unknown := &model.NotFoundError{Err: errors.New("status 404")}
	down := func(why model.Trouble) error {
		return &model.RetryError{Down: true, Trouble: why, Err: errors.New("it broke")}
	}
	check([]string{"b", "a"}, unknown, "it lists a, b")
	check([]string{"one", "two", "three", "qwen3-8b", "four", "five"}, unknown,
		"it lists 6 models, such as qwen3-8b, one, two, five, four")
	check(nil, unknown, "")
	check([]string{"a"}, errors.New("else"), "")
	const base = "http://h/v1"
	for why, want := range map[model.Trouble]string{
		model.NothingListens: "nothing listens there: start the server, or set " +
			"base_url (" + base + ") to where it listens",
		model.UnknownHost: "nobody knows this host: check base_url (" + base +
			"), and whether this machine has a network",
		model.PlainServer: "the server speaks http: base_url (" + base + ") says https",
		"":                "",
		model.NoProxy: "the proxy is one that HTTPS_PROXY or HTTP_PROXY names: correct it, or have NO_PROXY name the " +
			"host of base_url (" + base + ")",
		model.Distrusted: "this machine does not trust the " +
			"certificate of base_url (" + base + "): SSL_CERT_FILE names your own authority's",
	} {
		if got := unreached(down(why), base); got != want {
			t.Errorf("%s: %q, want %q", why, got, want)
		}
	}
	if got := a.advised("x/y", nil, nil); got != nil {
		t.Errorf("no error becomes %v", got)
	}
}

// TestAddressWithoutVersion: servers of models seldom answer at their root.
func TestAddressWithoutVersion(t *testing.T) {
	for base, want := range map[string]bool{"http://127.0.0.1:11434": false, "http://127.0.0.1:8080/": false,
		"http://h/v1": true, "http://h/v1beta/openai": true, "https://h/openai/deployments/x": true,
		"http://h/api": true} {
		if version.MatchString(base) != want {
			t.Errorf("%s", base)
		}
	}
}
