package lookup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/nearest"
)

// What may be wrong with the path of a recipe.
var (
	errNoFile    = errors.New("no such recipe file")
	errDirectory = errors.New("a directory, where a recipe file was expected")
)

// Content is what a recipe file gave.
type Content struct {
	Text   []byte
	Bundle bool // it lay in a bundle
	err    error
}

// Read gives the content of the file at ref. What a recipe extends must be a
// regular file, so that a stranger's recipe can't make us wait on a device.
func (d Dirs) Read(ctx context.Context, ref string, extended bool) (Content, error) {
	place := d.Place(ref)
	info, err := os.Stat(place)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Content{}, errNoFile
	case err != nil:
		return Content{}, fmt.Errorf("reading the recipe: %w", err)
	case info.IsDir():
		return Content{}, errDirectory
	case extended && !info.Mode().IsRegular():
		return Content{}, errors.New("no regular file: a recipe can't extend it")
	}
	if info.Mode().IsRegular() {
		c := contentOf(place, extended, info.Size())
		return c, c.err
	}
	return wait(ctx, func() Content { return contentOf(place, extended, 0) })
}

// wait gives what read gives, or the error of ctx where that ends first: a pipe
// that nobody writes to is waited for as long as one likes.
func wait(ctx context.Context, read func() Content) (Content, error) {
	done := make(chan Content, 1)
	go func() { done <- read() }()
	select {
	case c := <-done:
		return c, c.err
	case <-ctx.Done():
		return Content{}, ctx.Err()
	}
}

// contentOf reads a recipe, out of a bundle where the file is one.
func contentOf(place string, extended bool, size int64) Content {
	f, err := os.Open(place)
	if err != nil {
		return Content{err: fmt.Errorf("reading the recipe: %w", err)}
	}
	defer f.Close()
	b := bufio.NewReader(f)
	if !isBundle(b) {
		text, err := limited(b, size)
		return Content{Text: text, err: err}
	}
	if extended {
		return Content{err: errors.New("a bundle: a recipe can't extend it")}
	}
	text, err := bundleRecipe(b)
	return Content{Text: text, Bundle: true, err: err}
}

// Hint says what may have been meant by a path at which no recipe can be read.
func (d Dirs) Hint(ref string, err error) string {
	switch {
	case errors.Is(err, errDirectory):
		return d.directoryHint(ref)
	case !errors.Is(err, errNoFile):
		return ""
	case strings.Contains(ref, "://"):
		return "a recipe that lies elsewhere is git+https://host/repo//file@REV"
	}
	if to, err := os.Readlink(d.Place(ref)); err == nil {
		return fmt.Sprintf("it is a link to %s, which is not there", to)
	}
	dir := filepath.Dir(ref)
	if info, err := os.Stat(d.Place(dir)); err != nil || !info.IsDir() {
		return fmt.Sprintf("there is no directory %s", dir)
	}
	here := d.markdown(dir)
	if n := nearestFile(ref, here); n != "" {
		return fmt.Sprintf("did you mean %s?", n)
	}
	here = slices.DeleteFunc(here, func(file string) bool {
		return filepath.Base(file) != "recipe.md" && !strings.HasSuffix(file, ".recipe.md")
	})
	if len(here) == 0 {
		return "cookoff init writes one to start from"
	}
	return "recipes there are " + list(here)
}

// directoryHint says which recipe may have been meant by a directory.
func (d Dirs) directoryHint(dir string) string {
	same := filepath.Clean(dir) == "."
	for _, c := range []string{"recipe.md", filepath.Join(".cookoff", "recipe.md"),
		filepath.Join(".errata", "recipe.md")} {
		c = filepath.Join(dir, c)
		switch info, err := os.Stat(d.Place(c)); {
		case err != nil || info.IsDir():
		case same:
			return fmt.Sprintf("did you mean %s?", c)
		default:
			return fmt.Sprintf("did you mean %s? Models work on a copy of the directory that cookoff is started in: "+
				"cd %s first, if that is the project", c, dir)
		}
	}
	named := slices.DeleteFunc(d.markdown(dir), func(file string) bool { return !strings.HasSuffix(file, ".recipe.md") })
	switch {
	case len(named) > 0:
		return "recipes there are " + list(named)
	case same:
		return "it has no recipe: cookoff init writes one"
	}
	return fmt.Sprintf("it has no recipe: cd %s, then cookoff init writes one for the project that is there", dir)
}

// list names some files.
func list(files []string) string {
	const most = 5
	if len(files) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(files[:most], ", "), len(files)-most)
	}
	return strings.Join(files, ", ")
}

// markdown gives the paths of the Markdown files of a directory, sorted.
func (d Dirs) markdown(dir string) []string {
	entries, _ := os.ReadDir(d.Place(dir)) // what can't be read holds nothing to be named
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".md") && !e.IsDir() {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// nearestFile gives the file that ref is most likely a slip of, or "". What all
// recipes end with makes none of them alike.
func nearestFile(ref string, files []string) string {
	stems := make([]string, len(files))
	for i, file := range files {
		stems[i] = stem(file)
	}
	if i := slices.Index(stems, nearest.Name(stem(ref), stems)); i >= 0 {
		return files[i]
	}
	return ""
}

// stem is the name of a recipe file without what all of them end with.
func stem(file string) string {
	base := filepath.Base(file)
	for _, end := range nameEnds() {
		base = strings.TrimSuffix(base, end)
	}
	return base
}
