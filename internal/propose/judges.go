package propose

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/internal/taskfile"
	"cookoff/shell"
)

var (
	// judging are names that say that a file decides, and is not what is decided about.
	judging = pattern.New(`(?i)(^|[/._-])(run|all)?[_-]?(tests?|checks?|specs?|verify|asserts?|smoke|e2e|ci|` +
		`expect(ed|ations)?|golden)([/._-]|$)`)
	compares   = pattern.New(`^(diff|cmp|comm)$`)
	shellFile  = pattern.New(`\.(ba|da|z|k)?sh$`)
	shellBang  = pattern.New(`^#!\s*/\S+[/ ](ba|da|z|k)?sh\b`)
	runsScript = pattern.New(`^(npm|yarn|pnpm|bun)$`)
	compilesTS = pattern.New(`^(tsc|tsx|ts-node|ts-mocha|swc-node)$`)
	extends    = pattern.New(`"(?:extends|path)"\s*:\s*"(\.[^"]*)"`)
	variable   = pattern.New(`\$[({](\w+)[)}]`)
	ruleLine   = pattern.New(`^([\w./ -]+?)\s*::?([^=].*)?$`)
)

// mostScripts bounds how far calls are followed.
const mostScripts = 40

// Judges gives the files of the project in dir that a test command calls, by itself or
// by a script of package.json, a target of make or a script of the shell, and by whose
// names, or where they lie, they decide; what diff and its like compare with; and a glob for each
// directory for tests at the top of the project, and of the directories in it that the command goes to. No file is run.
func Judges(dir, test string) []string {
	files, _ := judgesOf(dir, test, deepest)
	return files
}

// Decides gives the globs of all that a command that runs tests judges by: what Protect says of it and of the scripts
// that it comes to, what it calls in the project in dir, and what lies beside that.
func Decides(dir, test string, members ...string) []string {
	files, called := judgesOf(dir, test, deepest)
	globs := Protect(called, members...)
	for _, g := range slices.Concat(files, Beside(files)) {
		if !slices.Contains(globs, g) {
			globs = append(globs, g)
		}
	}
	return globs
}

// judgesOf is Judges, where a command may go to another directory so many times, one from another. called are the
// scripts that were followed, the test command among them.
func judgesOf(dir, test string, further int) (files []string, called string) {
	j := judges{project: project{dir}, scripts: []string{test}, seen: map[string]bool{}}
	below := map[string]string{} // what is called in directories below
	for n := 0; n < len(j.scripts) && n < mostScripts; n++ {
		for _, call := range shell.Calls(j.scripts[n]) {
			if call.Dir == "" || call.Dir == "." {
				j.follow(call.Words)
			} else if text, err := shell.Quote(atHome(call.Words)); err == nil {
				below[call.Dir] += text + "\n"
			}
		}
	}
	j.setUps()
	list := append(j.files, j.testDirs()...)
	for _, d := range slices.Sorted(maps.Keys(below)) {
		if further == 0 || leadsOut(dir, d) != "" {
			continue
		}
		files, called := judgesOf(filepath.Join(dir, d), below[d], further-1)
		for _, file := range files {
			list = append(list, path.Join(d, file))
		}
		if at, err := shell.Quote([]string{d}); err == nil {
			j.scripts = append(j.scripts, "(cd "+at+"\n"+called+"\n)")
		}
	}
	return list, strings.Join(j.scripts, "\n")
}

// atHome is a call without the directories that it goes to.
func atHome(words []string) []string {
	_, rest := shell.Moved(words)
	return rest
}

// byDirectory is what a test command runs in each directory below the project's ("": in its own), where no command says
// itself where it goes; dirs are these directories, as they come.
func byDirectory(test string) (runs map[string]string, dirs []string) {
	runs = map[string]string{}
	for _, call := range shell.Calls(test) {
		dir := call.Dir
		if dir == "." {
			dir = ""
		}
		if _, known := runs[dir]; !known && dir != "" {
			dirs = append(dirs, dir)
		}
		runs[dir] += strings.Join(atHome(call.Words), " ") + "\n"
	}
	return runs, dirs
}

