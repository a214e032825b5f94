package later

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/tree"
)

// Programs count how often they ran in files: in a number, in how much there is, in names, in
// what a link leads to, in modes and times. What holds for some runs only is found by making the
// numbers larger, and, since a count may be anything, by running often where something in the
// world is another one after each round.

// trace is what a path is after a round of checks.
type trace struct {
	text  string // a short text, or "-> " and where a link leads; else "size" and how large it is
	stat  string // mode, links, time; not of directories
	names int    // in a directory
}

// listCounts prints of the paths that it reads, and of those in /tmp, behind its name what
// a trace says. One process asks for all modes, times and sizes: one a path is most of what
// a small world's judging takes. A name that has several lines has none of them.
const listCounts = `PATH=/usr/bin:/bin; shopt -s nullglob dotglob globstar
mapfile -d '' -t files
i=0; for f in /tmp/** /var/tmp/** /dev/shm/**; do files+=("$f"); i=$((i + 1)); [ $i -lt 500 ] || break; done
declare -A stat size
for ((i = 0; i < ${#files[@]}; i += 500)); do
  while IFS= read -r line; do
    name=/${line#* /} is=${line%% /*}
    size[$name]=${is##* } stat[$name]=${is% *}
  done < <(stat -c '%a %h %Y %s %n' "${files[@]:i:500}" 2> /dev/null)
done
for f in "${files[@]}"; do
  n=("$f"/*)
  if [ -L "$f" ]; then v="-> $(readlink "$f")" n=()
  elif [ -f "$f" ]; then
    IFS= read -rd '' -n 256 v < "$f" 2> /dev/null; v=${v%$'\n'}
    case $v in *[0-9]*) if [ "${#v}" -ge 255 ]; then v=size; fi ;; *) v=size ;; esac
    if [ "$v" = size ]; then v=size${size[$f]}; fi
  elif [ -d "$f" ]; then v=
  else continue; fi
  [ ! -d "$f" ] || stat[$f]=
  printf '%s\0%s\0%s\0%s\0' "$f" "$v" "${stat[$f]}" "${#n[@]}"
done`

// counts gives what could say how often something ran.
func (l *round) counts(ctx context.Context) (map[string]trace, error) {
	now, err := l.p.From.Behind(ctx)
	if err != nil {
		return nil, err
	}
	var some []string
	for _, d := range tree.Differences(l.p.From.Final, now) {
		if d.Is != nil && (d.Is.Size <= 4096 || d.Is.Mode.IsDir()) && !l.p.Tests.Wrote(withSolution, d.Path, false) {
			some = append(some, d.Path)
		}
	}
	in := strings.Join(append(paths(some), ""), "\x00")
	res, err := l.p.From.Kept.Exec(ctx, sandbox.Cmd{Script: listCounts, Stdin: []byte(in)})
	if err != nil {
		return nil, err
	}
	out := map[string]trace{}
	words := strings.Split(string(res.Stdout), "\x00")
	for i := 0; i+3 < len(words); i += 4 {
		if strings.HasSuffix(words[i], "/") || strings.HasPrefix(temporary+"/", words[i]+"/") {
			continue // where temporary files lie
		}
		n, _ := strconv.Atoi(words[i+3])
		out[words[i]] = trace{words[i+1], words[i+2], n}
	}
	return out, nil
}

// byDigest are directories in which programs keep things by names that are their digests: others
// each time, where something else is kept.
var byDigest = []string{".git/objects/", "~/.cache/go-build/"}

// kept gives the directory of those that a path lies in; "": none.
func kept(p string) string {
	for _, d := range byDigest {
		if at, _, is := strings.Cut(p, d); is {
			return at + d
		}
	}
	return ""
}

// litter are names that programs make up for temporary files.
var litter = pattern.New(`^(/tmp|/var/tmp|/dev/shm|` + temporary + `)/tmp[._-]?\w{6,}(/|$)`)

// rests reports whether two rounds left the world alike, but for what rounds with the solution write,
// in places where they do, and temporary files.
func (l *round) rests(was, is map[string]trace) bool {
	for f, now := range is {
		then, had := was[f]
		rel := strings.TrimPrefix(f, sandbox.WorkDir+"/")
		if below, home := strings.CutPrefix(f, sandbox.HomeDir+"/"); home {
			rel = "~/" + below
		}
		if now != then && !litter.MatchString(f) && (had || !l.expected(rel, was)) {
			return false
		}
	}
	return len(is) >= len(was)
}

// expected reports whether what is new after a round lies where rounds with the solution put
// something as well: itself, or the topmost directory that is new with it.
func (l *round) expected(rel string, was map[string]trace) bool {
	isNew := func(p string) bool {
		_, had := was[paths([]string{p})[0]]
		_, there := tree.Lookup(l.p.From.Final, p)
		return !had && !there && p != "." && p != "~"
	}
	for dir := path.Dir(rel); isNew(dir) && dir != path.Dir(dir); dir = path.Dir(dir) {
		rel = dir
	}
	dir := kept(rel)
	return l.p.Tests.Wrote(withSolution, path.Dir(rel)+"/", false) ||
		dir != "" && l.p.Tests.Wrote(withSolution, dir, false)
}

