package control

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/alike"
	"cookoff/verify/checks"
	"cookoff/verify/lessons"
	"cookoff/verify/witness"
)

// Tests give names to what they ask about: users, files, words that nothing else speaks of. A program that is
// right for these alone knows its tests. With other names in their place the tests pass with the solution, and
// so they must with every repair.

var (
	aWord = pattern.New(`[A-Za-z0-9_]+`)
	// written is a word, or what a language reads as one character: a word may follow it.
	written = pattern.New(`\\.|[A-Za-z0-9_]+`)
	// isName is a word that may be such a name.
	isName = pattern.New(`^[A-Za-z]{3,20}$`)
	// known are words for which a program may have a meaning that the solution has no need of: methods and types of
	// HTTP, levels, days, months, colours, units, words of SQL and HTML, names of formats, users and places.
	known = pattern.New(`^(get|put|post|head|patch|delete|options|trace|connect|accept|content|type|length|host|cookie|` +
		`text|html?|json|ya?ml|toml|xml|csv|tsv|ini|plain|image|jpe?g|png|gif|svg|pdf|zip|tar|tgz|gzip|utf|ascii|latin|` +
		`http|https|ftp|ssh|file|mailto|www|com|org|net|local|localhost|example|test|invalid|debug|info|warn(ing)?|error|` +
		`fatal|critical|notice|true|false|null|none|nil|yes|not?|off|auto|default|all|any|and|the|for|with|from|into|` +
		`(mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun|january|february|march|april|may|june|july|` +
		`august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|(milli|micro|nano)?` +
		`seconds?|minutes?|hours?|days?|weeks?|months?|years?|utc|gmt|eur|usd|gbp|chf|red|green|blue|black|white|yellow|` +
		`gr[ae]y|bold|italic|select|insert|update|where|table|order|group|join|left|right|create|drop|index|div|span|` +
		`script|style|title|body|href|src|img|class|int|integer|float|double|number|string|bool|boolean|list|dict|array|` +
		`object|date|time|datetime|admin|root|user|guest|owner|name|email|mail|key|value|start|end|stop|open|closed?|up|` +
		`down|north|south|east|west|linux|darwin|windows|mac(os)?|amd|arm|arch|kib|mib|gib|bytes?|min|max|sum|avg|count|` +
		`add|sub|mul|div|new|old|set|low|medium|high|asc|desc|ok|fail(ed)?|pass(ed)?|done|pending|active)$`)
)

const (
	mostNames    = 40  // that are tried of one check
	mostRenames  = 20  // runs in which that is done
	mostRenamed  = 400 // lines that are changed
	mostPrograms = 400 // files whose words are looked at
	partLength   = 4   // of a name that is renamed as a part of words
	longRenames  = 20 * time.Second
	vowels       = "aeiou"
	consonants   = "bcdfghklmnprstvw"
)

// renameLesson is what the changed lines of a check's tests are kept under.
func renameLesson(c checks.Script) string { return "names of " + c.Name }

// wordsOf gives the words of a text in lower case.
func wordsOf(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range aWord.FindAllString(text, -1) {
		out[strings.ToLower(w)] = true
	}
	return out
}

// prose is a text without what it shows of programs and their output: what is indented or fenced.
func prose(text string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
		case !fenced && !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "\t"):
			b.WriteString(line)
		}
	}
	return b.String()
}

// splitQuotes gives what stands in the quotes of a line, and what stands outside of them.
func splitQuotes(line string, typed bool) (inside, outside string) {
	var in, out strings.Builder
	var quote rune
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			escaped = false
			in.WriteByte(' ')
		case r == '\\':
			escaped = true
			in.WriteByte(' ')
		case quote == 0 && (r == '"' || r == '`' || r == '\'' && !typed):
			quote = r
			out.WriteByte(' ')
		case quote != 0 && r == quote:
			quote = 0
			in.WriteByte(' ')
		case quote != 0:
			in.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return in.String(), out.String()
}

// imported is a line of nothing but a text, as those of an import of Go's.
var imported = pattern.New(`^\s*[\w.]*\s*"[^"\s]*"\s*$`)

