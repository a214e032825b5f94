package project

import (
	"os"
	"path/filepath"
)

// Everything says what a directory is that holds all that a user has, or a machine, and so is no project: their home
// directory, that of all users, the root of the file system; "": it is none of these.
func Everything(dir string) string {
	if dir == "" {
		return ""
	}
	same := func(other string) bool {
		a, err := os.Stat(dir)
		b, err2 := os.Stat(other)
		return err == nil && err2 == nil && os.SameFile(a, b)
	}
	if same("/") {
		return "the root of the file system"
	}
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return ""
	}
	switch {
	case same(home):
		return "your home directory"
	case filepath.Dir(home) == "/home" && same("/home"), filepath.Dir(home) == "/Users" && same("/Users"):
		return "the home directory of all users"
	}
	return ""
}
