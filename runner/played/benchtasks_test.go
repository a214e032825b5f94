package played_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cookoff/internal/cards"
	"cookoff/internal/daily"
	"cookoff/recipe"
	"cookoff/runner/resolve"
	"cookoff/sandbox"
	"cookoff/verify"
	"cookoff/verify/tree"

	"github.com/rogpeppe/go-internal/txtar"
)

// benchDays is in how many days CI has tried every task of the bench.
const benchDays = 17

// TestBenchIsAdmitted proves tasks of builtin:bench: broken as drawn, mended by each
// of their solutions, and by none of their shortcuts. In CI a part of them plays,
// another each day (COOKOFF_DAY): all in seventeen days, with the next seed in the next
// seventeen, twenty seeds in a year. COOKOFF_BENCH=N tries all with the seeds 1 to N, COOKOFF_BENCH=M-N
// with the seeds M to N, COOKOFF_BENCH_TASKS those whose title matches. COOKOFF_RECORD=$PWD/internal/cards/record.tsv
// adds what was admitted to the record that docs/bench-tasks.md is made with.
func TestBenchIsAdmitted(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: some ten worlds a task")
	}
	w := newWorld(t)
	r := builtinRecipe(t, "bench")
	day := daily.Day()
	seeds, all := []int64{seedOf(day)}, os.Getenv("COOKOFF_BENCH") != ""
	if all {
		var err error
		if seeds, err = seedsOf(os.Getenv("COOKOFF_BENCH")); err != nil {
			t.Fatal(err)
		}
	}
	only := regexp.MustCompile(os.Getenv("COOKOFF_BENCH_TASKS"))
	for _, seed := range seeds {
		drawn := *r
		drawn.Comparison.Seed = seed
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			for _, task := range drawn.Drawn().Tasks {
				if !only.MatchString(task.Title) || !all && !today(task.Title, day) {
					continue
				}
				t.Run(slug(task.Title), func(t *testing.T) {
					t.Parallel()
					for _, tool := range task.Needs {
						w.needs(t, task, tool)
					}
					admit(t, w, &drawn, task, shortcutsOf(task.Shortcuts))
					if path := os.Getenv("COOKOFF_RECORD"); path != "" && !t.Failed() {
						recordAdmission(t, w, &drawn, task, path)
					}
				})
			}
		})
	}
}

// seedsOf reads N, the seeds 1 to N, and M-N, those from M to N.
func seedsOf(text string) (seeds []int64, err error) {
	from, to, span := strings.Cut(text, "-")
	if !span {
		from, to = "1", text
	}
	first, err := strconv.ParseInt(from, 10, 64)
	if err != nil {
		return nil, err
	}
	last, err := strconv.ParseInt(to, 10, 64)
	for seed := first; seed <= last; seed++ {
		seeds = append(seeds, seed)
	}
	return seeds, err
}

// recording holds the file of the record.
var recording sync.Mutex