// testDirs gives globs of the directories for tests at the top of the project: what programs of tests are
// written with, and what they read, decides as well.
func (p project) testDirs() (globs []string) {
	entries, _ := os.ReadDir(p.dir) // one that can't be read has none
	for _, e := range entries {
		if e.IsDir() && ofTests.MatchString(e.Name()) {
			globs = append(globs, e.Name()+"/**")
		}
	}
	return globs
}

// Beside gives globs of the directories for tests in which files that decide lie: what they read there,
// as a case and what is wanted of it, decides as well. Beside jars of JUnit they are what it obeys.
func Beside(files []string) (globs []string) {
	for _, file := range files {
		if strings.HasSuffix(file, ".jar") && strings.Contains(file, "junit") &&
			!slices.Contains(globs, strings.Fields(ofJUnit)[0]) {
			globs = append(globs, strings.Fields(ofJUnit)...)
		}
		dirs := strings.Split(path.Dir(file), "/")
		for i, dir := range dirs {
			if g := strings.Join(dirs[:i+1], "/") + "/**"; ofTests.MatchString(dir) {
				if !slices.Contains(globs, g) {
					globs = append(globs, g)
				}
				break
			}
		}
	}
	return globs
}

// ofTests are directories that hold tests and nothing else.
var ofTests = pattern.New(`^(tests?|specs?|__tests__|t|e2e|testdata|expect(ed)?|golden)$`)

type judges struct {
	project
	scripts []string // still to be followed, after those that were
	files   []string
	seen    map[string]bool // targets and scripts that were put there
}

func (j *judges) add(key, script string) {
	if script != "" && !j.seen[key] {
		j.seen[key] = true
		j.scripts = append(j.scripts, script)
	}
}

// follow looks at one call.
func (j *judges) follow(words []string) {
	if len(words) == 0 {
		return
	}
	switch program := path.Base(words[0]); {
	case program == "make" || program == "gmake":
		j.targets(words[1:], "GNUmakefile", "makefile", "Makefile")
	case program == "just":
		j.targets(words[1:], justfiles...)
	case program == "task" || program == "go-task":
		j.tasks(words[1:])
	case program == "composer":
		j.composerScripts(words[1:])
	case runsScript.MatchString(program):
		j.packageScripts(words[1:])
	}
	if at := slices.IndexFunc(words, func(w string) bool { return compilesTS.MatchString(path.Base(w)) }); at >= 0 {
		j.typescript(words[at+1:])
	}
	for _, w := range slices.Concat(words, modules(words), classPath(words)) {
		j.file(w, compares.MatchString(words[0]))
	}
}

// typescript adds what says which files a compiler of TypeScript takes, tests among them, and where they go.
func (j *judges) typescript(words []string) {
	list := append([]string{"tsconfig.json"}, words...)
	for n := 0; n < len(list) && n < mostScripts; n++ {
		w := path.Clean(list[n])
		if !strings.HasSuffix(w, ".json") {
			w = path.Join(w, "tsconfig.json")
		}
		if !plain.MatchString(w) || !filepath.IsLocal(w) || !j.regular(w) || slices.Contains(j.files, w) {
			continue
		}
		j.files = append(j.files, w)
		for _, m := range extends.FindAllStringSubmatch(j.text(w), -1) {
			list = append(list, path.Join(path.Dir(w), m[1]))
		}
	}
}

// file looks at what a word may name: a file that decides, by its name, where it lies, or since something is
// compared with it.
func (j *judges) file(word string, compared bool) {
	file := path.Clean(word)
	if !plain.MatchString(file) || path.IsAbs(file) || strings.HasPrefix(file, "..") || !j.regular(file) ||
		!compared && !judging.MatchString(file) && path.Ext(file) != ".jar" && Beside([]string{file}) == nil {
		return
	}
	if !slices.Contains(j.files, file) {
		j.files = append(j.files, file)
	}
	if text := j.text(file); shellFile.MatchString(file) || shellBang.MatchString(text) {
		j.add("file "+file, text)
	}
}

