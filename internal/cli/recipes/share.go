package recipes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/cli/reports"
	"cookoff/internal/repairdirs"
	"cookoff/internal/runs"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/recipe/gitsource"
	"cookoff/recipe/lookup"
	"cookoff/trial"
	"cookoff/trial/final"
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

func newShare(c *cli.Common) *cobra.Command {
	var f shareFlags
	cmd := &cobra.Command{
		Use:        "share [RUN|RECIPE]",
		SuggestFor: []string{"bundle", "publish", "pack"},
		Short:      "Put a run or a recipe into one file for others",
		Long: `Writes a bundle: the recipe with all that it extends as one file, which commits
that was, the repairs and judge_files that lie beside it, and of a run its metrics. What models were sent and answered, what
tools did and printed, what checks found and the files that trials left is left
out, unless --full asks for it; keys are never in it. "cookoff run" and "cookoff report" take bundles.

A recipe whose metadata say "contribute: true" is shared without a question,
any other after one, or with --yes. Nothing is sent anywhere.`,
		Example: `  cookoff share
  cookoff share 20261121-08 -o march.cookoff.tgz
  cookoff share my.recipe.md --yes`,
		Args:              cli.Positional(0, 1, ""),
		ValidArgsFunction: reports.CompleteRuns(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), c, strings.Join(args, ""))
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVarP(&f.output, "output", "o", "",
		"write the bundle to this file (default: the name of the run or recipe and "+bundleSuffix+")")
	fl.BoolVar(&f.full, "full", false, "put in as well what was said and done in the run, and what trials left")
	fl.BoolVar(&f.force, "force", false, "overwrite the file")
	fl.BoolVar(&f.yes, "yes", false, "share without asking")
	return cmd
}

// run writes the bundle of a run or of a recipe.
func (f shareFlags) run(ctx context.Context, c *cli.Common, name string) error {
	b, err := bundleOf(ctx, c, name, f.full)
	if err != nil {
		return err
	}
	if err := f.allowed(ctx, c, b.recipe); err != nil {
		return err
	}
	cfg, err := c.LoadConfig()
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
		c.Say("%s: %s, %d bytes", f.output, file.name, len(file.content))
	}
	return nil
}

// allowed asks whether what the recipe's author did not give away is meant
// to be shared.
func (f shareFlags) allowed(ctx context.Context, c *cli.Common, r *recipe.Recipe) error {
	switch {
	case f.yes || r.Metadata.Contribute && !f.full:
		return nil
	case !c.Asks():
		return cli.Usage("the recipe does not say that it may be shared\n" +
			"  hint: write \"contribute: true\" under \"## Metadata\", or use --yes; with --full it is always asked")
	}
	ok, err := c.Confirm(ctx, "The bundle holds the recipe, prompts and scripts of its tasks included. Write it?")
	if err == nil && !ok {
		err = cli.Usage("nothing was written")
	}
	return err
}

// bundleOf gathers the files of a run, or of a recipe where name means none.
func bundleOf(ctx context.Context, c *cli.Common, name string, full bool) (*bundle, error) {
	path, runErr := trial.FindRun(c.Dir, name)
	isRecipe := strings.HasSuffix(name, ".md") || strings.HasPrefix(name, "builtin:") || strings.HasPrefix(name, "git+")
	if runErr != nil || isRecipe {
		if name == "" {
			return nil, cli.Fail(cli.ExitUsage, runErr)
		}
		if full {
			return nil, cli.Usage("--full is about a run, %s names none\n  hint: cookoff runs lists them",
				text.Line(name))
		}
		return bundleOfRecipe(ctx, c, name)
	}
	b := &bundle{}
	var journal bytes.Buffer
	states := final.NewReader(path)
	defer states.Close()
	_, err := trial.ReadFile(path, func(e trial.Event) error { return b.addEvent(&journal, states, e, full) })
	if errors.Is(err, trial.ErrNoRun) {
		err = fmt.Errorf("%w\n  hint: it can be passed on as it is", err)
	}
	if err == nil && b.recipe == nil {
		err = runs.Empty(path)
	}
	if err != nil {
		return nil, cli.Fail(cli.ExitInfra, err)
	}
	b.add(lookup.BundleRecipe, oneFile(b.recipe))
	b.add(trial.JournalFile, journal.Bytes())
	var pinned []gitsource.Source
	for _, s := range b.run.Lock {
		pinned = append(pinned, gitsource.Source(s))
	}
	b.addLock(pinned)
	source := b.run.Source
	if strings.HasPrefix(source, "builtin:") || strings.HasPrefix(source, "git+") {
		return b, nil
	}
	own, err := repairdirs.Of(c.Rel, source)
	if len(own) > 0 {
		c.Say("the repairs in %s are put in as they are now", own[0].Name)
	}
	return b, errors.Join(err, b.addRepairs(own), b.addJudgeFilesNow(ctx, c, source))
}

// addJudgeFilesNow adds the judge_files of a run's recipe from beside the file that it was in.
func (b *bundle) addJudgeFilesNow(ctx context.Context, c *cli.Common, source string) error {
	if !slices.ContainsFunc(b.recipe.Tasks, func(t recipe.Task) bool { return t.JudgeFiles != "" }) {
		return nil
	}
	r, ps, err := c.FindRecipe(ctx, source, false)
	if err != nil || len(ps) > 0 {
		c.Say("the judge_files of the run are not put in: %s can't be read any more", text.Line(source))
		return nil
	}
	c.Say("the judge_files beside %s are put in as they are now", text.Line(source))
	return b.addJudgeFiles(r)
}

func bundleOfRecipe(ctx context.Context, c *cli.Common, name string) (*bundle, error) {
	r, ps, err := c.FindRecipe(ctx, name, false)
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
	b.add(lookup.BundleRecipe, oneFile(r))
	b.addLock(r.Sources())
	own, err := repairdirs.Beside(c.Rel, r)
	if err == nil {
		err = b.addRepairs(own)
	}
	if err == nil {
		err = b.addJudgeFiles(r)
	}
	return b, err
}
