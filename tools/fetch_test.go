package tools_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/gate"
	"cookoff/tools"
)

// inside is a world whose loopback is a server of the test. What a tool
// reaches otherwise, it reaches from the host.
type inside struct {
	*plainWorld
	addr  string
	ports []int
}

var _ sandbox.Dialer = (*inside)(nil)

func (w *inside) Dial(_ context.Context, port int) (io.ReadWriteCloser, error) {
	w.ports = append(w.ports, port)
	if port == 9 {
		return nil, &sandbox.FileError{Op: "connect", Path: "127.0.0.1:9", Reason: "nobody answers there"}
	}
	return net.Dial("tcp", w.addr)
}

// web is the internet of these tests: every name is a public address, which is
// a server of the test, but those whose name says what they are.
func web(t *testing.T, handler http.HandlerFunc) (*inside, gate.Net) {
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return &inside{plainWorld: newPlain(t), addr: s.Listener.Addr().String()}, gate.Net{
		Own: func() []netip.Addr { return []netip.Addr{netip.MustParseAddr("198.41.0.4")} },
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			switch host {
			case "rebound.example":
				return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
			case "own.example":
				return []netip.Addr{netip.MustParseAddr("198.41.0.4")}, nil
			}
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "tcp", s.Listener.Addr().String())
		},
	}
}

func fetched(t *testing.T, w sandbox.Sandbox, f tools.Fetch, url string) (tools.Result, error) {
	t.Helper()
	args, _ := json.Marshal(map[string]string{"url": url})
	return call(t, tools.Builtin(tools.Options{Fetch: &f}), w, "web_fetch", string(args))
}

// N09: no spelling of a local address is reached, but with permission the two
// that people write, and then inside the sandbox.
func TestFetchAddresses(t *testing.T) {
	reached := 0
	w, n := web(t, func(http.ResponseWriter, *http.Request) { reached++ })
	any := tools.Fetch{Gate: &gate.Gate{Any: true, Net: n}}
	for _, host := range []string{
		"127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "017700000001", "0",
		"0.0.0.0", "[::]", "[::1]", "[::ffff:7f00:1]", "[::ffff:127.0.0.1]", "[0:0:0:0:0:0:0:1]",
		"localhost", "localhost.", "LOCALHOST", "x.localhost", "169.254.169.254", "2852039166", "[fd00:ec2::254]",
		"100.100.100.200", "10.0.0.1", "192.168.0.1", "198.41.0.4", "own.example", "rebound.example",
		"metadata.google.internal", "１２７.0.0.1", "127。0。0。1", "user@127.0.0.1", "example.com@127.0.0.1",
		"user:pw@example.com", "[fe80::1%25eth0]", "127.0.0.1%2eexample.com",
	} {
		for _, scheme := range []string{"http://", "https://"} {
			if r, err := fetched(t, w, any, scheme+host+"/"); err == nil {
				t.Errorf("%s%s was reached: %q", scheme, host, r.Text)
			}
		}
	}
	for _, url := range []string{"file:///etc/passwd", "gopher://example.com/", "ftp://example.com/", "//example.com/",
		"example.com", "", "http://", "http:///x", "javascript:1", "http://example.com:22/", "http://example.com:8080/",
		"http://example.com:99999/", "http://exa mple.com/", "http://example.com/\x00",
		"http://" + strings.Repeat("a", 5000)} {
		if r, err := fetched(t, w, any, url); err == nil {
			t.Errorf("%q was reached: %q", url, r.Text)
		}
	}
	if reached > 0 || len(w.ports) > 0 {
		t.Fatalf("%d requests arrived, ports %v were connected to", reached, w.ports)
	}
	if _, err := fetched(t, w, any, "http://example.com"); err != nil || reached != 1 {
		t.Errorf("a public host: %v, %d requests", err, reached)
	}

	local := tools.Fetch{Local: true}
	for _, host := range []string{"127.0.0.1:8000", "localhost:8000", "[::1]:8000"} {
		if _, err := fetched(t, w, local, "http://"+host); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	is(t, "ports inside", fmt.Sprint(w.ports), "[8000 8000 8000]")
	for _, host := range []string{"example.com", "127.1", "localhost.", "127.0.0.2", "10.0.0.1", "169.254.169.254",
		"0"} {
		if r, err := fetched(t, w, local, "http://"+host); err == nil {
			t.Errorf("%s was reached with only the loopback allowed: %q", host, r.Text)
		}
	}
	_, err := fetched(t, w, local, "http://localhost:9/")
	is(t, "nobody there", refused(t, err, tools.ToolFailed), "web_fetch http://localhost:9/: nobody answers there")

	some := tools.Fetch{Gate: &gate.Gate{Hosts: []string{"example.com"}, Net: n}}
	if _, err := fetched(t, w, some, "http://example.com"); err != nil {
		t.Error(err)
	}
	_, err = fetched(t, w, some, "http://evil-example.com")
	is(t, "not allowed", refused(t, err, tools.ToolFailed),
		`web_fetch: "evil-example.com" can't be reached: it is not among the allowed hosts`)
}

// site answers as hostile servers do.
func site(rw http.ResponseWriter, r *http.Request) {
	text := func(kind, body string) {
		rw.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(rw, body)
	}
	switch r.URL.Path {
	case "/to-loopback":
		http.Redirect(rw, r, "http://127.0.0.1/secret", http.StatusFound)
	case "/to-decimal":
		http.Redirect(rw, r, "http://2130706433/secret", http.StatusFound)
	case "/to-name":
		http.Redirect(rw, r, "http://rebound.example/secret", http.StatusFound)
	case "/to-file":
		rw.Header().Set("Location", "file:///etc/passwd")
		rw.WriteHeader(http.StatusFound)
	case "/to-port":
		http.Redirect(rw, r, "http://example.com:22/", http.StatusFound)
	case "/loop":
		http.Redirect(rw, r, "/loop", http.StatusFound)
	case "/moved":
		http.Redirect(rw, r, "/page", http.StatusMovedPermanently)
	case "/endless":
		rw.Header().Set("Content-Type", "text/plain")
		for {
			if _, err := io.WriteString(rw, strings.Repeat("0123456789abcde\n", 4096)); err != nil {
				return
			}
		}
	case "/escapes":
		text("text/plain", "a\x1b[2Jb\u202ec\r\xff")
	case "/gzip":
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(make([]byte, 50<<20))
		z.Close()
		rw.Header().Set("Content-Encoding", "gzip")
		text("text/plain", b.String())
	case "/binary":
		_, _ = rw.Write([]byte("\x7fELF\x00\x01\x02"))
	case "/latin":
		text("text/plain; charset=iso-8859-1", "caf\xe9")
	case "/deep":
		text("text/html", strings.Repeat("<div>", 100_000)+"deep")
	case "/headers":
		for i := range 2000 {
			rw.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 100))
		}
	case "/page":
		text("text/html; charset=utf-8",
			`<!doctype html><html><head><title> A  page </title><style>x{}</style><script>alert(1)</script></head>
			<body><h1>Head</h1><p>One <b>bold</b>
			line, <a href="/x">a link</a>.</p><ul><li>first<li>second</ul><pre>  a
    b</pre><table><tr><td>1</td><td>2</td></tr></table><p>last<br>line</p></body></html>`)
	default:
		http.NotFound(rw, r)
	}
}

