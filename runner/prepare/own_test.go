package prepare

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// owned are projects, what a command left beside (w/ is the project's place), and what becomes of it.
var owned = map[string]struct {
	files   string   // p/: the project, m/: what was made, q/: another project with the same lockfiles
	gone    []string // what the command took away, as layers say it
	left    string   // what worlds have of it
	own     string   // files that stay as the project has them
	sources bool     // it was made of the project's own files
	others  bool     // q has the same
	wrong   string
}{
	"a lockfile written anew": {"-- p/package-lock.json --\na\n-- m/w/package-lock.json --\nb\n" +
		"-- m/w/node_modules/d/i.js --\n" +
		"-- q/package-lock.json --\na\n", nil, "w/node_modules/d/i.js", "package-lock.json", false, true, ""},
	"a lockfile that others lack": {"-- p/package-lock.json --\na\n-- m/w/package-lock.json --\nb\n-- q/x --\n",
		nil, "", "package-lock.json", false, false, ""},
	"metadata of setuptools": {"-- p/src/a.egg-info/PKG-INFO --\na\n-- m/w/src/a.egg-info/PKG-INFO --\nb\n" +
		"-- m/w/src/a.egg-info/top_level.txt --\na\n-- m/w/.venv/bin/python --\n-- q/src/a.egg-info/PKG-INFO --\n",
		nil, "w/.venv/bin/python w/src/a.egg-info/top_level.txt", "src/a.egg-info/PKG-INFO", false, true, ""},
	"generated code": {"-- p/gen.go --\na\n-- m/w/gen.go --\nb\n-- m/h/go/pkg/x --\n-- q/gen.go --\n",
		nil, "h/go/pkg/x", "gen.go", true, true, ""},
	"a program built":   {"-- p/main.c --\n-- m/w/main.o --\n-- q/main.c --\n", nil, "w/main.o", "", true, true, ""},
	"a directory built": {"-- p/a.ts --\n-- m/w/dist/a.js --\n-- q/a.ts --\n", nil, "w/dist/a.js", "", true, true, ""},
	"a program that others have": {"-- p/main.c --\n-- m/w/main.o --\n-- q/main.o --\n",
		nil, "w/main.o", "", true, false, ""},
	"a repository told of hooks": {"-- p/.git/config --\na\n-- m/w/.git/config --\nb\n-- m/w/.git/index --\n" +
		"-- m/w/node_modules/x --\n-- q/a --\n", []string{".git/old"}, "w/node_modules/x", "", false, true, ""},
	"a repository got": {"-- p/a --\n-- m/w/vendor/x/.git/config --\n-- q/a --\n", nil, "w/vendor/x/.git/config", "",
		false, true, ""},
	"a directory made anew": {"-- p/gen/a.go --\na\n-- m/w/gen/a.go --\nb\n-- m/w/gen/b.go --\n-- q/gen/a.go --\n",
		[]string{"gen"}, "w/gen/b.go", "gen/a.go", true, true, ""},
	"a file taken away": {"-- p/a --\n", []string{"a"}, "", "", false, false, `removes "a"`},
	"a directory taken away": {"-- p/gen/a --\n-- m/w/gen/b --\n",
		[]string{"gen"}, "", "", false, false, `removes "gen/a"`},
	"what was not there": {"-- p/a --\n-- m/w/node_modules/b --\n-- q/a --\n",
		[]string{"node_modules"}, "w/node_modules/b", "", false, true, ""},
	"a directory over a file":   {"-- p/a --\n-- m/w/a/b --\n", nil, "", "", false, false, `kind in place of "a"`},
	"a file over a directory":   {"-- p/a/b --\n-- m/w/a --\n", nil, "", "", false, false, `kind in place of "a"`},
	"nothing beside the caches": {"-- p/a --\n-- m/h/.npm/x --\n-- q/a --\n", nil, "h/.npm/x", "", false, true, ""},
}

// TestOwn: what the project has stays as it is; what was made of its own files is told from packages.
func TestOwn(t *testing.T) {
	for name, c := range owned {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range txtar.Parse([]byte(c.files)).Files {
				write(t, filepath.Join(dir, f.Name), string(f.Data))
			}
			out, project := filepath.Join(dir, "m"), filepath.Join(dir, "p")
			m, err := settle(out, project, c.gone)
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || strings.Join(m.Own, " ") != c.own || m.Sources != c.sources {
				t.Errorf("%+v, %v", m, err)
			}
			var left []string
			if _, err := os.Stat(out); err == nil {
				left = slices.DeleteFunc(listed(t, out), func(p string) bool { return p == record })
			}
			slices.Sort(left)
			if got := strings.Join(left, " "); got != c.left {
				t.Errorf("left: %s", got)
			}
			if of, err := OfSources(out); err != nil || of != c.sources {
				t.Errorf("noted: of sources %v, %v", of, err)
			}
			for p, want := range map[string]bool{"p": true, "q": c.others} {
				if fit, err := fits(out, filepath.Join(dir, p)); err != nil || fit != want {
					t.Errorf("%s: fits %v, %v", p, fit, err)
				}
			}
		})
	}
}
