package project

import (
	"os"
	"path/filepath"

	"cookoff/internal/gitindex"
)

// Masked gives the files that the repository of the copy tracks and that were left out of
// it: to git in a world they would look as if somebody had removed them.
func (c *Copy) Masked() (out []string) {
	at := filepath.Join(c.Dir, ".git", "index")
	if st, err := os.Lstat(at); err != nil || !st.Mode().IsRegular() || c.source.Base != nil {
		return nil
	}
	data, err := os.ReadFile(at)
	if err != nil {
		return nil // nobody in the world can read it either
	}
	paths, err := gitindex.Paths(data)
	if err != nil {
		return nil
	}
	for _, p := range paths {
		if matches(c.left, p) {
			out = append(out, p)
		}
	}
	return out
}
