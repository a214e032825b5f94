package gateway

import (
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/model/wire"
)

// operation is what a path asks for.
type operation int

const (
	unknownPath operation = iota
	generate              // a call of the model
	count                 // how many tokens a request has
	list                  // the models there are
	greet                 // whether somebody is there
)

// route is where a request is to go.
type route struct {
	op      operation
	dialect wire.Dialect
	path    string // below the upstream's base URL
	model   string // that the path names: Gemini
	action  string // after the model: Gemini
}

// find reads a path. Agents put what they like before the part that counts.
func find(r *http.Request) route {
	path := strings.TrimRight(r.URL.Path, "/")
	post, get := r.Method == http.MethodPost, r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case post && strings.HasSuffix(path, "/chat/completions"):
		return route{op: generate, dialect: wire.Chat, path: "/chat/completions"}
	case post && strings.HasSuffix(path, "/responses"):
		return route{op: generate, dialect: wire.Responses, path: "/responses"}
	case post && strings.HasSuffix(path, "/messages"):
		return route{op: generate, dialect: wire.Messages, path: "/messages"}
	case post && strings.HasSuffix(path, "/messages/count_tokens"):
		return route{op: count, dialect: wire.Messages, path: "/messages/count_tokens"}
	case get && (path == "" || path == "/v1"):
		return route{op: greet, dialect: wire.Chat}
	case get && strings.HasSuffix(path, "/models"):
		return route{op: list, dialect: listDialect(r)}
	}
	before, name, ok := strings.Cut(path, "/models/")
	if !ok || strings.Contains(before, "/models") {
		return route{dialect: guess(r)}
	}
	if get {
		return route{op: list, dialect: listDialect(r), model: name}
	}
	i := strings.LastIndex(name, ":")
	if !post || i < 0 {
		return route{dialect: guess(r)}
	}
	switch name, action := name[:i], name[i+1:]; action {
	case "generateContent", "streamGenerateContent":
		return route{op: generate, dialect: wire.Gemini, model: name, action: action}
	case "countTokens":
		return route{op: count, dialect: wire.Gemini, model: name, action: action}
	}
	return route{dialect: wire.Gemini}
}

// listDialect says in whose form a list of models is wanted.
func listDialect(r *http.Request) wire.Dialect {
	if strings.Contains(r.URL.Path, "/v1beta/") {
		return wire.Gemini
	}
	return guess(r)
}

// guess is the dialect of a request to an unknown path.
func guess(r *http.Request) wire.Dialect {
	switch {
	case r.Header.Get("Anthropic-Version") != "":
		return wire.Messages
	case r.Header.Get("X-Goog-Api-Key") != "":
		return wire.Gemini
	}
	return wire.Chat
}

// allowed reports whether a request presents the token, in one of the places
// that dialects have for keys.
func (g *Gateway) allowed(r *http.Request) bool {
	presented := []string{r.Header.Get("X-Api-Key"), r.Header.Get("X-Goog-Api-Key"), r.Header.Get("Api-Key"),
		r.URL.Query().Get("key")}
	if kind, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(kind, "bearer") {
		presented = append(presented, strings.TrimSpace(token))
	}
	for _, p := range presented {
		if g.opts.Token != "" && subtle.ConstantTimeCompare([]byte(p), []byte(g.opts.Token)) == 1 {
			return true
		}
	}
	return false
}

// query is what of the agent's a provider needs: nothing that changes who answers, or
// who pays.
func query(r *http.Request) string {
	from, to := r.URL.Query(), url.Values{}
	for name, fits := range passed {
		if v := from.Get(name); fits.MatchString(v) {
			to.Set(name, v)
		}
	}
	return to.Encode()
}

var passed = map[string]*pattern.Pattern{"alt": pattern.New(`^sse$`), "beta": pattern.New(`^true$`),
	"api-version": pattern.New(`^[0-9A-Za-z.-]{1,40}$`)}

// maxHeaders is how much of headers a request may have, in bytes.
const maxHeaders = 8 << 10

// headerBytes is how much a request's headers are, its address among them.
func headerBytes(r *http.Request) int {
	n := len(r.RequestURI)
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v) + 4
		}
	}
	return n
}

// plain are values that no filter on the way takes for an attack.
var plain = pattern.New(`^[0-9A-Za-z ,.;:/()_+=*@\[\]-]{1,999}$`)

// passHeaders takes what an agent may say to a provider: nothing about who pays, or
// from where it comes, and no key of a request, which another one may have used.
func passHeaders(to, from http.Header) {
	for name, values := range from {
		switch low := strings.ToLower(name); {
		case low == "accept", low == "user-agent", low == "openai-beta", low == "anthropic-version", low == "anthropic-beta",
			low == "anthropic-dangerous-direct-browser-access", strings.HasPrefix(low, "x-stainless-"), low == "originator",
			low == "session_id", low == "x-app":
			for _, v := range values {
				if plain.MatchString(v) {
					to[name] = append(to[name], v)
				}
			}
		}
	}
}
