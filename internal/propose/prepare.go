package propose

import (
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/diagnose"
	"cookoff/internal/pattern"
)

// Preparation is a command that gets, once and with a network, what tests need and a
// repository does not have.
type Preparation struct {
	Command string // "": none is known
	Dir     string // directory of the project where programs are then; ""
	Test    string // the test command then, of several projects, or one that calls pip; ""
}

// environment is where Python's programs are.
const environment = ".venv/bin"

// Given is a preparation that a user has written. What pip would install into a home, of which the referee takes
// nothing, comes into an environment of the project's own, and the project itself as links: tests of a copy would
// judge that.
func Given(command string) Preparation {
	if strings.Contains(command, ".venv") || makesEnvironment.MatchString(command) {
		return Preparation{Command: command, Dir: environment}
	}
	if !pipCall.MatchString(command) || otherVenv.MatchString(command) {
		return Preparation{Command: command}
	}
	python := "python3"
	if m := pythonOf.FindStringSubmatch(command); m != nil {
		python = m[1]
	}
	return Preparation{Command: python + " -m venv .venv && . .venv/bin/activate && " +
		pipInstall.ReplaceAllStringFunc(command, linked), Dir: environment}
}

var (
	// pipCall is a call of the machine's pip, as a command or behind its python.
	pipCall  = pattern.New(`(?:^|[;&|(]|\bthen|\bdo)\s*(?:[A-Za-z_]\w*=\S*\s+)*(?:python[\d.]* -m )?pip[\d.]* install\b`)
	pythonOf = pattern.New(`\b(python3\.\d+) -m pip`) // whose packages they are
	// otherVenv is what puts packages elsewhere by itself.
	otherVenv  = pattern.New(`\bvenv\b|\bvirtualenv\b|\bactivate\b|\s(?:--target|-t|--prefix|--root)\b`)
	pipInstall = pattern.New(`\bpip[\d.]* install\b[^;&|)\n]*`)
	// ownDir is a directory of the project, with its extras, that pip would copy.
	ownDir = pattern.New(`^['"]?\.(?:/[\w./-]*)?(?:\[[\w,-]+\])?['"]?$`)
	ofPip  = pattern.New(`^(?:-[ercft]|--(?:editable|requirement|constraint|find-links|target))$`)
	packed = pattern.New(`\.(?:whl|gz|zip)['"]?$`)
)

// linked is a call of pip that links directories of the project in place of copies.
func linked(install string) string {
	// An environment has no place for a user's own packages.
	words := slices.DeleteFunc(strings.Split(install, " "), func(w string) bool { return w == "--user" })
	for i, w := range words[1:] {
		if ownDir.MatchString(w) && !packed.MatchString(w) && !ofPip.MatchString(words[i]) {
			words[i+1] = "-e " + w
		}
	}
	return strings.Join(words, " ")
}

// Each has what is set in front of the program, and the program.
var (
	interpreters = pattern.New(`^((?:[A-Za-z_]\w*=\S*\s+)*)(python3?|pytest|tox|nox)(?:\s|$)`)
	inVenv       = pattern.New(`^((?:[A-Za-z_]\w*=\S*\s+)*)(?:\./)?(\.?venv)/bin/(python[\d.]*|pytest)((?s:\s.*)?)$`)
	activated    = pattern.New(`^(?:source|\.)\s+(?:\./)?(\.?venv)/bin/activate\s*(?:&&|;)\s*(\S.*)$`)
	anyPython    = pattern.New(`^python3?$`)
)

// Called is a test command that calls its program where the preparation has put it.
func (p Preparation) Called(test string) string {
	if p.Test != "" {
		return p.Test
	}
	m := interpreters.FindStringSubmatch(test)
	if p.Dir == "" || m == nil {
		return test
	}
	return m[1] + p.Dir + "/" + anyPython.ReplaceAllString(m[2], "python") + test[len(m[1])+len(m[2]):]
}

