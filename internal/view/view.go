// Package view serves the page of one run, to this machine and to whoever
// knows the address only. It reads the journal and nothing else, so a run that
// goes on takes no notice of it.
package view

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cookoff/internal/tail"
	"cookoff/report/html"
)

// host is where the page is served: no other machine reaches it.
const host = "127.0.0.1"

// Serve serves the page of a journal until ctx ends, which is no error. port 0
// takes any that is free. ready is called once with the address, which holds a
// secret of its own: other programs and pages on this machine can't guess it.
// It is an error when the journal can't be read, or the port not be taken.
func Serve(ctx context.Context, journal string, port int, ready func(address string)) error {
	c := &content{journal: journal}
	t := tail.New(journal, c)
	if _, err := t.Read(); err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	h := newHandler(t, c, rand.Text(), l.Addr().String())
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // the listener's error is Serve's
	defer stop()
	ready(h.address())
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// handler gives the page to requests that name this server and its token and
// that no other site made.
type handler struct {
	token string
	hosts []string // that a request may name, the address first

	mu   sync.Mutex
	tail *tail.Tail
	c    *content // of the page
	page []byte
	tag  string // of page
}

func newHandler(t *tail.Tail, c *content, token, address string) *handler {
	_, port, _ := net.SplitHostPort(address) // of a listener
	return &handler{token: token, hosts: []string{address, net.JoinHostPort("localhost", port)}, tail: t, c: c}
}

func (h *handler) address() string { return "http://" + h.hosts[0] + "/" + h.token + "/" }

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{
		"Cache-Control":                "no-store",
		"Content-Security-Policy":      html.Policy(html.Options{Live: true}) + "; frame-ancestors 'none'",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
	} {
		w.Header().Set(name, value)
	}
	if code, why := h.refuse(r); code != 0 {
		http.Error(w, why, code)
		return
	}
	page, tag, err := h.render()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("ETag", tag)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(page)) // answers If-None-Match
}

// refuse says why a request gets nothing; code 0: it may have the page. A name
// of another host means that some site made its own name lead here.
func (h *handler) refuse(r *http.Request) (code int, why string) {
	if !slices.Contains(h.hosts, r.Host) {
		return http.StatusForbidden, "this server answers to its own address only"
	}
	if origin := r.Header.Get("Origin"); origin != "" &&
		!slices.Contains(h.hosts, strings.TrimPrefix(origin, "http://")) {
		return http.StatusForbidden, "another site asks"
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return http.StatusForbidden, "another site asks"
	}
	if subtle.ConstantTimeCompare([]byte(r.URL.Path), []byte("/"+h.token+"/")) != 1 {
		return http.StatusNotFound, "open the address that cookoff view printed"
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return http.StatusMethodNotAllowed, "only GET and HEAD"
	}
	return 0, ""
}

// render gives the page of what the journal holds now, made anew only when
// there is more of it.
func (h *handler) render() (page []byte, tag string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	news, err := h.tail.Read()
	if err != nil {
		return nil, "", err
	}
	if news || h.page == nil {
		var b bytes.Buffer
		if err := html.Write(&b, h.c.numbers.Report(), h.c.transcripts, html.Options{Live: true}); err != nil {
			return nil, "", err
		}
		h.page, h.tag = b.Bytes(), strconv.Quote(h.tail.State())
	}
	return h.page, h.tag, nil
}
