package toolchain

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// home is a made-up home with programs in it.
type home struct {
	t   *testing.T
	dir string
}

func newHome(t *testing.T) home {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return home{t, dir}
}

func (h home) path(rel string) string { return filepath.Join(h.dir, rel) }

// program writes an executable; text may name the home as @.
func (h home) program(rel, text string) {
	h.t.Helper()
	h.file(rel, text)
	if err := os.Chmod(h.path(rel), 0o755); err != nil {
		h.t.Fatal(err)
	}
}

func (h home) file(rel, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.path(rel)), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(h.path(rel), []byte(strings.ReplaceAll(text, "@", h.dir)), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h home) link(rel, to string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.path(rel)), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Symlink(strings.ReplaceAll(to, "@", h.dir), h.path(rel)); err != nil {
		h.t.Fatal(err)
	}
}

// find follows a program with a PATH below the home, and then the system's.
func (h home) find(name string, path ...string) Tool {
	dirs := []string{}
	for _, p := range path {
		dirs = append(dirs, h.path(p))
	}
	dirs = append(dirs, "/usr/bin", "/bin")
	f := New(Options{Path: strings.Join(dirs, ":"), Home: h.dir, Project: h.path("project"),
		Env: []string{"PATH=" + strings.Join(dirs, ":")}})
	return f.Find(h.t.Context(), name)
}

const elf = "\x7fELF not a script"

