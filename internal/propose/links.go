package propose

import (
	"os"
	"path/filepath"
	"strings"
)

// LinksOut gives the names at the top of a project, in dir, that are links to what lies outside of it, with where each
// leads: no sandbox has that.
func LinksOut(dir string) map[string]string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	out := map[string]string{}
	for _, e := range entries {
		if to := leadsOut(dir, e.Name()); to != "" {
			out[e.Name()] = to
		}
	}
	return out
}

// leadsOut gives where a path of a project leads whose first name is a link out of it; "": it is none, or one to a
// virtual environment of Python, which sandboxes have as what is installed.
func leadsOut(dir, name string) string {
	top, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(name)), "/")
	at := filepath.Join(dir, top)
	if st, err := os.Lstat(at); err != nil || st.Mode().Type() != os.ModeSymlink {
		return ""
	}
	own, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	to, err := filepath.EvalSymlinks(at)
	if err != nil { // nothing is there, where it leads
		if to, err = os.Readlink(at); err != nil {
			return ""
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(own, to)
		}
	}
	if _, err := os.Stat(filepath.Join(to, "pyvenv.cfg")); err == nil {
		return ""
	}
	if in, err := filepath.Rel(own, to); err == nil && filepath.IsLocal(in) {
		return ""
	}
	return to
}
