package prepare

import (
	"errors"
	"fmt"
	"strings"

	"cookoff/internal/hint"
	"cookoff/internal/pattern"
)

// Closed is a setting of the user's that names a registry, or a proxy, by a password or a token: no sandbox gets it.
type Closed struct {
	Program string // whose: pip, uv, npm, go; "": of all
	Where   string // a file, or a variable
}

// asking are commands that ask registries by the settings of a program.
var asking = map[string]*pattern.Pattern{
	"pip": pattern.New(`\b(?:pip3?|pipenv|tox|nox)\b`), "uv": pattern.New(`\buvx?\b`),
	"npm": pattern.New(`\b(?:npm|npx|pnpm|yarn|bun)\b`), "go": pattern.New(`\bgo\b`), "": pattern.New(``),
}

// sayClosed has the error of a command that failed with a network say which registries it could not ask.
func (s Store) sayClosed(command string, err error) error {
	failed, is := errors.AsType[*hint.Error](err)
	if !is || errors.Is(err, errEndless) {
		return err
	}
	var where []string
	for _, c := range s.Closed {
		if asking[c.Program].MatchString(command) {
			where = append(where, c.Where)
		}
	}
	if len(where) == 0 {
		return err
	}
	return &hint.Error{Err: failed.Err, Hint: fmt.Sprintf("no sandbox gets the password or token in %s, which the "+
		"command may need: run it here yourself, as trials see what is installed in the project, and leave prepare out",
		strings.Join(where, ", "))}
}