// namesIn are the words in the texts of tests that stand nowhere else: neither outside of quotes, nor in what they
// load, nor among the words of programs. Those of them that are names have letters alone, no other name as a part, and
// no other ending beside them. They are sorted; all are in lower case.
func namesIn(tests map[string]string, programs map[string]bool) (names []string, own map[string]bool) {
	inside, outside := map[string]bool{}, map[string]bool{}
	for file, text := range tests {
		for line := range strings.Lines(text) {
			switch {
			case comment.MatchString(line):
				continue
			case loads.MatchString(line), path.Ext(file) == ".go" && imported.MatchString(line):
				for w := range wordsOf(line) {
					outside[w] = true
				}
				continue
			}
			in, out := splitQuotes(line, typed.MatchString(file))
			for w := range wordsOf(in) {
				inside[w] = true
			}
			for w := range wordsOf(out) {
				outside[w] = true
			}
		}
	}
	maps.DeleteFunc(inside, func(w string, _ bool) bool { return outside[w] || programs[w] })
	for w := range inside {
		part := func(n string) bool {
			return len(n) >= partLength && n != w && strings.Contains(w, n) && isName.MatchString(n)
		}
		other := func(n string) bool { return part(n) || n != w && inflects(w, n) }
		if isName.MatchString(w) && !known.MatchString(w) &&
			!slices.ContainsFunc(slices.Collect(maps.Keys(inside)), other) {
			names = append(names, w)
		}
	}
	slices.Sort(names)
	return names, inside
}

// inflects reports whether two words may be one with two endings, as torch and torches are: tests that have both ask for a
// rule of a language, and a rule that is right may say nothing of letters that no word has.
func inflects(a, b string) bool {
	if !isName.MatchString(a) || !isName.MatchString(b) {
		return false
	}
	least := max(3, min(len(a), len(b))-2)
	return len(a) >= least && len(b) >= least && a[:least] == b[:least]
}

// otherName gives a name other letters behind its first, vowels for vowels: the second one, and one of those between
// it and the last.
func otherName(draw *rand.Rand, name string) string {
	out := []byte(name)
	at := []int{1}
	if len(name) > 4 {
		at = append(at, 2+draw.IntN(len(name)-3))
	}
	for _, i := range at {
		letters := consonants
		if strings.IndexByte(vowels, out[i]) >= 0 {
			letters = vowels
		}
		for out[i] == name[i] {
			out[i] = letters[draw.IntN(len(letters))]
		}
	}
	return string(out)
}

// renamed gives a line with other names, by the names in lower case: in words of the tests alone, of which names are
// parts, too. Letters that were large stay so.
func renamed(line string, names map[string]string, own map[string]bool) string {
	return written.ReplaceAllStringFunc(line, func(w string) string {
		low := strings.ToLower(w)
		to, is := names[low]
		if !is && own[low] {
			to = low
			for _, n := range slices.SortedFunc(maps.Keys(names), longer) {
				if len(n) >= partLength && strings.Contains(low, n) {
					to, is = strings.ReplaceAll(low, n, names[n]), true
					break
				}
			}
		}
		if !is {
			return w
		}
		out := []byte(to)
		for i := range out {
			if 'A' <= w[i] && w[i] <= 'Z' {
				out[i] -= 'a' - 'A'
			}
		}
		return string(out)
	})
}

// longer sorts longer names before others.
func longer(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }

// renames are the lines of tests in which names stand, with others in their place.
func renames(tests, names map[string]string, own map[string]bool) (list []lessons.Demand) {
	for _, file := range slices.Sorted(maps.Keys(tests)) {
		for i, line := range strings.Split(tests[file], "\n") {
			if to := renamed(line, names, own); to != line {
				list = append(list, lessons.Demand{File: file, Line: i + 1, Old: line, New: to})
			}
		}
	}
	return list
}

// ranRenamed runs a check with other names in its tests; nil: the lines are not there.
func ranRenamed(ctx context.Context, p witness.Place, c checks.Script, list []lessons.Demand) (*sandbox.Result, error) {
	return witness.Same(p, fmt.Sprintf("names of %s: %+v", c.Name, list), func() (res *sandbox.Result, err error) {
		err = p.In(ctx, "", func(sb sandbox.Sandbox) error {
			for _, d := range list {
				if there, err := demand(ctx, sb, d); err != nil || !there {
					return err
				}
			}
			c.Text = p.Asked(c.Text)
			cmd := c.Command(p.ScriptEnv(c.Text))
			cmd.Script = p.Draw.Into(p.Who, c.Text)
			raw, err := sb.Exec(ctx, cmd)
			res = &raw
			return err
		})
		return res, err
	})
}

