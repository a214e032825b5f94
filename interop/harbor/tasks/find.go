package tasks

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
)

// mostTasks is how many tasks are read of one directory.
const mostTasks = 5000

// Find gives the directories of the tasks in dir: itself, those in it, or those that
// its dataset.toml names. dir may be a link; what is in it is not followed by Read.
func Find(dir string) ([]string, error) {
	if base := filepath.Base(dir); base == "dataset.toml" || base == "task.toml" {
		dir = filepath.Dir(dir)
	}
	if isFile(filepath.Join(dir, "task.toml")) {
		real, err := filepath.EvalSymlinks(dir)
		return []string{real}, err
	}
	if _, err := os.Lstat(filepath.Join(dir, "dataset.toml")); err == nil {
		return named(dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") || !e.IsDir() && e.Type()&os.ModeSymlink == 0 ||
			!isFile(filepath.Join(at, "task.toml")) {
			continue
		}
		if out = append(out, at); len(out) > mostTasks {
			return nil, fmt.Errorf("%s holds more than %d tasks", dir, mostTasks)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no task of Harbor: no task.toml lies in it or in a directory below", dir)
	}
	return out, nil
}

// named gives the tasks that dataset.toml names, which must all be there.
func named(dir string) ([]string, error) {
	var set struct {
		Tasks []struct {
			Name string `toml:"name"`
			Path string `toml:"path"`
		} `toml:"tasks"`
	}
	text, err := readFile(dir, "dataset.toml")
	if err == nil {
		err = toml.Unmarshal(text, &set)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", filepath.Join(dir, "dataset.toml"), err)
	}
	var out, gone []string
	for _, t := range set.Tasks {
		name := path.Base(t.Name)
		if t.Path != "" {
			name = t.Path
		}
		at := filepath.Join(dir, name)
		if filepath.IsLocal(name) {
			if link := linked(dir, name); link != "" {
				return nil, fmt.Errorf("dataset.toml: %.100q: %.100q is a link, which is not followed", name, link)
			}
		}
		if !filepath.IsLocal(name) || !isFile(filepath.Join(at, "task.toml")) {
			gone = append(gone, fmt.Sprintf("%.100q", name))
			continue
		}
		out = append(out, at)
	}
	switch {
	case len(gone) > 0:
		return nil, fmt.Errorf("dataset.toml: %d of its %d tasks are not in %s: %s", len(gone), len(set.Tasks), dir,
			strings.Join(gone[:min(len(gone), 5)], ", "))
	case len(out) == 0:
		return nil, fmt.Errorf("%s names no task", filepath.Join(dir, "dataset.toml"))
	case len(out) > mostTasks:
		return nil, fmt.Errorf("%s names more than %d tasks", filepath.Join(dir, "dataset.toml"), mostTasks)
	}
	return out, nil
}

// linked gives the first link on the way from dir to a path in it, "" where none is.
func linked(dir, name string) string {
	at := ""
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Clean(name)), "/") {
		at = filepath.Join(at, part)
		if st, err := os.Lstat(filepath.Join(dir, at)); err == nil && st.Mode()&os.ModeSymlink != 0 {
			return at
		}
	}
	return ""
}
