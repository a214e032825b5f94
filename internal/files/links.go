package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// NoLinks refuses a path below dir that is a symbolic link, or leads through one: a
// project of somebody else's would choose what is written to. Of a path elsewhere only
// the last part is looked at. What is not there yet is no link.
func NoLinks(dir, path string) error {
	from, rel := filepath.Dir(path), filepath.Base(path)
	if r, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(r) {
		from, rel = dir, r
	} else if real, err := filepath.EvalSymlinks(dir); err == nil {
		if r, err := filepath.Rel(real, path); err == nil && filepath.IsLocal(r) {
			from, rel = real, r
		}
	}
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		from = filepath.Join(from, part)
		st, err := os.Lstat(from)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case st.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s is a link: nothing is written through links of a project\n"+
				"  hint: remove it, or name another file", from)
		}
	}
	return nil
}
