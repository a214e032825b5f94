package control

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"cookoff/internal/pattern"
	"cookoff/verify/checks"
	"cookoff/verify/lessons"
	"cookoff/verify/testrun"
	"cookoff/verify/witness"
)

// Where a task has no solution, the tests that pass at its start show which demands decide: with
// another value in a line, one of them must fail that passed.

// otherThan are words of lines in which a test expects a value not to be another: both may hold.
var otherThan = pattern.New(`!=|\b[nN]ot(\b|[A-Z_])|_not?_|Not(Eq|In|Contain)|_ne\b|-ne\b|(?i:unequal|differ)|` +
	`[^=-]>|<|\bor\b|\|\|`)

// other reports whether a demand is that a value is not another. Go's tests ask for the contrary of what
// they expect.
func other(d lessons.Demand) bool {
	if path.Ext(d.File) == ".go" {
		return !strings.Contains(d.Old, "!=") || strings.Contains(d.Old, "==")
	}
	return otherThan.MatchString(d.Old)
}

// keptAtStart is how many of these demands are kept.
const keptAtStart = 2

// LearnAtStart finds, on the staged state of a task that has no solution, changes of tests that nobody may
// change which make a test fail that passes there.
func LearnAtStart(ctx context.Context, p witness.Place, list []checks.Script) error {
	for _, c := range list {
		if c.Live || len(testrun.Commands(c.Text)) != 1 {
			continue
		}
		list, err := allDemands(ctx, p, true)
		if err != nil {
			return err
		}
		draw := p.Draw.Rand(demandLesson(c))
		draw.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		wanted, tables, err := dataDemands(ctx, p)
		if err != nil {
			return err
		}
		for _, of := range []struct {
			lesson string
			list   []lessons.Demand
		}{{demandLesson(c), slices.DeleteFunc(list, other)}, {wantedLesson(c), wanted}, {tableLesson(c), tables}} {
			kept, err := decidingAtStart(ctx, p, c, of.list)
			if err != nil {
				return err
			}
			if kept != nil {
				p.Tests.Set(of.lesson, 0, &lessons.Tests{Demands: kept})
			}
		}
	}
	return nil
}

// decidingAtStart are those of some changes that decide about a test that passes at the start.
func decidingAtStart(ctx context.Context, p witness.Place, c checks.Script, list []lessons.Demand) (
	kept []lessons.Demand, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	draw := p.Draw.Rand(demandLesson(c))
	plain, err := runTests(ctx, p, c, 0, &planting{rand: draw})
	if err != nil || plain == nil || len(plain.results.PassedNames()) == 0 {
		return nil, err
	}
	took, tried := plain.raw.Duration, 0
	for _, d := range list {
		if tried++; tried > mostAtStart || len(kept) == keptAtStart || took > longAtStart {
			break
		}
		with, err := runTests(ctx, p, c, 0, &planting{rand: draw, demand: &d})
		if err != nil {
			return nil, err
		}
		if with == nil {
			continue
		}
		took += with.raw.Duration
		if oneFails(plain.results.PassedNames(), with.results.RanNames(), with.results.PassedNames()) {
			kept = append(kept, d)
		}
	}
	return kept, nil
}

// Bounds of what is tried at the start: how many demands, and how long.
const (
	mostAtStart = 16
	longAtStart = 20 * time.Second
)

// oneFails reports whether a test fails that passed, and all that passed have run: no more than what the line
// decides is otherwise.
func oneFails(passed, ran, passes map[string]bool) bool {
	fails := false
	for name := range passed {
		if !ran[name] {
			return false
		}
		fails = fails || !passes[name]
	}
	return fails
}
