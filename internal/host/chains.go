package host

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"cookoff/internal/files"
	"cookoff/internal/pattern"
	"cookoff/internal/toolchain"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/sandbox/native"
)

// GoRoot is the Go tool chain on the user's PATH, "" where there is none: the
// built-in recipe has Go tasks, and /usr alone holds Go on few machines.
func GoRoot() string {
	bin, err := exec.LookPath("go")
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(bin); err == nil {
		if root := filepath.Dir(filepath.Dir(real)); isGoRoot(root) {
			return root
		}
	}
	// A launcher of a version manager: it knows.
	cmd := exec.Command(bin, "env", "GOROOT")
	cmd.Dir = "/" // no go.mod or .tool-versions of a project has a say
	out, err := cmd.Output()
	if root := strings.TrimSpace(string(out)); err == nil && isGoRoot(root) {
		return root
	}
	return ""
}

func isGoRoot(dir string) bool {
	st, err := os.Stat(filepath.Join(dir, "src", "runtime"))
	return err == nil && st.IsDir()
}

// Chains are the tool chains that a sandbox shows.
type Chains struct {
	Paths []string         // as sandbox.Spec has them
	Found []toolchain.Tool // of PATH, in the order they were asked for
}

// ChainsFor finds the tool chains of a recipe: the user's own of the
// configuration, Go, and those of the programs that recipe and project name.
func (h *Host) ChainsFor(ctx context.Context, r *recipe.Recipe) Chains {
	if !h.ShowsFound(r) {
		return h.Chains(ctx, nil)
	}
	return h.Chains(ctx, h.ProgramsOf(r))
}

// Chains finds the tool chains of programs by name, and of the project's virtual environments; nil: those of the
// configuration and Go alone. /usr in the list says where
// the programs of the system come on PATH.
func (h *Host) Chains(ctx context.Context, names []string) Chains {
	c := Chains{Paths: slices.Clone(h.Config.ToolPaths)}
	if root := GoRoot(); OnLinux && root != "" {
		c.Paths = append(c.Paths, root)
	}
	var late []string
	if f := h.find(); names != nil {
		for _, name := range names {
			if t := f.Find(ctx, name); t.Path != "" {
				c.Found = append(c.Found, t)
			}
		}
		for _, dir := range venvs {
			if t, ok := f.Venv(ctx, dir); ok {
				c.Found = append(c.Found, t)
			}
		}
	}
	for _, t := range c.Found {
		if t.First {
			c.Paths = append(c.Paths, t.Dirs[0])
			t.Dirs = t.Dirs[1:]
		}
		late = append(late, t.Dirs...)
	}
	if len(late) > 0 {
		c.Paths = append(append(c.Paths, "/usr/local", "/usr"), late...)
	}
	var once []string
	for _, p := range c.Paths {
		if !slices.Contains(once, p) {
			once = append(once, p)
		}
	}
	c.Paths = once
	return c
}

// venvs are where a project has its virtual environment, by custom.
var venvs = [...]string{".venv", "venv"}

// find follows programs of the user's PATH.
func (h *Host) find() *toolchain.Finder {
	if h.finder == nil {
		home, _ := os.UserHomeDir()
		h.finder = toolchain.New(toolchain.Options{Path: h.Getenv("PATH"), Home: home, Project: h.Dir,
			Env: os.Environ(), Shown: h.Config.ToolPaths, Stranger: os.Getuid() == 0})
	}
	return h.finder
}

// ShowsFound tells whether sandboxes of a recipe (nil: of none) show tool
// chains that the user has not named: those that are this machine's, and for
// root those that need no copy of them.
func (h *Host) ShowsFound(r *recipe.Recipe) bool {
	name := cmp.Or(h.Sandbox, h.Config.Backend)
	if r != nil {
		if name == "" {
			name = r.Sandbox.Backend
		}
		if r.Sandbox.Isolation == "strong" {
			name = native.GVisor
		}
		if slices.ContainsFunc(images(r), func(image string) bool { return image != "" }) {
			return false
		}
	}
	switch name {
	case "", native.Auto, native.Native:
		return OnLinux
	case native.Container:
		return false
	}
	return OnLinux && os.Getuid() != 0
}

