package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"cookoff/internal/nearest"
	"cookoff/internal/ui/text"
)

// ReadFile reads a file that an argument names. Errors say what is there instead.
func ReadFile(file string) ([]byte, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, Unread(file, err, "")
	}
	return content, nil
}

// Unread says why a file that an argument names can't be read, in words of people, and what to do: hint, where
// that is not plain.
func Unread(file string, err error, hint string) error {
	name := text.Line(file)
	why := "can't be read: " + err.Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		why = "is not there"
		if like := sibling(file); hint == "" && like != "" {
			hint = "did you mean " + text.Line(like) + "?"
		}
	case errors.Is(err, fs.ErrPermission):
		why = "may not be read: permission denied"
	case errors.Is(err, syscall.EISDIR):
		why = "is a directory, where a file was expected"
	}
	if hint != "" {
		return Usage("%s %s\n  hint: %s", name, why, hint)
	}
	return Usage("%s %s", name, why)
}

// sibling gives the file beside one that is not there whose name is most like its own; "": none is like it.
func sibling(file string) string {
	dir := filepath.Dir(file)
	entries, _ := os.ReadDir(dir) // none, where there is no such directory
	var names []string
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	if like := nearest.Name(filepath.Base(file), names); like != "" {
		return filepath.Join(dir, like)
	}
	return ""
}
