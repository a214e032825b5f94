package gate

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// Name gives a host name as names are compared: in small letters, without a
// dot at its end. What is no plain name is an error: an address in any of its
// spellings, or characters that names don't have.
func Name(host string) (string, error) {
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	switch {
	case name == "":
		return "", errors.New("it is no host name")
	case len(name) > 253:
		return "", errors.New("it is too long for a host name")
	case strings.ContainsAny(name, ":[]%"):
		return "", errors.New("it is an address, and only names can be")
	}
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", errors.New("it is no host name")
		}
	}
	last := labels[len(labels)-1]
	if number(last) { // also 127.1, 0x7f000001, 2130706433 and 0177.0.0.1
		return "", errors.New("it is an address, and only names can be")
	}
	if last == "localhost" || last == "local" || last == "internal" {
		return "", errors.New("it is a name of a local network")
	}
	return name, nil
}

// number reports what the resolvers of C libraries take for a part of an
// address.
func number(s string) bool {
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(s, "0123456789") == ""
}

// CheckHost says what is wrong with a host of an allowlist, in words for its
// author. Nil: nothing.
func CheckHost(host string) error {
	h := strings.TrimPrefix(strings.TrimPrefix(host, "*"), ".")
	if strings.HasPrefix(host, "*") && !strings.HasPrefix(host, "*.") {
		return fmt.Errorf("%q is no host name: a star stands before a dot", host)
	}
	if strings.ContainsAny(h, "/@") || strings.Contains(h, ":") {
		return fmt.Errorf("%q is more than a host name: write it without scheme, port and path", host)
	}
	if _, err := Name(h); err != nil {
		return fmt.Errorf("%q can't be allowed: %w", host, err)
	}
	return nil
}

// closed are the addresses that lead to this machine, to its network, to a
// cloud's metadata, or nowhere. Of IPv6 only what is routed on the internet
// is open at all, without the ranges that carry IPv4 addresses.
var closed = map[string][]string{
	"not public": {"0.0.0.0/8", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"192.88.99.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"},
	"of a private network": {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"},
	"this machine's own":   {"127.0.0.0/8", "::1/128"},
	"link-local":           {"169.254.0.0/16", "fe80::/10"},
}

// Private says what keeps an address from being public; "" when it is.
func Private(a netip.Addr) string {
	if a.Zone() != "" {
		return "link-local"
	}
	a = a.Unmap()
	for why, prefixes := range closed {
		for _, p := range prefixes {
			if netip.MustParsePrefix(p).Contains(a) {
				return why
			}
		}
	}
	if a.Is6() && !netip.MustParsePrefix("2000::/3").Contains(a) || !a.IsValid() {
		return "not public"
	}
	return ""
}
