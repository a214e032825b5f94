package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"cookoff/sandbox"
	"cookoff/sandbox/gate"
)

const (
	fetchTime    = 30 * time.Second
	maxBody      = 2 << 20 // bytes of a page that are read
	maxURL       = 4 << 10 // bytes of a URL
	maxRedirects = 5

	webFetchDoc = `Reads a web page or a file at an http or https URL as text; HTML is made readable. ` +
		`Nothing is sent but the request, and only public hosts on the ports 80 and 443 can be reached.`
	allowedDoc = ` Only these hosts can be reached: %s.`
	localDoc   = ` Servers on localhost of this environment, on any port, can be read as well.`
	onlyLocal  = `Reads what an http or https server on localhost of this environment answers, as text; ` +
		`HTML is made readable. No other host can be reached.`
)

// Fetch says what web_fetch may reach.
type Fetch struct {
	Gate  *gate.Gate // to other machines; nil: none
	Local bool       // to the sandbox's own loopback
}

type fetchArgs struct {
	URL string `json:"url" description:"where to read, beginning with http:// or https://"`
}

func newFetch(f Fetch) Tool {
	doc := onlyLocal
	if f.Gate != nil {
		doc = webFetchDoc
		if !f.Gate.Any {
			doc += fmt.Sprintf(allowedDoc, strings.Join(f.Gate.Hosts, ", "))
		}
		if f.Local {
			doc += localDoc
		}
	}
	return New("web_fetch", doc, f.fetch)
}

// fetch asks for a page, follows redirects that stay on the same side (the public network,
// or localhost of the sandbox), and gives its text.
func (f Fetch) fetch(ctx context.Context, sb sandbox.Sandbox, a fetchArgs) (Result, error) {
	u, err := f.parse(a.URL)
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	local := isLocal(u)
	client := &http.Client{
		Transport: &http.Transport{
			DialContext:            f.dialer(sb, local),
			DisableCompression:     true, // what is small must not become large
			DisableKeepAlives:      true,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return fmt.Errorf("more than %d redirects", maxRedirects)
			}
			if isLocal(r.URL) != local {
				return errors.New("a redirect between localhost and another host")
			}
			_, err := f.parse(r.URL.String())
			return err
		},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Result{}, badArgs("url: %s", Clip(Clean([]byte(err.Error())), 200))
	}
	req.Header.Set("User-Agent", "cookoff")
	req.Header.Set("Accept", "text/html, text/*;q=0.9, */*;q=0.5")
	resp, err := client.Do(req)
	if err != nil {
		return Result{}, fetchFailed(ctx, a.URL, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil && (len(body) == 0 || ctx.Err() != nil) {
		return Result{}, fetchFailed(ctx, a.URL, err)
	}
	return shown(resp, body), nil
}

// parse refuses URLs that lead somewhere else than they seem to.
func (f Fetch) parse(raw string) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, badArgs("url: %d bytes are more than the %d that a URL may have", len(raw), maxURL)
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, badArgs("url: it can't be read: %s", Clip(Clean([]byte(errors.Unwrap(err).Error())), 200))
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, badArgs("url: %q does not begin with http:// or https://", Clip(Clean([]byte(raw)), 100))
	case u.User != nil:
		return nil, badArgs("url: a user or password in it is not allowed")
	case isLocal(u) && f.Local:
		return u, nil
	case isLocal(u):
		return nil, failed("web_fetch: %q can't be reached: it is an address of a local network", u.Hostname())
	}
	if _, err := gate.Name(u.Hostname()); err != nil {
		return nil, failed("web_fetch: %q can't be reached: %v", Clip(Clean([]byte(u.Hostname())), 100), err)
	}
	return u, nil
}

// isLocal recognises the loopback in the spellings that people use; all others
// are refused as addresses.
func isLocal(u *url.URL) bool {
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
}

