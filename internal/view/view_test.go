package view

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"cookoff/internal/oneline"
	"cookoff/trial"
	"cookoff/trial/final"
)

var (
	started = oneline.Of(`{"seq":1,"kind":"run.started","at":"2026-01-01T00:00:00Z",
		"run":{"schema":"cookoff.journal/1","id":"run-one","recipe":"One","models":["m"],"tasks":["a"],
			"baseline":"m","confidence":0.95,"seed":1,"parallel":1,
			"trials":[{"id":"t001","model":"m","task":"a","n":1}]}}`) + "\n"
	said = oneline.Of(`{"seq":1,"kind":"model.called","at":"2026-01-01T00:00:00Z","trial":"t001",
		"attempt":1,"step":1,"called":{"new":[{"role":"user","content":"what is broken?"}]}}`) + "\n"
	ended = `{"seq":2,"kind":"run.finished","at":"2026-01-01T00:00:01Z","end":{"seconds":1}}` + "\n"
)

// journal makes a journal and gives its path and what appends to it.
func journal(t *testing.T, lines ...string) (path string, add func(string)) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "journal.jsonl")
	add = func(s string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(s); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	add(strings.Join(lines, ""))
	return path, add
}

// serve serves a journal until the test ends and gives the address.
func serve(t *testing.T, path string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	address, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- Serve(ctx, path, 0, func(a string) { address <- a }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("told to end: %v", err)
		}
	})
	select {
	case a := <-address:
		return a
	case err := <-done:
		done <- nil
		t.Fatal(err)
	}
	return ""
}

type answer struct {
	code   int
	body   string
	header http.Header
}

// ask makes a request; change, if any, changes it before.
func ask(t *testing.T, address string, change func(*http.Request)) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	res, err := http.DefaultTransport.RoundTrip(r) // follows nothing
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, string(body), res.Header}
}

