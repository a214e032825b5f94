package shoot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/cli/reports"
	"cookoff/internal/host"
	"cookoff/internal/shootout"
	"cookoff/internal/shootout/prefs"
	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/live/plain"
	"cookoff/internal/ui/screen"
	"cookoff/model"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/runner"
)

// world is what a session works with: the program around it.
type world struct {
	door    *door.Door
	quiet   *door.Door // says nothing
	f       Flags
	session *session.Session
	spoken  cookoff.Spoken
}

// open begins a session, or goes on with one.
func (w *world) open(ctx context.Context, name string) (*session.Session, error) {
	d := w.door
	cfg, err := d.LoadConfig()
	if err != nil {
		return nil, err
	}
	sw := session.World{Project: d.Dir, Secrets: cfg.Secrets(), Now: time.Now, Build: w.build}
	if w.f.plain {
		sw.Sink = plain.New(d.Out, func(model string) (string, bool) {
			if w.session == nil {
				return model, false
			}
			return shootout.Alias(w.session, model), shootout.Hidden(w.session)
		})
	}
	if w.f.last || w.f.resume != "" {
		if name != "" || len(w.f.models) > 0 {
			return nil, cli.Usage("a session goes on with its own recipe and models\n" +
				"  hint: /load and /models change them")
		}
		id, err := session.Find(d.Dir, w.f.resume)
		if err != nil {
			return nil, cli.Fail(cli.ExitUsage, err)
		}
		s, err := session.Resume(sw, id, w.reload)
		if err != nil {
			return nil, cli.Fail(cli.ExitUsage, err)
		}
		return s, nil
	}
	r, err := w.load(ctx, d, name)
	if err != nil {
		return nil, err
	}
	if len(w.f.models) > 0 {
		r = cookoff.Over(r, w.f.models, 0)
	}
	if err := w.check(ctx, r); err != nil {
		return nil, err
	}
	s, err := session.Begin(sw, r)
	if err != nil {
		return nil, cli.Fail(cli.ExitInfra, fmt.Errorf("beginning the session: %w", err))
	}
	return s, nil
}

// load finds a recipe that this user trusts.
func (w *world) load(ctx context.Context, d *door.Door, name string) (*recipe.Recipe, error) {
	o := w.options(d)
	r, ps, err := d.Find(ctx, name, o)
	if err != nil {
		return nil, err
	}
	if r == nil || len(ps.Errors()) > 0 {
		return nil, cli.Fail(cli.ExitUsage, ps)
	}
	if name == "" && r.Source() == "builtin:default" { // none was found: its tools and prompt are for its own tasks
		r = (&recipe.Recipe{Models: r.Models}).Over(recipe.Defaults())
	}
	return r, door.Failure(ctx, cookoff.Trust(ctx, r, o))
}

// options are those of all that a session makes.
func (w *world) options(d *door.Door) cookoff.Options {
	o := d.Options(w.f.locked, w.f.yes)
	o.Allow, o.Repairs, o.Spoken = w.f.allow, w.f.repairDirs(), &w.spoken
	return o
}

// reload reads the recipe of a session again: the file it came from, as long as
// that says the same, so that places are known and its hidden files stay hidden.
func (w *world) reload(markdown, source string) (*recipe.Recipe, error) {
	file, _, err := w.quiet.Find(context.Background(), source, w.options(w.quiet))
	if err != nil || file == nil {
		return recipe.ParseContent([]byte(markdown))
	}
	if file.MarshalMarkdown() == markdown {
		return file, nil
	}
	r, err := recipe.ParseContent([]byte(markdown))
	if err != nil {
		return nil, err
	}
	return r.InPlaceOf(file), nil
}

// check refuses a recipe that no task could be run with, before one is typed.
func (w *world) check(ctx context.Context, r *recipe.Recipe) error {
	typed := (&recipe.Recipe{Tasks: []recipe.Task{{Prompt: "a task"}}}).Over(r)
	o := w.options(w.quiet)
	o.Allow = door.Permissions()
	c, err := cookoff.Check(ctx, typed, nil, o)
	if err != nil {
		return door.Failure(ctx, err)
	}
	if err := c.Check(ctx); err != nil {
		return cli.Fail(cli.ExitInfra, fmt.Errorf("%w\n  hint: cookoff doctor says what this machine lacks", err))
	}
	return nil
}

