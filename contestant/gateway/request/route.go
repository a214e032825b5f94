package request

import (
	"net/http"
	"net/url"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/model/wire"
)

// Operation is what a path asks for.
type Operation int

const (
	Unknown  Operation = iota
	Generate           // a call of the model
	Count              // how many tokens a request has
	List               // the models there are
	Greet              // whether somebody is there
)

// Route is where a request is to go.
type Route struct {
	Op      Operation
	Dialect wire.Dialect
	Path    string // below the upstream's base URL
	Model   string // that the path names: Gemini
	Action  string // after the Model: Gemini
}

// Find reads a path. Agents put what they like before the part that counts.
func Find(r *http.Request) Route {
	path := strings.TrimRight(r.URL.Path, "/")
	post, get := r.Method == http.MethodPost, r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case post && strings.HasSuffix(path, "/chat/completions"):
		return Route{Op: Generate, Dialect: wire.Chat, Path: "/chat/completions"}
	case post && strings.HasSuffix(path, "/responses"):
		return Route{Op: Generate, Dialect: wire.Responses, Path: "/responses"}
	case post && strings.HasSuffix(path, "/messages"):
		return Route{Op: Generate, Dialect: wire.Messages, Path: "/messages"}
	case post && strings.HasSuffix(path, "/messages/count_tokens"):
		return Route{Op: Count, Dialect: wire.Messages, Path: "/messages/count_tokens"}
	case get && (path == "" || path == "/v1"):
		return Route{Op: Greet, Dialect: wire.Chat}
	case get && strings.HasSuffix(path, "/models"):
		return Route{Op: List, Dialect: listDialect(r)}
	}
	before, name, ok := strings.Cut(path, "/models/")
	if !ok || strings.Contains(before, "/models") {
		return Route{Dialect: guess(r)}
	}
	if get {
		return Route{Op: List, Dialect: listDialect(r), Model: name}
	}
	i := strings.LastIndex(name, ":")
	if !post || i < 0 {
		return Route{Dialect: guess(r)}
	}
	switch name, action := name[:i], name[i+1:]; action {
	case "generateContent", "streamGenerateContent":
		return Route{Op: Generate, Dialect: wire.Gemini, Model: name, Action: action}
	case "countTokens":
		return Route{Op: Count, Dialect: wire.Gemini, Model: name, Action: action}
	}
	return Route{Dialect: wire.Gemini}
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

// Query is what of the agent's a provider needs: nothing that changes who answers, or
// who pays.
func Query(r *http.Request) string {
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

// MaxHeaders is how much of headers a request may have, in bytes.
const MaxHeaders = 8 << 10

// HeaderBytes is how much a request's headers are, its address among them.
func HeaderBytes(r *http.Request) int {
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

// PassHeaders takes what an agent may say to a provider: nothing about who pays, or
// from where it comes, and no key of a request, which another one may have used.
func PassHeaders(to, from http.Header) {
	for name, values := range from {
		switch low := strings.ToLower(name); {
		case low == "accept", low == "user-agent", low == "openai-beta", low == "anthropic-version",
			low == "anthropic-beta",
			low == "anthropic-dangerous-direct-browser-access", strings.HasPrefix(low, "x-stainless-"),
			low == "originator", low == "session_id", low == "x-app":
			for _, v := range values {
				if plain.MatchString(v) {
					to[name] = append(to[name], v)
				}
			}
		}
	}
}
