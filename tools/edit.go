package tools

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"cookoff/sandbox"
)

const (
	maxEdit     = 8 << 20 // bytes of a file that can be edited
	maxEdits    = 100     // edits of one call
	editFileDoc = `Replaces text in a file. ` +
		`old must occur exactly once, written exactly as in the file, unless replace_all is true. ` +
		`Several changes to one file go in edits: each is made to what the one before it leaves. ` +
		`Nothing is changed when one of them does not fit.`
)

type editArgs struct {
	Path       string     `json:"path" description:"the file: relative to the project, absolute, or starting with ~/"`
	Old        *string    `json:"old,omitempty" description:"the text to replace"`
	New        *string    `json:"new,omitempty" description:"the text to put in its place"`
	ReplaceAll bool       `json:"replace_all,omitempty" description:"replace every occurrence"`
	Edits      []oneOfAll `json:"edits,omitempty" description:"several edits, instead of old and new"`
}

type oneOfAll struct {
	Old        string `json:"old" description:"the text to replace"`
	New        string `json:"new" description:"the text to put in its place"`
	ReplaceAll bool   `json:"replace_all,omitempty" description:"replace every occurrence"`
}

// edits gives what is to be done, each with the name it has in messages.
func (a editArgs) edits() ([]oneOfAll, error) {
	switch {
	case a.Edits == nil && a.Old == nil:
		return nil, badArgs("old: missing; hint: give old and new, or a list of both in edits")
	case a.Edits == nil && a.New == nil:
		return nil, badArgs("new: missing; hint: an empty text removes old")
	case a.Edits == nil:
		return []oneOfAll{{*a.Old, *a.New, a.ReplaceAll}}, nil
	case a.Old != nil || a.New != nil || a.ReplaceAll:
		return nil, badArgs("edits: given beside old, new or replace_all; hint: put them into edits as well")
	case len(a.Edits) == 0:
		return nil, badArgs("edits: empty")
	case len(a.Edits) > maxEdits:
		return nil, badArgs("edits: %d are more than the %d of one call", len(a.Edits), maxEdits)
	}
	return a.Edits, nil
}

// editFile makes all edits of a call in memory, each on the text that the one before left,
// and writes the file once: where one of them does not fit, the file stays as it was.
func editFile(ctx context.Context, sb sandbox.Sandbox, a editArgs) (Result, error) {
	if err := checkPath(a.Path); err != nil {
		return Result{}, err
	}
	edits, err := a.edits()
	if err != nil {
		return Result{}, err
	}
	which := func(i int) string {
		if a.Edits == nil {
			return ""
		}
		return fmt.Sprintf("edits[%d].", i)
	}
	for i, e := range edits {
		switch {
		case e.Old == "":
			return Result{}, badArgs("%sold: empty; hint: write_file creates a file or replaces all of it", which(i))
		case e.Old == e.New:
			return Result{}, badArgs("%snew: the same as old; nothing would change", which(i))
		}
	}
	data, err := readAll(ctx, sb.FS(), a.Path)
	if err != nil {
		return Result{}, err
	}
	replaced := 0
	for i, e := range edits {
		n := bytes.Count(data, []byte(e.Old))
		switch {
		case n == 0:
			return Result{}, failed("edit %s: %sold does not occur in the file%s", a.Path, which(i),
				nearMiss(data, e.Old))
		case n > 1 && !e.ReplaceAll:
			return Result{}, failed("edit %s: %sold occurs %d times; hint: give more of the text around it, or "+
				"set replace_all",
				a.Path, which(i), n)
		case int64(len(data))+int64(n)*int64(len(e.New)-len(e.Old)) > 2*maxEdit:
			return Result{}, failed("edit %s: %snew would make the file longer than %d bytes", a.Path,
				which(i), 2*maxEdit)
		}
		data = bytes.ReplaceAll(data, []byte(e.Old), []byte(e.New))
		replaced += n
	}
	if err := sb.FS().Write(ctx, a.Path, data); err != nil {
		return Result{}, fileFailed(err)
	}
	text := fmt.Sprintf("replaced %d of %d occurrences in %s", replaced, replaced, cleanName(a.Path))
	if a.Edits != nil {
		text = fmt.Sprintf("made %d edits, which replaced %d occurrences, in %s", len(edits), replaced,
			cleanName(a.Path))
	}
	return Result{Text: text, Wrote: true}, nil
}

// nearMiss explains why a text that looks right is not found.
func nearMiss(data []byte, old string) string {
	crlf := strings.ReplaceAll(old, "\n", "\r\n")
	switch {
	case strings.Contains(old, "\n") && bytes.Contains(data, []byte(crlf)):
		return "; hint: its lines end in \\r\\n"
	case bytes.Contains(bytes.Join(bytes.Fields(data), []byte(" ")),
		bytes.Join(bytes.Fields([]byte(old)), []byte(" "))) &&
		len(bytes.Fields([]byte(old))) > 0:
		return "; hint: it does with other blanks, tabs or line ends"
	}
	return ""
}

// readAll reads a whole file that is small enough to edit. What goes wrong is the
// model's to read.
func readAll(ctx context.Context, f sandbox.FS, path string) ([]byte, error) {
	data, err := readWhole(ctx, f, path)
	if err != nil {
		return nil, fileFailed(err)
	}
	return data, nil
}

// readWhole is readAll, with the errors as the sandbox gives them.
func readWhole(ctx context.Context, f sandbox.FS, path string) ([]byte, error) {
	var all []byte
	for {
		c, err := f.Read(ctx, path, int64(len(all)), readChunk)
		if err != nil {
			return nil, err
		}
		if c.Size > maxEdit || len(all) > maxEdit {
			return nil, failed("edit %s: %d bytes are more than the %d that can be edited; hint: use bash, for "+
				"example sed -i",
				path, c.Size, maxEdit)
		}
		all = append(all, c.Data...)
		if len(c.Data) == 0 || int64(len(all)) >= c.Size {
			return all, nil
		}
	}
}
