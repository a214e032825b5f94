package toolchain

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// named gives the directory that the user has sandboxes show and whose programs lie in
// dir, where the sandbox's PATH finds them; "": none.
func (f *Finder) named(dir string) string {
	for _, d := range f.o.Shown {
		real, err := filepath.EvalSymlinks(d)
		if err != nil {
			continue // it is not there, which is said where a world is opened
		}
		bin := filepath.Join(real, "bin")
		if st, err := os.Stat(bin); err == nil && st.IsDir() {
			real, d = bin, filepath.Join(d, "bin")
		}
		if slices.Contains([]string{d, real}, dir) {
			return d
		}
	}
	return ""
}

// open notes that the programs of a sandbox can't go to where path lies, though the user
// has it shown.
func (w *walker) open(path string) {
	if !w.f.o.Stranger {
		return
	}
	for _, d := range w.f.o.Shown {
		for at := path; below(at, d); at = filepath.Dir(at) {
			st, err := os.Stat(at)
			if err != nil || st.Mode().Perm()&0o005 == 0o005 {
				continue
			}
			w.t.Hidden = at
			w.t.Why = fmt.Sprintf("which only its owner may use (%s), and programs in a sandbox are another user",
				st.Mode())
			w.t.Hint = fmt.Sprintf("chmod -R o+rX %s", d)
			return
		}
	}
}
