package runner_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"cookoff/internal/daily"
	"cookoff/runner/resolve"
	"cookoff/verify"
)

// benchDays is in how many days CI has tried every task of the bench.
const benchDays = 17

// TestBenchIsAdmitted proves tasks of builtin:bench: broken as drawn, mended by each
// of their solutions, and by none of their shortcuts. In CI a part of them plays,
// another each day (COOKOFF_DAY): all in seventeen days, with the next seed in the next
// seventeen, twenty seeds in a year. COOKOFF_BENCH=N tries all with the seeds 1 to N, at once,
// COOKOFF_BENCH_TASKS those whose title matches.
func TestBenchIsAdmitted(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: some ten worlds a task")
	}
	w := newWorld(t)
	r := builtin(t, "bench")
	day := daily.Day()
	seeds, all := []int64{seedOf(day)}, os.Getenv("COOKOFF_BENCH") != ""
	if all {
		seeds = nil
		n, err := strconv.ParseInt(os.Getenv("COOKOFF_BENCH"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			seeds = append(seeds, 1+i)
		}
	}
	only := regexp.MustCompile(os.Getenv("COOKOFF_BENCH_TASKS"))
	for _, seed := range seeds {
		drawn := *r
		drawn.Comparison.Seed = seed
		for _, task := range drawn.Drawn().Tasks {
			if !only.MatchString(task.Title) || !all && !today(task.Title, day) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", slug(task.Title), seed), func(t *testing.T) {
				t.Parallel()
				for _, tool := range task.Needs {
					w.needs(t, task, tool)
				}
				admit(t, w, &drawn, task, shortcutsOf(task.Shortcuts))
			})
		}
	}
}

// seedOf is the seed of a day, 1 to 20.
func seedOf(day int64) int64 { return 1 + day/benchDays%20 }

// TestBenchHasTwentySeedsInAYear holds how the days of CI share them.
func TestBenchHasTwentySeedsInAYear(t *testing.T) {
	for _, task := range builtin(t, "bench").Tasks {
		seeds := map[int64]bool{}
		for day := int64(1); day <= 365; day++ {
			if today(task.Title, day) {
				seeds[seedOf(day)] = true
			}
		}
		if len(seeds) != 20 {
			t.Errorf("%s: CI tries %d seeds in a year, want 20", task.Title, len(seeds))
		}
	}
}

// today chooses the tasks of a day.
func today(title string, day int64) bool { return daily.Turn(title, benchDays, day) }

func shortcutsOf(scripts []string) (out []verify.Shortcut) {
	for i, s := range scripts {
		out = append(out, verify.Shortcut{ID: strconv.Itoa(i + 1), Command: s, Why: resolve.ShortcutWhy(s), Runs: true})
	}
	return out
}

// TestBenchTasksSayWhatTheyAre holds what every task of the bench has: a kind and a
// level, a solution, and a shortcut with its reason.
func TestBenchTasksSayWhatTheyAre(t *testing.T) {
	for _, task := range builtin(t, "bench").Tasks {
		tags := " " + strings.Join(task.Tags, " ") + " "
		if strings.Count(tags, " kind:") != 1 || !regexp.MustCompile(` level:(easy|medium|hard) `).MatchString(tags) {
			t.Errorf("%s: tags are %s, want one kind: and one level:", task.Title, tags)
		}
		if task.Solution == "" || task.Setup == "" || task.Before == "" || task.After == nil {
			t.Errorf("%s: no solution, setup, before or after", task.Title)
		}
		for i, s := range task.Shortcuts {
			if resolve.ShortcutWhy(s) == "" {
				t.Errorf("%s: shortcut %d does not begin with a comment that says why it is wrong", task.Title, i+1)
			}
		}
	}
}
