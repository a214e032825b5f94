package runner

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// ProjectCopy says what of a project trials start with.
type ProjectCopy struct {
	Dir   string // of the user
	Files int
	Bytes int64
	Left  []string // files and directories left out, relative to Dir: the recipe, answers, files of secrets
}

// sayCopied tells Env.Copied what was copied from dir to copy.
func (r *Runner) sayCopied(copy string, exclude []string) error {
	if r.env.Copied == nil {
		return nil
	}
	c := ProjectCopy{Dir: r.project}
	for _, glob := range exclude {
		if glob != ".cookoff" { // everybody knows
			c.Left = append(c.Left, unescapeGlob(glob))
		}
	}
	err := filepath.WalkDir(copy, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			c.Files, c.Bytes = c.Files+1, c.Bytes+info.Size()
		}
		return err
	})
	if err == nil {
		r.env.Copied(c)
	}
	return err
}

// unescapeGlob gives the path that escapeGlob made a glob of.
func unescapeGlob(glob string) string {
	return strings.NewReplacer(`\\`, `\`, `\*`, `*`, `\?`, `?`, `\[`, `[`, `\{`, `{`).Replace(glob)
}
