package propose

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

var (
	missesPy = pattern.New(`No module named '?(pytest|nose|tox|hypothesis)\b`)
	builds   = pattern.New(`(?m)^\[project\]|^\[build-system\]|\bsetup\(`)
)

// requirementLists are files whose packages tests need, by the names that projects give them.
var requirementLists = []string{"requirements.txt", "requirements-dev.txt", "requirements_dev.txt",
	"dev-requirements.txt", "requirements-test.txt", "requirements-tests.txt", "requirements_test.txt",
	"test-requirements.txt", "requirements/test.txt", "requirements/tests.txt", "requirements/testing.txt",
	"tests/requirements.txt", "test/requirements.txt"}

// locker is a program that keeps the lockfile of a Python project, and makes a virtual environment of that. A
// preparation has each make it in the project: see the variables of package prepare.
type locker struct {
	program, lockfile string
	locked, unlocked  string // its words where there is a lockfile, and where there is none
	extra             string // its option for what is optional; "": nothing is
	got               bool   // where it is not installed: its newest release works by itself
}

// uv is the one that a history is prepared by whatever its tests say.
var uv = locker{"uv", "uv.lock", "sync --frozen", "sync", "--extra", true}

var lockers = []locker{
	uv,
	{"poetry", "poetry.lock", "install -n", "install -n", "-E", true}, // with -q it says not why it fails
	{"pdm", "pdm.lock", "sync -q", "install -q --no-lock", "-G", false},
	{"pipenv", "Pipfile.lock", "sync -q --dev", "install -q --dev --skip-lock", "", true},
}

// call is a call of it with these words; it is got before where it is not installed.
func (l locker) call(installed bool, words string) string {
	if installed {
		return l.program + " " + words
	}
	return strings.ReplaceAll("python3 -m venv /tmp/IT && /tmp/IT/bin/pip install -q IT && /tmp/IT/bin/IT ", "IT",
		l.program) + words
}

// byLocker gives the command that makes a virtual environment of the first lockfile; "": there is none.
func (f files) byLocker() string {
	for _, l := range lockers {
		if installed := f.installed(l.program); f.have(l.lockfile) && (installed || l.got) {
			return l.call(installed, l.locked+l.also(readPyproject(f.text("pyproject.toml"))))
		}
	}
	return ""
}

// also are the words by which it installs what a project's file names for tests and it leaves out by itself.
func (l locker) also(about pyproject) (words string) {
	for _, g := range groups {
		_, is := about.Groups[g]
		switch {
		case l == uv && is && g != "dev":
			words += " --group " + g
		case l.program == "poetry" && about.Tool.Poetry.Group[g].Optional:
			words += " --with " + g
		}
	}
	for _, name := range about.extras() {
		if l.extra != "" {
			words += " " + l.extra + " " + name
		}
	}
	return words
}

// makesEnvironment is a call of such a program.
var makesEnvironment = pattern.New(`\b(?:uv|poetry|pdm|pipenv) (?:sync|install)\b`)

// getPython makes a virtual environment of what the files name. What runs the tests
// is installed, too, where no file names it.
func getPython(f files, output string) Preparation {
	if f.have(".venv") {
		return Preparation{} // it may be the user's, made by hand
	}
	if command := f.byLocker(); command != "" {
		return Preparation{Command: command, Dir: environment}
	}
	var what, lists []string // what pip is told, and the packages that it reads there
	about := readPyproject(f.text("pyproject.toml"))
	for _, name := range requirementLists {
		if f.have(name) {
			what = append(what, "-r "+name)
			lists = append(lists, strings.Split(f.text(name), "\n")...)
		}
	}
	if builds.MatchString(f.text("pyproject.toml")) || builds.MatchString(f.text("setup.py")) {
		own := "-e ."
		if names := about.extras(); len(names) > 0 {
			own = "-e '.[" + strings.Join(names, ",") + "]'"
			lists = append(lists, about.inExtras(names)...)
		}
		what = append(what, own)
	}
	for _, one := range append(about.named(), byEnvironments(f)...) {
		if !slices.Contains(what, one) {
			lists, what = append(lists, strings.Trim(one, "'")), append(what, one)
		}
		if file, is := strings.CutPrefix(one, "-r "); is {
			lists = append(lists, strings.Split(f.text(file), "\n")...)
		}
	}
	if m := missesPy.FindStringSubmatch(output); m != nil && !slices.ContainsFunc(lists, packageOf(m[1])) {
		what = append(what, m[1])
	}
	if len(what) == 0 {
		return Preparation{}
	}
	install := byPip
	if about.elsewhere() {
		install = byUv
	}
	return Preparation{Dir: environment, Command: "python3 -m venv .venv && " + install + strings.Join(what, " ")}
}

// byUv also asks uv's own settings where a package comes from; of these pip knows nothing, and gets one of the
// same name from whoever published it.
const (
	byPip = ".venv/bin/pip install -q "
	byUv  = byPip + "uv && .venv/bin/uv pip install -q -p .venv/bin/python "
)
