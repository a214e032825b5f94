// Package mine holds the commands that make tasks of a project: of its history, and of
// faults that are planted.
package mine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cookoff/internal/cachedir"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/files"
	"cookoff/internal/history"
	"cookoff/internal/mine"
	"cookoff/internal/mine/candidate"
	"cookoff/internal/mine/commands"
	"cookoff/internal/propose"
	"cookoff/internal/ui/text"
	"cookoff/recipe/problem"
	"cookoff/shell"

	"github.com/spf13/cobra"
)

// Commands are those that make tasks of a project.
func Commands(d *door.Door) []*cobra.Command {
	return []*cobra.Command{mineCommand(d), plantCommand(d)}
}

// flags are the flags of "mine".
type flags struct {
	test, prepare string
	from, since   string
	paths, ranges []string
	dirs, env     []string
	models        []string
	max, commits  int
	maxLines      int
	jobs          int
	timeout       time.Duration
	show, vague   bool
	output        string
	force, again  bool
	json          bool
	describe      string  // a model
	maxCost       cli.USD // USD, for descriptions
	yes           bool    // they are taken unasked
}

func mineCommand(d *door.Door) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "mine",
		Short: "Make tasks of the project's own history",
		Long: `Goes through the history of the repository you stand in, newest first, and writes
a recipe of tasks. A commit that changes tests and code is a candidate: models get
the files of its parent, the tests of the commit judge. A task is admitted where
named tests fail without the fix and pass with it, again and again, and the referee
proves it as before a run. What became of every commit is counted by reason.

What history holds runs in sandboxes only, and nothing that the repository
configures is run at all. An interrupted search goes on where it was: run the same
command again.`,
		Example: `  cookoff mine --max 20
  cookoff mine --test 'go test ./...' --since 2026-01-01
  cookoff mine --test 'python3 -m pytest' --path src --jobs 2
  cookoff mine --max 20 --describe openai/gpt-5-mini --max-total-cost 1
  cookoff run mined.recipe.md --models openai/gpt-5,openai/gpt-5-mini`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			m := &mining{Door: d, flags: f, name: "mine", given: cmd.Flags().Changed}
			return m.run(cmd.Context())
		},
	}
	f.add(cmd)
	return cmd
}

func (f *flags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.test, "test", "", "the `COMMAND` that tests the project (default: as its files propose)")
	fl.StringVar(&f.prepare, "prepare", "",
		"the `COMMAND` that gets what worlds need, "+
			"with a network, once a lockfile (default: as the project's files propose; none: none)")
	fl.IntVar(&f.max, "max", 0, "end with so many tasks (0: any number)")
	fl.IntVar(&f.maxLines, "max-lines", 0, "take no task whose fix adds and removes more than `N` lines (0: any number)")
	fl.IntVar(&f.commits, "commits", 0, "look at the newest `N` commits only (0: all)")
	fl.StringVar(&f.since, "since", "", "look at commits since this `DAY` only, as 2026-03-31")
	fl.StringVar(&f.from, "from", "HEAD", "begin with this `COMMIT`")
	fl.StringSliceVar(&f.ranges, "range", nil,
		"make one task of all that `OLD..NEW` did, "+
			"as a branch that was not merged by a merge commit, and look at nothing else")
	fl.StringSliceVar(&f.paths, "path", nil, "look at commits only that change something below these (`a,b`)")
	fl.IntVar(&f.jobs, "jobs", 1, "try `N` candidates at once")
	fl.DurationVar(&f.timeout, "timeout", 0, "the `TIME` that one run of the tests may take (0: 5m)")
	fl.StringSliceVar(&f.dirs, "tool-dir", nil, "directories of the project that come first on PATH, as .venv/bin (`a,b`)")
	fl.StringArrayVar(&f.env, "env", nil, "`NAME=VALUE` for all that runs; may be given again")
	fl.BoolVar(&f.show, "show-tests", false, "models see the tests that judge them")
	fl.BoolVar(&f.vague, "underspecified", false, "take tasks, too, whose tests ask for names that nothing says")
	fl.StringVar(&f.describe, "describe", "",
		"have `MODEL` write what each task is about, from the commit, its tests and its change; you take it or leave it")
	cli.MaxTotalCost(cmd, &f.maxCost, "with --describe: spend at most these `USD`")
	fl.BoolVarP(&f.yes, "yes", "y", false, "with --describe: take every description unasked")
	fl.StringSliceVar(&f.models, "models", nil,
		"the recipe compares these (`a,b`; default: baseline/noop,baseline/oracle)")
	fl.StringVarP(&f.output, "output", "o", "mined.recipe.md", "write the recipe to this file")
	fl.BoolVar(&f.force, "force", false, "overwrite a file that mine did not write")
	fl.BoolVar(&f.again, "again", false, "find anew what an earlier search found")
	fl.BoolVar(&f.json, "json", false, "print what became of every commit, as JSON")
}

