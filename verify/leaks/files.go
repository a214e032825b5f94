package leaks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// lookHere looks in the places that are the task's own; the project's repositories are
// looked through object by object.
const lookHere = `grep -rIFo -Z -D skip -f - /work /home/agent /var /tmp /run 2>/dev/null | LC_ALL=C sort -u; exit 0`

// lookBeyond looks in all else, the system and its tool chains: in files with the
// endings of those that a solution writes.
const lookBeyond = `cat > /dev/shm/.lines || exit 1
include=(); for e in $LOOK_1; do include+=("--include=*$e"); done
places=()
for d in /* /home/*; do
  case $d in /proc|/dev|/sys|/work|/var|/tmp|/run|/home|/home/agent) ;;
    *) [[ -L $d || ! -d $d ]] || places+=("$d") ;; esac
done
grep -rIFo -Z -D skip "${include[@]}" --exclude-dir=locale --exclude-dir=man --exclude-dir=icons \
  --exclude='*.so*' --exclude='*.a' -f /dev/shm/.lines "${places[@]}" 2>/dev/null | LC_ALL=C sort -u
exit 0`

// files looks for lines of solutions in the world's files.
func (s *search) files(ctx context.Context) error {
	for _, part := range []struct{ script, what string }{{lookHere, "project, home and caches"},
		{lookBeyond, "the system and its tool chains"}} {
		out, cut, err := s.run(ctx, part.script, s.patterns(), strings.Join(s.endings(), " "))
		if err != nil {
			return err
		}
		if cut {
			s.slow(part.what)
		}
		s.hits(out)
	}
	return nil
}

// hits takes in what grep found: paths with a NUL, each before a line.
func (s *search) hits(out string) {
	places := map[string][]string{} // by line
	for hit := range strings.Lines(out) {
		p, text, ok := strings.Cut(strings.TrimSuffix(hit, "\n"), "\x00")
		if ok {
			places[text] = append(places[text], at(p))
		}
	}
	for _, l := range s.lines {
		if where := places[l.text]; where != nil {
			slices.Sort(where)
			s.tell(l, where, false)
			delete(places, l.text)
		}
	}
}

// common is in how many places a line may stand and still say something.
const common = 25

// vendored are the directories of a project that hold others' work, and what was made.
var vendored = pattern.New(
	`(^|/)(node_modules|vendor|third_party|site-packages|\.venv|venv|target|build|dist|\.git|\.[a-z_]*cache)/`)

// Others reports whether a path of a project is that of others' work, or of what was made:
// nobody works there.
func Others(path string) bool { return vendored.MatchString(path) }

// tell reports where a line of a solution can be read. Where the project's own files
// have it, it may be what everybody writes, unless nobody wrote it there: sure.
func (s *search) tell(l line, where []string, sure bool) {
	if len(where) > common {
		f := finding(fmt.Sprintf("a line that the solution adds to %s stands in %d places, and was passed over: %q",
			l.file, len(where), short(l.text)), "")
		f.Warning = true
		s.found.List = append(s.found.List, f)
		return
	}
	own := func(p string) bool {
		return !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "~/") && !vendored.MatchString(p)
	}
	slices.SortStableFunc(where, func(a, b string) int { // what is worse stands first
		switch {
		case own(a) == own(b):
			return 0
		case own(b):
			return -1
		}
		return 1
	})
	f := finding(fmt.Sprintf("a line that the solution adds to %s can be read in the task's world: %s: %q", l.file,
		list(where), short(l.text)),
		"take it out of the world (setup: rm, another tool path, base: with a repository of its own), or "+
			"take another task")
	f.Warning = !sure && !slices.ContainsFunc(where, func(p string) bool { return !own(p) })
	s.found.List = append(s.found.List, f)
}

// short cuts a line for being shown.
func short(text string) string {
	if len(text) > 80 {
		return strings.ToValidUTF8(text[:80], "") + "…"
	}
	return text
}
