package gate

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"time"
)

// Serve is the HTTP proxy of a sandbox: CONNECT, and requests for whole URLs.
// It follows no redirect and looks into no tunnel: the name that is checked is
// the one asked for, whatever is said to the server behind it later on.
func (g *Gate) Serve(accept func() (io.ReadWriteCloser, error)) {
	silent := log.New(io.Discard, "", 0)
	out := &http.Transport{
		DialContext: func(ctx context.Context,
			_, addr string) (net.Conn, error) {
			return g.Dial(ctx, addr)
		}, DisableCompression: true,
		ResponseHeaderTimeout:  time.Minute,
		MaxResponseHeaderBytes: 64 << 10,
		DisableKeepAlives:      true, // every request is checked, and noted, as one
	}
	forward := &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.Out.Host = r.In.URL.Host },
		Transport:    out,
		ErrorLog:     silent,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { refuse(w, err) },
	}
	s := &http.Server{
		ErrorLog:          silent,
		ReadHeaderTimeout: time.Minute,
		MaxHeaderBytes:    64 << 10,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodConnect:
				g.tunnel(w, r)
			case r.URL.Scheme == "http" && r.URL.User == nil:
				forward.ServeHTTP(w, r)
			case r.URL.IsAbs():
				refuse(w, &Refusal{r.URL.Host, "only http URLs can be asked for; https goes through CONNECT"})
			default:
				http.Error(w, "cookoff: this is a proxy", http.StatusBadRequest)
			}
		}),
	}
	_ = s.Serve(listener{accept}) // until accept fails
	s.Close()
}

// listener makes a net.Listener of what accepts connections inside a sandbox.
type listener struct {
	accept func() (io.ReadWriteCloser, error)
}

func (l listener) Accept() (net.Conn, error) {
	c, err := l.accept()
	if err != nil {
		return nil, err
	}
	return Conn(c), nil
}

func (l listener) Close() error   { return nil } // whoever accepts ends by himself
func (l listener) Addr() net.Addr { return &net.TCPAddr{} }

// Conn makes a net.Conn, with deadlines, of a connection into a sandbox. The
// end of either is the end of both.
func Conn(inside io.ReadWriteCloser) net.Conn {
	ours, theirs := net.Pipe()
	hangUp := sync.OnceFunc(func() {
		theirs.Close()
		inside.Close()
	})
	go func() {
		defer hangUp()
		_, _ = io.Copy(theirs, inside)
	}()
	go func() {
		defer hangUp()
		_, _ = io.Copy(inside, theirs)
	}()
	return ours
}

// refuse answers with why the gate stays shut.
func refuse(w http.ResponseWriter, err error) {
	code := http.StatusBadGateway
	var no *Refusal
	text := reason(err)
	if errors.As(err, &no) {
		code, text = http.StatusForbidden, no.Error()
	}
	w.Header().Set("X-Cookoff", "gate")
	http.Error(w, "cookoff: "+text, code)
}

// tunnel carries bytes both ways.
func (g *Gate) tunnel(w http.ResponseWriter, r *http.Request) {
	far, err := g.Dial(r.Context(), r.Host)
	if err != nil {
		refuse(w, err)
		return
	}
	defer far.Close()
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer near.Close()
	if _, err := near.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(far, buffered)
		far.Close()
	}()
	_, _ = io.Copy(near, far)
	near.Close()
	<-done
}