// mining is one "mine".
type mining struct {
	*door.Door
	flags
	name  string // of the command
	given func(flag string) bool
	shown shown
	top   string // of the working tree that the project is in; without one, the project
	below string // the project's directory in that; "": it is the top
}

func (m *mining) run(ctx context.Context) error {
	door.Sweep(m.Door)
	repo, err := m.repository(ctx)
	if err != nil {
		return err
	}
	m.below = strings.TrimSuffix(repo.Prefix, "/")
	o, err := m.options(ctx)
	if err != nil {
		return err
	}
	if err := unlocked(ctx, repo, m.prepare, o); err != nil {
		return err
	}
	free, err := m.alone(o)
	if err != nil {
		return err
	}
	defer free()
	writes, err := m.describer(ctx, o)
	if err != nil {
		return err
	}
	ref, err := m.ready(ctx, o, repo)
	if err != nil {
		return err
	}
	m.Say("mining %s with %s", text.Line(filepath.Base(m.Dir)), text.Line(o.Test))
	if o.Prepare != "" {
		m.Say("each set of lockfiles is prepared once, with a network")
	}
	m.part()
	m.dirty(ctx, repo, "it is mined as committed")
	if m.again {
		if err := os.Remove(o.Record); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cli.Written(err)
		}
	}
	m.shown.start(m.Common, "reading the history")
	res, err := mine.Mine(ctx, *o, ref, m.shown.tell)
	m.shown.finish()
	if err != nil {
		return m.failure(ctx, err)
	}
	if writes != nil && !res.Stopped {
		if err := writes.run(ctx, o, res); err != nil {
			return err
		}
	}
	return m.conclude(ctx, o, res)
}

// part says of a directory of a repository that it is mined alone.
func (m *mining) part() {
	if m.below != "" {
		m.Say("%s of the repository is the project: its files alone are in worlds, and commits that change nothing below it "+
			"are not looked at\n  hint: the whole repository, for what changes there: %s",
			text.Line(m.below), text.Line(m.whole()))
	}
}

// whole is the command that mines the whole repository for what changes in the project.
func (m *mining) whole() string {
	up, err := shell.Quote([]string{"cd", strings.TrimSuffix(strings.Repeat("../", strings.Count(m.below, "/")+1), "/")})
	if err != nil { // it has no character that is quoted
		up = "cd .."
	}
	path, err := shell.Quote([]string{m.below})
	if err != nil { // a name that no shell takes
		path = "DIR"
	}
	return fmt.Sprintf("%s && cookoff %s --path %s", up, m.name, path)
}

// alone has no second search write the same recipe, and files of judges, at once.
func (m *mining) alone(o *mine.Options) (free func(), err error) {
	if o.Record == "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(filepath.Dir(o.Record), 0o700); err != nil {
		return nil, cli.Written(err)
	}
	free, alone, err := files.Hold(filepath.Join(filepath.Dir(o.Record), "lock"))
	if err != nil {
		return nil, cli.Written(err)
	}
	if !alone {
		return nil, cli.Usage("another cookoff mine is at work on %s\n  hint: wait for it, or --output names another recipe",
			m.Rel(m.output))
	}
	return free, nil
}