// A manager that answers "which NAME" with what lies below dir.
func managerScript(dir string) string {
	return "#!/bin/sh\n[ \"$1\" = which ] && echo \"" + dir + "/bin/$2\"\n"
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name  string
		make  func(h home)
		find  string
		path  []string
		dirs  []string // below the home
		first bool
	}{
		{"pyenv", func(h home) {
			h.program(".pyenv/libexec/pyenv", managerScript("$PYENV_ROOT/versions/3.12.1"))
			h.program(".pyenv/shims/pytest",
				"#!/usr/bin/env bash\nexport PYENV_ROOT=\"@/.pyenv\"\n"+
					"exec \"@/.pyenv/libexec/pyenv\" exec \"$program\" \"$@\"\n")
			h.program(".pyenv/versions/3.12.1/bin/pytest", "#!@/.pyenv/versions/3.12.1/bin/python3.12\n")
			h.program(".pyenv/versions/3.12.1/bin/python3.12", elf)
		}, "pytest", []string{".pyenv/shims"}, []string{".pyenv/versions/3.12.1"}, true},
		{"the version that the project pins", func(h home) {
			h.file("project/.python-version", "3.9.18\n")
			h.program(".pyenv/libexec/pyenv", managerScript(h.path(".pyenv/versions/$PYENV_VERSION")))
			h.program(".pyenv/shims/python3",
				"#!/usr/bin/env bash\nexec '@/.pyenv/libexec/pyenv' exec \"$program\" \"$@\"\n")
			h.program(".pyenv/versions/3.9.18/bin/python3", elf)
		}, "python3", []string{".pyenv/shims"}, []string{".pyenv/versions/3.9.18"}, true},
		{"nvm", func(h home) {
			h.program(".nvm/versions/node/v22.1.0/lib/node_modules/npm/bin/npm-cli.js", "#!/usr/bin/env node\n")
			h.link(".nvm/versions/node/v22.1.0/bin/npm", "../lib/node_modules/npm/bin/npm-cli.js")
			h.program(".nvm/versions/node/v22.1.0/bin/node", elf)
		}, "npm", []string{".nvm/versions/node/v22.1.0/bin"}, []string{".nvm/versions/node/v22.1.0"}, true},
		{"fnm, whose directory on PATH is a link", func(h home) {
			h.program(".local/share/fnm/node-versions/v20/installation/bin/node", elf)
			h.link("run/fnm_multishells/1", "@/.local/share/fnm/node-versions/v20/installation")
		}, "node", []string{"run/fnm_multishells/1/bin"}, []string{".local/share/fnm/node-versions/v20/installation"},
			true}, {"asdf", func(h home) {
			h.program("bin/asdf", managerScript(h.path(".asdf/installs/nodejs/20.1.0")))
			h.program(".asdf/shims/node",
				"#!/usr/bin/env bash\n# asdf-plugin: nodejs 20.1.0\nexec asdf exec \"node\" \"$@\"\n")
			h.program(".asdf/installs/nodejs/20.1.0/bin/node", elf)
		}, "node", []string{".asdf/shims", "bin"}, []string{".asdf/installs/nodejs/20.1.0"}, true},
		{"mise", func(h home) {
			h.program("bin/mise", managerScript(h.path(".local/share/mise/installs/python/3.13")))
			h.link(".local/share/mise/shims/python3", "@/bin/mise")
			h.program(".local/share/mise/installs/python/3.13/bin/python3", elf)
		}, "python3", []string{".local/share/mise/shims"}, []string{".local/share/mise/installs/python/3.13"}, true},
		{"rustup", func(h home) {
			h.program(".cargo/bin/rustup", managerScript(h.path(".rustup/toolchains/stable-x86_64")))
			h.link(".cargo/bin/cargo", "rustup")
			h.program(".rustup/toolchains/stable-x86_64/bin/cargo", elf)
		}, "cargo", []string{".cargo/bin"}, []string{".rustup/toolchains/stable-x86_64"}, true},
		{"volta", func(h home) {
			h.program(".volta/bin/volta", managerScript(h.path(".volta/tools/image/node/20.0.0")))
			h.program(".volta/bin/volta-shim", elf)
			h.link(".volta/bin/node", "volta-shim")
			h.program(".volta/tools/image/node/20.0.0/bin/node", elf)
		}, "node", []string{".volta/bin"}, []string{".volta/tools/image/node/20.0.0"}, true},
		{"SDKMAN, whose current version is a link", func(h home) {
			h.program(".sdkman/candidates/java/21-tem/bin/java", elf)
			h.link(".sdkman/candidates/java/current", "21-tem")
		}, "java", []string{".sdkman/candidates/java/current/bin"}, []string{".sdkman/candidates/java/21-tem"}, true},
		{"conda", func(h home) {
			h.file("miniconda3/envs/x/conda-meta/history", "")
			h.program("miniconda3/envs/x/bin/python3", elf)
		}, "python3", []string{"miniconda3/envs/x/bin"}, []string{"miniconda3/envs/x"}, true},
		{"pipx, and the Python that it uses", func(h home) {
			h.program(".pyenv/versions/3.11.7/bin/python3", elf)
			h.file(".local/share/pipx/venvs/black/pyvenv.cfg", "home = @/.pyenv/versions/3.11.7/bin\n")
			h.program(".local/share/pipx/venvs/black/bin/black", "#!@/.local/share/pipx/venvs/black/bin/python\n")
			h.link(".local/share/pipx/venvs/black/bin/python", "@/.pyenv/versions/3.11.7/bin/python3")
			h.link(".local/bin/black", "@/.local/share/pipx/venvs/black/bin/black")
		}, "black", []string{".local/bin"}, []string{".local/share/pipx/venvs/black", ".pyenv/versions/3.11.7"}, false},
		{"a virtual environment of the project, as direnv or activate find it", func(h home) {
			h.program(".pyenv/versions/3.11.7/bin/python3", elf)
			h.file("project/.venv/pyvenv.cfg", "version = 3\nhome = @/.pyenv/versions/3.11.7/bin\n")
			h.link("project/.venv/bin/python3", "@/.pyenv/versions/3.11.7/bin/python3")
		}, "python3", []string{"project/.venv/bin"}, []string{"project/.venv", ".pyenv/versions/3.11.7"}, true},
		{"Homebrew without its settings and data", func(h home) {
			h.program("linuxbrew/Cellar/node/22/bin/node", elf)
			h.link("linuxbrew/bin/node", "../Cellar/node/22/bin/node")
			h.file("linuxbrew/var/postgres/secret", "")
		}, "node", []string{"linuxbrew/bin"}, []string{"linuxbrew/bin", "linuxbrew/Cellar"}, true},
		{"a program of the system", func(home) {}, "env", nil, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			h.file("project/x", "")
			c.make(h)
			got := h.find(c.find, c.path...)
			if got.Why != "" || got.Path == "" {
				t.Fatalf("%+v", got)
			}
			var want []string
			for _, d := range c.dirs {
				want = append(want, h.path(d))
			}
			if !slices.Equal(got.Dirs, want) || got.First != c.first {
				t.Errorf("got %q, first %v, want %q, %v", got.Dirs, got.First, want, c.first)
			}
		})
	}
}