// kinds are the programs that projects need, by the files that tell.
var kinds = []struct {
	files    []string
	programs []string
}{
	{[]string{"pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "requirements.txt", "Pipfile"},
		[]string{"python3", "python", "pytest"}},
	{[]string{"package.json"}, []string{"node", "npm", "npx"}},
	{[]string{"Cargo.toml"}, []string{"cargo", "rustc"}},
	{[]string{"pom.xml"}, []string{"mvn", "java", "javac"}},
	{[]string{"build.gradle", "build.gradle.kts"}, []string{"gradle", "java", "javac"}},
	{[]string{"Gemfile", "Rakefile"}, []string{"ruby", "bundle", "rake"}},
}

// programName is a word that can be a program's name.
var programName = pattern.New(`[A-Za-z][\w+-]*(?:\.[\w+-]+)*`)

// ProgramsOf lists the programs that may be needed: those of the project's
// kind, and those whose names stand in the recipe, the Makefile or package.json
// and that PATH has beside the system's.
func (h *Host) ProgramsOf(r *recipe.Recipe) (names []string) {
	names = []string{}
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, k := range kinds {
		if slices.ContainsFunc(k.files, func(file string) bool { return files.IsRegular(filepath.Join(h.Dir, file)) }) {
			for _, p := range k.programs {
				add(p)
			}
		}
	}
	text := ""
	if r != nil {
		text = r.MarshalMarkdown()
	}
	for _, file := range []string{"Makefile", "package.json"} {
		if st, err := os.Stat(filepath.Join(h.Dir, file)); err == nil && st.Mode().IsRegular() && st.Size() < 1<<20 {
			b, _ := os.ReadFile(filepath.Join(h.Dir, file)) // it says what helps, or nothing
			text += "\n" + string(b)
		}
	}
	for _, word := range programName.FindAllString(text, -1) {
		if h.find().Outside(word) {
			add(word)
		}
	}
	return names
}

// SayChains says which tool chains are shown unasked, and what is not shown
// though a command names it.
func (h *Host) SayChains(c Chains, r *recipe.Recipe) {
	said := r.MarshalMarkdown()
	names := map[string][]string{} // of programs, by where they lie
	var order []string
	for _, t := range c.Found {
		switch {
		case t.Why != "" && (beginsCommand(said, t.Name) || IsVenv(t) && strings.Contains(said, t.Name+"/bin/")):
			h.say(Notice{Text: text.Lines(NotShown(t))})
		// the system's own need no line
		case len(t.Dirs) > 0 && t.Dirs[0] != GoRoot() && path.Base(t.Dirs[0]) != "sbin":
			at := tilde(t.Dirs[0], home())
			if t.Dirs[0] == filepath.Join(h.Dir, t.Name) {
				at = "the project"
			}
			if names[at] == nil {
				order = append(order, at)
			}
			names[at] = append(names[at], t.Name)
		}
	}
	for _, at := range order {
		h.say(Notice{Text: fmt.Sprintf("tools: %s of %s, read-only in the sandbox",
			text.Line(strings.Join(names[at], ", ")), text.Line(at))})
	}
}

// NotShown says of a program that this machine has why a sandbox has not.
func NotShown(t toolchain.Tool) string {
	home := home()
	what := fmt.Sprintf("no sandbox has %s (%s)", t.Name, tilde(t.Path, home))
	if IsVenv(t) { // whose files all sandboxes have
		what = fmt.Sprintf("no sandbox can run %s/bin/python", t.Name)
	}
	if t.Hidden == "" {
		return fmt.Sprintf("%s: %s\n  hint: %s", what, t.Why, t.Hint)
	}
	return fmt.Sprintf("%s: it needs %s, %s\n  hint: %s", what, tilde(t.Hidden, home), t.Why, t.Hint)
}

// IsVenv reports whether a program that was found is a virtual environment of the project.
func IsVenv(t toolchain.Tool) bool { return slices.Contains(venvs[:], t.Name) }

// beginsCommand reports whether a text has a program where a command begins.
func beginsCommand(text, name string) bool {
	return regexp.MustCompile("(?m)(?:^|[;&|(!`{]|\\bexec\\b|\\benv\\b)\\s*" + regexp.QuoteMeta(name) +
		"(?:\\s|$|[;&|)`])").MatchString(text)
}

func home() string {
	home, _ := os.UserHomeDir()
	return home
}

// tilde writes a path below the home with ~.
func tilde(path, home string) string {
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(home, "/")+"/"); ok && home != "" {
		return "~/" + rest
	}
	return path
}