// OfPath is a test command that calls, by PATH, the Python which test calls out of a virtual
// environment of the project, and the directory of that; "", "": it calls none.
func OfPath(test string) (command, venv string) {
	if m := activated.FindStringSubmatch(test); m != nil {
		return m[2], m[1]
	}
	m := inVenv.FindStringSubmatch(test)
	if m == nil {
		return "", ""
	}
	program := "python3"
	if m[3] == "pytest" {
		program += " -m pytest"
	}
	return m[1] + program + m[4], m[2]
}

// With is the preparation with the packages that a virtual environment of dir has, in their
// versions, where these agree with what a commit asks for, else in those that do. What comes from a directory or
// an address is left out, as is pip.
func (p Preparation) With(dir, venv string) Preparation {
	make, install, ok := strings.Cut(p.Command, " && ")
	if p.Dir != environment || !ok || !strings.Contains(install, "/pip install ") {
		return p
	}
	own := project{dir}
	installed := filepath.Join(dir, venv, "lib", "python*", "site-packages", "*.dist-info")
	lists, _ := filepath.Glob(installed) // its only error is of a malformed pattern
	var exact, named string
	for _, list := range lists {
		name, version, ok := strings.Cut(strings.TrimSuffix(filepath.Base(list), ".dist-info"), "-")
		at, err := filepath.Rel(dir, list)
		if !ok || err != nil || name == "pip" || !plainWord.MatchString(name) || !plainWord.MatchString(version) ||
			own.first(filepath.Join(at, "direct_url.json")) != "" {
			continue
		}
		install = strings.TrimSuffix(strings.ReplaceAll(install+" ", " "+name+" ", " "), " ") // it is named in its version
		exact, named = exact+" "+name+"=="+version, named+" "+name
	}
	if exact != "" {
		p.Command = make + " && { " + install + exact + " || " + install + named + "; }"
	}
	return p
}

var plainWord = pattern.New(`^[\w.+]+$`)

// Prepare proposes what gets the packages that a test command missed, by its output
// and the files in dir, of those whose program is installed. No file is run.
func Prepare(dir, output string, installed func(program string) bool) Preparation {
	p := project{dir}
	return prepareFor(output, files{func(name string) bool { return p.first(name) != "" }, p.text, installed})
}

// PrepareFor is Prepare for a project that only have and text know: whether there is a
// file, and what is in it ("" where that can't be said).
func PrepareFor(output string, have func(name string) bool, text func(name string) string) Preparation {
	return prepareFor(output, files{have, text, func(string) bool { return true }})
}

func prepareFor(output string, f files) Preparation {
	for _, l := range lacks {
		if l.gets == nil || !l.says.MatchString(output) {
			continue
		}
		if p := l.gets(f, output); p.Command != "" {
			return p
		}
	}
	if program := diagnose.NotFound(output); program != "" && strings.Contains(f.text("package.json"), `"`+program+`"`) {
		return getNode(f, output) // a package's program, as eslint before the tests
	}
	return Preparation{}
}

// files are those of a project.
type files struct {
	have func(name string) bool
	text func(name string) string

	installed func(program string) bool
}

// first gives the value of the first pair whose file is there.
func (f files) first(pairs ...string) Preparation {
	for i := 0; i < len(pairs); i += 2 {
		if program, _, _ := strings.Cut(pairs[i+1], " "); f.have(pairs[i]) && f.installed(program) {
			return Preparation{Command: pairs[i+1]}
		}
	}
	return Preparation{}
}

func getGo(f files, _ string) Preparation {
	if f.have("vendor/modules.txt") {
		return Preparation{}
	}
	return f.first("go.work", "go mod download", "go.mod", "go mod download")
}

func getNode(f files, _ string) Preparation {
	return f.first("pnpm-lock.yaml", "pnpm install --frozen-lockfile", "yarn.lock", "yarn install --frozen-lockfile",
		"package-lock.json", "npm ci", "npm-shrinkwrap.json", "npm ci", "package.json", "npm install --no-package-lock")
}

