package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"cookoff/internal/places"
	"cookoff/recipe"
	"cookoff/sandbox"
)

// Mounts gives the directories that worlds of a task have beside project and home.
func Mounts(r *recipe.Recipe, t recipe.Task) (list []sandbox.Place) {
	for _, m := range slices.Concat(r.Sandbox.Mounts, t.Mounts) {
		from, at := places.MountAt(m)
		list = append(list, sandbox.Place{At: at, From: from})
	}
	return list
}

// CheckMounts refuses mounts of a task that can't be beside the recipe's.
func CheckMounts(r *recipe.Recipe, t recipe.Task) error {
	var errs []error
	all := places.MountPlaces(r.Sandbox.Mounts)
	for _, at := range places.MountPlaces(t.Mounts) {
		if why := places.Clash(at, all); why != "" {
			errs = append(errs, fmt.Errorf("mounts: %s: with those of ## Sandbox, %s", at, why))
		}
		all = append(all, at)
	}
	if len(errs) == 0 && len(all) > places.Most {
		errs = append(errs, fmt.Errorf("mounts: %d of them, with those of ## Sandbox\n  hint: at most %d", len(all),
			places.Most))
	}
	if len(all) > 0 && r.Sandbox.Filesystem == string(sandbox.Unrestricted) {
		errs = append(errs, errors.New("mounts: with filesystem: unrestricted all of the host's directories are there"))
	}
	if len(all) > 0 && (t.Image != "" || r.Sandbox.Image != "" ||
		!slices.Contains([]string{"", "auto", "native"}, r.Sandbox.Backend) || r.Sandbox.Isolation != "") {
		errs = append(errs, errors.New("mounts: only the native backend has them: "+
			"a task with mounts has no image, and another backend is not asked for"))
	}
	return errors.Join(errs...)
}

// mounted wants the project's copy, at dir, to have the directories that a task's
// mounts show.
func mounted(dir string, r *recipe.Recipe, t recipe.Task) (out []Misfit) {
	for _, m := range Mounts(r, t) {
		if m.From == "" || dir == "" && m.From == "." {
			continue
		}
		if st, err := os.Lstat(filepath.Join(dir, m.From)); dir == "" || err != nil || !st.IsDir() {
			out = append(out, Misfit{Key: "mounts",
				Msg:  fmt.Sprintf("mounts: %s: the project has no directory %q", m.At, m.From),
				Hint: fmt.Sprintf("DIR:%s shows a directory of the project there, and %s alone an empty one", m.At, m.At)})
		}
	}
	return out
}
