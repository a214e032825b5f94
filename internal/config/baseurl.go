package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"cookoff/internal/hint"
)

// checkURL says why a base URL can't be used. A key never goes over the
// network in the clear unless the user's own file says so.
func checkURL(base string, insecure bool) error {
	u, err := url.Parse(base)
	switch {
	case base == "":
		return errors.New("base_url is missing")
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return hint.New(schemeFor(base), "base_url %q is no http or https URL", clean(base))
	case u.User != nil || u.RawQuery != "" || u.Fragment != "": // what may be a secret is not repeated
		return hint.New("name the variable of a key as api_key_env", "base_url holds a user, a query or a fragment")
	case strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions"):
		return hint.New("leave out /chat/completions", "base_url %q goes too far", base)
	case u.Scheme == "http" && !insecure && !loopback(base):
		return hint.New("key and conversation would go over the network in the clear; "+
			"insecure = true beside base_url in your own cookoff.toml allows it",
			"base_url %q is not https", base)
	}
	return nil
}

// schemeFor says what a base URL that is none should be: most lack how it begins.
func schemeFor(base string) string {
	const want = "want https://HOST/v1, or http://127.0.0.1:PORT/v1 where the server is on this machine"
	if strings.Contains(base, "://") || strings.Contains(base, "@") {
		return want
	}
	for _, scheme := range []string{"http://", "https://"} {
		if whole := scheme + base; checkURL(whole, false) == nil {
			return fmt.Sprintf("did you mean %q?", whole)
		}
	}
	return want
}

// clean leaves what could be a password out of a text that is no URL.
func clean(base string) string {
	if i := strings.LastIndex(base, "@"); i >= 0 {
		return "…" + base[i:]
	}
	return base
}

// loopback reports whether a base URL stays on this machine.
func loopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
