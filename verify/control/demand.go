package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/alike"
	"cookoff/verify/checks"
	"cookoff/verify/lessons"
	"cookoff/verify/testrun"
	"cookoff/verify/tree"
	"cookoff/verify/witness"
)

// Where no test can be planted beside those that are there, as those of jest, of Maven, or of a
// program of the project's own that make starts, what changes the runner or how it compares would not
// be found. What can be done with any test is to demand something else: one line of a test that nobody
// may change is changed, and the check must fail.

var (
	// ownTest are the paths of files that hold tests by the customs of their languages.
	ownTest = pattern.New(`(^|/)(tests?|spec|t|__tests__)/|(^|/)test[_-]?[^/]*$|[._-](test|tests|spec)(\.[^/]*)?$|` +
		`(^|/)Test[A-Z][^/]*\.[a-z]+$|[a-z0-9](Tests?|TestCase|Spec)\.[a-z]+$`)
	// ownCheck are paths of files that hold tests where a task protects them: a program may be called so, too.
	ownCheck = pattern.New(`(^|[/._-])(checks?|selftest|smoke|verify)(\.[^/]*)?$|(^|/)check[_-][^/]*$`)
	// isScript are programs by their names. What else is called like a test may be data of which a
	// repair keeps what it made: it is changed only where the task protects it.
	isScript = pattern.New(`(^|/)[^./]+$|\.(sh|bash|bats|zsh|py|rb|pl|t|php|lua|tcl|awk|js|mjs|cjs|ts|c|h|cc|cpp|cxx|` +
		`hh|hpp|java|kt|rs|go|cs|swift|scala|zig|d|hs|ml|ex|exs|clj|jl|r|R)$`)
	// asks are words of lines in which a test says what it expects.
	asks = pattern.New(
		`(?i)assert|expect|check|should|verify|require|\bwant|equal|==|!=|-eq|-ne|\[ |\btest\b|\bis\b|` +
			`\bok\b|\bcmp\b|\bdiff\b`)
	comment = pattern.New(`^\s*(#|//|--|/\*|\*)`)
	// nearly are words of lines that say how far a value may be from another: a repair may be nearer
	// than the solution is.
	nearly = pattern.New(`(?i)almost|approx|close(To|_to)?\b|isclose|within|delta|tolerance|epsilon|\bplaces\b|timeout`)

	// loads are lines without which a test never comes to the program that it tests: with
	// another one every program fails, also one that would end the test with success.
	loads = pattern.New(`^\s*(import|from|use|using|source|load|cd|pushd|\.)\s|^\s*(export )?[A-Z_]*PATH=|` +
		`\b(require(_once|_relative)?|include(_once)?|import|dofile|load)\s*\(?\s*["'<]|` +
		`\b(sys\.path|__dirname|__dir__|__DIR__|dirname|__FILE__|import\.meta|fileURLToPath|dlopen|loadLibrary|` +
		`importlib)\b`)

	aNumber = pattern.New(`\b[0-9]+\b`)

	// typed are files in whose language a single quote is around one character, and begins
	// other things as well, and a number behind a dot is a field.
	typed       = pattern.New(`\.(c|h|cc|cpp|cxx|hh|hpp|java|kt|rs|go|cs|swift|scala|zig)$`)
	typedNumber = pattern.New(`(?:^|[^\w.\])}])([0-9]+)\b`)
)

const (
	mostTestSize = 64 << 10 // bytes of a test
	mostDemands  = 16       // that are tried of one check
	triedDemands = 6        // that make the check fail, after which no further one is tried
	keptDemands  = 3        // that judging tries
	// fewDemands are tried where planted tests find what changes the runner: what is left is a value
	// that equals anything.
	fewDemands = 4

	longDemands = time.Minute // after which no further one is tried
	// slowDemands is after how long those are enough that judging tries.
	slowDemands = 5 * time.Second
)

