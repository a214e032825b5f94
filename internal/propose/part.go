package propose

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/internal/places"
	"cookoff/shell"
)

// above gives the directories above dir up to the root of the repository that it is a part of, the
// nearest first; nil: it is no part of one.
func above(dir string) (list []string) {
	for here := dir; ; {
		if _, err := os.Lstat(filepath.Join(here, ".git")); err == nil {
			return list
		}
		top := filepath.Dir(here)
		if top == here {
			return nil
		}
		here = top
		list = append(list, here)
	}
}

// Alone says that trials see only the project in dir, where it is a part of a repository, and how they see all of it;
// "": it is no part of one.
func Alone(dir, test string) string {
	top, script, err := Whole(dir, test)
	if top == "" || err != nil {
		return ""
	}
	up, err := filepath.Rel(dir, top)
	inside, err2 := shell.Quote([]string{script})
	if errors.Join(err, err2) != nil {
		return ""
	}
	return "trials see a copy of this directory only: where the tests need others of the repository, cd " + up +
		" and cookoff init --test-command " + inside
}

// Whole gives the root of the repository that the project in dir is a part of, and how a test command of the
// project is called there; "": it is no part of one.
func Whole(dir, test string) (top, script string, err error) {
	list := above(dir)
	if list == nil {
		return "", "", nil
	}
	top = list[len(list)-1]
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return "", "", err
	}
	quoted, err := shell.Quote([]string{rel})
	return top, "cd " + quoted + " && " + test, err
}

var (
	named    = pattern.New(`(?m)(?:^|[\s'"\x60(=:])((?:\.\.)?(?:/[\w@.+-]+)+)`)
	noModule = pattern.New(`No module named '?([\w.]+)`)
)

// Beyond names a path of the repository, from its root, that lies outside of the project in dir, its
// part, where a command that failed says that it missed it; "": nothing tells.
func Beyond(dir, output string) string {
	list := above(dir)
	if list == nil {
		return ""
	}
	lies := func(p string) bool {
		_, err := os.Lstat(p)
		return err == nil
	}
	find := func(rests ...string) string {
		for _, rest := range rests {
			for _, a := range list {
				found := filepath.Join(a, rest)
				rel, err := filepath.Rel(list[len(list)-1], found)
				if rest != "" && err == nil && lies(found) && !lies(filepath.Join(dir, rest)) &&
					found != dir && !places.Below(found, dir) && !places.Below(dir, found) {
					return rel
				}
			}
		}
		return ""
	}
	for _, m := range named.FindAllStringSubmatch(output, -1) {
		p := m[1]
		rest := filepath.Clean("/" + strings.TrimRight(p, "."))
		up := strings.HasPrefix(p, "../")
		if !up && lies(rest) {
			continue // the system's
		}
		for strings.HasPrefix(rest, "/..") {
			rest = strings.TrimPrefix(rest, "/..")
		}
		if f := find(strings.TrimPrefix(rest, "/")); f != "" {
			return f
		}
	}
	for _, m := range noModule.FindAllStringSubmatch(output, -1) {
		name := strings.ReplaceAll(m[1], ".", "/")
		if f := find(name, name+".py"); f != "" {
			return f
		}
	}
	return ""
}
