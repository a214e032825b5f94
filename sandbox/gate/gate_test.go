package gate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
)

const public = "93.184.216.34"

// stub is a gate whose names mean these addresses; what it connects to is a
// server of the test, and it keeps which address it was told.
type stub struct {
	*Gate
	dialled []string
	asked   int
}

func newStub(server string, names map[string][]string, hosts ...string) *stub {
	s := &stub{Gate: &Gate{Hosts: hosts}}
	s.Net.Own = func() []netip.Addr { return []netip.Addr{netip.MustParseAddr("198.41.0.4")} }
	s.Net.Lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
		s.asked++
		var all []netip.Addr
		for _, a := range names[host] {
			all = append(all, netip.MustParseAddr(a))
		}
		if all == nil {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}
		return all, nil
	}
	s.Net.Dial = func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
		s.dialled = append(s.dialled, a.String())
		var d net.Dialer
		return d.DialContext(ctx, "tcp", server)
	}
	return s
}

func TestNames(t *testing.T) {
	good := func(host, want string) {
		t.Helper()
		if got, err := Name(host); err != nil || got != want {
			t.Errorf("%q is %q, %v", host, got, err)
		}
	}
	good("Example.COM.", "example.com")
	good("xn--bcher-kva.example", "xn--bcher-kva.example")
	good("a_b.example", "a_b.example")
	// N09: spellings of addresses, and of names that are as good as one
	for _, bad := range []string{
		"127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "017700000001", "0",
		"0.0.0.0", "0x7f.1", "0X7F.0.0.1", "127.0.0.1.",
		"::", "::1", "[::1]", "[::]", "[::ffff:127.0.0.1]", "::ffff:7f00:1", "[fe80::1%25eth0]", "fd00:ec2::254",
		"[fd00:ec2::254]",
		"169.254.169.254", "2852039166", "100.100.100.200", "localhost", "LOCALHOST.", "x.localhost",
		"metadata.google.internal", "printer.local",
		"user@127.0.0.1", "a b", "a/b", "a\x00b", "exämple.com", "１２７.0.0.1", "127。0。0。1", "", ".", "..", "a..b", ".a",
		strings.Repeat("a", 64) + ".com", strings.Repeat("a.", 200) + "com",
	} {
		if got, err := Name(bad); err == nil {
			t.Errorf("%q was taken for the name %q", bad, got)
		}
	}
}

func TestPrivate(t *testing.T) {
	for _, a := range []string{
		"0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.0.9", "169.254.169.254", "172.16.0.1",
		"172.31.255.255", "192.168.1.1", "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255", "100.100.100.200",
		"::", "::1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001::1",
		"2001:db8::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "100::1", "5f00::1",
	} {
		if Private(netip.MustParseAddr(a)) == "" {
			t.Errorf("%s counts as public", a)
		}
	}
	for _, a := range []string{public, "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1",
		"2606:4700::1111", "::ffff:1.1.1.1", "2a00::1"} {
		if why := Private(netip.MustParseAddr(a)); why != "" {
			t.Errorf("%s does not count as public: %s", a, why)
		}
	}
	if Private(netip.Addr{}) == "" {
		t.Error("no address counts as public")
	}
}

