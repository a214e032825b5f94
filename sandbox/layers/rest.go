package layers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
)

// restOf plans what of a world's mounts is its own, and what is the project's; nil
// where it has none, and no root of its own.
func restOf(spec sandbox.Spec) (*plan.Rest, error) {
	if len(spec.Mounts) == 0 && spec.Root.Dir == "" {
		return nil, nil
	}
	r := &plan.Rest{Root: spec.Root.Dir != "", Tree: plan.Tree{Upper: filepath.Join(plan.TopDir, plan.TopRest),
		Scratch: "kr"}}
	for _, m := range spec.Mounts {
		if m.From == "" {
			r.Own = append(r.Own, m.At)
			continue
		}
		r.Same = append(r.Same, plan.Same{From: filepath.Clean(m.From), At: m.At})
		if spec.Project == "" {
			continue // of a state, who left it may have taken it away
		}
		st, err := os.Lstat(filepath.Join(spec.Project, m.From))
		if err != nil || !st.IsDir() {
			return nil, fmt.Errorf("mounts: %s: the project has no directory %q", m.At, m.From)
		}
	}
	return r, nil
}

// makeRest makes the directories that a world begins with beside project and
// home. One that starts with a state has those of that.
func (f *Files) makeRest(r *plan.Rest) error {
	upper := filepath.Join(f.dir, r.Upper)
	if err := f.agent.MakeDir(upper); err != nil || f.from != nil {
		return err
	}
	for _, at := range r.Own {
		dir := upper
		for name := range strings.SplitSeq(strings.TrimPrefix(at, "/"), "/") {
			dir = filepath.Join(dir, name)
			if err := f.agent.MakeDir(dir); err != nil {
				return err
			}
		}
	}
	return nil
}
