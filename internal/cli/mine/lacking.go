package mine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/files"
	"cookoff/internal/history"
	"cookoff/internal/mine"
	"cookoff/internal/propose"
	"cookoff/internal/temporary"
	"cookoff/internal/ui/text"
)

// ready makes sandboxes ready, with what the tests of a commit lack.
func (m *mining) ready(ctx context.Context, o *mine.Options, repo *history.Repo) (*referee, error) {
	ref, err := m.referee(ctx, o)
	if err != nil || m.given("prepare") || o.Prepare != "" {
		return ref, err
	}
	tmp, err := temporary.Dir("", "cookoff-mine-*")
	if err != nil {
		return nil, cli.Fail(cli.ExitInfra, err)
	}
	defer os.RemoveAll(tmp)
	head, err := repo.Commit(ctx, o.From)
	if err != nil {
		return nil, m.failure(ctx, err)
	}
	repo.Share()
	project := filepath.Join(tmp, "project")
	tree, err := repo.Checkout(ctx, head, project, mine.Secret)
	if err != nil {
		return nil, m.failure(ctx, err)
	}
	tree.Close()
	return m.lacking(ctx, o, ref, project, head.ID)
}

// earlier has a preparation of the newest commit's files fit the oldest that is looked at, too.
func earlier(ctx context.Context, dir string, o *mine.Options, p propose.Preparation, at string) (propose.Preparation,
	error) {
	repo, err := history.Open(ctx, dir)
	if err != nil {
		return p, err
	}
	oldest, err := oldestOf(ctx, repo, o, at)
	if err != nil || oldest == "" {
		return p, err
	}
	list, err := repo.Files(ctx, history.Commit{ID: oldest})
	if err != nil {
		return p, nil // there was no such directory yet, or it can't be had: Mine says so
	}
	by := map[string]history.File{}
	for _, f := range list {
		by[f.Path] = f
	}
	contents := history.NewContents(ctx, repo)
	defer contents.Close()
	return p.Earlier(o.Test, func(name string) bool { _, is := by[name]; return is }, func(name string) string {
		if by[name].ID == "" {
			return ""
		}
		text, err := contents.Of(by[name])
		if err != nil {
			return ""
		}
		return string(text)
	}), nil
}

// lacking proposes what gets the packages that tests need, where neither the user nor a
// lockfile says how: they are run once in a world of the project's files, and what they
// say is missing tells. at is the commit whose files lie in project; "": none, and what was
// seen is not kept.
func (m *mining) lacking(ctx context.Context, o *mine.Options, ref *referee, project, at string) (*referee, error) {
	byPath, venv := propose.OfPath(o.Test)
	if venv != "" && files.IsDir(filepath.Join(project, venv)) {
		byPath, venv = "", ""
	}
	if m.given("prepare") || o.Prepare != "" || venv == "" && !propose.Declares(project) {
		return ref, nil
	}
	test := cmp.Or(byPath, o.Test)
	if o.TestOf != nil && byPath == "" { // the newest commit that is looked at may be an old one
		test = cmp.Or(o.TestOf(manifest(project)), o.Test)
	}
	p, known := m.seen(o, at)
	if !known {
		if venv != "" {
			m.Say("%s is not in the repository: %s calls what PATH has, or what is prepared", venv, text.Line(test))
		}
		m.Say("running %s once, to see whether something is missing", text.Line(test))
		once := *o
		once.Test = test
		said, err := mine.Fails(ctx, once, ref, project)
		if err != nil {
			return nil, m.failure(ctx, err)
		}
		if does, instead := propose.Fetches(project, test, said); does != "" {
			return nil, cli.Usage("%s can't run in worlds, which have no network: %s\n  hint: --test '%s' runs the tests "+
				"themselves, and what they need is got before", text.Line(test), does, text.Line(instead))
		}
		p = propose.PrepareBelow(project, test, said, door.Installed)
		if venv != "" {
			p = p.With(o.Dir, venv)
		} else if at != "" && m.name == "mine" {
			if p, err = earlier(ctx, m.Dir, o, p, at); err != nil {
				return nil, m.failure(ctx, err)
			}
		}
		p = p.AsTestsInstall(project, test, said)
		if p.Command != "" && m.Asks() {
			get, err := m.Accept(ctx, fmt.Sprintf("Something is missing. Get it with %q, once a set of lockfiles, "+
				"in a sandbox with a network?", p.Command))
			if err != nil {
				return nil, err
			}
			if !get {
				p = propose.Preparation{}
			}
		}
		if err := m.keep(o, at, p); err != nil {
			return nil, cli.Written(err)
		}
	}
	o.Test = test
	if p.Command == "" {
		return ref, nil
	}
	takes(o, p, m.dirs)
	return m.referee(ctx, o)
}

// unlocked has a preparation that was proposed, and not given, fit commits from before there was a lockfile.
func unlocked(ctx context.Context, repo *history.Repo, given string, o *mine.Options) error {
	if given != "" || propose.Unlocked(o.Prepare, func(string) bool { return false }) == o.Prepare {
		return nil
	}
	oldest, err := oldestOf(ctx, repo, o, cmp.Or(o.From, "HEAD"))
	if err != nil || oldest == "" {
		return err
	}
	names, _ := repo.Names(ctx, history.Commit{ID: oldest}) // an error: there was no such directory yet
	o.Prepare = propose.Unlocked(o.Prepare, func(name string) bool { return slices.Contains(names, name) })
	return nil
}

// oldestOf is the oldest commit that is looked at; "": there is none, or where the search begins can't be told, which
// Mine says.
func oldestOf(ctx context.Context, repo *history.Repo, o *mine.Options, from string) (string, error) {
	head, err := repo.Commit(ctx, from)
	if err != nil {
		return "", nil
	}
	log, err := repo.Log(ctx, history.LogQuery{From: head.ID, Since: o.Since})
	if err != nil || len(log) == 0 {
		return "", err
	}
	if o.Commits > 0 && o.Commits < len(log) {
		return log[o.Commits-1].ID, nil
	}
	return log[len(log)-1].ID, nil
}

// takes has tests run over what a preparation gets: called by its path, since the referee finds programs of the machine
// first, and what they call besides by PATH, where the user names no directories (dirs) for that.
func takes(o *mine.Options, p propose.Preparation, dirs []string) {
	if o.Prepare, o.Test = p.Command, p.Called(o.Test); p.Dir != "" && len(dirs) == 0 {
		o.Path = []string{p.Dir}
	}
}

// proposal is what was seen to be missing at a commit, as it is kept beside the record.
type proposal struct {
	At, Test string
	Prepare  propose.Preparation
}

func proposalOf(o *mine.Options) string { return filepath.Join(filepath.Dir(o.Record), "prepare.json") }

func (m *mining) seen(o *mine.Options, at string) (propose.Preparation, bool) {
	var p proposal
	if o.Record == "" || at == "" || m.again {
		return p.Prepare, false
	}
	content, err := os.ReadFile(proposalOf(o))
	ok := err == nil && json.Unmarshal(content, &p) == nil && p.At == at && p.Test == o.Test
	return p.Prepare, ok
}

func (m *mining) keep(o *mine.Options, at string, p propose.Preparation) error {
	if o.Record == "" || at == "" {
		return nil
	}
	content, err := json.Marshal(proposal{at, o.Test, p})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(o.Record), 0o700); err != nil {
		return err
	}
	return files.WriteFile(proposalOf(o), content)
}
