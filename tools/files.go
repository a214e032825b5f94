package tools

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"cookoff/sandbox"
)

const (
	readChunk   = 256 << 10 // bytes asked for at once
	maxScan     = 32 << 20  // bytes read to find a line
	maxShown    = 64 << 10  // bytes of a file shown in one call
	maxLines    = 2000      // lines of a file shown in one call
	maxLine     = 4 << 10   // bytes shown of one line
	maxEntries  = 1000      // names of a directory
	maxPathArg  = 4 << 10   // bytes of a path
	readFileDoc = `Reads a text file. At most 2000 lines are returned at once; offset and limit choose which.`

	writeFileDoc = `Writes a file: creates it, with its parent directories, or replaces its whole content. ` +
		`An existing file keeps its mode.`
	listDirectoryDoc = `Lists a directory: mode, size and name of each entry, with the target of symbolic links.`
)

type readArgs struct {
	Path   string `json:"path" description:"the file: relative to the project, absolute, or starting with ~/"`
	Offset int    `json:"offset,omitempty" description:"first line to return, counted from 1"`
	Limit  int    `json:"limit,omitempty" description:"how many lines to return, at most 2000"`
}

// readFile gives lines of a file, numbered, from an offset (the first line is 1) and no
// more than a limit.
func readFile(ctx context.Context, sb sandbox.Sandbox, a readArgs) (Result, error) {
	switch {
	case a.Offset < 0:
		return Result{}, badArgs("offset: %d is negative; lines count from 1", a.Offset)
	case a.Limit < 0:
		return Result{}, badArgs("limit: %d is negative", a.Limit)
	}
	if err := checkPath(a.Path); err != nil {
		return Result{}, err
	}
	want := maxLines
	if a.Limit > 0 {
		want = min(a.Limit, maxLines)
	}
	v := lineView{first: max(a.Offset, 1), want: want}
	var off, size int64
	for !v.full && off < maxScan {
		c, err := sb.FS().Read(ctx, a.Path, off, readChunk)
		if err != nil {
			return Result{}, fileFailed(err)
		}
		if off == 0 && bytes.IndexByte(c.Data[:min(len(c.Data), 8<<10)], 0) >= 0 {
			return Result{Text: fmt.Sprintf("(binary file, %d bytes, mode %s)", c.Size, c.Mode)}, nil
		}
		size = c.Size
		if len(c.Data) == 0 {
			break
		}
		v.add(c.Data)
		off += int64(len(c.Data))
	}
	v.finish()
	return v.result(a, off, size)
}

// lineView keeps the lines wanted out of a file that arrives in pieces.
type lineView struct {
	first, want int
	line        int  // lines begun before the current one
	length      int  // bytes of the current line so far
	shown       int  // lines kept
	full        bool // no more is wanted
	cut         int64
	buf         bytes.Buffer
	pending     []byte // of the current line, while wanted
}

// add takes the next bytes of the file. Of lines before the first one that is wanted only
// the count is kept.
func (v *lineView) add(data []byte) {
	for len(data) > 0 && !v.full {
		end, whole := len(data), false
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			end, whole = i, true
		}
		v.length += end
		if v.line+1 >= v.first && len(v.pending) <= maxLine {
			v.pending = append(v.pending, data[:min(end, maxLine+1)]...)
		}
		if !whole {
			return
		}
		v.endLine()
		data = data[end+1:]
	}
}

// endLine shows the line that has just ended, cut where it is too long.
func (v *lineView) endLine() {
	v.line++
	if v.line >= v.first {
		text := v.pending
		if len(text) > maxLine {
			keep := maxLine
			for keep > maxLine-utf8.UTFMax && !utf8.RuneStart(text[keep]) {
				keep--
			}
			v.cut += int64(v.length - keep)
			text = fmt.Appendf(text[:keep:keep], " [… %d more bytes of this line]", v.length-keep)
		}
		v.buf.Write(text)
		v.buf.WriteByte('\n')
		v.shown++
	}
	v.pending, v.length = v.pending[:0], 0
	v.full = v.shown == v.want || v.buf.Len() >= maxShown
}

