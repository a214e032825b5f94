// Package builtin holds the recipes that come with the program.
package builtin

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed *.recipe.md bench
var stored embed.FS

const (
	// Prefix begins the name of a built-in recipe where files may be named as well.
	Prefix = "builtin:"
	// Default is the name of the one that is used where none is found.
	Default = "default"
)

// Names gives the names of the recipes, without the prefix.
func Names() []string {
	names, _ := fs.Glob(stored, "*.recipe.md")
	for i, n := range names {
		names[i] = strings.TrimSuffix(path.Base(n), ".recipe.md")
	}
	return names
}

// Read gives the content of the recipe that is called name, without the prefix.
func Read(name string) ([]byte, error) {
	content, err := stored.ReadFile(name + ".recipe.md")
	if err == nil {
		content, err = withParts(content)
	}
	if err != nil {
		return nil, fmt.Errorf("no built-in recipe is named %q: there are %s", name, strings.Join(Names(), ", "))
	}
	return content, nil
}

// partMark begins a line of a built-in recipe that stands for a file of it.
var partMark = []byte("<!-- include ")

// withParts puts the files into a built-in recipe that its lines
// "<!-- include NAME -->" stand for, which are of this package, and may have such lines themselves.
func withParts(content []byte) ([]byte, error) {
	if !bytes.Contains(content, partMark) {
		return content, nil
	}
	var out bytes.Buffer
	for line := range bytes.Lines(content) {
		name, is := bytes.CutPrefix(line, partMark)
		if !is {
			out.Write(line)
			continue
		}
		part, err := stored.ReadFile(string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(name), []byte("-->")))))
		if err == nil {
			part, err = withParts(part)
		}
		if err != nil {
			return nil, fmt.Errorf("a part of a built-in recipe: %w", err)
		}
		out.Write(part)
	}
	return out.Bytes(), nil
}