// others give a line that expects something else, or the line itself. What they make of a line
// of a language with types is one that its compiler takes.
var others = []func(line string, typed bool) string{
	func(l string, _ bool) string {
		for _, p := range [][2]string{{" == ", " != "}, {" != ", " == "}, {" -eq ", " -ne "}, {" = ", " != "}} {
			if strings.Contains(l, p[0]) && (p[0] != " = " || strings.Contains(l, "[ ") ||
				strings.Contains(l, "test ")) {
				return strings.Replace(l, p[0], p[1], 1)
			}
		}
		return l
	},
	func(l string, typed bool) string {
		re := aNumber
		if typed {
			re = typedNumber
		}
		return changeLast(re, l, func(s string) string {
			at := strings.IndexAny(s, "0123456789")
			n, err := strconv.Atoi(s[at:])
			if err != nil {
				return s
			}
			return s[:at] + strconv.Itoa(n+1)
		})
	},
	func(l string, typed bool) string {
		at, end := lastText(l, typed)
		switch text := l[at:end]; {
		case text == "":
			return l
		case typed && text == "'z'":
			return l[:at] + "'y'" + l[end:]
		case typed && text[0] == '\'':
			return l[:at] + "'z'" + l[end:]
		}
		return l[:end-1] + "z" + l[end-1:]
	},
	func(l string, typed bool) string {
		if typed {
			return l
		}
		if at := compared.Regexp().FindStringSubmatchIndex(l); at != nil { // diff A B, cmp A B
			return l[:at[2]] + "/dev/null" + l[at[3]:]
		}
		if !saysWanted.MatchString(l) {
			return l
		}
		return changeLast(quoted, l, func(s string) string { return "'z" + s[1:] })
	},
}

var (
	// compared is a command that compares two files, with the first.
	compared = pattern.New(`(?:^|[|;&(!{]|\b(?:if|then|do|while|until|else))\s*(?:diff|cmp)(?:\s+-[\w-]+)*\s+` +
		`("[^"\n]*"|[^\s"'|;&)-][^\s|;&)]*|-)\s+["\w$./<-]`)
	// saysWanted is a line that says what is wanted, and quoted a text in it that stands for itself.
	saysWanted = pattern.New(`\b(want|expect)`)
	quoted     = pattern.New(`'[A-Za-z0-9][^'\n]*'`)
)

