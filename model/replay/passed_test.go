package replay

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/model/openai"
	"cookoff/model/wire"
)

// TestPassed: what an agent asks of its model is recorded and answered again
// without the provider: by the same words, else by the next with these tools;
// faults that are tried again are left out, and no key is written.
func TestPassed(t *testing.T) {
	answers := []string{"500", `data: {"n":1}` + "\n\n", `data: {"n":2,"echo":"sk-secret-key"}` + "\n\n",
		`{"title":"x"}`}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		a := answers[0]
		answers = answers[1:]
		if a == "500" {
			http.Error(w, a, 500)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, a)
	}))
	defer server.Close()
	path := filepath.Join(t.TempDir(), File)
	w := NewWriter(map[string]string{"KEY": "sk-secret-key"})
	chat := w.Chat("acme/m", openai.New(openai.Config{Name: "acme", BaseURL: server.URL + "/v1/", Model: "m",
		Dialects: []wire.Dialect{wire.Responses, wire.Chat}}))
	if err := w.Create(path); err != nil {
		t.Fatal(err)
	}
	id := model.TrialID{Task: "fix", N: 1, Attempt: 1}
	ask := func(u wire.Upstream, path, body string) (string, error) {
		t.Helper()
		req, _ := http.NewRequest("POST", strings.TrimRight(u.BaseURL, "/")+path, strings.NewReader(body))
		resp, err := u.Transport.RoundTrip(req)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		return resp.Header.Get("Content-Type") + " " + string(text), err
	}
	const one, two, title = `{"input":[1],"tools":[{"name":"sh"}],"k":"sk-secret-key"}`,
		`{"input":[1,2],"tools":[{"name":"sh"}]}`, `{"input":[9]}`
	up, ok := wire.UpstreamOf(chat.(model.PerTrial).ForTrial(id))
	if !ok {
		t.Fatal("no upstream")
	}
	for _, body := range []string{one, one, two, title} {
		if _, err := ask(up, "/responses?x=1", body); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rec, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	player, err := rec.Chat("acme/m")
	if err != nil {
		t.Fatal(err)
	}
	up, ok = wire.UpstreamOf(player.(model.PerTrial).ForTrial(id))
	if !ok || !up.HasDialect(wire.Responses) || !up.HasDialect(wire.Chat) || up.Model != "m" {
		t.Fatalf("upstream %+v", up)
	}
	check := func(body, want string, diverged int) {
		t.Helper()
		got, err := ask(up, "/responses?x=1", body)
		if err != nil {
			got = err.Error()
		}
		if got != want || len(rec.Diverged()) != diverged {
			t.Errorf("%s: %q, want %q; diverged %v", body, got, want, rec.Diverged())
		}
	}
	const media = "text/event-stream "
	check(title, media+`{"title":"x"}`, 0)
	check(strings.Replace(one, "sk-secret-key", "[redacted:KEY]", 1), media+"data: {\"n\":1}\n\n", 0)
	check(`{"input":[1,"otherwise"],"tools":[{"name":"sh"}]}`, media+"data: {\"n\":2,\"echo\":\"[redacted:KEY]\"}\n\n",
		1)
	check(two,
		"the replay diverges from the recording at request 4: no request to /responses?x=1 with these tools is left", 1)
}
