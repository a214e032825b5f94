package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/internal/repairdirs"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/trial"
)

// shareFlags are the flags of "share".
type shareFlags struct {
	output string
	full   bool
	force  bool
	yes    bool
}

// bundleSuffix ends the names of bundles.
const bundleSuffix = ".cookoff.tgz"

func (a *app) shareCommand() *cobra.Command {
	var f shareFlags
	cmd := &cobra.Command{
		Use:   "share [RUN|RECIPE]",
		Short: "Put a run or a recipe into one file for others",
		Long: `Writes a bundle: the recipe with all that it extends as one file, which commits
that was, the repairs that lie beside it, and of a run its metrics. What models were sent and answered, what
tools did and printed, what checks found and the files that trials left is left
out, unless --full asks for it; keys are never in it. "cookoff run" and "cookoff report" take bundles.

A recipe whose metadata say "contribute: true" is shared without a question,
any other after one, or with --yes. Nothing is sent anywhere.`,
		Example: `  cookoff share
  cookoff share 20261121-08 -o march.cookoff.tgz
  cookoff share my.recipe.md --yes`,
		Args:              cli.Positional(0, 1, ""),
		ValidArgsFunction: reports.CompleteRuns(&a.Common),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.share(cmd.Context(), strings.Join(args, ""), f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVarP(&f.output, "output", "o", "", "write the bundle to this file (default: the name of the run or recipe and "+bundleSuffix+")")
	fl.BoolVar(&f.full, "full", false, "put in as well what was said and done in the run, and what trials left")
	fl.BoolVar(&f.force, "force", false, "overwrite the file")
	fl.BoolVar(&f.yes, "yes", false, "share without asking")
	return cmd
}

// bundle is what is shared: files by name, and what they come from.
type bundle struct {
	name   string
	recipe *recipe.Recipe
	run    *trial.Run // nil: it is a recipe's
	files  []bundleFile
}

type bundleFile struct {
	name    string
	content []byte
}

// holds reports whether text stands in the file, or in a file that it stores.
func (f bundleFile) holds(text []byte) bool {
	if !strings.HasPrefix(f.name, trial.StatesDir+"/") {
		return bytes.Contains(f.content, text)
	}
	st, err := trial.ReadState(bytes.NewReader(f.content))
	if err != nil {
		return true // what can't be looked into is not passed on
	}
	return slices.ContainsFunc(st.Changes, func(c trial.Change) bool {
		return c.Before != nil && bytes.Contains(c.Before.Data, text) || c.After != nil && bytes.Contains(c.After.Data, text)
	})
}

func (a *app) share(ctx context.Context, name string, f shareFlags) error {
	b, err := a.bundleOf(ctx, name, f.full)
	if err != nil {
		return err
	}
	if err := a.mayShare(ctx, b.recipe, f); err != nil {
		return err
	}
	cfg, err := a.LoadConfig()
	if err != nil {
		return err
	}
	for _, file := range b.files {
		for env, value := range cfg.Secrets() {
			if value != "" && file.holds([]byte(value)) {
				return cli.Usage("the value of %s is in %s of the bundle: nothing was written", env, file.name)
			}
		}
	}
	data, err := b.pack()
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	if f.output == "" {
		f.output = b.name + bundleSuffix
	}
	if err := cli.Create(f.output, data, f.force); err != nil {
		return err
	}
	for _, file := range b.files {
		a.Say("%s: %s, %d bytes", f.output, file.name, len(file.content))
	}
	return nil
}

// mayShare asks whether what the recipe's author did not give away is meant
// to be shared.
func (a *app) mayShare(ctx context.Context, r *recipe.Recipe, f shareFlags) error {
	switch {
	case f.yes || r.Metadata.Contribute && !f.full:
		return nil
	case !a.Asks():
		return cli.Usage("the recipe does not say that it may be shared\n  hint: write \"contribute: true\" under \"## Metadata\", or use --yes; with --full it is always asked")
	}
	ok, err := a.Confirm(ctx, "The bundle holds the recipe, prompts and scripts of its tasks included. Write it?")
	if err == nil && !ok {
		err = cli.Usage("nothing was written")
	}
	return err
}

// bundleOf gathers the files of a run, or of a recipe where name means none.
func (a *app) bundleOf(ctx context.Context, name string, full bool) (*bundle, error) {
	path, runErr := trial.FindRun(a.Dir, name)
	isRecipe := strings.HasSuffix(name, ".md") || strings.HasPrefix(name, "builtin:") || strings.HasPrefix(name, "git+")
	if runErr != nil || isRecipe {
		if name == "" {
			return nil, cli.Fail(cli.ExitUsage, runErr)
		}
		if full {
			return nil, cli.Usage("--full is about a run, %s names none\n  hint: cookoff runs lists them", text.Line(name))
		}
		return a.bundleOfRecipe(ctx, name)
	}
	b := &bundle{}
	var journal bytes.Buffer
	states := trial.NewStateReader(path)
	defer states.Close()
	_, err := trial.ReadFile(path, func(e trial.Event) error { return b.addEvent(&journal, states, e, full) })
	if err == nil && b.recipe == nil {
		err = fmt.Errorf("reading %s: no run was recorded there", path)
	}
	if err != nil {
		return nil, cli.Fail(cli.ExitInfra, err)
	}
	b.add(recipe.BundleRecipe, oneFile(b.recipe))
	b.add(trial.JournalFile, journal.Bytes())
	var pinned []recipe.Source
	for _, s := range b.run.Lock {
		pinned = append(pinned, recipe.Source(s))
	}
	b.addLock(pinned)
	source := b.run.Source
	if strings.HasPrefix(source, "builtin:") || strings.HasPrefix(source, "git+") {
		return b, nil
	}
	own, err := repairdirs.Of(a.Rel, source)
	if len(own) > 0 {
		a.Say("the repairs in %s are put in as they are now", own[0].Name)
	}
	return b, errors.Join(err, b.addRepairs(own))
}

// addEvent adds an event to the journal of the bundle, and the state that it
// names where all is shared.
func (b *bundle) addEvent(journal *bytes.Buffer, states *trial.StateReader, e trial.Event, full bool) error {
	if e.Run != nil && b.recipe == nil {
		if e.Run.Markdown == "" {
			return fmt.Errorf("it holds what was shared of run %s, and not the recipe\n  hint: it can be passed on as it is", e.Run.ID)
		}
		r, err := recipe.ParseContent([]byte(e.Run.Markdown))
		if err != nil {
			return fmt.Errorf("the recipe of the run can't be read: %w", err)
		}
		b.name, b.recipe, b.run = e.Run.ID, r, e.Run
	}
	if full && e.Outcome != nil && e.Outcome.State != nil {
		data, err := states.Bytes(e.Outcome.State)
		if err != nil && !errors.Is(err, trial.ErrNotKept) {
			return err
		}
		if err == nil {
			b.add(e.Outcome.State.File, data)
		}
	}
	if !full {
		e = trial.Metrics(e)
	}
	line, err := json.Marshal(e)
	journal.Write(append(line, '\n'))
	return err
}

func (a *app) bundleOfRecipe(ctx context.Context, name string) (*bundle, error) {
	r, ps, err := a.discover(ctx, name)
	if err != nil {
		return nil, err
	}
	if len(ps) > 0 {
		return nil, cli.Fail(cli.ExitUsage, ps)
	}
	base := filepath.Base(strings.TrimPrefix(r.Source(), "builtin:"))
	base, _, _ = strings.Cut(base, "@")
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".md"), ".recipe")
	b := &bundle{name: text.Line(base), recipe: r}
	b.add(recipe.BundleRecipe, oneFile(r))
	b.addLock(r.Sources())
	own, err := repairdirs.Beside(a.Rel, r)
	if err == nil {
		err = b.addRepairs(own)
	}
	return b, err
}