// learnRenames finds names in the tests that nobody may change which may be others, with the solution.
func learnRenames(ctx context.Context, p witness.Place, c checks.Script) error {
	if c.Live || p.Tests.Of(demandLesson(c), 0) == nil { // no line of a test decides
		return nil
	}
	tests := map[string]string{}
	err := heldTests(ctx, p, func(file, text string) {
		if isScript.MatchString(file) && !strings.ContainsRune(text, 0) {
			tests[file] = text
		}
	})
	if err != nil || len(tests) == 0 {
		return err
	}
	programs, err := wordsOfPrograms(ctx, p, tests)
	if err != nil || programs == nil {
		return err
	}
	for w := range wordsOf(prose(p.Prompt)) { // what a repair may have to know
		programs[w] = true
	}
	draw := p.Draw.Rand(renameLesson(c))
	names, own := namesIn(tests, programs)
	draw.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = names[:min(len(names), mostNames)]
	to := map[string]string{}
	for _, n := range names {
		to[n] = otherName(draw, n)
	}
	t := &renameTries{p: p, c: c, tests: tests, own: own, to: to, left: mostRenames}
	kept, err := t.holding(ctx, names)
	if err != nil || len(kept) == 0 || t.took > longRenames {
		return err
	}
	list := t.lines(kept)
	if len(kept) < len(names) { // found in parts
		res, err := ranRenamed(ctx, p, c, list)
		if err != nil || res == nil || !res.OK() {
			return err
		}
	}
	p.Tests.Set(renameLesson(c), 0, &lessons.Tests{Demands: list})
	return nil
}

// renameTries is the search for names that may be others.
type renameTries struct {
	p     witness.Place
	c     checks.Script
	tests map[string]string
	own   map[string]bool
	to    map[string]string
	left  int
	took  time.Duration
}

func (t *renameTries) lines(names []string) []lessons.Demand {
	to := map[string]string{}
	for _, n := range names {
		to[n] = t.to[n]
	}
	return renames(t.tests, to, t.own)
}

// holding are those of the names with which the check holds: all of them, or those of its halves.
func (t *renameTries) holding(ctx context.Context, names []string) ([]string, error) {
	if len(names) == 0 || t.left == 0 || t.took > longRenames {
		return nil, nil
	}
	list := t.lines(names)
	if len(list) <= mostRenamed {
		t.left--
		res, err := ranRenamed(ctx, t.p, t.c, list)
		if err != nil || res == nil {
			return nil, err
		}
		if t.took += res.Duration; res.OK() {
			return names, nil
		}
	}
	if len(names) == 1 {
		return nil, nil
	}
	first, err := t.holding(ctx, names[:len(names)/2])
	if err != nil {
		return nil, err
	}
	second, err := t.holding(ctx, names[len(names)/2:])
	return slices.Concat(first, second), err
}

// wordsOfPrograms are the words of what is no test in the project, in lower case, those of its documents among them,
// which may say what a program has to know; nil: there is too much of it.
func wordsOfPrograms(ctx context.Context, p witness.Place, tests map[string]string) (map[string]bool, error) {
	words := map[string]bool{}
	var files []string
	for _, f := range p.Final {
		if _, is := tests[f.Path]; is || !f.Mode.IsRegular() || f.Size > mostTestSize || strings.HasPrefix(f.Path, "~/") ||
			alike.Foreign(f.Path) || strings.Contains("/"+f.Path, "/.git/") {
			continue
		}
		files = append(files, f.Path)
	}
	if len(files) > mostPrograms {
		return nil, nil
	}
	err := p.In(ctx, "", func(sb sandbox.Sandbox) error {
		return sb.FS().Pack(ctx, files, func(it sandbox.Item) error {
			if bytes.IndexByte(it.Data, 0) < 0 { // else it was built: of tests, too
				for w := range wordsOf(string(it.Data)) {
					words[w] = true
				}
			}
			return nil
		})
	})
	return words, err
}

// sameRenamed judges a check that held: with other names in its tests, with which it holds with the solution, it
// does with every repair. What fails once is asked twice. Nil: nothing is to be said.
func sameRenamed(ctx context.Context, p witness.Place, c checks.Script) (*trial.Verdict, error) {
	known := p.Tests.Of(renameLesson(c), 0)
	if known == nil || len(known.Demands) == 0 {
		return nil, nil
	}
	failed, err := failsTwice(func() (*sandbox.Result, error) { return ranRenamed(ctx, p, c, known.Demands) })
	if failed == nil || p.Unlearns {
		if failed != nil {
			p.Tests.Set(renameLesson(c), 0, &lessons.Tests{})
		}
		return nil, err
	}
	return notHeld(c, trial.CauseDefeatDevice, failed,
		"the tests pass, and no more where they have other names for what they ask about: the program knows them"), nil
}
