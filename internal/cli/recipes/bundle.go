package recipes

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/cli"
	"cookoff/internal/repairdirs"
	"cookoff/recipe"
	"cookoff/recipe/gitsource"
	"cookoff/recipe/lookup"
	"cookoff/runner/project"
	"cookoff/trial"
	"cookoff/trial/final"
)

// bundle is what is shared: files by name, and what they come from.
type bundle struct {
	name   string
	recipe *recipe.Recipe
	run    *trial.Run // nil: it is a recipe's
	files  []bundleFile
}

type bundleFile struct {
	name    string
	content []byte
	mode    fs.FileMode // 0: nobody runs it
}

// holds reports whether text stands in the file, or in a file that it stores.
func (f bundleFile) holds(text []byte) bool {
	if !strings.HasPrefix(f.name, final.Dir+"/") {
		return bytes.Contains(f.content, text)
	}
	st, err := final.Read(bytes.NewReader(f.content))
	if err != nil {
		return true // what can't be looked into is not passed on
	}
	return slices.ContainsFunc(st.Changes, func(c final.Change) bool {
		return c.Before != nil && bytes.Contains(c.Before.Data, text) ||
			c.After != nil && bytes.Contains(c.After.Data, text)
	})
}

// addEvent adds an event to the journal of the bundle, and the state that it
// names where all is shared.
func (b *bundle) addEvent(journal *bytes.Buffer, states *final.Reader, e trial.Event, full bool) error {
	if e.Run != nil && b.recipe == nil {
		if e.Run.Markdown == "" {
			return fmt.Errorf("it holds what was shared of run %s, and not the recipe\n"+
				"  hint: it can be passed on as it is",
				e.Run.ID)
		}
		r, err := recipe.ParseContent([]byte(e.Run.Markdown))
		if err != nil {
			return fmt.Errorf("the recipe of the run can't be read: %w", err)
		}
		b.name, b.recipe, b.run = e.Run.ID, r, e.Run
	}
	if full && e.Outcome != nil && e.Outcome.State != nil {
		data, err := states.Bytes(e.Outcome.State)
		if err != nil && !errors.Is(err, final.ErrNotKept) {
			return err
		}
		if err == nil {
			b.add(e.Outcome.State.File, data)
		}
	}
	if !full {
		e = trial.Metrics(e)
	}
	line, err := json.Marshal(e)
	journal.Write(append(line, '\n'))
	return err
}

// addRepairs adds the repairs that are the recipe's own.
func (b *bundle) addRepairs(own []repairdirs.Dir) error {
	files, err := repairdirs.Files(own)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	for name, content := range files {
		b.add(repairdirs.Name+"/"+name, content)
	}
	return nil
}

// addLock adds which commits the recipe was read from, where there are any.
func (b *bundle) addLock(sources []gitsource.Source) {
	if len(sources) > 0 {
		b.add(filepath.Base(gitsource.LockPath("")), gitsource.MarshalLock(sources))
	}
}

// oneFile writes a resolved recipe as one that extends nothing.
func oneFile(r *recipe.Recipe) []byte {
	one := *r
	one.Metadata.Extends = nil
	return []byte(one.MarshalMarkdown())
}

func (b *bundle) add(name string, content []byte) {
	b.files = append(b.files, bundleFile{name: name, content: content})
}

// addJudgeFiles adds what the judges of a recipe's tasks have beside it.
func (b *bundle) addJudgeFiles(r *recipe.Recipe) error {
	seen := map[string]bool{}
	for _, t := range r.Tasks {
		if t.JudgeFiles == "" || seen[t.JudgeFiles] {
			continue
		}
		seen[t.JudgeFiles] = true
		if _, err := project.JudgeFiles(r, t); err != nil {
			return cli.Fail(cli.ExitUsage, fmt.Errorf("task %q: %w", t.Name(), err))
		}
		tree, done, err := project.JudgeTree(r, t)
		if err != nil {
			return cli.Fail(cli.ExitUsage, err)
		}
		err = fs.WalkDir(tree, ".", func(at string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			content, err := fs.ReadFile(tree, at)
			b.files = append(b.files, bundleFile{path.Join(lookup.BundleBeside, t.JudgeFiles, at), content,
				info.Mode().Perm() & 0o111})
			return err
		})
		done()
		if err != nil {
			return cli.Fail(cli.ExitInfra, err)
		}
	}
	return nil
}

// rank says what comes first in a bundle: what is read of it alone.
func (f bundleFile) rank() int {
	switch {
	case f.name == lookup.BundleRecipe:
		return 0
	case strings.HasPrefix(f.name, repairdirs.Name+"/"):
		return 1
	case strings.HasPrefix(f.name, lookup.BundleBeside+"/"):
		return 2
	case f.name == trial.JournalFile:
		return 3
	}
	return 4
}

// pack writes the files as a gzipped tar file; the same files make the same
// bytes.
func (b *bundle) pack() ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	t := tar.NewWriter(z)
	slices.SortFunc(b.files, func(x, y bundleFile) int {
		return cmp.Or(x.rank()-y.rank(), strings.Compare(x.name, y.name))
	})
	for _, f := range b.files {
		err := t.WriteHeader(&tar.Header{Name: f.name, Mode: int64(0o644 | f.mode), Size: int64(len(f.content)),
			Typeflag: tar.TypeReg})
		if err == nil {
			_, err = t.Write(f.content)
		}
		if err != nil {
			return nil, err
		}
	}
	err := errors.Join(t.Close(), z.Close())
	return out.Bytes(), err
}
