package control

import (
	"context"
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
	"cookoff/verify/tree"
	"cookoff/verify/witness"
)

// Many tests read what they want from files beside them. A program that reads these as well says what they
// say, by whatever name it finds them, also where they say something else: one line of such a file is
// changed, and the check must fail.

var (
	// testData are the paths of files that lie beside tests.
	testData = pattern.New(`(^|/)(tests?|specs?|t|__tests__|test-?data|fixtures?|cases|golden|__snapshots__|snapshots)/`)
	// ofWanted are the names, or parts of names, of files and directories that say what a test wants.
	ofWanted = pattern.New(`(?i)(^|[/._-])(want(ed|s)?|expect(ed|ations?)?|golden|approved|reference|` +
		`snapshots?|__snapshots__|correct|answers?)([/._-]|$)|` +
		`\.(exp|gold|snap|ref|out|output|stdout|ans|res|result|ok|good)$`)
	// unsaid are lines of data in which nothing stands but what others belong to.
	unsaid = pattern.New(`[:{\[(]\s*$|^\s*[\]})]+,?\s*$`)

	lastWord = pattern.New(`[A-Za-z]{2,}`)
	// isWord are words that data has a meaning for.
	isWord = pattern.New(`^(true|false|null|nil|none|yes|no|on|off)$`)
	// another is a file of several that say what is wanted, any of which will do.
	another = pattern.New(`[._-][0-9]$`)
)

const (
	mostWanted  = 8 // that are tried of one check
	keptWanted  = 3 // that judging tries
	longWanted  = 20 * time.Second
	mostChosen  = 400 // files that are looked into
	linesOfFile = 3   // that are tried of one file
)

// The lessons of what a check's tests want: of files that are called so, and of others that lie beside tests.
func wantedLesson(c checks.Script) string { return "wanted " + c.Name }
func tableLesson(c checks.Script) string  { return "tables " + c.Name }

// otherData gives a line of data that says something else, far from what it said, or the line itself.
func otherData(line string) string {
	if unsaid.MatchString(line) {
		return line
	}
	if more := changeLast(aNumber, line, func(s string) string { return "9" + s }); more != line {
		return more
	}
	return changeLast(lastWord, line, func(s string) string {
		switch {
		case s == "true":
			return "false"
		case s == "false":
			return "true"
		case isWord.MatchString(strings.ToLower(s)):
			return s
		}
		return s + "z"
	})
}

// isWanted reports whether a file says what a test wants, by its name.
func isWanted(p string, files sandbox.Manifest) bool {
	if !testData.MatchString(p) || isScript.MatchString(p) && path.Ext(p) != "" || !ofWanted.MatchString(p) {
		return false
	}
	stem := strings.TrimSuffix(p, path.Ext(p))
	return !slices.ContainsFunc(files, func(f sandbox.File) bool { // of which any will do
		other := strings.TrimSuffix(f.Path, path.Ext(f.Path))
		return f.Path != p && path.Ext(f.Path) == path.Ext(p) && (another.MatchString(stem) &&
			another.ReplaceAllString(stem, "") == other || another.MatchString(other) &&
			another.ReplaceAllString(other, "") == stem)
	})
}