// build makes the runner of a typed task.
func (w *world) build(ctx context.Context, r *recipe.Recipe, b session.Build) (session.Runner, error) {
	o := w.options(silent(w.door, teller(b.Doing), false)) // what takes long is told to the screen
	o.Allow, o.Front, o.States, o.Keep = b.Allow, b.Front, b.States, runner.KeepAll
	o.Parallel, o.Retries = len(r.Names()), 1
	c, err := cookoff.Check(ctx, r, nil, o)
	if err == nil {
		err = c.PrepareInteractive(ctx)
	}
	var ps problem.List
	if errors.As(err, &ps) {
		return nil, problemText(ps.Errors())
	}
	if err != nil {
		return nil, door.Failure(ctx, err)
	}
	return c.Runner(), nil
}

// silent is the program with messages that go to another place; the screen takes no
// lines beside its own.
func silent(d *door.Door, to io.Writer, quiet bool) *door.Door {
	common := *d.Common
	common.Err, common.Quiet = screen.Stream{Writer: to}, quiet
	return &door.Door{Common: &common, Clock: d.Clock, After: d.After}
}

// teller tells each line that is written to it.
type teller func(line string)

func (t teller) Write(b []byte) (int, error) {
	t(strings.TrimSpace(string(b)))
	return len(b), nil
}

// paid reports whether asking a model may cost money: its price is not known to
// be nothing, and it is asked over a network.
func (w *world) paid(id string) bool {
	provider, _, _ := strings.Cut(id, "/")
	if provider == "baseline" || provider == "replay" {
		return false
	}
	cfg, err := w.quiet.LoadConfig()
	if err != nil {
		return true
	}
	usd, known := cfg.Prices().Cost(id, model.Usage{Input: 1e6, Output: 1e6, Known: true})
	return !known || usd > 0
}

// problemText writes problems as they are printed, for a page of the screen.
func problemText(ps problem.List) error {
	var b bytes.Buffer
	cli.PrintProblems(screen.Stream{Writer: &b}, ps)
	return &shownProblems{strings.TrimSpace(b.String()), ps}
}

type shownProblems struct {
	text string
	ps   problem.List
}

func (s *shownProblems) Error() string { return s.text }
func (s *shownProblems) Unwrap() error { return s.ps }

// host is what the commands of the shoot-out need.
func (w *world) host() (shootout.Host, error) {
	d := w.door
	preferences, err := prefs.Path(d.Getenv)
	if err != nil {
		return shootout.Host{}, cli.Fail(cli.ExitInfra, err)
	}
	return shootout.Host{
		Project: d.Dir, Preferences: preferences,
		History: filepath.Join(filepath.Dir(host.TrustFile(d.Getenv)), "history"), Editor: editor(d.Getenv),
		Load: func(ctx context.Context, name string) (*recipe.Recipe, error) {
			r, err := w.load(ctx, w.quiet, name)
			var ps problem.List
			if errors.As(err, &ps) {
				return nil, problemText(ps)
			}
			return r, err
		},
		Parse: func(markdown string) (*recipe.Recipe, error) {
			r, err := recipe.ParseContent([]byte(markdown))
			var ps problem.List
			if errors.As(err, &ps) {
				return nil, problemText(ps)
			}
			return r, err
		},
		Wants:  w.wants,
		Paid:   w.paid,
		Tools:  w.tools,
		Export: w.export,
		Verify: w.verify,
	}, nil
}

// editor is the user's, a program and its arguments.
func editor(getenv func(string) string) []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if f := strings.Fields(getenv(name)); len(f) > 0 {
			return f
		}
	}
	return nil
}

// wants gives the permissions that a recipe needs.
func (w *world) wants(r *recipe.Recipe) []string {
	typed := (&recipe.Recipe{Tasks: []recipe.Task{{Prompt: "a task"}}}).Over(r)
	o := w.options(w.quiet)
	o.Allow = nil
	_, err := cookoff.Check(context.Background(), typed, nil, o)
	var ps problem.List
	if !errors.As(err, &ps) {
		return nil // or said when the task is run
	}
	var out []string
	for _, p := range door.Permissions() {
		for _, found := range ps {
			if found.Needs == problem.Permission(p) {
				out = append(out, p)
				break
			}
		}
	}
	return out
}

// export writes the report of a run beside the project's files.
func (w *world) export(run, format string) (string, error) {
	if err := cli.OneOf("format", format, reports.Formats()...); err != nil {
		return "", err
	}
	ext := map[string]string{"markdown": "md", "table": "txt", "junit": "xml"}[format]
	if ext == "" {
		ext = format
	}
	name := "cookoff-" + run + "." + ext
	r, err := reports.Read(w.quiet.Common, []string{run}, reports.Reading{})
	if err != nil {
		return "", err
	}
	return name, reports.Print(w.quiet.Common, r, reports.Output{Format: format, File: filepath.Join(w.door.Dir, name)})
}
