package preflight

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cookoff/internal/hint"
	"cookoff/internal/nearest"
	"cookoff/internal/ui/text"
	"cookoff/model"
)

// Advised adds to what came of asking a model what is to be done about it: which models
// the provider lists, where it has no such one, and what is wrong with its address.
func (a Asker) Advised(ctx context.Context, id string, chat model.Chat, err error) error {
	var listed []string
	if _, unknown := errors.AsType[*model.NotFoundError](err); unknown {
		listed, _ = a.list(ctx, chat) // without it, there is less to advise
	}
	return a.advised(id, listed, err)
}

// advised is Advised where the list is known; nil: the provider gives none.
func (a Asker) advised(id string, listed []string, err error) error {
	if err == nil || a.Config == nil {
		return err
	}
	provider, name, _ := strings.Cut(id, "/")
	base := a.baseURL(provider)
	_, unknown := errors.AsType[*model.NotFoundError](err)
	advice := ""
	switch {
	case unknown && len(listed) > 0:
		advice = some(listed, name)
	case unknown && base != "" && !version.MatchString(base):
		advice = "the address of an API often ends in /v1: try base_url = \"" + strings.TrimSuffix(base, "/") + "/v1\""
	case base != "":
		advice = unreached(err, base)
	}
	if advice == "" {
		return err
	}
	return &hint.Error{Err: err, Hint: text.Line(advice)}
}

// version is the end of an address that names a version.
var version = regexp.MustCompile(`/(v\d|openai|api)[^/]*(/|$)`)

func (a Asker) baseURL(provider string) string {
	for _, p := range a.Config.Providers() {
		if p.Name == provider {
			return p.BaseURL
		}
	}
	return ""
}

// troubles are what to do where a provider can't be reached.
var troubles = map[model.Trouble]string{
	model.NothingListens: "nothing listens there: start the server, or set base_url (%s) to where it listens",
	model.UnknownHost:    "nobody knows this host: check base_url (%s), and whether this machine has a network",
	model.PlainServer:    "the server speaks http: base_url (%s) says https",
	model.TLSServer:      "the server may speak https: base_url (%s) says http",
	model.Distrusted: "this machine does not trust the certificate of base_url (%s): " +
		"SSL_CERT_FILE names your own authority's",
	model.CutConnection: "whatever is at base_url (%s) ends the connection: it may speak https where http is asked, or http, " +
		"or be no server of models: check its scheme, host and port",
	model.NoRoute: "check base_url (%s), and whether this machine has a network",
	model.NoProxy: "the proxy is one that HTTPS_PROXY or HTTP_PROXY names: correct it, or have NO_PROXY name the host of " +
		"base_url (%s)",
	model.ProxyRefuses: "the proxy is one that HTTPS_PROXY or HTTP_PROXY names: it may want a name and a password, as in " +
		"http://NAME:PASSWORD@HOST:PORT, or NO_PROXY should name the host of base_url (%s)",
	model.NoAnswer: "nobody answers at base_url (%s): check it, and whether a firewall or a proxy is between",
}

func unreached(err error, base string) string {
	retry, broken := errors.AsType[*model.RetryError](err)
	if !broken || troubles[retry.Trouble] == "" {
		return ""
	}
	return fmt.Sprintf(troubles[retry.Trouble], base)
}

// mostListed is how many models of a list are named.
const mostListed = 5

// some says which models a list has, by those that are most like name.
func some(listed []string, name string) string {
	list := slices.Compact(slices.Sorted(slices.Values(listed)))
	slices.SortStableFunc(list, func(a, b string) int {
		return cmp.Compare(unlike(a, name), unlike(b, name))
	})
	if len(list) <= mostListed {
		return "it lists " + strings.Join(list, ", ")
	}
	return fmt.Sprintf("it lists %d models, such as %s", len(list), strings.Join(list[:mostListed], ", "))
}

// unlike is how far two names are from each other; one that holds the other is near.
func unlike(a, b string) int {
	const longest = 64 // of what is worth the time
	a, b = strings.ToLower(a[:min(len(a), longest)]), strings.ToLower(b[:min(len(b), longest)])
	if b != "" && (strings.Contains(a, b) || strings.Contains(b, a)) {
		return 0
	}
	return nearest.Distance(a, b)
}
