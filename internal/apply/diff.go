package apply

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"cookoff/internal/gitpath"
	"cookoff/trial/final"
)

// Diff gives what the plan changes, as a unified diff that git apply takes.
func (p *Plan) Diff() string {
	var b strings.Builder
	for _, a := range p.Actions {
		b.WriteString(diff(a.Path, a.Now, a.Then))
	}
	return b.String()
}

// Diff gives what the trial changed, as a unified diff.
func (c Conflict) Diff() string { return diff(c.Path, c.Before, c.After) }

// Diff gives what a trial changed in one file, as part of a unified diff: ""
// for a directory. A content that was not kept is said to be one.
func Diff(c final.Change) string {
	for _, v := range []*final.File{c.Before, c.After} {
		if v != nil && v.Missing != "" {
			return fmt.Sprintf("%s: content not kept (%s)\n", heading(c.Path), v.Missing)
		}
	}
	return diff(c.Path, fileOf(c.Before), fileOf(c.After))
}

func heading(path string) string {
	return "diff --git " + gitpath.Quoted("a/"+path) + " " + gitpath.Quoted("b/"+path)
}

// diff gives the change of one file as git diff prints it. nil stands for a file that is
// not there.
func diff(path string, now, then *File) string {
	if now != nil && now.Mode.IsDir() {
		now = nil
	}
	if then != nil && then.Mode.IsDir() {
		then = nil
	}
	if now != nil && then != nil && now.Mode.Type() != then.Mode.Type() {
		return diff(path, now, nil) + diff(path, nil, then)
	}
	var b strings.Builder
	from, to := gitpath.Quoted("a/"+path), gitpath.Quoted("b/"+path)
	switch {
	case now == nil && then == nil:
		return ""
	case now == nil:
		fmt.Fprintf(&b, "new file mode %s\n", gitMode(then.Mode))
		from = "/dev/null"
	case then == nil:
		fmt.Fprintf(&b, "deleted file mode %s\n", gitMode(now.Mode))
		to = "/dev/null"
	case gitMode(now.Mode) != gitMode(then.Mode):
		fmt.Fprintf(&b, "old mode %s\nnew mode %s\n", gitMode(now.Mode), gitMode(then.Mode))
	case now.Mode != then.Mode && bytes.Equal(now.body(), then.body()):
		return fmt.Sprintf("%s\n# mode %v becomes %v\n", heading(path), now.Mode, then.Mode)
	}
	was, is := now.body(), then.body()
	switch {
	case bytes.Equal(was, is):
	case !isText(was) || !isText(is):
		fmt.Fprintf(&b, "Binary files %s and %s differ\n", from, to)
	default:
		b.WriteString(udiff.Unified(from, to, string(was), string(is)))
	}
	return heading(path) + "\n" + b.String()
}

// body is what git keeps of a file.
func (f *File) body() []byte {
	switch {
	case f == nil:
		return nil
	case f.Mode&fs.ModeSymlink != 0:
		return []byte(f.Link)
	}
	return f.Data
}

func gitMode(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "120000"
	case m&0o100 != 0:
		return "100755"
	}
	return "100644"
}
