package endpoint

import (
	"bytes"
	"html"
	"mime"
	"net/http"

	"cookoff/internal/pattern"
	"cookoff/model"
)

var pageTitle = pattern.New(`(?is)<title[^>]*>(.*?)</title`)

// IsPage reports whether an answer is a page for people, by what it says of itself or by how
// it begins: one of a login or a proxy, at an address that is not that of an API.
func IsPage(header http.Header, body []byte) bool {
	if begin := bytes.TrimSpace(body); len(begin) > 0 && (begin[0] == '{' || begin[0] == '[') {
		return false // whatever it is called
	}
	if media, _, _ := mime.ParseMediaType(header.Get("Content-Type")); media == "text/html" {
		return true
	}
	media, _, _ := mime.ParseMediaType(http.DetectContentType(body))
	return media == "text/html"
}

// Page is the error of such an answer. The same address says the same again, unless it
// has answered before: then it may be a page of a proxy that is out of service.
func (e *Endpoint) Page(body []byte) *model.RetryError {
	what := "a web page"
	if m := pageTitle.FindSubmatch(body); m != nil {
		if title := e.Words(html.UnescapeString(string(m[1]))); title != "" {
			what += " titled “" + title + "”"
		}
	}
	return &model.RetryError{Page: true, Err: e.Fault("the answer is %s, not a reply of a model: %s\n"+
		"hint: base_url (%s) has to be the address of the API, which often ends in /v1; what answers there "+
		"is for people, "+
		"such as a page to log in at, or of a proxy", what, e.Quote(body), e.Words(e.BaseURL))}
}