// dataDemands gives changes of data that nobody may change: of what tests want, and of protected files that
// lie beside tests. The first of each file come first.
func dataDemands(ctx context.Context, p witness.Place) (wanted, tables []lessons.Demand, err error) {
	rand := p.Draw.Rand("wanted")
	of := map[bool][][]lessons.Demand{}
	err = p.In(ctx, "", func(sb sandbox.Sandbox) error {
		looked := 0
		for _, f := range p.Final {
			is := isWanted(f.Path, p.Final)
			if !f.Mode.IsRegular() || f.Size == 0 || f.Size > mostTestSize || strings.HasPrefix(f.Path, "~/") ||
				alike.Foreign(f.Path) || p.Fixed == nil || !p.Fixed(f.Path) ||
				!is && (!testData.MatchString(f.Path) || isScript.MatchString(f.Path) || !tree.Matches(p.Protect, f.Path)) {
				continue
			}
			if looked++; looked > mostChosen {
				return nil
			}
			text, err := sb.FS().Read(ctx, f.Path, 0, mostTestSize)
			if err != nil {
				return err
			}
			if list := changedData(f.Path, string(text.Data)); list != nil {
				rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				of[is] = append(of[is], list[:min(len(list), linesOfFile)])
			}
		}
		return nil
	})
	for _, list := range [][][]lessons.Demand{of[true], of[false]} {
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return inTurn(of[true]), inTurn(of[false]), err
}

func changedData(file, text string) (list []lessons.Demand) {
	if strings.ContainsRune(text, 0) {
		return nil
	}
	for i, line := range strings.Split(text, "\n") {
		if other := otherData(line); other != line {
			list = append(list, lessons.Demand{File: file, Line: i + 1, Old: line, New: other})
		}
	}
	return list
}

// inTurn has the first of each list first, then the second of each.
func inTurn(lists [][]lessons.Demand) (out []lessons.Demand) {
	for i := range linesOfFile {
		for _, list := range lists {
			if i < len(list) {
				out = append(out, list[i])
			}
		}
	}
	return out
}

// learnWanted finds changes of what tests want with which a check fails, with the solution.
func learnWanted(ctx context.Context, p witness.Place, c checks.Script) error {
	if c.Live {
		return nil
	}
	wanted, tables, err := dataDemands(ctx, p)
	if err != nil {
		return err
	}
	fails := func(d lessons.Demand) (bool, time.Duration, error) {
		a, err := demanded(ctx, p, c, d)
		return a.stayed && !a.res.OK() && a.res.Reason == "", a.res.Duration, err
	}
	if err := keepFailing(p, wantedLesson(c), wanted, fails); err != nil {
		return err
	}
	return keepFailing(p, tableLesson(c), tables, fails)
}

// keepFailing keeps some demands with which a check fails.
func keepFailing(p witness.Place, lesson string, list []lessons.Demand,
	fails func(lessons.Demand) (bool, time.Duration, error)) error {
	var kept []lessons.Demand
	var took time.Duration
	for _, d := range list[:min(len(list), mostWanted)] {
		bad, duration, err := fails(d)
		if err != nil {
			return err
		}
		if bad {
			kept = append(kept, d)
		}
		took += duration
		if len(kept) == keptWanted || took > longWanted || took > slowDemands && kept != nil {
			break
		}
	}
	if kept != nil {
		p.Tests.Set(lesson, 0, &lessons.Tests{Demands: kept})
	}
	return nil
}

// computes judges a check that held: where it fails with the solution once what its tests want is
// something else, it must fail with each such change, and with one at least of those in other data of its tests.
// Nil: nothing is known, or it does not run.
func computes(ctx context.Context, p witness.Place, c checks.Script) (*trial.Verdict, error) {
	v := &trial.Verdict{Check: c.Name + " control", Kind: trial.KindControl, Status: trial.Held}
	asked := false
	for _, each := range []bool{true, false} {
		lesson := tableLesson(c)
		if each {
			lesson = wantedLesson(c)
		}
		known := p.Tests.Of(lesson, 0)
		if known == nil || len(known.Demands) == 0 {
			continue
		}
		failed, held := 0, (*trial.Verdict)(nil)
		for _, d := range known.Demands {
			a, err := demanded(ctx, p, c, d)
			if err != nil || !a.ran {
				return nil, err
			}
			said := trial.Verdict{Check: v.Check, Kind: v.Kind, Status: trial.NotHeld, Evidence: witness.Evidence(c.Text, a.res),
				Detail: "it succeeds though what its tests want is something else, " + where(d)}
			if a.res.OK() {
				held = &said
			} else {
				failed++
				v.Evidence, v.Detail = said.Evidence, "it fails where its tests want something else, "+where(d)
			}
			if each && held != nil || !each && failed > 0 {
				break
			}
		}
		switch {
		case held == nil || !each && failed > 0:
			asked = true
		case p.Unlearns:
			p.Tests.Set(lesson, 0, &lessons.Tests{})
		default:
			return held, nil
		}
	}
	if !asked {
		return nil, nil
	}
	return v, nil
}
