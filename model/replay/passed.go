package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"cookoff/model/wire"
)

// passed is one request that an agent made of its model, as it went to the
// provider, and how that was answered. Answers after which another try follows
// are left out, as those of our own loop are.
type passed struct {
	Model   string `json:"model"`
	Task    string `json:"task"`
	N       int    `json:"n"`
	Attempt int    `json:"attempt"`

	Path  string              `json:"path"`            // below the base URL
	Body  string              `json:"body"`            // digest of the request without its lists
	Lists map[string][]string `json:"lists,omitempty"` // digests of what is in them
	// Of the answer.
	Status int    `json:"status"`
	Type   string `json:"type"`   // of its content
	Answer string `json:"answer"` // digest of a string
}

// lists are the members of requests that grow from one to the next.
var lists = []string{"messages", "input", "contents", "tools"}

// Upstream is that of the recorded model: each request that goes through it is
// recorded. Without dialects: the model has none.
func (r *inTrial) Upstream() wire.Upstream {
	u, ok := wire.UpstreamOf(r.chat)
	if !ok {
		return u
	}
	next := u.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	base := strings.TrimRight(u.BaseURL, "/")
	u.Transport = roundTrip(func(req *http.Request) (*http.Response, error) { return r.pass(base, next, req) })
	return u
}

type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls f.
func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// pass makes a request, and records its answer once that is whole.
func (r *inTrial) pass(base string, next http.RoundTripper, req *http.Request) (*http.Response, error) {
	body, err := bodyOf(req)
	if err != nil {
		return nil, err
	}
	resp, err := next.RoundTrip(req)
	if err != nil || resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500 {
		return resp, err
	}
	p := &passed{Model: r.id, Task: r.trial.Task, N: r.trial.N, Attempt: r.trial.Attempt,
		Path: strings.TrimPrefix(req.URL.String(), base), Status: resp.StatusCode,
		Type: resp.Header.Get("Content-Type")}
	resp.Body = &keptBody{ReadCloser: resp.Body, whole: func(answer []byte) error { return r.w.pass(p, body, answer) }}
	return resp, nil
}

// bodyOf reads a request's body, and leaves it there to be read again.
func bodyOf(req *http.Request) ([]byte, error) {
	if req.GetBody == nil {
		return nil, errors.New("recording a request: its body can be read once only")
	}
	again, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	defer again.Close()
	return io.ReadAll(again)
}

// keptBody keeps what is read, and hands it on at the end.
type keptBody struct {
	io.ReadCloser
	text  bytes.Buffer
	whole func([]byte) error
	done  bool
}

func (h *keptBody) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	h.text.Write(p[:n])
	if err == io.EOF && !h.done {
		h.done = true
		if bad := h.whole(h.text.Bytes()); bad != nil {
			return n, fmt.Errorf("recording an answer: %w", bad)
		}
	}
	return n, err
}

// pass writes a request and its answer, after the pieces of them that are new.
func (w *Writer) pass(p *passed, body, answer []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest, each, err := taken(body)
	if err != nil {
		return err
	}
	p.Body, p.Lists = w.blob(rest), map[string][]string{}
	for name, elements := range each {
		for _, e := range elements {
			p.Lists[name] = append(p.Lists[name], w.blob(e))
		}
	}
	p.Answer = w.blob(string(answer))
	w.put(line{Passed: p})
	return w.err
}

// taken takes the lists out of a request.
func taken(body []byte) (rest map[string]json.RawMessage, each map[string][]json.RawMessage, err error) {
	if err := json.Unmarshal(body, &rest); err != nil {
		return nil, nil, err
	}
	each = map[string][]json.RawMessage{}
	for _, name := range lists {
		var elements []json.RawMessage
		if json.Unmarshal(rest[name], &elements) == nil && len(elements) > 0 {
			each[name] = elements
			delete(rest, name)
		}
	}
	return rest, each, nil
}

// keepPassed adds a request. A later attempt takes the place of an earlier one.
func (r *Recording) keepPassed(p *passed) error {
	if r.blobs[p.Body] == nil || r.blobs[p.Answer] == nil {
		return errors.New("a request of an agent without its content")
	}
	key := trialKey{p.Model, p.Task, p.N}
	if had := r.passed[key]; len(had) > 0 && had[0].Attempt != p.Attempt {
		r.passed[key] = nil
	}
	r.passed[key] = append(r.passed[key], p)
	return nil
}

// recordedAddress is where no network is.
const recordedAddress = "http://recording.invalid"

// Upstream answers as the recorded provider did: what was asked in the same
// words by that, else by the next answer to a request with the same tools.
func (p *playing) Upstream() wire.Upstream {
	t := &played{playing: p, rest: slices.Clone(p.r.passed[p.key])}
	_, name, _ := strings.Cut(p.key.model, "/")
	return wire.Upstream{Dialects: p.r.dialects[p.key.model], BaseURL: recordedAddress, Model: name,
		Transport: roundTrip(t.answer)}
}

// played is one agent's trial under way.
type played struct {
	*playing
	mu   sync.Mutex
	rest []*passed
	step int
}

// answer gives the recorded answer to a request.
func (t *played) answer(req *http.Request) (*http.Response, error) {
	body, err := bodyOf(req)
	if err != nil {
		return nil, err
	}
	rest, each, err := taken(body)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.step++
	asked := &passed{Path: strings.TrimPrefix(req.URL.String(), recordedAddress), Body: pieceDigest(rest),
		Lists: map[string][]string{}}
	for name, elements := range each {
		for _, e := range elements {
			asked.Lists[name] = append(asked.Lists[name], pieceDigest(e))
		}
	}
	i, what := t.find(asked)
	if what != "" {
		t.note(t.step, what)
	}
	if i < 0 {
		return nil, fmt.Errorf("the replay diverges from the recording at request %d: %s", t.step, what)
	}
	p := t.rest[i]
	t.rest = slices.Delete(t.rest, i, i+1)
	var text string
	if err := json.Unmarshal(t.r.blobs[p.Answer], &text); err != nil {
		return nil, fmt.Errorf("the recorded answer can't be read: %w", err)
	}
	return &http.Response{StatusCode: p.Status, Status: http.StatusText(p.Status), Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     http.Header{"Content-Type": {p.Type}}, Body: io.NopCloser(strings.NewReader(text)),
		ContentLength: int64(len(text)), Request: req}, nil
}

// find looks for a request among those not yet played; -1: none is like it.
func (t *played) find(asked *passed) (i int, what string) {
	like := -1
	for i, p := range t.rest {
		same := p.Path == asked.Path && slices.Equal(p.Lists["tools"], asked.Lists["tools"])
		if same && p.Body == asked.Body && maps.EqualFunc(p.Lists, asked.Lists, slices.Equal[[]string]) {
			return i, ""
		}
		if same && like < 0 {
			like = i
		}
	}
	if like < 0 {
		return like, fmt.Sprintf("no request to %s with these tools is left", asked.Path)
	}
	return like, "what the agent says differs"
}

// note keeps where a trial went another way first.
func (p *playing) note(step int, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.diverged {
		return
	}
	p.diverged = true
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	p.r.diverged = append(p.r.diverged, Divergence{p.key.model, p.key.task, p.key.n, step, what})
}

func pieceDigest(v any) string {
	b, err := newRedactor(nil).piece(v)
	if err != nil {
		return ""
	}
	return digest(b)
}
