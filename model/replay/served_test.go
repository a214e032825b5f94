package replay

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestServersAreAnsweredFor: by trial and by what was asked, in order; the last
// attempt counts.
func TestServersAreAnsweredFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	w := NewWriter(map[string]string{"KEY": "sk-very-secret"})
	if err := w.Create(path); err != nil {
		t.Fatal(err)
	}
	n := 0
	server := func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		if n++; strings.Contains(string(params), "break") {
			return nil, errors.New("reset by sk-very-secret")
		}
		return json.RawMessage(`{"result":{"n":` + string(rune('0'+n)) + `}}`), nil
	}
	one := Asker{Server: "web", Model: "acme/one", Task: "t", N: 1, Attempt: 1}
	again := one
	again.Attempt = 2
	asks := func(who Asker, via func(Asker, Round) Round, questions ...string) (out []string) {
		for _, q := range questions {
			method, params, _ := strings.Cut(q, " ")
			raw, err := via(who, server)(t.Context(), method, json.RawMessage(params))
			if err != nil {
				raw = []byte("error: " + err.Error())
			}
			out = append(out, string(raw))
		}
		return out
	}
	asks(Asker{Server: "web"}, w.Served, `initialize {"v":1}`)
	asks(one, w.Served, `call {"a":"lost"}`)
	asks(again, w.Served, `initialize {"v":1}`, `call {"a":"<&>"}`, `call {"a":"<&>"}`, `call {"a":"break"}`)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	asked := n
	check := func(who Asker, want []string, questions ...string) {
		t.Helper()
		if d := cmp.Diff(want, asks(who, r.Served, questions...)); d != "" {
			t.Error(d)
		}
	}
	check(Asker{Server: "web"}, []string{`{"result":{"n":1}}`}, `initialize {"v":2}`)
	check(one, []string{`{"result":{"n":3}}`, `{"result":{"n":4}}`, `{"result":{"n":5}}`, `{"result":{"n":5}}`,
		"error: reset by [redacted:KEY]"},
		`initialize {"v":1}`, `call {"a":"<&>"}`, `call {"a":"<&>"}`, `call {"a":"<&>"}`, `call {"a":"break"}`)
	check(one, []string{`error: the server "web" was not asked this when it was recorded: call {"a":"lost"}`},
		`call {"a":"lost"}`)
	check(Asker{Server: "other"},
		[]string{`error: the server "other" was not asked this when it was recorded: call {}`}, `call {}`)
	if n != asked {
		t.Errorf("the server was asked %d times in the replay", n-asked)
	}
}