func getRust(f files, _ string) Preparation {
	return f.first("Cargo.lock", "cargo fetch --locked", "Cargo.toml", "cargo fetch")
}

// getRuby puts gems into the project: of a home a world takes nothing.
func getRuby(f files, _ string) Preparation {
	p := f.first("Gemfile", "bundle config set --local path vendor/bundle && bundle install --quiet")
	if p.Command != "" && f.have("vendor/cache") {
		p.Command += " --local" // gems that the project brings
	}
	return p
}

func getPHP(f files, _ string) Preparation {
	return f.first("composer.json", "composer install -q --no-interaction")
}

// getMaven runs the tests where they leave nothing: what runs tests is got by Maven only when there are some to be
// run. Where the project does not compile, what it names is got at least.
func getMaven(f files, _ string) Preparation {
	program := "./mvnw"
	if !f.have("mvnw") {
		program = "mvn"
	}
	if !f.have("pom.xml") || program == "mvn" && !f.installed(program) {
		return Preparation{}
	}
	return Preparation{Command: strings.ReplaceAll("cp -r . /tmp/p && cd /tmp/p && "+
		"{ MVN -q -B -Dmaven.test.failure.ignore test || MVN -q -B dependency:go-offline; }", "MVN", program)}
}

// getJava gets what Maven or Gradle misses, the one that builds the project.
func getJava(f files, output string) Preparation {
	if f.have("pom.xml") {
		return getMaven(f, output)
	}
	return getGradle(f, output)
}

// getGradle runs the tests where they leave nothing: Gradle gets what something is to be done
// with. Where they fail, what is named is looked up at least.
func getGradle(f files, _ string) Preparation {
	program := "sh ./gradlew"
	if !f.have("gradlew") {
		program = "gradle"
	}
	builds := []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}
	if !slices.ContainsFunc(builds, f.have) || program == "gradle" && !f.installed(program) {
		return Preparation{}
	}
	return Preparation{Command: strings.ReplaceAll("cp -r . /tmp/p && cd /tmp/p && "+
		"{ GRADLE -q --no-daemon --continue test || GRADLE -q --no-daemon dependencies; }", "GRADLE", program)}
}

// Declares reports whether a file in dir names packages that tests may need, and that only
// a preparation gets, or that a program is needed which tests are run by; what Go's files name is known
// without running anything.
func Declares(dir string) bool {
	p := project{dir}
	return p.first(append([]string{"pyproject.toml", "setup.py", "setup.cfg", "package.json", "pom.xml", "Cargo.toml",
		"pytest.ini", "conftest.py", "tox.ini"},
		requirementLists...)...) != ""
}

var requires = pattern.New(`(?m)^\s*require\b`)

// ByLockfile gives the command that gets what the project in dir needs, whatever its
// tests say, where some programs are installed; "": no lockfile says what that is.
func ByLockfile(dir string, installed func(program string) bool) string {
	p := project{dir}
	switch {
	case requires.MatchString(p.text("go.mod")) && p.first("vendor/modules.txt") == "":
		return "go mod download"
	case p.first("package-lock.json", "npm-shrinkwrap.json") != "":
		return "npm ci"
	case p.first("uv.lock") != "":
		about := readPyproject(p.text("pyproject.toml"))
		words := uv.also(about)
		if words != "" && len(about.Tool.UV.Conflicts) == 0 {
			words = " --all-groups --all-extras" // other commits may call them otherwise
		}
		return uv.call(installed(uv.program), uv.locked+words)
	case p.first("Cargo.lock") != "":
		return "cargo fetch --locked"
	}
	return ""
}

// locking is a preparation that demands a lockfile, with the files that are one, and what prepares without.
type locking struct {
	command string
	files   []string
	without string
}