// regular reports whether there is such a file, and no directory.
func (p project) regular(name string) bool {
	st, err := os.Stat(filepath.Join(p.dir, name))
	return err == nil && st.Mode().IsRegular()
}

func (j *judges) packageScripts(words []string) {
	var pkg struct {
		Scripts map[string]string `json:"scripts"`
	}
	_ = json.Unmarshal([]byte(j.text("package.json")), &pkg) // a file that npm can't read has no scripts
	for _, w := range words {
		if w == "t" {
			w = "test"
		}
		for _, name := range []string{"pre" + w, w, "post" + w} {
			j.add("script "+name, pkg.Scripts[name])
		}
	}
}

// tasks follows the commands of tasks of a Taskfile.
func (j *judges) tasks(names []string) {
	f, err := taskfile.Parse(j.text(j.first(taskfile.Names...)))
	if err != nil {
		return // task can't read it either
	}
	for n, script := range f.Scripts(names...) {
		j.add(fmt.Sprint("task ", names, n), script)
	}
}

// composerScripts follows scripts of composer.json, and those that they call.
func (j *judges) composerScripts(words []string) {
	scripts := j.composer()
	for queue := slices.Clone(words); len(queue) > 0; queue = queue[1:] {
		for n, text := range scripts[queue[0]] {
			if key := fmt.Sprint("composer ", queue[0], n); !j.seen[key] {
				j.add(key, strings.TrimPrefix(text, "@"))
				name, _, _ := strings.Cut(strings.TrimPrefix(text, "@"), " ")
				queue = append(queue, name)
			}
		}
	}
}

// targets follows the recipes of targets of the makefile, and of what they need.
func (j *judges) targets(words []string, in ...string) {
	text := strings.ReplaceAll(j.text(j.first(in...)), "\\\n", " ")
	recipes, needs := rules(text)
	for todo := slices.Clone(words); len(todo) > 0; todo = todo[1:] {
		if key := "target " + todo[0]; !j.seen[key] && len(j.seen) < mostScripts {
			j.seen[key] = true
			j.scripts = append(j.scripts, recipes[todo[0]]...)
			todo = append(todo, needs[todo[0]]...)
			j.compiled(todo[0])
		}
	}
}

// compiled looks at what a target needs: a source that is a program, by itself or as an object, is one of tests
// where its name says that it decides. What is called and not compiled stands in a recipe.
func (j *judges) compiled(word string) {
	names := []string{word}
	if base, is := strings.CutSuffix(word, ".o"); is {
		names = []string{base + ".c", base + ".cc", base + ".cpp", base + ".cxx"}
	}
	for _, name := range names {
		if compiledFile.MatchString(name) && mainFunction.MatchString(j.text(name)) {
			j.file(name, false)
		}
	}
}

var (
	compiledFile = pattern.New(`\.(c|cc|cpp|cxx|m|mm|d|zig|rs|hs|ml|adb|f90|pas|cs|java|kt)$`)
	mainFunction = pattern.New(`(?i)\bmain\b|\bprogram\b`)
)

// rules gives the lines of the recipes of a makefile by their targets, and the targets
// that each needs. What variables hold is left open.
func rules(text string) (recipes, needs map[string][]string) {
	recipes, needs = map[string][]string{}, map[string][]string{}
	var targets []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if rest := strings.TrimLeft(line, " \t"); rest != line { // by blanks, too, as just has it
			rest = variable.ReplaceAllStringFunc(strings.TrimLeft(rest, "@-+ \t"), func(v string) string {
				return strings.ToLower(v[2 : len(v)-1]) // $(MAKE) is make
			})
			for _, t := range targets {
				recipes[t] = append(recipes[t], strings.ReplaceAll(rest, "$$", "$"))
			}
			continue
		}
		if m := ruleLine.FindStringSubmatch(line); m != nil {
			targets = strings.Fields(m[1])
			for _, t := range targets {
				needs[t] = append(needs[t], strings.Fields(m[2])...)
			}
		}
	}
	return recipes, needs
}
