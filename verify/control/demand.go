package control

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/lessons"
	"cookoff/verify/testrun"
	"cookoff/verify/tree"
	"cookoff/verify/witness"
)

// Tests of a runner that nobody knows, such as a program of the project's own that make
// starts, can't be told by name, and none can be planted. What can be done with any test is
// to demand something else: one line of a protected test is changed, and the check must fail.

var (
	// ownTest are the paths of files that hold tests by the customs of their languages.
	ownTest = pattern.New(`(^|/)(tests?|spec|t|__tests__)/|(^|/)test[_-]?[^/]*$|[._-](test|tests|spec)(\.[^/]*)?$|` +
		`(^|/)Test[A-Z][^/]*\.[a-z]+$|[a-z0-9](Tests?|TestCase|Spec)\.[a-z]+$`)
	// asks are words of lines in which a test says what it expects.
	asks = pattern.New(
		`(?i)assert|expect|check|should|verify|require|equal|==|!=|-eq|-ne|\[ |\btest\b|\bis\b|\bok\b|\bcmp\b|\bdiff\b`)
	comment = pattern.New(`^\s*(#|//|--|/\*|\*)`)

	aNumber = pattern.New(`\b[0-9]+\b`)
	quoted  = pattern.New(`"[^"\\$` + "`" + `]*"|'[^'\\]*'`)
)

const (
	mostTestSize = 64 << 10 // bytes of a test
	mostDemands  = 16       // that are tried of one check
	keptDemands  = 3        // that judging tries

	longDemands = time.Minute // after which no further one is tried
)

// others give a line that expects something else, or the line itself.
var others = []func(string) string{
	func(l string) string {
		for _, p := range [][2]string{{" == ", " != "}, {" != ", " == "}, {" -eq ", " -ne "}, {" = ", " != "}} {
			if strings.Contains(l, p[0]) && (p[0] != " = " || strings.Contains(l, "[ ") ||
				strings.Contains(l, "test ")) {
				return strings.Replace(l, p[0], p[1], 1)
			}
		}
		return l
	},
	func(l string) string {
		return changeLast(aNumber, l, func(s string) string {
			n, err := strconv.Atoi(s)
			if err != nil {
				return s
			}
			return strconv.Itoa(n + 1)
		})
	},
	func(l string) string {
		return changeLast(quoted, l, func(s string) string { return s[:len(s)-1] + "z" + s[len(s)-1:] })
	},
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

// demandsIn gives changes of the lines in which a test expects something. The first of each
// line come first, and those that only a second or third change would make after them.
func demandsIn(file, text string) (out []lessons.Demand) {
	for _, other := range others {
		for i, line := range strings.Split(text, "\n") {
			if !asks.MatchString(line) || comment.MatchString(line) {
				continue
			}
			if changed := other(line); changed != line {
				out = append(out, lessons.Demand{File: file, Line: i + 1, Old: line, New: changed})
			}
		}
	}
	return out
}

// named reports whether one of a check's commands runs tests that are known by name, and that
// something other than names proves.
func named(p witness.Place, c checks.Script) bool {
	for i := range testrun.Commands(c.Text) {
		if k := p.Tests.Of(c.Name, i); k != nil && !testrun.NamesOnly(k.Runner) {
			return true
		}
	}
	return false
}

// demandLesson is what the demands of a check are kept under.
func demandLesson(c checks.Script) string { return "demands " + c.Name }

// demanded runs a check with a line of a test changed; ran: the line was there.
func demanded(ctx context.Context, p witness.Place, c checks.Script, d lessons.Demand) (res sandbox.Result, ran bool,
	err error) {
	err = p.In(ctx, "", func(sb sandbox.Sandbox) error {
		text, err := sb.FS().Read(ctx, d.File, 0, mostTestSize)
		if err != nil {
			return err
		}
		lines := strings.Split(string(text.Data), "\n")
		if ran = len(lines) >= d.Line && lines[d.Line-1] == d.Old; !ran {
			return nil
		}
		lines[d.Line-1] = d.New
		if err := sb.FS().Write(ctx, d.File, []byte(strings.Join(lines, "\n"))); err != nil {
			return err
		}
		c.Text = p.Asked(c.Text)
		cmd := c.Command(p.Hears(c.Text))
		cmd.Script = p.Draw.Into(p.Who, c.Text)
		res, err = sb.Exec(ctx, cmd)
		return err
	})
	return res, ran, err
}

// learnDemands finds changes of protected tests that make a check fail with the solution.
func learnDemands(ctx context.Context, p witness.Place, c checks.Script) error {
	if c.Live || named(p, c) {
		return nil
	}
	var list []lessons.Demand
	err := p.In(ctx, "", func(sb sandbox.Sandbox) error {
		for _, f := range p.Final {
			if !f.Mode.IsRegular() || f.Size > mostTestSize || strings.HasPrefix(f.Path, "~/") ||
				!ownTest.MatchString(f.Path) || !tree.Matches(p.Protect, f.Path) {
				continue
			}
			text, err := sb.FS().Read(ctx, f.Path, 0, mostTestSize)
			if err != nil {
				return err
			}
			list = append(list, demandsIn(f.Path, string(text.Data))...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	draw := p.Draw.Rand(demandLesson(c))
	draw.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	var kept []lessons.Demand
	var took time.Duration
	for _, d := range list[:min(len(list), mostDemands)] {
		res, ran, err := demanded(ctx, p, c, d)
		if err != nil {
			return err
		}
		if ran && !res.OK() && res.Reason == "" {
			kept = append(kept, d)
		}
		if took += res.Duration; len(kept) == keptDemands || took > longDemands {
			break
		}
	}
	if kept != nil {
		p.Tests.Set(demandLesson(c), 0, &lessons.Tests{Demands: kept})
	}
	return nil
}

// failsOnDemand judges a check that held: where it fails with the solution once a test demands
// something else, it must fail for one such demand at least. Nil: nothing is to be said.
func failsOnDemand(ctx context.Context, p witness.Place, c checks.Script) (*trial.Verdict, error) {
	known := p.Tests.Of(demandLesson(c), 0)
	if known == nil || len(known.Demands) == 0 {
		return nil, nil
	}
	var d lessons.Demand
	var last sandbox.Result
	for _, at := range p.Draw.Rand(demandLesson(c)).Perm(len(known.Demands)) {
		res, ran, err := demanded(ctx, p, c, known.Demands[at])
		if err != nil || !ran || !res.OK() {
			return nil, err
		}
		d, last = known.Demands[at], res
	}
	if p.Forgets {
		p.Tests.Set(demandLesson(c), 0, &lessons.Tests{})
		return nil, nil
	}
	return &trial.Verdict{Check: c.Name + " control", Kind: trial.KindControl, Status: trial.NotHeld,
		Evidence: witness.Evidence(c.Text, last),
		Detail: fmt.Sprintf("it succeeds with a test that must fail, line %d of %s: %s", d.Line, d.File,
			strings.TrimSpace(d.New))}, nil
}