// finish takes a last line without a newline.
func (v *lineView) finish() {
	if v.length > 0 && !v.full {
		v.endLine()
	}
}

// result gives the lines, and says below them what was left out. read is how many bytes
// were looked through, of size.
func (v *lineView) result(a readArgs, read, size int64) (Result, error) {
	if v.shown == 0 && size > 0 {
		if read >= maxScan && read < size {
			return Result{}, failed("read %s: line %d is more than %d bytes into the file; hint: use bash, for "+
				"example sed -n",
				a.Path, v.first, maxScan)
		}
		return Result{}, failed("read %s: the file has %d lines, fewer than offset %d", a.Path, v.line, v.first)
	}
	if size == 0 {
		return Result{Text: "(empty file)"}, nil
	}
	raw := v.buf.Bytes()
	text := Clean(raw)
	escaped := len(text) != len(raw)
	text = strings.TrimSuffix(text, "\n")
	if v.full || read < size {
		text += fmt.Sprintf("\n[lines %d to %d; the file has %d bytes; if more follow, go on with offset %d]", v.first,
			v.line, size, v.line+1)
	}
	if escaped {
		text += "\n[characters that can't be shown are written like \\r or \\x1b]"
	}
	return Result{Text: text, Cut: v.cut}, nil
}

type writeArgs struct {
	Path    string `json:"path" description:"the file: relative to the project, absolute, or starting with ~/"`
	Content string `json:"content" description:"the whole new content"`
}

func writeFile(ctx context.Context, sb sandbox.Sandbox, a writeArgs) (Result, error) {
	if err := checkPath(a.Path); err != nil {
		return Result{}, err
	}
	if err := sb.FS().Write(ctx, a.Path, []byte(a.Content)); err != nil {
		return Result{}, fileFailed(err)
	}
	return Result{Text: fmt.Sprintf("wrote %d bytes to %s", len(a.Content), cleanName(a.Path)), Wrote: true}, nil
}

type listArgs struct {
	Path string `json:"path,omitempty" description:"the directory; the project when absent"`
}

func listDirectory(ctx context.Context, sb sandbox.Sandbox, a listArgs) (Result, error) {
	dir := a.Path
	if dir == "" {
		dir = "."
	}
	if err := checkPath(dir); err != nil {
		return Result{}, err
	}
	entries, err := sb.FS().List(ctx, dir)
	if err != nil {
		return Result{}, fileFailed(err)
	}
	if len(entries) == 0 {
		return Result{Text: "(empty directory)"}, nil
	}
	var b strings.Builder
	for i, e := range entries {
		if i == maxEntries {
			fmt.Fprintf(&b, "[%d more entries]\n", len(entries)-i)
			break
		}
		fmt.Fprintf(&b, "%s %9s %s%s\n", e.Mode, sizeOf(e), cleanName(e.Name), suffixOf(e))
	}
	return Result{Text: strings.TrimSuffix(b.String(), "\n")}, nil
}

func sizeOf(e sandbox.Entry) string {
	if e.Mode.IsRegular() {
		return fmt.Sprint(e.Size)
	}
	return "-"
}

func suffixOf(e sandbox.Entry) string {
	switch {
	case e.Mode&fs.ModeSymlink != 0:
		return " -> " + cleanName(e.Link)
	case e.Mode.IsDir():
		return "/"
	}
	return ""
}

// checkPath refuses what can be no path before it reaches the sandbox.
func checkPath(p string) error {
	switch {
	case p == "":
		return badArgs("path: empty")
	case strings.ContainsRune(p, 0):
		return badArgs("path: contains a NUL character")
	case len(p) > maxPathArg:
		return badArgs("path: %d bytes are more than the %d that a path may have", len(p), maxPathArg)
	}
	return nil
}

func failed(format string, a ...any) *CallError {
	return &CallError{Kind: ToolFailed, Reason: Clean(fmt.Appendf(nil, format, a...))}
}