// W9: only this machine, only who knows the address, and no other site on the
// way.
func TestOnlyWhoKnowsTheAddress(t *testing.T) {
	path, _ := journal(t, started)
	address := serve(t, path)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if ip := net.ParseIP(u.Hostname()); !ip.IsLoopback() || len(u.Path) < 20 {
		t.Errorf("the address is %s", address)
	}
	if again := serve(t, path); strings.HasSuffix(again, u.Path) {
		t.Error("the same secret twice")
	}
	check := func(what string, want int, change func(*http.Request)) {
		t.Helper()
		got := ask(t, address, change)
		if got.code != want || strings.Contains(got.body, "run-one") != (want == http.StatusOK) {
			t.Errorf("%s: %d, want %d: %.80q", what, got.code, want, got.body)
		}
		if got.header.Get("Access-Control-Allow-Origin") != "" ||
			got.header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.Contains(got.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s: headers %v", what, got.header)
		}
	}
	origin := func(o string) func(*http.Request) { return func(r *http.Request) { r.Header.Set("Origin", o) } }
	check("as printed", 200, nil)
	check("by name", 200, func(r *http.Request) { r.Host = "localhost:" + u.Port() })
	check("its own script", 200, origin("http://"+u.Host))
	check("no token", 404, func(r *http.Request) { r.URL.Path = "/" })
	check("another token", 404, func(r *http.Request) { r.URL.Path = "/AAAAAAAAAAAAAAAAAAAAAAAAAA/" })
	check("below the token", 404, func(r *http.Request) { r.URL.Path += "../journal.jsonl" })
	check("a name that was made to lead here", 403, func(r *http.Request) { r.Host = "evil.example:" + u.Port() })
	check("another port's name", 403, func(r *http.Request) { r.Host = "127.0.0.1:1" })
	check("no port", 403, func(r *http.Request) { r.Host = "127.0.0.1" })
	check("another site's script", 403, origin("https://evil.example"))
	check("another server on this machine", 403, origin("http://127.0.0.1:1"))
	check("a file's script", 403, origin("null"))
	check("a picture in another site", 403, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
	check("another port of this machine", 403, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") })
	check("a form", 405, func(r *http.Request) { r.Method = http.MethodPost })
}

// What is whole in the journal is on the page; what did not change is not sent
// again.
func TestFollowsTheJournal(t *testing.T) {
	path, add := journal(t)
	address := serve(t, path)
	tag := ""
	get := func() answer {
		t.Helper()
		got := ask(t, address, func(r *http.Request) { r.Header.Set("If-None-Match", tag) })
		tag = got.header.Get("ETag")
		return got
	}
	check := func(what string, got answer, words ...string) {
		t.Helper()
		for _, w := range words {
			if no, not := strings.CutPrefix(w, "no "); got.code != 200 || strings.Contains(got.body, no) == not {
				t.Errorf("%s: %d, and the page should hold: %s", what, got.code, w)
			}
		}
	}
	check("before the first line", get(), "No trial has begun yet", "data-live>")
	if got := get(); got.code != http.StatusNotModified || got.body != "" {
		t.Errorf("nothing is new: %d with %d bytes", got.code, len(got.body))
	}
	add(started + said[:40])
	check("a line and a half", get(), "run-one", "no No trial has begun yet", "no what is broken?", "data-live>")
	add(said[40:])
	check("two lines", get(), "what is broken?")
	add(ended)
	check("the end", get(), "no data-live>", "finished")

	other, _ := journal(t, strings.ReplaceAll(started, "run-one", "run-two"))
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	check("another journal in its place", get(), "run-two", "no run-one", "no what is broken?")
	if err := os.WriteFile(path, []byte(started[:50]), 0o644); err != nil {
		t.Fatal(err)
	}
	check("a shorter one", get(), "no run-two")
}

// A damaged line is said; once it is mended the page is whole, with nothing in
// it twice.
func TestDamagedWhileItIsRead(t *testing.T) {
	path, add := journal(t, started)
	address := serve(t, path)
	add(said + "{damaged\n")
	if got := ask(t, address, nil); got.code != 500 || !strings.Contains(got.body, "line 2 is no event") {
		t.Errorf("%d: %s", got.code, got.body)
	}
	if err := os.WriteFile(path, []byte(started+said+said), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, address, nil); got.code != 200 || strings.Count(got.body, `"who":"user"`) != 2 {
		t.Errorf("%d, said %d times", got.code, strings.Count(got.body, `"who":"user"`))
	}
	if err := Serve(t.Context(), filepath.Join(t.TempDir(), "none"), 0, nil); err == nil {
		t.Error("a journal that is not there can't be served")
	}
}

func TestPortThatIsTaken(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	path, _ := journal(t, started)
	port := s.Listener.Addr().(*net.TCPAddr).Port
	if err := Serve(t.Context(), path, port, func(string) { t.Error("it is ready") }); err == nil ||
		!strings.Contains(err.Error(), fmt.Sprintf("127.0.0.1:%d", port)) {
		t.Errorf("got %v", err)
	}
}

// Many readers while the journal grows: each gets a whole page.
func TestManyReaders(t *testing.T) {
	path, add := journal(t, started)
	address := serve(t, path)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				if got := ask(t, address, nil); got.code != 200 || !strings.HasSuffix(got.body, "</html>\n") {
					t.Errorf("%d with %d bytes", got.code, len(got.body))
				}
			}
		})
	}
	for range 50 {
		add(said[:30])
		add(said[30:])
	}
	wg.Wait()
	if got := ask(t, address, nil); strings.Count(got.body, `"who":"user"`) != 50 {
		t.Errorf("50 lines were said, %d are on the page", strings.Count(got.body, `"who":"user"`))
	}
}

// What trials left lies beside the journal, and is on the page.
func TestViewShowsFinalStates(t *testing.T) {
	path, add := journal(t, started)
	states := final.NewWriter(nil)
	states.In(filepath.Dir(path))
	after := &final.File{Mode: 0o644, Size: 6}
	after.Keep([]byte("hello\n"))
	ref, err := states.Store(&final.State{Trial: trial.Trial{ID: "t001"}, Attempt: 1,
		Changes: []final.Change{{Path: "greeting", After: after}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	address := serve(t, path)
	add(fmt.Sprintf(
		oneline.Of(`{"seq":2,"kind":"trial.finished","at":"2026-01-01T00:00:00Z","trial":"t001",
			"attempt":1,"outcome":{"status":"pass","stop":"done",
				"state":{"file":%q,"digest":%q,"bytes":1,"changes":1}}}`)+"\n", ref.File, ref.Digest))
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(page), `"path":"greeting","what":"created"`) ||
		!strings.Contains(string(page), `+hello`) {
		t.Errorf("%v, %d bytes without what was left", err, len(page))
	}
}
