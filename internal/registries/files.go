package registries

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"cookoff/internal/pattern"
)

// largest is the size of a file of settings up to which it is read, in bytes.
const largest = 1 << 20

// text is what a file of the user's holds; "": there is none, or it can't be read.
func text(path string) string {
	if st, err := os.Stat(path); path == "" || err != nil || !st.Mode().IsRegular() || st.Size() > largest {
		return ""
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "" // then the program can't read it either
	}
	return string(b)
}

// config is the directory of a program's settings.
func (r *reading) config(program string) string {
	dir := r.getenv("XDG_CONFIG_HOME")
	if dir == "" && r.home != "" {
		dir = filepath.Join(r.home, ".config")
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, program)
}

// in is a file of the home directory; "": there is no home.
func (r *reading) in(names ...string) string {
	if r.home == "" {
		return ""
	}
	return filepath.Join(append([]string{r.home}, names...)...)
}

// said is a path as a person writes it.
func (r *reading) said(path string) string {
	if rest, is := strings.CutPrefix(path, r.home+"/"); is && r.home != "" {
		return "~/" + rest
	}
	return path
}

// pip reads pip's files, the later above the earlier (pip.pypa.io, "Configuration").
func (r *reading) pip() {
	own := r.getenv("PIP_CONFIG_FILE")
	if own == os.DevNull {
		return
	}
	files := []string{filepath.Join(r.system, "etc/xdg/pip/pip.conf"), filepath.Join(r.system, "etc/pip.conf"),
		r.in(".pip", "pip.conf")}
	if dir := r.config("pip"); dir != "" {
		files = append(files, filepath.Join(dir, "pip.conf"))
	}
	names := map[string]string{"index-url": "PIP_INDEX_URL", "extra-index-url": "PIP_EXTRA_INDEX_URL",
		"trusted-host": "PIP_TRUSTED_HOST"}
	for _, file := range append(files, own) {
		for _, s := range sections(text(file)) {
			name, key := "", strings.ReplaceAll(s.key, "_", "-")
			if s.of == "global" || s.of == "install" {
				name = names[key]
			}
			if name != "" {
				r.set("pip", name, s.value, r.said(file))
			} else if key == "cert" {
				r.believe("PIP_CERT", s.value)
			}
		}
	}
}

// believe takes a file of certificates, where it is there.
func (r *reading) believe(name, file string) {
	if rest, is := strings.CutPrefix(file, "~/"); is {
		file = r.in(rest)
	}
	if _, err := os.Stat(file); err == nil {
		r.believed[name] = file
	}
}

// section is a line of a file of settings with sections.
type section struct{ of, key, value string }

// sections reads an INI file as Python's configparser does: a line that begins with a blank goes on.
func sections(text string) (list []section) {
	of := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, ";"):
		case strings.HasPrefix(trimmed, "[") && strings.HasSuffix(trimmed, "]"):
			of = strings.ToLower(strings.Trim(trimmed, "[]"))
		case line[0] == ' ' || line[0] == '\t':
			if len(list) > 0 {
				list[len(list)-1].value += " " + trimmed
			}
		default:
			i := strings.IndexAny(trimmed, "=:")
			if i >= 0 {
				list = append(list, section{of, strings.ToLower(strings.TrimSpace(trimmed[:i])),
					strings.TrimSpace(trimmed[i+1:])})
			}
		}
	}
	return list
}

// uv reads uv's file (docs.astral.sh/uv, "Configuration files").
func (r *reading) uv() {
	dir := r.config("uv")
	if dir == "" {
		return
	}
	type indexes struct {
		Default string   `toml:"index-url"`
		Extra   []string `toml:"extra-index-url"`
	}
	var s struct {
		indexes
		Pip   indexes
		Index []struct {
			Name, URL string
			Default   bool
		}
	}
	file := filepath.Join(dir, "uv.toml")
	if _, err := toml.Decode(text(file), &s); err != nil {
		return // uv refuses it as well
	}
	var more []string
	for _, i := range s.Index {
		switch {
		case i.Default:
			r.set("uv", "UV_DEFAULT_INDEX", i.URL, r.said(file))
		case i.Name != "":
			more = append(more, i.Name+"="+i.URL)
		default:
			more = append(more, i.URL)
		}
	}
	for _, of := range []indexes{s.Pip, s.indexes} {
		if of.Default != "" {
			r.set("uv", "UV_DEFAULT_INDEX", of.Default, r.said(file))
		}
		more = append(more, of.Extra...)
	}
	if len(more) > 0 {
		r.set("uv", "UV_INDEX", strings.Join(more, " "), r.said(file))
	}
}

var (
	// registry is a line of an .npmrc that says where packages are, of a scope: "@ours:registry".
	registry = pattern.New(`(?m)^\s*((?:@[\w.~-]+:)?registry)\s*=\s*["']?([^\s"']+)["']?\s*$`)
	// cafile is one that names a file of certificates.
	cafile = pattern.New(`(?m)^\s*cafile\s*=\s*["']?([^\s"']+)["']?\s*$`)
	// token is one with which a registry is asked.
	token = pattern.New(`(?m)^\s*(?://[^\s=]+:)?(?:_authToken|_auth|_password)\s*=`)
	// named is a variable in a value.
	named = pattern.New(`\$\{(\w+)\??\}`)
)

// npm reads npm's files (docs.npmjs.com, "npmrc").
func (r *reading) npm() {
	own := r.getenv("npm_config_userconfig")
	if own == "" {
		own = r.in(".npmrc")
	}
	for _, file := range []string{filepath.Join(r.system, "etc/npmrc"), filepath.Join(r.system, "usr/etc/npmrc"), own} {
		text := text(file)
		for _, m := range registry.FindAllStringSubmatch(text, -1) {
			value := named.ReplaceAllStringFunc(m[2], func(v string) string {
				return r.getenv(named.FindStringSubmatch(v)[1])
			})
			r.set("npm", "npm_config_"+m[1], value, r.said(file))
		}
		if m := cafile.FindStringSubmatch(text); m != nil {
			r.believe("npm_config_cafile", m[1])
		}
		if token.MatchString(text) {
			r.closed = append(r.closed, Closed{"npm", r.said(file)})
		}
	}
}

// goEnv reads what "go env -w" wrote.
func (r *reading) goEnv() {
	file := r.getenv("GOENV")
	if file == "" {
		if file = r.config("go"); file != "" {
			file = filepath.Join(file, "env")
		}
	}
	for line := range strings.Lines(text(file)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		for _, asked := range variables["go"] {
			if name == asked && value != "" {
				r.set("go", name, value, r.said(file))
			}
		}
	}
}