// Unlocked is a preparation by lockfile that fits commits of a history, too, which have none, where has tells the files
// of its oldest.
func Unlocked(command string, has func(name string) bool) string {
	all := []locking{
		{"npm ci", []string{"package-lock.json", "npm-shrinkwrap.json"}, "npm install --no-package-lock"},
		{"cargo fetch --locked", []string{"Cargo.lock"}, "cargo fetch"},
	}
	for _, l := range lockers {
		for _, installed := range []bool{true, false} {
			all = append(all, locking{l.call(installed, l.locked), []string{l.lockfile}, l.call(installed, l.unlocked)})
		}
	}
	for _, l := range all {
		if (command == l.command || strings.HasPrefix(command, l.command+" -")) && l.command != l.without &&
			!slices.ContainsFunc(l.files, has) {
			return "if [ -f " + strings.Join(l.files, " ] || [ -f ") + " ]; then " + command + "; else " + l.without + "; fi"
		}
	}
	return command
}

// lacks are what programs say that miss something which the sandbox, without a
// network, can't fetch, what helps, and what gets it.
var lacks = []struct {
	says *pattern.Pattern
	hint string
	gets func(f files, output string) Preparation
}{
	{pattern.New(`module lookup disabled by GOPROXY=off`),
		"trials have no network and see no module cache but the task's own: prepare: go mod download fills it, " +
			"or go mod vendor puts what is needed into the project", getGo},
	{pattern.New(`GOFLAGS=-mod=mod|missing go\.sum entry|cannot find module providing`),
		"trials have no network: go mod tidy, before cookoff, names what is needed", nil},
	{pattern.New(
		`Cannot find (module|package) '[^./]|ERR_MODULE_NOT_FOUND|node_modules/\.bin/\S+: No such file|` +
			`: not found\n.*npm|(jest|vitest|mocha|tsc|ava|tap): (command )?not found`),
		"trials have no network: prepare: npm ci, or npm install before cookoff, puts what is needed into node_modules",
		getNode},
	{pattern.New(`No module named |ModuleNotFoundError|\bNo matching distribution found for `),
		"trials see the project's .venv, what prepare: makes, or the interpreter that your PATH finds: " +
			"install what is missing " +
			"there (python3 -m venv .venv && .venv/bin/pip install -r requirements.txt)", getPython},
	{pattern.New("bundler: command not found: |Could not find \\S+ in (?:locally installed gems|any of the sources|" +
		"cached gems)|[Rr]un [`']?bundle install\\b"),
		"trials have no network and no gems of your home: prepare: bundle config set --local path vendor/bundle && " +
			"bundle install puts what is needed into the project", getRuby},
	{pattern.New(`vendor/autoload\.php|Could not open input file: \S*vendor/bin/|sh: (?:line )?\d+: ` +
		`(?:\S*vendor/bin/\w+|phpunit|pest|phpspec|codecept): (?:command )?not found|vendor/bin/\w+: No such file`),
		"trials have no network: prepare: composer install, or composer install before cookoff, puts what is needed " +
			"into vendor", getPHP},
	{pattern.New(`Unable to access jarfile \S*gradle-wrapper|services\.gradle\.org`),
		"gradlew fetches Gradle by a network, which trials don't have: gradle-wrapper.jar has to be in the " +
			"project, and " +
			"Gradle below tool_paths or got by prepare: (--prepare); or --test-command 'gradle --offline test'", getGradle},
	{pattern.New(`(?i)no matching package named|failed to (get|download|load source)|crates\.io`),
		"trials have no network: prepare: cargo fetch --locked, or cargo vendor, gets what is needed", getRust},
	{pattern.New(`(?i)offline mode|could not resolve (dependencies|all)|no cached version`),
		"trials have no network: what mvn or gradle fetch must be got by prepare:, or lie in the project or " +
			"below tool_paths",
		getJava},
}

// Hint says what a test command that failed probably lacks, by its output; ""
// where nothing tells.
func Hint(output string) string {
	for _, l := range lacks {
		if l.says.MatchString(output) {
			return l.hint
		}
	}
	if program := diagnose.NotFound(output); program != "" {
		return program + " is in no directory of your PATH that sandboxes see: install it there, or name a command that " +
			"does without it (--test-command)"
	}
	return ""
}