// N10: redirects are checked as what they are, new requests.
func TestFetchRedirects(t *testing.T) {
	requests := 0
	w, n := web(t, func(rw http.ResponseWriter, r *http.Request) {
		requests++
		site(rw, r)
	})
	g := &gate.Gate{Any: true, Net: n}
	for path, why := range map[string]string{
		"/to-loopback": "a redirect", "/to-decimal": "a redirect", "/to-file": "a redirect",
		"/to-name": "127.0.0.1 is this machine's own", "/to-port": "ports 80 and 443",
		"/loop": "more than 5 redirects", "/headers": "header",
	} {
		for _, f := range []tools.Fetch{{Gate: g}, {Gate: g, Local: true}} {
			requests = 0
			_, err := fetched(t, w, f, "http://example.com"+path)
			if reason := refused(t, err, tools.ToolFailed); !strings.Contains(reason, why) || requests > 6 ||
				len(w.ports) > 0 {
				t.Errorf("%s: %s, %d requests, ports %v", path, reason, requests, w.ports)
			}
		}
	}
}

// N10 and N16: endless and packed bodies are cut, and what would move a cursor
// is written out.
func TestFetchAnswers(t *testing.T) {
	w, n := web(t, site)
	f := tools.Fetch{Gate: &gate.Gate{Any: true, Net: n}}
	got := func(path string) tools.Result {
		t.Helper()
		r, err := fetched(t, w, f, "http://example.com"+path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return r
	}
	if r := got("/endless"); len(r.Text) > 256<<10 || r.Cut < 1<<20 || !strings.Contains(r.Text,
		"only the first 2097152 bytes") {
		t.Errorf("an endless body: %d bytes, %d left out", len(r.Text), r.Cut)
	}
	is(t, "escapes", got("/escapes").Text, "[status 200, text/plain]\na\\x1b[2Jb\\u202ec\\r\\xff")
	if r := got("/gzip"); !strings.Contains(r.Text, "in the encoding gzip, which is not unpacked") ||
		len(r.Text) > 200 {
		t.Errorf("a packed body: %.300q", r.Text)
	}
	if r := got("/binary"); !strings.Contains(r.Text, "(not a text, 7 bytes or more)") {
		t.Errorf("a binary: %q", r.Text)
	}
	is(t, "another encoding", got("/latin").Text, "[status 200, text/plain]\ncafé")
	if r := got("/deep"); !strings.Contains(r.Text, "deep") && r.Cut == 0 {
		t.Errorf("a deep page: %.100q", r.Text)
	}
	r := got("/gone")
	if is(t, "an error page", r.Text, "[status 404, text/plain]\n404 page not found"); !r.Failed {
		t.Error("404 did not fail")
	}
	is(t, "a page", got("/moved").Text, `[status 200, text/html]
Title: A page

# Head

One bold line, a link (/x).

- first
- second

  a
    b

1 | 2 |

last
line`)
}

// N15: without a network there is no web_fetch at all.
func TestNoFetch(t *testing.T) {
	for _, tool := range tools.Builtin(tools.Options{}) {
		if tool.Spec().Name == "web_fetch" {
			t.Error("web_fetch is offered without a network")
		}
	}
}

func is(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n got %q\nwant %q", what, got, want)
	}
}