// repository opens the repository, and refuses what can't be mined.
func (m *mining) repository(ctx context.Context) (*history.Repo, error) {
	repo, err := history.Open(ctx, m.Dir)
	if errors.Is(err, history.ErrNone) {
		return nil, cli.Usage("%s is in no git repository: there is no history to mine\n"+
			"  hint: cookoff plant makes tasks without one", m.Dir)
	}
	if err != nil {
		return nil, m.failure(ctx, err)
	}
	_, err = repo.Commit(ctx, "HEAD")
	if _, missing := errors.AsType[*history.MissingError](err); missing && m.from == "HEAD" {
		return nil, cli.Usage("the repository has no commit yet: there is no history to mine\n" +
			"  hint: cookoff plant makes tasks without one")
	}
	if err := history.Owned(ctx, repo, m.Dir); err != nil {
		return nil, cli.Usage("no task can start with a commit of this history: %w", err)
	}
	if repo.Shallow() {
		m.Say("warning: the clone is shallow: only the commits that are here can be mined\n  hint: git fetch --unshallow")
	}
	return repo, nil
}

// dirty says that what is not committed is not mined.
func (m *mining) dirty(ctx context.Context, repo *history.Repo, what string) {
	if changed, err := repo.WorkTree(m.Dir).Changed(ctx, 1); err == nil && len(changed) > 0 {
		m.uncommitted(changed[0], what)
	}
}

func (m *mining) uncommitted(file, what string) {
	m.Say("the project has changes that are not committed (%s): %s", text.Line(file), what)
}

// options puts together what the flags say.
func (m *mining) options(ctx context.Context) (*mine.Options, error) {
	o := &mine.Options{
		Dir: m.Dir, From: m.from, Ranges: m.ranges, Paths: m.paths,
		Max: m.max, MaxLines: m.maxLines, Commits: m.commits, Jobs: m.jobs, Timeout: m.timeout,
		Path: m.dirs, Env: m.env, Show: m.show, Vague: m.vague, Mutants: faults,
		Direct: propose.DirectTests,
	}
	for _, n := range []struct {
		flag string
		is   int
	}{{"max", m.max}, {"max-lines", m.maxLines}, {"commits", m.commits}, {"jobs", m.jobs - 1}} {
		if n.is < 0 {
			return nil, cli.Usage("--%s must not be less than %d", n.flag, map[bool]int{true: 1}[n.flag == "jobs"])
		}
	}
	if m.timeout < 0 {
		return nil, cli.Usage("--timeout must not be negative")
	}
	if m.since != "" {
		day, err := time.Parse(time.DateOnly, m.since)
		if err != nil {
			return nil, cli.Usage("--since %q is no day\n  hint: write it as 2026-03-31", m.since)
		}
		o.Since = day
	}
	for _, p := range m.paths {
		if !filepath.IsLocal(p) {
			return nil, cli.Usage("--path %q does not lie in the project", p)
		}
	}
	if err := m.command(ctx, o); err != nil {
		return nil, err
	}
	m.top = m.Dir
	if repo, err := history.Open(ctx, m.Dir); err == nil {
		m.top = repo.Top(m.Dir)
	}
	return o, m.places(o)
}

// manifest is the text of a directory's package.json; "": there is none that can be read.
func manifest(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return ""
	}
	return string(text)
}