func TestDial(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	names := map[string][]string{
		"github.com": {public}, "api.github.com": {public}, "evil-github.com": {public},
		"github.com.evil.com": {public}, "a.b.example": {"2606:4700::1111", public}, "b.example": {public},
		"inner.example": {"10.0.0.1"}, "mixed.example": {public, "127.0.0.1"}, "meta.example": {"169.254.169.254"},
		"mapped.example": {"::ffff:127.0.0.1"}, "own.example": {"198.41.0.4"}, "sixtofour.example": {"2002:7f00:1::"},
	}
	s := newStub(l.Addr().String(), names, "GitHub.com", "*.b.example", "inner.example", "mixed.example",
		"meta.example", "mapped.example", "own.example", "sixtofour.example", "gone.example")
	good := func(hostport, addr string) {
		t.Helper()
		s.dialled = nil
		c, err := s.Dial(t.Context(), hostport)
		if err != nil || !slices.Equal(s.dialled, []string{addr}) {
			t.Errorf("%s: %v, connected to %q", hostport, err, s.dialled)
			return
		}
		c.Close()
	}
	bad := func(hostport, why string) {
		t.Helper()
		s.dialled = nil
		_, err := s.Dial(t.Context(), hostport)
		var no *Refusal
		if !errors.As(err, &no) || !strings.Contains(no.Reason, why) || s.dialled != nil {
			t.Errorf("%s: %v, connected to %q", hostport, err, s.dialled)
		}
	}
	good("github.com:443", public+":443")
	good("GITHUB.com.:80", public+":80")
	good("a.b.example:443", "[2606:4700::1111]:443")
	// N12
	asked := s.asked
	bad("127.0.0.1:443", "it is an address")
	bad(public+":443", "it is an address")
	bad("[::1]:443", "it is an address")
	bad("github.com:22", "ports 80 and 443")
	bad("github.com:0443", "ports 80 and 443")
	bad("github.com:", "ports 80 and 443")
	bad("github.com", "ports 80 and 443")
	bad("evil-github.com:443", "not among the allowed hosts")
	bad("github.com.evil.com:443", "not among the allowed hosts")
	bad("api.github.com:443", "not among the allowed hosts")
	bad("b.example:443", "not among the allowed hosts")
	bad("xb.example:443", "not among the allowed hosts")
	if s.asked != asked {
		t.Error("a name that is not allowed was looked up: that alone tells its server something")
	}
	// N13
	bad("inner.example:443", "10.0.0.1 is of a private network")
	bad("mixed.example:443", "127.0.0.1 is this machine's own")
	bad("meta.example:80", "169.254.169.254 is link-local")
	bad("mapped.example:80", "127.0.0.1 is this machine's own")
	bad("own.example:443", "198.41.0.4 is this machine's own")
	bad("sixtofour.example:443", "is not public")
	if _, err := s.Dial(t.Context(), "gone.example:443"); err == nil || !strings.Contains(err.Error(), "no such host") {
		t.Errorf("a name that does not exist: %v", err)
	}
	if _, err := (&Gate{}).Dial(t.Context(), "github.com:443"); err == nil {
		t.Error("the zero gate let something through")
	}
	all, more := s.Attempts()
	var said []string
	for _, a := range all {
		said = append(said, a.String())
	}
	text := strings.Join(said, "\n")
	for _, want := range []string{"reached github.com:443 at " + public,
		`refused "evil-github.com:443": it is not among the allowed hosts`,
		`refused "gone.example:443": no connection: no such host`,
		`refused "github.com:": only the ports 80 and 443 can be (2 times)`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not among the attempts:\n%s", want, text)
		}
	}
	if again, _ := s.Attempts(); len(again)+more != 0 {
		t.Errorf("%d attempts came twice, %d too many", len(again), more)
	}
}

