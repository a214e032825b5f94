package tasks

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// sheet is what a task is here, as it is found out, and all that it can't be.
type sheet struct {
	machine Machine
	task    Task
	refused []error
	args    map[string]string // of the image's build, and ENV: what $NAME stands for; nil: there is none
}

// fail is refuse for an error that says all.
func (s *sheet) fail(err error) { s.refused = append(s.refused, err) }

// have gives the files that were read, and notes what kept others from being.
func (s *sheet) have(files []file, err error) []file {
	if err != nil {
		s.fail(err)
	}
	return files
}

// Dockerfile is where a task says how its image is built.
const Dockerfile = "environment/Dockerfile"

// FileError is what one of a task's files asks for and can't have here.
type FileError struct {
	File   string // as the task names it
	Reason string
}

func (e *FileError) Error() string { return e.File + ": " + e.Reason }

// refuseIn is refuse, of what a file asks for.
func (s *sheet) refuseIn(file, format string, args ...any) {
	s.fail(&FileError{File: file, Reason: fmt.Sprintf(format, args...)})
}

func (s *sheet) refuse(format string, args ...any) {
	s.refused = append(s.refused, fmt.Errorf(format, args...))
}

func (s *sheet) note(format string, args ...any) {
	s.task.Notes = append(s.task.Notes, fmt.Sprintf(format, args...))
}

// env sets a variable of the task's world.
func (s *sheet) env(name, value string) {
	switch {
	case name == "HOME" && value == "/home/agent": // as it is
	case name == "PATH" && value != "":
		s.search(value)
	case slices.Contains(ownVariables, name):
		s.refuse("ENV %s: it belongs to the world", name)
	case !isName(name) || strings.ContainsAny(value, "\n\x00"):
		s.refuse("ENV %s: its value is no plain text", name)
	default:
		s.task.Env[name] = value
		if s.args != nil {
			s.args[name] = value
		}
	}
}

// search sets the directories in which programs are looked for.
func (s *sheet) search(value string) {
	s.task.Path = nil
	for dir := range strings.SplitSeq(value, ":") {
		switch {
		case !path.IsAbs(dir) || strings.ContainsAny(dir, "\"\\,'$\n\x00"):
			s.note("%.100q of PATH is no plain directory, and is left out", dir)
		case !slices.Contains(s.task.Path, path.Clean(dir)):
			s.task.Path = append(s.task.Path, path.Clean(dir))
		}
	}
	if s.args != nil {
		s.args["PATH"] = strings.Join(s.task.Path, ":")
	}
}

// prepared sees to it that a package of Python is got before anything is tried, once, from
// the user's own directories of packages; false: it can't be.
func (s *sheet) prepared(name, version string) bool {
	if s.machine.Wheels == nil || !isPackage(name) {
		return false
	}
	have := s.machine.Wheels(name)
	if len(have) == 0 {
		return false
	}
	asked := name
	if slices.Contains(have, version) {
		asked += "==" + version
	}
	if !slices.Contains(s.task.Packages, asked) {
		s.task.Packages = append(s.task.Packages, asked)
	}
	s.searched()
	return true
}

// searched puts the packages on the path on which Python looks for them.
func (s *sheet) searched() {
	const name = "PYTHONPATH"
	switch value := s.task.Env[name]; {
	case value == "":
		s.task.Env[name] = packagesPath
	case !slices.Contains(strings.Split(value, ":"), packagesPath):
		s.task.Env[name] = value + ":" + packagesPath
	}
}

// pytest is how it is called: by Python, where it is one of the packages that are got.
func (s *sheet) pytest(name string) string {
	if name == "pytest" && slices.ContainsFunc(s.task.Packages, func(p string) bool {
		return p == name || strings.HasPrefix(p, name+"==")
	}) {
		return "python3 -m pytest"
	}
	return name
}

// lacks reports whether this machine's Python has no package of a name.
func (s *sheet) lacks(pkg string) bool {
	_, ok := s.machine.Python(pkg)
	return !ok
}

// ownVariables belong to the world.
var ownVariables = []string{"PATH", "HOME", "USER", "TMPDIR", "SHELL", "LD_PRELOAD", "LD_LIBRARY_PATH"}

// systemPath are the directories that every system has.
var systemPath = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