// command finds the command that tests the project, and what it needs for that.
func (m *mining) command(ctx context.Context, o *mine.Options) error {
	o.Test = strings.TrimSpace(m.test)
	if o.Test == "" && m.given("test") {
		return cli.Usage("--test is empty")
	}
	if o.Test == "" {
		list := propose.Commands(m.Dir)
		if len(list) > 0 {
			o.Test = list[0].Text
		}
		proposed := o.Test
		if m.Asks() {
			answer, err := m.Ask(ctx, "Which command tests the project?", o.Test)
			if err != nil {
				return err
			}
			o.Test = answer
		}
		if o.Test == proposed && o.Test == propose.TestsOf(manifest(m.Dir)) && !strings.Contains(o.Test, "npm test") {
			o.TestOf = propose.TestsOf // which runner a script calls changes in a history
		}
	}
	if o.Test == "" && m.below != "" {
		return cli.Usage("nothing in %s says how the project is tested\n  hint: cookoff %s --test 'COMMAND', or for the whole "+
			"repository: %s", text.Line(m.below), m.name, text.Line(m.whole()))
	}
	if o.Test == "" {
		return nothingProposes(m.name, m.Dir)
	}
	if strict := commands.Strict(o.Test); strict != o.Test {
		m.Say("the test command has a pipe: it fails where a part of that does (%s)", text.Line(strict))
		o.Test = strict
	}
	if by, run := propose.Run(m.Dir, o.Test); run != "" {
		m.Say("%s makes an environment by a network, which worlds don't have: the tests are run by %s, "+
			"and what they need is got before", by, text.Line(run))
		o.Test = run
	}
	switch m.prepare {
	case "none":
	case "":
		locked := propose.Given(propose.ByLockfile(m.Dir, door.Installed))
		if o.Prepare = locked.Command; len(m.dirs) == 0 {
			takes(o, locked, m.dirs) // what uv gets is in an environment
		}
	default:
		given := propose.Given(m.prepare)
		if given.Command != m.prepare {
			m.Say("what pip puts into a home, and a copy of the project, judge nothing: --prepare is %s",
				text.Line(given.Command))
		}
		takes(o, given, m.dirs)
	}
	return nil
}

// places says where recipe, judges' files and record lie.
func (m *mining) places(o *mine.Options) error {
	abs := m.output
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(m.Dir, abs)
	}
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(abs), ".md"), ".recipe")
	if base == "" || filepath.Ext(abs) != ".md" {
		return cli.Usage("--output %q is no recipe\n  hint: its name ends in .md, as mined.recipe.md", m.output)
	}
	o.Beside = base + ".files"
	o.Files = filepath.Join(filepath.Dir(abs), o.Beside)
	for _, p := range []string{abs, o.Files} {
		if err := files.NoLinks(m.top, p); err != nil {
			return cli.Usage("%w", err)
		}
	}
	o.Record = recordOf(m.Dir, o.Files)
	m.output = abs
	return m.replaceable(abs)
}

// recordOf is the file of what was found of a project: in the user's cache, since a
// record that comes with a repository could claim anything; "": there is no cache.
func recordOf(dir, files string) string {
	cache, err := cachedir.Path("mined")
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	sum := sha256.Sum256([]byte(dir + "\x00" + files))
	return filepath.Join(cache, hex.EncodeToString(sum[:16]), "found.jsonl")
}

// failure gives an error of mining its exit code.
func (m *mining) failure(ctx context.Context, err error) error {
	if no, ok := errors.AsType[*candidate.RangeError](err); ok {
		return cli.Usage("--range: %w\n  hint: write it as main..topic, or as v1.2..v1.3", no)
	}
	if missing, ok := errors.AsType[*history.MissingError](err); ok {
		return cli.Usage("--from: %w", missing)
	}
	if ps := (problem.List)(nil); errors.As(err, &ps) {
		return cli.Fail(cli.ExitUsage, err)
	}
	if errors.Is(err, history.ErrBare) {
		return cli.Usage("%s is %w\n  hint: stand in a clone of it", m.Dir, err)
	}
	if ctx.Err() != nil {
		return cli.Fail(cli.ExitInterrupted, nil)
	}
	return cli.Fail(cli.ExitInfra, fmt.Errorf("mining: %w", err))
}