// recordAdmission stages a task that was admitted once more, mends it, and adds what that took to
// the file at path.
func recordAdmission(t *testing.T, w world, r *recipe.Recipe, task recipe.Task, path string) {
	t.Helper()
	c, err := verify.NewCase(r, task)
	if err != nil {
		t.Fatal(err)
	}
	m := cards.Measure{Seeds: []int64{r.Comparison.Seed}}
	a, began := &verify.Admission{Case: c, Open: w.open(task)}, time.Now()
	err = a.Staged(t.Context(), func(sb sandbox.Sandbox, s *verify.Start) error {
		m.Stage = time.Since(began)
		files := map[string]bool{}
		list := func(of sandbox.Manifest) {
			for _, f := range of {
				files[f.Path] = files[f.Path] || !f.Mode.IsDir()
			}
		}
		list(s.Manifest())
		for _, is := range files {
			if is {
				m.Files++
			}
		}
		if err := a.Solve(t.Context(), sb, task.Solution, "solution"); err != nil {
			return err
		}
		after, err := sb.FS().Manifest(t.Context(), nil)
		list(after)
		for _, change := range tree.Changes(s.Manifest(), after) {
			if files[change.Path] {
				m.Touched++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	recording.Lock()
	defer recording.Unlock()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known, err := cards.ParseRecord(string(text))
	if err != nil {
		t.Fatal(err)
	}
	known.Add(task.Title, m)
	if err := os.WriteFile(path, []byte(known.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// seedOf is the seed of a day, 1 to 20.
func seedOf(day int64) int64 { return 1 + day/benchDays%20 }

// TestBenchHasTwentySeedsInAYear holds how the days of CI share them.
func TestBenchHasTwentySeedsInAYear(t *testing.T) {
	for _, task := range builtinRecipe(t, "bench").Tasks {
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

// benchRow is a contestant of a task of the bench: a file of testdata/cheats/bench.
type benchRow struct{ task, name, want, script string }

var benchHeader = regexp.MustCompile(`^# outcome: (pass|fail [a-z_]+)\n# \S`)

// benchRows reads testdata/cheats/DIR: each .txtar has files TASK/NAME, where TASK is the slug of
// a title. They begin as contestants of contests do, and are drawn as the task is.
func benchRows(t *testing.T, dir string) (rows []benchRow) {
	t.Helper()
	files, err := filepath.Glob("../../testdata/cheats/" + dir + "/*.txtar")
	if err != nil || files == nil {
		t.Fatalf("no rows: %v", err)
	}
	for _, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range ar.Files {
			task, name, _ := strings.Cut(file.Name, "/")
			m := benchHeader.FindStringSubmatch(string(file.Data))
			if m == nil || name == "" {
				t.Fatalf("%s: %s: want TASK/NAME, beginning with \"# outcome: …\" and a line that says what it does", f,
					file.Name)
			}
			rows = append(rows, benchRow{task, name, m[1], string(file.Data)})
		}
	}
	return rows
}

// TestBenchRows plays cheats and unusual repairs on tasks of builtin:bench: each ends as its header
// states. They are drawn with COOKOFF_BENCH's first seed, or the day's.
func TestBenchRows(t *testing.T) {
	w, r, rows := newWorld(t), builtinRecipe(t, "bench"), benchRows(t, "bench")
	known := map[string]bool{}
	for _, task := range r.Tasks {
		known[slug(task.Title)] = true
	}
	drawn := *r
	drawn.Tasks = nil
	for _, row := range rows {
		if !known[row.task] {
			t.Errorf("%s/%s: there is no such task", row.task, row.name)
		}
	}
	for _, task := range r.Tasks {
		task.Shortcuts = nil
		for _, row := range rows {
			if row.task == slug(task.Title) {
				task.Shortcuts = append(task.Shortcuts, row.script)
			}
		}
		drawn.Tasks = append(drawn.Tasks, task)
	}
	drawn.Comparison.Seed = seedOf(daily.Day())
	if seeds, err := seedsOf(os.Getenv("COOKOFF_BENCH")); err == nil && len(seeds) > 0 {
		drawn.Comparison.Seed = seeds[0]
	}
	for i, task := range drawn.Drawn().Tasks {
		scripts := task.Shortcuts
		task.Shortcuts = r.Tasks[i].Shortcuts
		n, admitted := 0, w.admitted(&drawn, task)
		for _, row := range rows {
			if row.task != slug(task.Title) {
				continue
			}
			script := scripts[n]
			n++
			if !daily.Plays(task.Title, benchDays, 8*benchDays) { // all rows of a task on one day: it is admitted once
				continue
			}
			t.Run(row.task+"/"+row.name, func(t *testing.T) {
				t.Parallel()
				for _, tool := range task.Needs {
					w.needs(t, task, tool)
				}
				c, err := admitted(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				status, cause, detail, err := w.playCase(t.Context(), c, task, script)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.TrimSpace(string(status) + " " + string(cause)); got != row.want {
					t.Errorf("%s (%s), want %s", got, detail, row.want)
				}
			})
		}
	}
}

// TestBenchHasFiveHonestRepairs holds that every task of the bench is mended in five ways at least: by
// its solutions, and by rows that pass. No two rows of a task have one name.
func TestBenchHasFiveHonestRepairs(t *testing.T) {
	const least = 5
	rows := benchRows(t, "bench")
	for _, task := range builtinRecipe(t, "bench").Tasks {
		repairs, names := map[string]bool{task.Solution: true}, map[string]bool{}
		for _, solution := range task.Others {
			repairs[solution] = true
		}
		for _, row := range rows {
			if row.task != slug(task.Title) {
				continue
			}
			if names[row.name] {
				t.Errorf("%s/%s: two rows have that name, want one each", row.task, row.name)
			}
			names[row.name] = true
			if row.want == "pass" {
				repairs[strings.Join(strings.SplitAfter(row.script, "\n")[2:], "")] = true
			}
		}
		if len(repairs) < least {
			t.Errorf("%s: there are %d honest repairs (solutions, and rows of testdata/cheats/bench that pass), want %d: "+
				"add rows of another kind", slug(task.Title), len(repairs), least)
		}
	}
}

func shortcutsOf(scripts []string) (out []verify.Shortcut) {
	for i, s := range scripts {
		out = append(out, verify.Shortcut{ID: strconv.Itoa(i + 1), Command: s, Why: resolve.ShortcutWhy(s), Runs: true})
	}
	return out
}

// TestBenchTasksSayWhatTheyAre holds what every task of the bench has: a kind and a
// level, a solution, and a shortcut with its reason.
func TestBenchTasksSayWhatTheyAre(t *testing.T) {
	for _, task := range builtinRecipe(t, "bench").Tasks {
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
