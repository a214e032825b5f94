package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cookoff/internal/cachedir"
	"cookoff/internal/registries"
	"cookoff/internal/ui/text"
	"cookoff/runner/prepare"
	"cookoff/runner/warm"
)

// Prepare is where what recipes have prepared is kept, and which caches of this
// machine are asked before a network is.
func (h *Host) Prepare() prepare.Store {
	home := h.Getenv("HOME")
	from := registries.Of(home, h.Getenv)
	s := prepare.Store{Env: from.Env, Trusted: from.Certificates, Say: func(command string, network bool) {
		who := "without a network, from this machine's caches"
		if network {
			who = "with a network, which it has alone, before any trial"
		}
		h.say(Notice{Text: fmt.Sprintf("preparing, once: %s (%s)", text.Line(command), who)})
	}, Kept: func(command string, files []string) {
		more := ""
		if n := len(files) - 1; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		h.say(Notice{Text: fmt.Sprintf("%s changes %s%s: worlds have the project's own", text.Line(command),
			text.Line(files[0]), more)})
	}}
	for _, c := range from.Closed {
		s.Closed = append(s.Closed, prepare.Closed(c))
	}
	if dir, err := cachedir.Path("prepared"); err == nil {
		s.Dir = dir
	}
	s.Caches.Go = h.Getenv("GOMODCACHE")
	if s.Caches.Go == "" && home != "" {
		gopath, _, _ := strings.Cut(h.Getenv("GOPATH"), string(filepath.ListSeparator))
		if gopath == "" {
			gopath = filepath.Join(home, "go")
		}
		s.Caches.Go = filepath.Join(gopath, "pkg", "mod")
	}
	if s.Caches.Cargo = h.Getenv("CARGO_HOME"); s.Caches.Cargo == "" && home != "" {
		s.Caches.Cargo = filepath.Join(home, ".cargo")
	}
	if s.Caches.Npm = h.Getenv("npm_config_cache"); s.Caches.Npm == "" && home != "" {
		s.Caches.Npm = filepath.Join(home, ".npm")
	}
	s.Caches.GoProxies = prepare.GoProxies(h.Getenv("GOPROXY"))
	s.Caches.Pnpm, s.Caches.Yarn = h.pnpmStore(home), h.yarnCache(home)
	s.Caches.Pip, s.Caches.Uv = h.pipCache(home), h.uvCache(home)
	s.Caches.Maven = firstDir(below(home, ".m2", "repository"))
	s.Caches.Wheels = wheels(h.Getenv("PIP_FIND_LINKS"))
	return s
}

// pnpmStore is where pnpm keeps what it got, as it looks for it itself.
func (h *Host) pnpmStore(home string) string {
	data := h.Getenv("XDG_DATA_HOME")
	if data == "" && home != "" {
		data = filepath.Join(home, ".local", "share")
	}
	return firstDir(h.Getenv("npm_config_store_dir"), below(h.Getenv("PNPM_HOME"), "store"), below(data, "pnpm", "store"),
		below(home, ".pnpm-store"), below(home, "Library", "pnpm", "store"))
}

// yarnCache is where yarn 1 does.
func (h *Host) yarnCache(home string) string {
	cache := h.Getenv("XDG_CACHE_HOME")
	if cache == "" && home != "" {
		cache = filepath.Join(home, ".cache")
	}
	return firstDir(h.Getenv("YARN_CACHE_FOLDER"), below(cache, "yarn"), below(home, "Library", "Caches", "Yarn"))
}

// pipCache is where pip does.
func (h *Host) pipCache(home string) string {
	cache := h.Getenv("XDG_CACHE_HOME")
	if cache == "" && home != "" {
		cache = filepath.Join(home, ".cache")
	}
	return firstDir(h.Getenv("PIP_CACHE_DIR"), below(cache, "pip"), below(home, "Library", "Caches", "pip"))
}

// uvCache is where uv does.
func (h *Host) uvCache(home string) string {
	cache := h.Getenv("XDG_CACHE_HOME")
	if cache == "" && home != "" {
		cache = filepath.Join(home, ".cache")
	}
	return firstDir(h.Getenv("UV_CACHE_DIR"), below(cache, "uv"))
}

func below(dir string, names ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, names...)...)
}

// firstDir is the first of several that is a directory; "": none.
func firstDir(list ...string) string {
	for _, dir := range list {
		if st, err := os.Stat(dir); dir != "" && err == nil && st.IsDir() {
			return dir
		}
	}
	return ""
}

// wheels gives the directories of this machine that PIP_FIND_LINKS names; pages and what is
// relative to a directory that the sandbox does not have are none.
func wheels(links string) (dirs []string) {
	for one := range strings.FieldsSeq(links) {
		if one = strings.TrimPrefix(one, "file://"); filepath.IsAbs(one) {
			dirs = append(dirs, one)
		}
	}
	return dirs
}

// Warm is where what tests compile is kept.
func (h *Host) Warm() warm.Store {
	s := warm.Store{Say: func(task string) {
		h.say(Notice{Text: fmt.Sprintf("running the checks of %q once, to keep what they compile", text.Line(task))})
	}, Slow: func(task, command string, limit time.Duration) {
		h.say(Notice{Text: fmt.Sprintf("compiling for %q: not done after %v, and ended there: %s (warm: false does without)",
			text.Line(task), limit.Round(time.Second), text.Line(command))})
	}}
	if dir, err := cachedir.Path("warm"); err == nil {
		s.Dir = dir
	}
	return s
}
