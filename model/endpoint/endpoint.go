// Package endpoint is what the ways to ask a model have in common: how the
// words and statuses of providers become the kinds of errors that model.Chat
// names, and one request with a stream for its answer.
package endpoint

import (
	"net/http"
	"strings"
	"time"

	"cookoff/model/wire"
)

// Endpoint is one model at one address.
type Endpoint struct {
	Name    string // of the provider, as in provider/model: for error texts
	BaseURL string // up to and without the path of a dialect
	Key     string // sent to BaseURL and nowhere else; "" sends none
	KeyEnv  string // the variable that Key was read from: error texts name it
	NoKey   bool   // Key may be missing though KeyEnv is named: the server may need none
	Model   string // as the provider calls it

	Dialect   wire.Dialect      // says in which header the key stands
	Headers   map[string]string // sent with every request
	KeyHeader string            // the header that a request's Key goes into; "": the provider knows no such keys
	Timeout   time.Duration     // of a whole request
	Idle      time.Duration     // between two bytes of a stream
	Client    *http.Client      // that follows no redirects: see NewClient
}

// NewClient gives a client like from, or a new one, that follows no redirects:
// one could carry the conversation, and a key in a header of the user's own, to
// another host.
func NewClient(from *http.Client) *http.Client {
	client := &http.Client{}
	if from != nil {
		*client = *from
	}
	if client.Transport == nil {
		client.Transport = NewTransport()
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

// NewTransport gives a transport that many trials can share.
func NewTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64
	t.OnProxyConnectResponse = throughProxy
	return t
}

// What is borne with of an answer.
const (
	MaxBody  = 32 << 20 // bytes of a reply, decompressed
	Kept     = 64 << 10 // bytes of a body that are kept to explain what went wrong
	maxWords = 300      // characters of foreign text in an error
)

// Headers of a request: who asks, and the key.
func (e *Endpoint) headers(h http.Header) {
	h.Set("User-Agent", "cookoff")
	switch {
	case e.Dialect == wire.Messages:
		h.Set("Anthropic-Version", "2023-06-01")
		if e.Key != "" {
			h.Set("X-Api-Key", e.Key)
		}
	case e.Key != "":
		h.Set("Authorization", "Bearer "+e.Key)
	}
	for k, v := range e.Headers {
		h.Set(k, v)
	}
}

// Keyless says that a key is missing, or nothing.
func (e *Endpoint) Keyless() error {
	if e.KeyEnv != "" && e.Key == "" && !e.NoKey {
		return e.Auth("the variable %s is not set", e.KeyEnv)
	}
	return nil
}

func (e *Endpoint) url(path string) string { return strings.TrimRight(e.BaseURL, "/") + path }

// ID is the model as users name it.
func (e *Endpoint) ID() string { return e.Name + "/" + e.Model }

// Upstream says where the model is asked, for an agent that asks it itself in
// one of these dialects.
func (e *Endpoint) Upstream(dialects []wire.Dialect) wire.Upstream {
	return wire.Upstream{Dialects: dialects, BaseURL: e.BaseURL, Model: e.Model, Key: e.Key, KeyEnv: e.KeyEnv,
		Headers: e.Headers, Timeout: e.Timeout, Idle: e.Idle, Transport: e.Client.Transport}
}