// lastText finds the last text in quotes that stands for itself, with its quotes. at == end: a
// line has none.
func lastText(l string, typed bool) (at, end int) {
	for i := 0; i < len(l); i++ {
		q := l[i]
		if q == '\\' {
			i++
			continue
		}
		if !strings.ContainsRune("\"'`", rune(q)) {
			continue
		}
		if typed && q == '\'' {
			switch {
			case i+2 < len(l) && l[i+1] != '\\' && l[i+2] == q:
				at, end = i, i+3
				i += 2
			case i+3 < len(l) && l[i+1] == '\\' && l[i+3] == q:
				i += 3
			}
			continue
		}
		to := i + 1
		for ; to < len(l) && l[to] != q; to++ {
			if l[to] == '\\' {
				to++
			}
		}
		if to >= len(l) {
			return at, end
		}
		if q != '`' && (q == '\'' || !strings.Contains(l[i:to], "$")) && !strings.Contains(l[i:to], `\`) {
			at, end = i, to+1
		}
		i = to
	}
	return at, end
}

// changeLast changes the last match in a line.
func changeLast(re *pattern.Pattern, line string, change func(string) string) string {
	all := re.FindAllStringIndex(line, -1)
	if all == nil {
		return line
	}
	at := all[len(all)-1]
	return line[:at[0]] + change(line[at[0]:at[1]]) + line[at[1]:]
}

// sameness are words of lines in which a test expects a value to be the same as another.
var sameness = pattern.New(`(?i)equal|==|!=|\btoBe\(|\b(assert_)?eq\b|-eq|-ne|\bsame\b`)

// demandsIn gives changes of the lines in which a test expects something, or only of those in which it
// expects a value to be the same. The first of each line come first, and those that only a second or
// third change would make after them.
func demandsIn(file, text string, same bool) (out []lessons.Demand) {
	if strings.ContainsRune(text, 0) { // no text, as a test that was compiled
		return nil
	}
	types := typed.MatchString(file)
	ways := others
	if same { // not the contrary, which a value may know as well: another value
		ways = others[1:]
	}
	for _, other := range ways {
		for i, line := range strings.Split(text, "\n") {
			if !asks.MatchString(line) || comment.MatchString(line) || loads.MatchString(line) || nearly.MatchString(line) ||
				same && !sameness.MatchString(line) {
				continue
			}
			if changed := other(line, types); changed != line {
				out = append(out, lessons.Demand{File: file, Line: i + 1, Old: line, New: changed})
			}
		}
	}
	return out
}

// plantable reports whether tests that are planted beside those of a check's commands do what they must:
// what changes its runner, or how it compares, is found by them.
func plantable(p witness.Place, c checks.Script) bool {
	for i := range testrun.Commands(c.Text) {
		if k := p.Tests.Of(c.Name, i); k != nil && k.Works {
			return true
		}
	}
	return false
}

// demandLesson is what the demands of a check are kept under.
func demandLesson(c checks.Script) string { return "demands " + c.Name }

// answer is how a check ended with a line of a test changed.
type answer struct {
	res    sandbox.Result
	ran    bool // the line was there
	stayed bool // it is so still: the check did not make the file anew
}

// demanded runs a check with a line of a test changed.
func demanded(ctx context.Context, p witness.Place, c checks.Script, d lessons.Demand) (answer, error) {
	return witness.Same(p, fmt.Sprintf("demand of %s: %+v", c.Name, d), func() (answer, error) {
		return runDemanded(ctx, p, c, d)
	})
}

func runDemanded(ctx context.Context, p witness.Place, c checks.Script, d lessons.Demand) (a answer, err error) {
	err = p.In(ctx, "", func(sb sandbox.Sandbox) error {
		if a.ran, err = demand(ctx, sb, d); !a.ran || err != nil {
			return err
		}
		c.Text = p.Asked(c.Text)
		cmd := c.Command(p.ScriptEnv(c.Text))
		cmd.Script = p.Draw.Into(p.Who, c.Text)
		if a.res, err = sb.Exec(ctx, cmd); err != nil {
			return err
		}
		lines, err := linesOf(ctx, sb, d.File)
		a.stayed = len(lines) >= d.Line && lines[d.Line-1] == d.New
		if fault := (*sandbox.FileError)(nil); errors.As(err, &fault) {
			return nil // it is gone
		}
		return err
	})
	return a, err
}

// demand changes the line of a test; false: it is not there. Errors are the sandbox's.
func demand(ctx context.Context, sb sandbox.Sandbox, d lessons.Demand) (bool, error) {
	lines, err := linesOf(ctx, sb, d.File)
	if err != nil || len(lines) < d.Line || lines[d.Line-1] != d.Old {
		return false, err
	}
	lines[d.Line-1] = d.New
	return true, sandbox.Overwrite(ctx, sb, d.File, []byte(strings.Join(lines, "\n")))
}

func linesOf(ctx context.Context, sb sandbox.Sandbox, file string) ([]string, error) {
	text, err := sb.FS().Read(ctx, file, 0, mostTestSize)
	return strings.Split(string(text.Data), "\n"), err
}

// learnDemands finds changes of tests that nobody may change which make a check fail with the solution.
func learnDemands(ctx context.Context, p witness.Place, c checks.Script) error {
	if c.Live {
		return nil
	}
	most, enough := mostDemands, triedDemands
	strong := plantable(p, c)
	if strong {
		most, enough = fewDemands, fewDemands/2
	}
	list, err := allDemands(ctx, p, strong)
	if err != nil {
		return err
	}
	draw := p.Draw.Rand(demandLesson(c))
	list = spread(draw, list)
	var kept []lessons.Demand
	var shown []string // what the check printed with each
	var took time.Duration
	made := map[string]bool{} // by the check, of others: what is built
	for _, d := range list {
		if made[d.File] {
			continue
		}
		a, err := demanded(ctx, p, c, d)
		if err != nil {
			return err
		}
		made[d.File] = !a.stayed
		if a.stayed && !a.res.OK() && a.res.Reason == "" {
			kept, shown = append(kept, d), append(shown, string(a.res.Stdout))
		}
		most--
		took += a.res.Duration
		if most == 0 || len(kept) == enough || took > slowDemands && len(kept) >= keptDemands || took > longDemands {
			break
		}
	}
	if kept == nil {
		return nil
	}
	same := kept[0]
	same.New = same.Old
	good, err := demanded(ctx, p, c, same)
	if err != nil {
		return err
	}
	if good.ran {
		p.Exits(c.Name, good.res.OK())
	}
	if strong {
		kept = farthest(kept, shown, string(good.res.Stdout))
	} else {
		kept = farthestOfEach(kept, shown, string(good.res.Stdout))
	}
	if strong || took > slowDemands {
		kept = kept[:min(len(kept), keptDemands)]
	}
	p.Tests.Set(demandLesson(c), 0, &lessons.Tests{Demands: kept})
	return nil
}

// allDemands gives the changes of all tests that nobody may change.
func allDemands(ctx context.Context, p witness.Place, same bool) (list []lessons.Demand, err error) {
	err = heldTests(ctx, p, func(file, text string) { list = append(list, demandsIn(file, text, same)...) })
	return list, err
}

// heldTests reads the tests of the project that nobody may change.
func heldTests(ctx context.Context, p witness.Place, each func(file, text string)) error {
	return p.In(ctx, "", func(sb sandbox.Sandbox) error {
		for _, f := range p.Final {
			if !f.Mode.IsRegular() || f.Size > mostTestSize || strings.HasPrefix(f.Path, "~/") ||
				alike.Foreign(f.Path) || p.Fixed == nil || !p.Fixed(f.Path) {
				continue
			}
			protected, called := tree.Matches(p.Protect, f.Path), ownTest.MatchString(f.Path)
			if !called && !(protected && ownCheck.MatchString(f.Path)) || !protected && !isScript.MatchString(f.Path) {
				continue
			}
			text, err := sb.FS().Read(ctx, f.Path, 0, mostTestSize)
			if err != nil {
				return err
			}
			each(f.Path, string(text.Data))
		}
		return nil
	})
}

// farthest leaves out demands with which a check printed little of what it prints when it holds,
// where it printed more with others: its tests can't be compiled or loaded with them, and no
// program that they test ever ran.
func farthest(list []lessons.Demand, shown []string, good string) (out []lessons.Demand) {
	shared := make([]int, len(list))
	for i, s := range shown {
		lines := strings.Split(s, "\n")
		for line := range strings.Lines(good) {
			if line = strings.TrimSpace(line); line != "" && slices.Contains(lines, line) {
				shared[i]++
			}
		}
	}
	most := slices.Max(shared)
	for i, d := range list {
		if shared[i]*2 > most || most == 0 {
			out = append(out, d)
		}
	}
	return out
}

// failsOnDemand judges a check that held: where it fails with the solution once a test demands
// something else, it must fail for one such demand at least, and for each that nobody can meet who meets
// what stands there, where no test can be planted. Nil: nothing is known, or it does not run.
func failsOnDemand(ctx context.Context, p witness.Place, c checks.Script) (*trial.Verdict, error) {
	known := p.Tests.Of(demandLesson(c), 0)
	if known == nil || len(known.Demands) == 0 {
		return nil, nil
	}
	v := &trial.Verdict{Check: c.Name + " control", Kind: trial.KindControl, Status: trial.Held}
	each, failed := !plantable(p, c), false
	var held *lessons.Demand
	var took time.Duration
	for _, at := range p.Draw.Rand(demandLesson(c)).Perm(len(known.Demands)) {
		d := known.Demands[at]
		if failed && (!each || took > slowDemands || !contrary(d)) {
			continue
		}
		a, err := demanded(ctx, p, c, d)
		if err != nil || !a.ran {
			return nil, err
		}
		took += a.res.Duration
		if !a.res.OK() {
			failed = true
			if held == nil {
				v.Evidence, v.Detail = witness.Evidence(c.Text, a.res), "it fails with "+describe(d)
			}
			continue
		}
		if held == nil || each && contrary(d) {
			held, v.Evidence = &d, witness.Evidence(c.Text, a.res)
		}
		if each && contrary(d) {
			failed = false
			break
		}
	}
	if failed {
		return v, nil
	}
	if p.Unlearns {
		p.Tests.Set(demandLesson(c), 0, &lessons.Tests{})
		return nil, nil
	}
	v.Status, v.Detail = trial.NotHeld, "it succeeds with "+describe(*held)
	return v, nil
}

func describe(d lessons.Demand) string {
	return "a test that must fail, " + where(d)
}

func where(d lessons.Demand) string {
	return fmt.Sprintf("line %d of %s: %s", d.Line, d.File, strings.TrimSpace(d.New))
}
