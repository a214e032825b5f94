package reports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"cookoff/internal/cli"
	"cookoff/internal/files"
	"cookoff/internal/temporary"
	"cookoff/report/html"
)

// besideOf is the directory beside a page.
func besideOf(file string) string {
	return strings.TrimSuffix(file, filepath.Ext(file)) + ".transcripts"
}

// Paged is shown on a page, and told a second time for the transcripts that the page
// has no room for.
type Paged interface {
	Page(w io.Writer, o html.Options) (html.Cut, error)
	TellAgain(w *html.Wholes) error
}

// WritePage writes a page to a file. Transcripts that the page has no room for lie whole
// in a directory beside it, each on a page of its own.
func WritePage(c *cli.Common, p Paged, file string) error {
	dir := besideOf(file)
	var page bytes.Buffer
	cut, err := p.Page(&page, html.Options{Beside: "./" + url.PathEscape(filepath.Base(dir))})
	if err != nil {
		return err
	}
	stale, err := ownPages(dir)
	if err == nil && len(cut) > 0 {
		err = writeWholes(cut, file, dir, stale, p.TellAgain)
	} else if stale {
		err = os.RemoveAll(dir)
	}
	if err != nil {
		return err
	}
	if err := files.WriteFile(file, page.Bytes()); err != nil {
		return err
	}
	c.Say("wrote %s", file)
	if len(cut) > 0 {
		c.Say("wrote %s: %d long transcripts, whole; move it with the page", dir, len(cut))
	}
	return nil
}

// Page is Paged.
func (r Recorded) Page(w io.Writer, o html.Options) (html.Cut, error) {
	t := html.NewTranscripts()
	if err := r.tellAll(t); err != nil {
		return nil, err
	}
	return html.WriteCut(w, r.Report, t, o)
}

// TellAgain is Paged.
func (r Recorded) TellAgain(w *html.Wholes) error { return r.tellAll(w) }

// writeWholes makes the directory anew; a stale one is there.
func writeWholes(cut html.Cut, file, dir string, stale bool, tell func(*html.Wholes) error) error {
	tmp, err := temporary.Dir(filepath.Dir(dir), ".cookoff-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp) // what is left of it
	w := cut.NewWholes("../"+url.PathEscape(filepath.Base(file)), func(name string, page []byte) error {
		return os.WriteFile(filepath.Join(tmp, name), page, 0o644)
	})
	if err := errors.Join(tell(w), w.Close(), os.Chmod(tmp, 0o755)); err != nil {
		return err
	}
	if stale {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return os.Rename(tmp, dir)
}

// ownPages reports whether there is a directory of transcripts. It must hold nothing
// but pages that this program wrote, for they are replaced.
func ownPages(dir string) (yes bool, err error) {
	st, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !st.IsDir() {
		return false, errors.Join(err, fmt.Errorf("%s is there, and no directory\n  hint: name another file with -o",
			dir))
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if own, err := isOwnPage(filepath.Join(dir, e.Name()), e); err != nil || !own {
			return false, errors.Join(err, fmt.Errorf("%s holds what is no page of a transcript: %s\n"+
				"  hint: name another file with -o",
				dir, e.Name()))
		}
	}
	return true, nil
}

func isOwnPage(path string, e fs.DirEntry) (bool, error) {
	if !e.Type().IsRegular() {
		return false, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 2<<10))
	return bytes.Contains(head, []byte(html.Generator)), err
}