// TestRefused: what is not to be shown unasked is named, with what to do.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name         string
		make         func(h home)
		path         string
		hidden, hint string // below the home
	}{
		{"a place nobody knows", func(h home) { h.program("tools/py/bin/x", elf) }, "tools/py/bin",
			"tools/py", "tool_paths"},
		{"a home's own bin", func(h home) { h.program(".local/bin/x", elf) }, ".local/bin", ".local/bin", "tool_paths"},
		{"a virtual environment around the project", func(h home) {
			h.file("project/pyvenv.cfg", "")
			h.program("project/bin/x", elf)
		}, "project/bin", "project", "holds more"},
		{"a directory that anybody can write", func(h home) {
			h.program(".pyenv/versions/3.9/bin/x", elf)
			if err := os.Chmod(h.path(".pyenv/versions"), 0o777); err != nil {
				h.t.Fatal(err)
			}
		}, ".pyenv/versions/3.9/bin", ".pyenv/versions/3.9", "tool_paths"},
		{"a known place that is a link to another", func(h home) {
			h.program("private/bin/x", elf)
			h.link(".pyenv/versions/3.9", "@/private")
		}, ".pyenv/versions/3.9/bin", "private/bin", "tool_paths"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			h.file("project/x", "")
			c.make(h)
			got := h.find("x", c.path)
			if got.Hidden != h.path(c.hidden) || len(got.Dirs) > 0 || !strings.Contains(got.Hint, c.hint) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestShownByTheUser: of what the user has sandboxes show, nothing more is asked for, but
// that programs there can go to it; of what lies elsewhere, below /tmp as anywhere, it is.
func TestShownByTheUser(t *testing.T) {
	h := newHome(t) // it lies in the directory for temporary files
	for _, dir := range []string{"a/bin", "b", "c/bin", "c/deep", "d"} {
		h.program(dir+"/x", "#!"+h.path("c/deep/y")+"\n")
	}
	h.program("c/deep/y", elf)
	h.link("link", "@/a")
	for _, c := range []struct {
		name, path   string // of PATH, below the home
		shown        []string
		mode         os.FileMode // of what is shown first
		hidden, hint string
	}{
		{"none", "a/bin", nil, 0, "a", `tool_paths = ["` + h.path("a") + `"]`},
		{"the directory around bin", "a/bin", []string{"a", "c"}, 0o755, "", ""},
		{"bin itself", "a/bin", []string{"a/bin", "c/deep"}, 0o755, "", ""},
		{"a directory without bin", "b", []string{"b", "c"}, 0o755, "", ""},
		{"by a link", "link/bin", []string{"link", "c"}, 0o755, "", ""},
		{"a directory far above", "d", []string{"", "c"}, 0o755, "d", "tool_paths"},
		{"the interpreter is elsewhere", "b", []string{"b"}, 0o755, "c/deep",
			`tool_paths = ["` + h.path("c/deep") + `"]`},
		{"closed to others", "b", []string{"b", "c"}, 0o700, "b", "chmod -R o+rX " + h.path("b")},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{Path: h.path(c.path), Home: h.path("home"), Stranger: true}
			for _, dir := range c.shown {
				o.Shown = append(o.Shown, h.path(dir))
			}
			if len(c.shown) > 0 {
				if err := os.Chmod(o.Shown[0], c.mode); err != nil {
					t.Fatal(err)
				}
			}
			hidden := ""
			if c.hidden != "" {
				hidden = h.path(c.hidden)
			}
			got := New(o).Find(t.Context(), "x")
			if got.Hidden != hidden || (got.Why == "") != (hidden == "") || !strings.Contains(got.Hint, c.hint) {
				t.Errorf("%+v", got)
			}
			if o.Stranger = false; c.mode == 0o700 && New(o).Find(t.Context(), "x").Why != "" {
				t.Error("the owner may not use it")
			}
		})
	}
}

// TestManagerThatFails: what it says is the reason, and nothing is shown.
func TestManagerThatFails(t *testing.T) {
	h := newHome(t)
	h.program(".pyenv/libexec/pyenv", "#!/bin/sh\necho 'pyenv: x: command not found' >&2\nexit 127\n")
	h.program(".pyenv/shims/x", "#!/usr/bin/env bash\nexec \"@/.pyenv/libexec/pyenv\" exec \"$program\" \"$@\"\n")
	got := h.find("x", ".pyenv/shims")
	if !strings.Contains(got.Why, "command not found") || len(got.Dirs) > 0 {
		t.Errorf("%+v", got)
	}
}

// TestManagerWithoutEnd: one whose answer is its own shim is asked only so often.
func TestManagerWithoutEnd(t *testing.T) {
	h := newHome(t)
	h.program("m/loop", managerScript(h.path("x")))
	h.program("x/bin/y", "#!/bin/sh\nexec @/m/loop exec y\n")
	if got := h.find("y", "x/bin"); !strings.Contains(got.Why, "without end") {
		t.Errorf("%+v", got)
	}
}

// TestScriptOfItself: a script whose interpreter is itself ends.
func TestScriptOfItself(t *testing.T) {
	h := newHome(t)
	h.program(".asdf/installs/x/1/bin/x", "#!/usr/bin/env x\n")
	if got := h.find("x", ".asdf/installs/x/1/bin"); len(got.Dirs) != 1 {
		t.Errorf("%+v", got)
	}
	h.link("loop/x", "y")
	h.link("loop/y", "x")
	if got := h.find("y", "loop"); got.Path != "" {
		t.Errorf("%+v", got)
	}
}

// TestPins: a project's files name versions, never paths.
func TestPins(t *testing.T) {
	h := newHome(t)
	h.file(".python-version", "../../evil\n")
	h.file(".node-version", "20.1.0\n")
	h.file(".tool-versions", "java temurin-21.0.1+12 # ours\nruby ../x\npython 3.12\n")
	got := pins(h.dir, []string{"ASDF_PYTHON_VERSION=3.9"})
	want := []string{"ASDF_JAVA_VERSION=temurin-21.0.1+12", "MISE_JAVA_VERSION=temurin-21.0.1+12",
		"MISE_PYTHON_VERSION=3.12", "NODENV_VERSION=20.1.0"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