// TestRebinding is N11: a name that means something else when it is asked
// about again is connected to as it was checked, and is asked about once.
func TestRebinding(t *testing.T) {
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		fmt.Fprint(w, "secret")
	}))
	defer secret.Close()
	s := newStub("127.0.0.1:1", nil, "rebind.example")
	n := 0
	s.Net.Lookup = func(context.Context, string) ([]netip.Addr, error) {
		n++
		if n == 1 {
			return []netip.Addr{netip.MustParseAddr(public)}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	_, _ = s.Dial(t.Context(), "rebind.example:80")
	if n != 1 || !slices.Equal(s.dialled, []string{public + ":80"}) {
		t.Errorf("looked up %d times, connected to %q", n, s.dialled)
	}
	_, err := s.Dial(t.Context(), "rebind.example:80")
	var no *Refusal
	if !errors.As(err, &no) {
		t.Errorf("the second answer was believed: %v", err)
	}
}

func TestAttemptsAreBounded(t *testing.T) {
	g := &Gate{}
	for i := range 1000 {
		_, _ = g.Dial(t.Context(), fmt.Sprintf("h%d.example:443", i))
	}
	if all, more := g.Attempts(); len(all) != maxAttempts || more != 1000-maxAttempts {
		t.Errorf("%d attempts, %d more", len(all), more)
	}
}

func TestCheckHost(t *testing.T) {
	for _, h := range []string{"github.com", ".github.com", "*.github.com", "packages.example"} {
		if err := CheckHost(h); err != nil {
			t.Error(err)
		}
	}
	for _, h := range []string{"", "*", "*github.com", "https://github.com", "github.com:443",
		"github.com/x", "127.0.0.1", "10.0.0.0/8", "::1", "localhost", "a b", "u@h"} {
		if CheckHost(h) == nil {
			t.Errorf("%q can be allowed", h)
		}
	}
}

// proxied is a client of a gate's proxy, and the proxy's address.
func proxied(t *testing.T, s *stub) (*http.Client, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { s.Serve(func() (io.ReadWriteCloser, error) { return l.Accept() }); close(done) }()
	t.Cleanup(func() { l.Close(); <-done })
	u := &url.URL{Scheme: "http", Host: l.Addr().String()}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(u), DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, l.Addr().String()
}

func TestProxy(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://127.0.0.1/secret", http.StatusFound)
			return
		}
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %q %q", r.Method, r.Host, r.URL.Path, b, r.Header["Proxy-Authorization"])
	}))
	defer server.Close()
	s := newStub(server.Listener.Addr().String(),
		map[string][]string{"ok.example": {public}, "inner.example": {"10.0.0.1"}}, "ok.example", "inner.example")
	client, addr := proxied(t, s)
	said := func(resp *http.Response, err error) string {
		t.Helper()
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return fmt.Sprint(resp.StatusCode, " ", strings.TrimSpace(string(b)))
	}
	check := func(got, want string) {
		t.Helper()
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	req, _ := http.NewRequest("PUT", "http://ok.example/path", strings.NewReader("body"))
	req.Header.Set("Proxy-Authorization", "Basic c2VjcmV0")
	check(said(client.Do(req)), `200 PUT ok.example /path "body" []`)
	check(said(client.Get("http://ok.example/away")), "302")
	check(said(client.Get("http://evil.example/")),
		`403 cookoff: "evil.example" can't be reached: it is not among the allowed hosts`)
	check(said(client.Get("http://127.0.0.1:80/")), "403 cookoff: ")
	check(said(client.Get("http://inner.example/")), "403 cookoff: ")
	check(said(client.Get("http://ok.example:8080/")), "only the ports 80 and 443")
	check(said(client.Get("http://user:pw@ok.example/")), "200 GET")

	raw := func(head string) (string, *bufio.Reader, net.Conn) {
		t.Helper()
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		fmt.Fprint(c, head+"\r\n\r\n")
		in := bufio.NewReader(c)
		line, _ := in.ReadString('\n')
		return strings.TrimSpace(line), in, c
	}
	const refused, wrong = "HTTP/1.1 403 Forbidden", "HTTP/1.1 400 Bad Request"
	for head, want := range map[string]string{
		"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: ok.example:443":            refused,
		"CONNECT 127.0.0.1:443 HTTP/1.1\r\nHost: ok.example:443":           refused,
		"CONNECT evil-ok.example:443 HTTP/1.1\r\nHost: ok.example:443":     refused,
		"CONNECT ok.example.evil.com:443 HTTP/1.1\r\nHost: ok.example:443": refused,
		"CONNECT ok.example:22 HTTP/1.1\r\nHost: ok.example:443":           refused,
		"CONNECT inner.example:443 HTTP/1.1\r\nHost: ok.example":           refused,
		"GET / HTTP/1.1\r\nHost: ok.example":                               wrong,
		"GET ftp://ok.example/ HTTP/1.1\r\nHost: ok.example":               refused,
		"GET file:///etc/passwd HTTP/1.1\r\nHost: ok.example":              refused,
		"GET gopher://ok.example:443/ HTTP/1.1\r\nHost: ok.example":        refused,
		"nonsense": wrong,
	} {
		if got, _, _ := raw(head); got != want {
			t.Errorf("%q was answered with %q", head, got)
		}
	}
	s.Attempts()
	got, in, c := raw("CONNECT ok.example:443 HTTP/1.1\r\nHost: other.example")
	check(got, "HTTP/1.1 200")
	_, _ = in.ReadString('\n')
	fmt.Fprint(c, "GET /inside HTTP/1.1\r\nHost: fronted\r\nConnection: close\r\n\r\n")
	b, _ := io.ReadAll(in)
	check(string(b), "GET fronted /inside")
	if all, _ := s.Attempts(); len(all) != 1 || all[0].Host != "ok.example" || all[0].Addr != public {
		t.Errorf("attempts %v", all)
	}
}