// setCounts reads names and what a file is to hold from now on, or where a link leads: "size" is much
// more of what stands at the end of a file.
const setCounts = `PATH=/usr/bin:/bin
while IFS= read -rd '' f && IFS= read -rd '' v; do
  case $v in
    size) t=$(tail -c 32 "$f"); for i in {1..1000}; do printf '%s\n' "$t"; done >> "$f" ;;
    '-> '*) ln -sfn "${v#-> }" "$f" ;;
    *) printf '%s\n' "$v" > "$f" ;;
  esac
done`

// count has what counts say that there were a thousand more; false: nothing does.
func (l *round) count(ctx context.Context, was, is map[string]trace) (bool, error) {
	var words []string
	for f, now := range is {
		then, had := was[f]
		if !had || now.text == then.text {
			continue
		}
		size, isSize := strings.CutPrefix(now.text, "size")
		sizeThen, wasSize := strings.CutPrefix(then.text, "size")
		if isSize && wasSize && less(sizeThen, size) || !isSize && !wasSize && strings.HasPrefix(now.text, then.text) {
			words = append(words, f, "size")
		} else if more := farther(then.text, now.text); more != "" {
			words = append(words, f, more)
		}
	}
	if words == nil {
		return false, nil
	}
	return true, l.do(ctx, setCounts, words)
}

// farther goes on by a thousand where a text counts up, and to the end where it counts down; "": it
// says something else than before, or counts nothing.
func farther(was, is string) string {
	if aWholeNumber.ReplaceAllString(was, "#") != aWholeNumber.ReplaceAllString(is, "#") || aTime.MatchString(is) {
		return ""
	}
	old, counts, i := aWholeNumber.FindAllString(was, -1), false, -1
	out := aWholeNumber.ReplaceAllStringFunc(is, func(s string) string {
		i++
		switch n, _ := strconv.Atoi(s); {
		case less(old[i], s):
			counts = true
			return fmt.Sprint(n + 1000)
		case less(s, old[i]):
			counts = true
			return "0"
		}
		return s
	})
	if !counts {
		return ""
	}
	return out
}

var (
	aWholeNumber = pattern.New(`[0-9]{1,14}`)
	aTime        = pattern.New(`[0-9]:[0-9]|[0-9]{4}-[0-9]{2}`) // it counts nothing that could be made more
)

func less(a, b string) bool {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	return errX == nil && errY == nil && x < y
}

// How often checks are asked where something may count them, and for how long on a machine that
// has nothing else to do: quick ones fewRounds times at the least.
const (
	mostRounds = 150
	someRounds = 15 // at admission, to see that asking alone changes nothing
	longRounds = time.Second
	fewRounds  = 40
	slowRounds = 3 * time.Second
)

// What an empty command takes in a world of a machine that has nothing else to do, and how many
// times slower a machine may be that is waited for.
const (
	calmCommand = 4 * time.Millisecond
	mostSlowly  = 15
)

// steady gives the checks that hold with the solution however often they are asked: one that makes
// commits, or fills something, may end by itself. Where they change nothing, nothing comes of it.
func (l *round) steady(ctx context.Context, list []namedQuestion) (checks []string, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	before, err := l.counts(ctx)
	if err != nil {
		return nil, err
	}
	if err := l.restore(ctx); err != nil {
		return nil, err
	}
	for _, q := range list {
		checks = append(checks, q.check)
		if _, err := q.ask(ctx, l.place()); err != nil {
			return nil, err
		}
	}
	now, err := l.counts(ctx)
	if err != nil || maps.Equal(before, now) {
		return checks, err
	}
	for len(list) > 0 {
		v, err := l.often(ctx, list, someRounds)
		if v == nil || err != nil {
			return checks, err
		}
		checks = slices.DeleteFunc(checks, func(c string) bool { return c == v.Check })
		list = slices.DeleteFunc(list, func(q namedQuestion) bool { return q.check == v.Check })
	}
	return checks, nil
}

// often asks the checks again and again, at most so often, in one world. What does not hold any more has to
// stay so: what fails by chance counts nothing. Nil: all hold.
func (l *round) often(ctx context.Context, list []namedQuestion, most int) (*trial.Verdict, error) {
	began, slowly := time.Now(), 0
	for n := 0; n < most; n++ {
		within := longRounds
		if n < fewRounds {
			within = slowRounds
		}
		if slowly == 0 && time.Since(began) >= within {
			slowly = l.slowly(ctx)
		}
		if time.Since(began) >= within*time.Duration(max(slowly, 1)) {
			break
		}
		if err := l.restore(ctx); err != nil {
			return nil, err
		}
		for _, q := range list {
			v, err := q.ask(ctx, l.place())
			for again := 0; again < 2 && err == nil && v.Status == trial.NotHeld; again++ {
				v, err = q.ask(ctx, l.place())
			}
			if err != nil || v.Status == trial.NotHeld {
				return &v, err
			}
		}
	}
	return nil, nil
}

// slowly gives how many times slower than a calm machine this one is now, by what empty commands
// take here: 1 to mostSlowly.
func (l *round) slowly(ctx context.Context) int {
	const times = 5
	began := time.Now()
	for range times {
		if _, err := l.p.From.Kept.Exec(ctx, sandbox.Cmd{Script: ":"}); err != nil {
			return 1 // what is wrong, the next check says
		}
	}
	return min(max(int(time.Since(began)/(times*calmCommand)), 1), mostSlowly)
}
