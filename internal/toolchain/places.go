package toolchain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"cookoff/internal/pattern"
)

// known matches the directories that version managers and package managers
// install one tool chain into each, wherever their own root lies.
var known = pattern.New(`^(?:.*/(?:` +
	`\.?(?:pyenv|rbenv|nodenv|goenv|jenv|plenv|phpenv|luaenv|tfenv|nvm)/versions/(?:node/)?[^/]+` +
	`|\.?asdf/installs/[^/]+/[^/]+` +
	`|(?:mise|rtx)/installs/[^/]+/[^/]+` +
	`|\.?rustup/toolchains/[^/]+` +
	`|\.?sdkman/candidates/[^/]+/[^/]+` +
	`|\.?volta/tools/image/[^/]+/[^/]+` +
	`|\.?fnm/node-versions/[^/]+/installation` +
	`|uv/(?:python|tools)/[^/]+` +
	`|pipx/venvs/[^/]+` +
	`|\.(?:bun|deno)/bin` +
	`|sdk/go[0-9][^/]*` +
	`)|/(?:nix|gnu)/store/[^/]+|/opt/hostedtoolcache/[^/]+/[^/]+/[^/]+)(?:/|$)`)

// brewed are the directories of a Homebrew prefix that hold programs. Others
// hold settings and data of servers.
var brewed = [...]string{"bin", "Cellar", "opt", "lib"}

// placesOf gives the directories that belong to the tool chain of the program
// at path, the one with the program first; none where nothing tells.
func placesOf(path string) []string {
	bin := filepath.Dir(path)
	prefix := bin
	if base := filepath.Base(bin); base == "bin" || base == "condabin" {
		prefix = filepath.Dir(bin)
	}
	switch {
	case isVenv(prefix), exists(filepath.Join(prefix, "conda-meta")):
		return []string{prefix}
	case exists(filepath.Join(prefix, "Cellar")):
		var dirs []string
		for _, d := range brewed {
			if dir := filepath.Join(prefix, d); exists(dir) {
				dirs = append(dirs, dir)
			}
		}
		return dirs
	}
	if m := known.FindString(path); m != "" {
		if m = strings.TrimSuffix(m, "/"); below(bin, m) && exists(filepath.Join(m, "bin")) || bin == m {
			return []string{m}
		}
		return []string{bin}
	}
	if below(path, visible[:]...) {
		return []string{prefix}
	}
	if below(filepath.Dir(prefix), "/opt") { // /opt/NAME: a package of its own
		return []string{prefix}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// check refuses to show a directory that holds more than programs, or that
// others can write.
func (f *Finder) check(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	switch {
	case err != nil:
		return err
	case real != dir:
		return fmt.Errorf("it leads to %s", real)
	case below(f.o.Home, dir):
		return fmt.Errorf("your home lies in it")
	case below(f.o.Project, dir):
		return fmt.Errorf("the project lies in it")
	case below(dir, visible[:]...):
		return nil // every sandbox shows it
	case below(dir, taken[:]...):
		return fmt.Errorf("a sandbox has a directory of its own there")
	}
	for at := dir; ; at = filepath.Dir(at) {
		st, err := os.Stat(at)
		if err != nil {
			return err
		}
		if err := trusted(at, st); err != nil {
			return err
		}
		if at == "/" {
			return nil
		}
	}
}

// trusted refuses a directory in which others than the user and root can put
// programs.
func trusted(path string, st fs.FileInfo) error {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("whose %s is can't be told", path)
	}
	if uid := int(sys.Uid); uid != 0 && uid != os.Getuid() {
		return fmt.Errorf("%s belongs to another user", path)
	}
	mode := st.Mode()
	byGroup := mode.Perm()&0o020 != 0 && int(sys.Gid) != os.Getgid() && sys.Gid != 0
	if (mode.Perm()&0o002 != 0 || byGroup) && mode&fs.ModeSticky == 0 {
		return fmt.Errorf("others can write %s", path)
	}
	return nil
}

func isVenv(dir string) bool { return exists(filepath.Join(dir, "pyvenv.cfg")) }

// unusable says why the interpreter at path, perhaps a link, does not run on this machine itself; "": it may.
func unusable(path string) string {
	_, err := os.Stat(path)
	if executable(path) {
		return ""
	}
	which := "it"
	for range maxSteps {
		link, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path, which = link, "it leads to "+link+", which"
	}
	switch reason, _ := errors.AsType[*fs.PathError](err); {
	case err == nil:
		return which + " is no program"
	case errors.Is(err, fs.ErrNotExist):
		return which + " is not there"
	case errors.Is(err, fs.ErrPermission):
		return which + " lies where you may not look (permission denied)"
	case reason != nil:
		return which + " can't be reached: " + reason.Err.Error()
	}
	return which + " can't be reached: " + err.Error()
}

// venvBase gives the Python that a virtual environment is of.
func venvBase(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "pyvenv.cfg"))
	if err != nil {
		return ""
	}
	home := ""
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == "home" {
			home = strings.TrimSpace(value)
		}
	}
	for _, name := range []string{"python3", "python"} {
		if path := filepath.Join(home, name); filepath.IsAbs(home) && executable(path) {
			return path
		}
	}
	return ""
}
