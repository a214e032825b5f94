package project

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Copied says what of a project trials start with.
type Copied struct {
	Dir   string // of the user
	Base  string // the commit whose files they are; "": those that lay there
	Files int
	Bytes int64
	Left  []string // files and directories left out, relative to Dir: the recipe, answers, files of secrets
	Given []string // files left out, relative to Dir, that contestants are given
}

// Copied counts what was copied.
func (c *Copy) Copied() (out Copied, err error) {
	err = remembered(c, "copied", [][]string{c.left, GivenFiles(c.source.Recipe)}, &out, func(out *Copied) error {
		return c.copied(out)
	})
	out.Dir = c.source.Dir
	if c.source.Base != nil {
		out.Base = c.source.Base.Commit.ID
	}
	return out, err
}

func (c *Copy) copied(out *Copied) error {
	given := within(c.source.Dir, GivenFiles(c.source.Recipe))
	for _, glob := range c.left {
		path := unescapeGlob(glob)
		switch {
		case path == ".cookoff": // everybody knows
		case slices.Contains(out.Left, path), slices.Contains(out.Given, path): // named twice
		case slices.Contains(given, path):
			out.Given = append(out.Given, path)
		default:
			out.Left = append(out.Left, path)
		}
	}
	return filepath.WalkDir(c.Dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			out.Files, out.Bytes = out.Files+1, out.Bytes+info.Size()
		}
		return err
	})
}

// unescapeGlob gives the path that escapeGlob made a glob of.
func unescapeGlob(glob string) string {
	return strings.NewReplacer(`\\`, `\`, `\*`, `*`, `\?`, `?`, `\[`, `[`, `\{`, `{`).Replace(glob)
}
