package registries

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// homes are home directories: their files, and what is found. "env" are variables of the shell.
const homes = `
-- pip/.config/pip/pip.conf --
[global]
; a mirror
index-url = https://mirror.example/simple
timeout = 60
[install]
extra_index_url =
    https://one.example/simple
    https://bob:secret@two.example/simple
trusted-host: mirror.example:8443
cert = ~/ca.pem
[search]
index-url = https://nowhere.example/
-- pip/ca.pem --
none
-- pip/want --
PIP_EXTRA_INDEX_URL=https://one.example/simple
PIP_INDEX_URL=https://mirror.example/simple
PIP_TRUSTED_HOST=mirror.example:8443
believe PIP_CERT ~/ca.pem
closed pip ~/.config/pip/pip.conf
-- variable/.pip/pip.conf --
[global]
index-url = https://file.example/simple
-- variable/env --
PIP_INDEX_URL=https://shell.example/simple
PIP_EXTRA_INDEX_URL=https://me:secret@shell.example/simple
HTTPS_PROXY=http://me:secret@proxy.example:3128
NO_PROXY=127.0.0.1:8080,*.example,10.0.0.0/8
GOPROXY=https://go.example,https://me@go.example,direct
SSL_CERT_FILE=/etc/company.pem
-- variable/want --
GOPROXY=https://go.example,direct
NO_PROXY=127.0.0.1:8080,*.example,10.0.0.0/8
PIP_INDEX_URL=https://shell.example/simple
believe SSL_CERT_FILE /etc/company.pem
closed go GOPROXY
closed  HTTPS_PROXY
closed pip PIP_EXTRA_INDEX_URL
-- odd/.config/pip/pip.conf --
[global]
index-url = https://bob:12,34@one.example/simple
extra-index-url = https://bob:a|b@two.example/simple https://three.example/simple https://bob:12
-- odd/want --
PIP_EXTRA_INDEX_URL=https://three.example/simple https://bob:12
closed pip ~/.config/pip/pip.conf
-- none/.config/pip/pip.conf --
[global]
index-url = https://file.example/simple
-- none/env --
PIP_CONFIG_FILE=/dev/null
-- none/want --
-- npm/.npmrc --
registry=https://npm.example/
@ours:registry = "https://${PLACE}.example/npm/"
//npm.example/:_authToken=npm_secret
always-auth=true
cafile=/nowhere/ca.pem
-- npm/env --
PLACE=inner
-- npm/want --
npm_config_@ours:registry=https://inner.example/npm/
npm_config_registry=https://npm.example/
closed npm ~/.npmrc
-- tokened/.npmrc --
@ours:registry=https://npm.example/?token=secret
-- tokened/want --
closed npm ~/.npmrc
-- uv/.config/uv/uv.toml --
extra-index-url = ["https://me:secret@extra.example/simple"]
[[index]]
name = "ours"
url = "https://uv.example/simple"
[[index]]
url = "https://default.example/simple"
default = true
-- uv/want --
UV_DEFAULT_INDEX=https://default.example/simple
UV_INDEX=ours=https://uv.example/simple
closed uv ~/.config/uv/uv.toml
-- broken/.config/uv/uv.toml --
index-url = [
-- broken/.config/pip/pip.conf --
  goes on, of nothing
[global
index-url
-- broken/want --
-- go/.config/go/env --
GOFLAGS=-mod=mod
GOPROXY=https://go.example
GOPRIVATE=*.example
-- go/want --
GOPRIVATE=*.example
GOPROXY=https://go.example
-- elsewhere/settings/go/env --
GOPROXY=off
-- elsewhere/env --
XDG_CONFIG_HOME=~/settings
-- elsewhere/want --
GOPROXY=off
`

// TestOf: what is set is found in the files of programs and in variables, which stand above them, and nothing of it
// holds a password.
func TestOf(t *testing.T) {
	dir, all := t.TempDir(), map[string]map[string]string{}
	for _, f := range txtar.Parse([]byte(homes)).Files {
		name, rest, _ := strings.Cut(f.Name, "/")
		if all[name] == nil {
			all[name] = map[string]string{}
		}
		all[name][rest] = string(f.Data)
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, files := range all {
		t.Run(name, func(t *testing.T) {
			home, vars := filepath.Join(dir, name), map[string]string{}
			for line := range strings.Lines(strings.ReplaceAll(files["env"], "~", home)) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
				vars[key] = value
			}
			s := of(dir, home, func(key string) string { return vars[key] })
			got := slices.Clone(s.Env)
			for key, file := range s.Certificates {
				got = append(got, "believe "+key+" "+strings.Replace(file, home, "~", 1))
			}
			for _, c := range s.Closed {
				got = append(got, "closed "+c.Program+" "+c.Where)
			}
			if diff := cmp.Diff(files["want"], strings.Join(append(got, ""), "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNobody: a user without a home directory has no settings there.
func TestNobody(t *testing.T) {
	if s := of(t.TempDir(), "", func(string) string { return "" }); len(s.Closed) > 0 {
		t.Errorf("%+v", s)
	}
}
