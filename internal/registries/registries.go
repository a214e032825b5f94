// Package registries finds where the package managers of a user get packages from: the variables of the shell, and the
// settings of pip, uv, npm and Go in the home directory. Passwords and tokens are read over, never given.
package registries

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Settings are where a user's registries are, as programs ask for it by variables.
type Settings struct {
	Env          []string          // K=V, in order; none has a password
	Certificates map[string]string // files to believe servers by, each by the variable that programs ask
	Closed       []Closed          // what has a password
}

// Closed is a setting that names a registry by a password or a token.
type Closed struct {
	Program string // whose: pip, uv, npm, go; "": of all, as a proxy
	Where   string // a file, or a variable: "~/.npmrc", "PIP_INDEX_URL"
}

// variables are those that say where registries are and how they are reached, by their program.
var variables = map[string][]string{
	"go":  {"GOPROXY", "GONOSUMDB", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GOINSECURE"},
	"pip": {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST"},
	"uv":  {"UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_INSECURE_HOST"},
	"npm": {"npm_config_registry", "NPM_CONFIG_REGISTRY", "YARN_NPM_REGISTRY_SERVER"},
	"":    {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "ALL_PROXY"},
}

// certificates are the variables that name a file of certificates, as where a company reads along.
var certificates = []string{"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS",
	"npm_config_cafile", "NPM_CONFIG_CAFILE", "CARGO_HTTP_CAINFO", "GIT_SSL_CAINFO"}

// Of gives the settings of a user whose home directory is home, "": none, by the variables that getenv gives. A
// variable stands above a file, as programs have it.
func Of(home string, getenv func(string) string) Settings { return of("/", home, getenv) }

// of is Of for a machine whose own settings lie below system.
func of(system, home string, getenv func(string) string) Settings {
	r := reading{system: system, home: home, getenv: getenv, values: map[string]string{}, believed: map[string]string{}}
	for _, read := range []func(){r.pip, r.uv, r.npm, r.goEnv} {
		read()
	}
	for program, names := range variables {
		for _, name := range names {
			if value := getenv(name); value != "" {
				r.set(program, name, value, name)
			}
		}
	}
	for _, name := range certificates {
		if file := getenv(name); file != "" {
			r.believed[name] = file
		}
	}
	s := Settings{Certificates: r.believed}
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		if value := r.values[name]; value != "" {
			s.Env = append(s.Env, name+"="+value)
		}
	}
	slices.SortFunc(r.closed, func(a, b Closed) int { return strings.Compare(a.Where, b.Where) })
	s.Closed = slices.Compact(r.closed)
	return s
}

// reading is what was read until now.
type reading struct {
	system, home string
	getenv       func(string) string
	values       map[string]string // by the variable's name; "": nothing may be said
	// believed are files of certificates, by the variable's name.
	believed map[string]string
	closed   []Closed
}

// set takes a value of a setting, but for the addresses in it that have a password, of which it notes where they stand.
func (r *reading) set(program, name, value, where string) {
	marks := " \t\n"
	if program == "go" || strings.EqualFold(name, "NO_PROXY") {
		marks += ",|" // elsewhere they may stand in a password
	}
	open := strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(marks, c) })
	if all := len(open); all > 0 {
		open = slices.DeleteFunc(open, holdsPassword)
		if len(open) < all {
			r.closed = append(r.closed, Closed{program, where})
			value = strings.Join(open, separator(value, marks))
		}
	}
	r.values[name] = value
}

// separator is what stands between the addresses of a value, one of the marks.
func separator(value, marks string) string {
	if i := strings.IndexAny(value, marks); i >= 0 && strings.ContainsRune(",|", rune(value[i])) {
		return value[i : i+1]
	}
	return " "
}

// holdsPassword reports whether an address names a user, or asks by a token.
func holdsPassword(address string) bool {
	if name, rest, is := strings.Cut(address, "="); is && !strings.Contains(name, "/") {
		address = rest // of uv: NAME=URL
	}
	u, err := url.Parse(address)
	if err != nil { // a host and its port, or a part of who knows what
		return strings.Contains(address, "@") || strings.Contains(address, "://")
	}
	return u.User != nil || u.RawQuery != "" || u.Host == "" && strings.Contains(address, "@")
}
