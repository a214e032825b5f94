package otel

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

// most is how many spans one request holds.
const most = 512

// Collector takes traces.
type Collector struct {
	s      Settings
	client *http.Client
	// Rejected counts spans that the collector did not take, though it took the rest.
	Rejected int
}

// NewCollector makes a client of the collector of s. The error says which file of
// certificates can't be read.
func NewCollector(s Settings) (*Collector, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{}
	if s.CA != "" {
		pem, err := os.ReadFile(s.CA)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", s.CA)
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	if s.Cert != "" || s.Key != "" {
		pair, err := tls.LoadX509KeyPair(s.Cert, s.Key)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	return &Collector{s: s, client: &http.Client{Transport: transport, Timeout: s.Timeout,
		// Headers are for the one address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// Close lets connections go.
func (c *Collector) Close() { c.client.CloseIdleConnections() }

// Send gives the spans of a request to the collector. One that is busy is asked again,
// a little later, three times in all.
func (c *Collector) Send(ctx context.Context, r Request) error {
	for _, part := range r.parts() {
		body, err := json.Marshal(part)
		if err != nil {
			return err
		}
		if err := c.deliver(ctx, body); err != nil {
			return err
		}
	}
	return nil
}

// parts divides a request into ones of at most so many spans.
func (r Request) parts() []Request {
	var out []Request
	for _, res := range r.Resources {
		for _, sc := range res.Scopes {
			for at := 0; at < len(sc.Spans); at += most {
				part := sc
				part.Spans = sc.Spans[at:min(at+most, len(sc.Spans))]
				out = append(out, Request{[]resourceSpans{{res.Resource, []scopeSpans{part}, res.Schema}}})
			}
		}
	}
	return out
}

// busyError is an answer after which the same may be asked again.
type busyError struct {
	after time.Duration
	err   error
}

func (e *busyError) Error() string { return e.err.Error() }

func (c *Collector) deliver(ctx context.Context, body []byte) error {
	pause := 200 * time.Millisecond
	for try := 1; ; try++ {
		err := c.post(ctx, body)
		busy, ok := errors.AsType[*busyError](err)
		if !ok || try == 3 || busy.after > 5*time.Second {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(max(pause, busy.after)):
		}
		pause *= 4
	}
}

// post sends one batch of spans. Its errors leave out the address, which may hold a
// password.
func (c *Collector) post(ctx context.Context, body []byte) error {
	if c.s.Gzip {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(body); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		body = b.Bytes()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.s.Endpoint, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address can't be asked") // it may hold a password
	}
	for key, value := range c.s.Headers {
		req.Header.Set(key, value)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.s.Gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := c.client.Do(req)
	if err != nil {
		var where interface{ Unwrap() error }
		if errors.As(err, &where) && where.Unwrap() != nil { // without the address
			err = where.Unwrap()
		}
		return err
	}
	defer resp.Body.Close()
	return c.answered(resp)
}

// answered reads what a collector says; of a refusal no more than its status.
func (c *Collector) answered(resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		after, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			after = 0
		}
		return &busyError{time.Duration(after) * time.Second, fmt.Errorf("it answers %s", resp.Status)}
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("it answers %s", resp.Status)
	}
	var said struct {
		Partial struct {
			Rejected json.Number `json:"rejectedSpans"`
		} `json:"partialSuccess"`
	}
	// What is no JSON rejects nothing.
	if text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20)); err == nil && json.Unmarshal(text, &said) == nil {
		if n, err := said.Partial.Rejected.Int64(); err == nil {
			c.Rejected += int(n)
		}
	}
	return nil
}
