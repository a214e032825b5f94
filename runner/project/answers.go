package project

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// answers are the files of a project, relative to dir, that tell what models are to find out, though no recipe
// names them: other recipes at its top, with their solutions, and what was written of its earlier runs, as reports
// with their transcripts (decision 249).
func answers(dir string) []string {
	return append(recipesAt(dir), resultsIn(dir)...)
}

// recipesAt are the files at the top of a project that are recipes by name and by what they say, and the directories
// of tests that judge their tasks, as mine writes them (mined.files beside mined.recipe.md).
func recipesAt(dir string) (out []string) {
	entries, _ := os.ReadDir(dir) // what can't be read is named by who copies it
	for _, e := range entries {
		if name := e.Name(); e.Type().IsRegular() && (name == "recipe.md" || strings.HasSuffix(name, ".recipe.md")) &&
			holds(filepath.Join(dir, name), []byte("\n## Tasks")) {
			out = append(out, name)
			if of, named := strings.CutSuffix(name, ".recipe.md"); named {
				if st, err := os.Lstat(filepath.Join(dir, of+".files")); err == nil && st.IsDir() {
					out = append(out, of+".files")
				}
			}
		}
	}
	return out
}

// noResults are directories that nobody writes reports into, and that may be large.
var noResults = []string{".cookoff", ".git", "node_modules", ".venv", "venv"}

// resultsIn are the files of a project that name one of its runs: all that is written of a run does, wherever it is
// moved. They are newer than the first of the runs, so that few are read.
func resultsIn(dir string) (out []string) {
	ids, first := runsOf(dir)
	if len(ids) == 0 {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // who copies it names it
		}
		if d.IsDir() && slices.Contains(noResults, d.Name()) {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		if st, err := d.Info(); err != nil || st.ModTime().Before(first) || !holds(path, ids...) {
			return nil //nolint:nilerr // as above
		}
		if rel, err := filepath.Rel(dir, path); err == nil {
			out = append(out, rel)
		}
		return nil
	})
	return out
}

// idTime is how the name of a run begins: when it began.
const idTime = "20060102-150405"

// runsOf gives the names of a project's runs, and when the first began.
func runsOf(dir string) (ids [][]byte, first time.Time) {
	entries, _ := os.ReadDir(filepath.Join(dir, ".cookoff", "runs")) // none, where it can't be read
	for _, e := range entries {
		name := e.Name()
		if len(name) <= len(idTime) {
			continue
		}
		began, err := time.Parse(idTime, name[:len(idTime)])
		if err != nil {
			continue
		}
		if ids = append(ids, []byte(name)); first.IsZero() || began.Before(first) {
			first = began
		}
	}
	return ids, first
}

// headSize is how much of a file is looked at: a page has the name of its run behind its styles.
const headSize = 128 << 10

// holds reports whether a file has one of some texts near its beginning.
func holds(path string, texts ...[]byte) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headSize))
	return err == nil && slices.ContainsFunc(texts, func(text []byte) bool { return bytes.Contains(head, text) })
}
