package leaks

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/lint"
)

func finding(msg, hint string) lint.Finding {
	return lint.Finding{Key: "leaks", Msg: msg, Hint: hint}
}

// lookLater prints, of the commits in a repository that its HEAD does not have, how
// many there are, how many of them are later, and of some of these: what leads there,
// id and subject.
const lookLater = `g() { git -c safe.directory='*' -c core.fsmonitor=false --git-dir="$LOOK_1" "$@" 2>/dev/null; }
g rev-list HEAD | sort > /dev/shm/.head
g cat-file --batch-all-objects --batch-check='%(objecttype) %(objectname)' |
  sed -n 's/^commit //p' | sort > /dev/shm/.all
comm -13 /dev/shm/.head /dev/shm/.all > /dev/shm/.other
since=$(g log -1 --format=%ct HEAD)
g log --no-walk=unsorted --stdin --format='%ct %H %s' < /dev/shm/.other > /dev/shm/.told
[[ -s /dev/shm/.other ]] || : > /dev/shm/.told
sort -rn /dev/shm/.told | awk -v t="${since:-0}" '$1 > t' > /dev/shm/.later
wc -l < /dev/shm/.other; wc -l < /dev/shm/.later
head -n 3 /dev/shm/.later | while read -r _ id subject; do
  by=$(g for-each-ref --count=1 --contains="$id" --format='%(refname)')
  [[ $by ]] || by=$(cd "$LOOK_1" && grep -rlF "$id" logs 2>/dev/null | head -n 1)
  [[ $by ]] || { [[ $(cat "$LOOK_1/FETCH_HEAD" "$LOOK_1/ORIG_HEAD" 2>/dev/null) == *"$id"* ]] &&
    by='FETCH_HEAD or ORIG_HEAD'; }
  printf '%s\t%s\t%s\n' "${by:-an object that no name leads to}" "${id:0:12}" "$subject"
done; exit 0`

// lookObjects prints the ids of the contents in a repository that hold a line of the
// input, each with that line.
const lookObjects = `cat > /dev/shm/.lines || exit 1
g() { git -c safe.directory='*' -c core.fsmonitor=false --git-dir="$LOOK_1" "$@" 2>/dev/null; }
g cat-file --batch-all-objects --unordered --batch-check='%(objecttype) %(objectsize) %(objectname)' |
  awk '$1 == "blob" && $2 < 4194304 { print $3 }' |
  g cat-file --buffer --batch | awk '
    BEGIN { while ((getline l < "/dev/shm/.lines") > 0) look[++n] = l }
    /^[0-9a-f]+ blob [0-9]+$/ && length($1) >= 40 { id = $1; next }
    { for (i = 1; i <= n; i++) if (!((id, i) in told) && index($0, look[i])) {
        told[id, i] = 1; print id "\t" look[i] } }' |
  head -n 200 > /dev/shm/.found
cut -f 1 /dev/shm/.found | sort -u | head -n 8 | while read -r id; do
  where=$(g log --all --reflog --find-object="$id" --diff-filter=AM -1 --format='%h' --name-only | tr -s '\n' ' ')
  printf '=%s\t%s\n' "$id" "$where"
done
cat /dev/shm/.found; exit 0`

// repository looks into a repository of the project or home.
func (s *search) repository(ctx context.Context, dir string) error {
	where := inWorld(dir)
	out, cut, err := s.run(ctx, lookLater, "", where)
	if err != nil {
		return err
	}
	if cut {
		s.slow(dir)
	}
	s.later(dir, strings.Split(out, "\n"))
	if len(s.lines) == 0 {
		return nil
	}
	if out, cut, err = s.run(ctx, lookObjects, s.patterns(), where); err != nil {
		return err
	}
	if cut {
		s.slow(dir)
	}
	s.contents(dir, out)
	return nil
}

// inWorld is the absolute place of a file as a manifest names it.
func inWorld(p string) string {
	if path.IsAbs(p) { // on a mount, or a root of the task's own
		return p
	}
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return path.Join(sandbox.HomeDir, rest)
	}
	return path.Join(sandbox.WorkDir, p)
}

// later reports commits that come after the one that the world is at.
func (s *search) later(dir string, lines []string) {
	if len(lines) < 2 {
		return
	}
	var others, later int
	fmt.Sscan(lines[0], &others)
	fmt.Sscan(lines[1], &later)
	var named []string
	for _, l := range lines[2:] {
		if f := strings.SplitN(l, "\t", 3); len(f) == 3 {
			named = append(named, fmt.Sprintf("%s %q (%s)", f[1], short(f[2]), f[0]))
		}
	}
	switch {
	case later > 0:
		what := fmt.Sprintf("%s has %d commits that are later than the one checked out: %s",
			dir, later, strings.Join(named, ", "))
		s.found.List = append(s.found.List, finding(what,
			"base: COMMIT gives the world a repository of its own, without them"))
	case others > 0:
		s.found.Warn("leaks", "base: COMMIT gives the world a repository of its own, without them",
			"%s has %d commits beside those of the one checked out", dir, others)
	}
}

// contents reports lines of solutions in what a repository holds.
func (s *search) contents(dir, out string) {
	known, places := map[string]string{}, map[string][]string{}
	for l := range strings.Lines(out) {
		id, text, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		if blob, ok := strings.CutPrefix(id, "="); ok {
			known[blob] = strings.TrimSpace(text)
			continue
		}
		place := fmt.Sprintf("%s, object %.12s", dir, id)
		if where := strings.Fields(known[id]); len(where) == 2 {
			place = fmt.Sprintf("%s, %s of commit %s", dir, where[1], where[0])
		}
		if !slices.Contains(places[text], place) {
			places[text] = append(places[text], place)
		}
	}
	for _, l := range s.lines {
		if where := places[l.text]; where != nil {
			s.tell(l, where[:min(len(where), common)], true) // versions of one file are places, too
			delete(places, l.text)
		}
	}
}
