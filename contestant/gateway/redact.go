package gateway

import (
	"bytes"
	"net/url"
	"slices"

	"cookoff/contestant/gateway/document"
	"cookoff/model/wire"
)

// redactor keeps the key out of what an agent is given.
type redactor struct {
	forms [][]byte // the key as it stands, in JSON, in an address
	name  []byte   // in its place
}

// newRedactor knows the key as it stands, in JSON and in an address.
func newRedactor(u wire.Upstream) *redactor {
	if u.Key == "" {
		return &redactor{}
	}
	r := &redactor{name: []byte("[redacted:" + u.KeyEnv + "]")}
	quoted := document.Marshal(u.Key)
	for _, form := range []string{u.Key, string(quoted[1 : len(quoted)-1]), url.QueryEscape(u.Key)} {
		if !slices.ContainsFunc(r.forms, func(f []byte) bool { return string(f) == form }) {
			r.forms = append(r.forms, []byte(form))
		}
	}
	return r
}

// text gives a text without the key.
func (r *redactor) text(s string) string { return string(r.bytes([]byte(s))) }

// bytes gives bytes without the key: the same ones where it is not in them.
func (r *redactor) bytes(b []byte) []byte {
	for _, form := range r.forms {
		if bytes.Contains(b, form) {
			b = bytes.ReplaceAll(b, form, r.name)
		}
	}
	return b
}