// addRepairs adds the repairs that are the recipe's own.
func (b *bundle) addRepairs(own []repairdirs.Dir) error {
	files, err := repairdirs.Files(own)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	for name, content := range files {
		b.add(repairdirs.Name+"/"+name, content)
	}
	return nil
}

// addLock adds which commits the recipe was read from, where there are any.
func (b *bundle) addLock(sources []recipe.Source) {
	if len(sources) > 0 {
		b.add(filepath.Base(recipe.LockPath("")), recipe.MarshalLock(sources))
	}
}

// oneFile writes a resolved recipe as one that extends nothing.
func oneFile(r *recipe.Recipe) []byte {
	c := *r
	c.Metadata.Extends = nil
	return []byte(c.MarshalMarkdown())
}

func (b *bundle) add(name string, content []byte) {
	b.files = append(b.files, bundleFile{name, content})
}

// rank says what comes first in a bundle: what is read of it alone.
func (f bundleFile) rank() int {
	switch {
	case f.name == recipe.BundleRecipe:
		return 0
	case strings.HasPrefix(f.name, repairdirs.Name+"/"):
		return 1
	case f.name == trial.JournalFile:
		return 2
	}
	return 3
}

// pack writes the files as a gzipped tar file; the same files make the same
// bytes.
func (b *bundle) pack() ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	t := tar.NewWriter(z)
	slices.SortFunc(b.files, func(x, y bundleFile) int {
		return cmp.Or(x.rank()-y.rank(), strings.Compare(x.name, y.name))
	})
	for _, f := range b.files {
		err := t.WriteHeader(&tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.content)), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR})
		if err == nil {
			_, err = t.Write(f.content)
		}
		if err != nil {
			return nil, err
		}
	}
	err := errors.Join(t.Close(), z.Close())
	return out.Bytes(), err
}