// dialer connects inside the sandbox for its loopback, and through the gate
// for all else. The host's own loopback is never meant.
func (f Fetch) dialer(sb sandbox.Sandbox, local bool) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, addr string) (net.Conn, error) {
		if !local {
			if f.Gate == nil {
				return nil, &gate.Refusal{Host: addr, Reason: "only localhost can be"}
			}
			return f.Gate.Dial(ctx, addr)
		}
		_, p, _ := net.SplitHostPort(addr)
		port, err := strconv.ParseUint(p, 10, 16)
		if err != nil || port == 0 {
			return nil, &gate.Refusal{Host: addr, Reason: "there is no such port"}
		}
		inside, ok := sb.(sandbox.Dialer)
		if !ok {
			return nil, sandbox.OfKinds("this sandbox can't be connected to", sandbox.ErrUnavailable)
		}
		c, err := inside.Dial(ctx, int(port))
		if err != nil {
			return nil, err
		}
		return gate.Conn(c), nil
	}
}

// fetchFailed tells the model's mistakes and the world's from a sandbox that
// failed and a trial that is over.
func fetchFailed(ctx context.Context, to string, err error) error {
	to = Clip(Clean([]byte(to)), 200)
	var no *gate.Refusal
	var fe *sandbox.FileError
	var ce *CallError
	switch {
	case errors.Is(err, sandbox.ErrUnavailable):
		return err
	case errors.As(err, &no):
		return failed("web_fetch: %s", Clean([]byte(no.Error())))
	case errors.As(err, &fe):
		return failed("web_fetch %s: %s", to, fe.Reason)
	case errors.As(err, &ce):
		return failed("web_fetch %s: a redirect: %s", to, ce.Reason)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return failed("web_fetch %s: not done after %s", to, fetchTime)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	return failed("web_fetch %s: %s", to, Clip(Clean([]byte(err.Error())), 300))
}

// shown is what a model sees of an answer.
func shown(resp *http.Response, body []byte) Result {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(body))
	}
	r := Result{Failed: resp.StatusCode >= 400}
	head := fmt.Sprintf("[status %d, %s]\n", resp.StatusCode, Clip(cleanName(kind), 100))
	long := len(body) > maxBody
	body = body[:min(len(body), maxBody)]
	packed := resp.Header.Get("Content-Encoding")
	switch {
	case packed != "" && packed != "identity":
		r.Text = head + fmt.Sprintf("(%d bytes in the encoding %s, which is not unpacked)", len(body),
			Clip(cleanName(packed), 40))
		return r
	case !isText(kind):
		r.Text = head + fmt.Sprintf("(not a text, %d bytes or more)", len(body))
		return r
	}
	text := decoded(body, resp.Header.Get("Content-Type"))
	if kind == "text/html" || kind == "application/xhtml+xml" {
		if page, err := readable(text); err == nil {
			text = page
		}
	}
	text, r.Cut = keepHead(Clean([]byte(text)), maxShown)
	if strings.TrimSpace(text) == "" {
		text = "(empty)"
	}
	r.Text = head + strings.TrimRight(text, "\n")
	if long {
		r.Text += fmt.Sprintf("\n[only the first %d bytes of the answer were read]", maxBody)
	}
	return r
}

func isText(kind string) bool {
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") ||
		slices.Contains([]string{"application/json", "application/xml", "application/javascript", "application/x-sh",
			"application/toml", "application/yaml", "application/x-yaml", "application/x-ndjson"}, kind)
}

// decoded makes UTF-8 of a body in the encoding that it says it has.
func decoded(body []byte, kind string) string {
	if utf8.Valid(body) {
		return string(body)
	}
	enc, _, _ := charset.DetermineEncoding(body, kind)
	b, err := enc.NewDecoder().Bytes(body)
	if err != nil {
		return string(body)
	}
	return string(b)
}

// keepHead cuts what is behind max bytes off, and gives how much that was.
func keepHead(s string, max int) (string, int64) {
	if len(s) <= max {
		return s, 0
	}
	head := Clip(s, max)
	cut := len(s) - len(head) + len("…")
	return head + fmt.Sprintf("\n[… %d more bytes of text]", cut), int64(cut)
}
