package recipes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/recipe/builtin"
	"cookoff/recipe/lookup"
)

// recipeInfo is one line of "recipes"; keys of its JSON are only added.
type recipeInfo struct {
	Recipe string   `json:"recipe"` // what "run" takes
	Name   string   `json:"name"`
	Tasks  int      `json:"tasks"`
	Models []string `json:"models"`

	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Author      string   `json:"author,omitempty"`
	Version     string   `json:"version,omitempty"` // of the recipe
}

// title is what the table calls a recipe.
func (i recipeInfo) title() string {
	out := text.Line(i.Name)
	if i.Description != "" {
		out += ": " + text.Line(i.Description)
	}
	if len(i.Tags) > 0 {
		out += " [" + text.Line(strings.Join(i.Tags, ", ")) + "]"
	}
	return out
}

func newRecipes(c *cli.Common) *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:        "recipes",
		SuggestFor: []string{"list", "ls", "tasks"},
		Short:      "List the recipes that can be run by name",
		Long: "Lists the recipe that is found here, " +
			"those that have a name, and the built-in ones (cookoff help finding-recipes).",
		Example: `  cookoff recipes
  cookoff recipes --format json`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), c) },
	}
	cmd.Flags().StringVar(&f.format, "format", "table", "table or json")
	return cmd
}

// listFlags are the flags of "recipes".
type listFlags struct {
	format string // table or json
}

// run lists the recipes that can be run by name.
func (f *listFlags) run(ctx context.Context, c *cli.Common) error {
	if err := cli.OneOf("format", f.format, "table", "json"); err != nil {
		return err
	}
	infos, err := recipeInfos(ctx, c)
	if err != nil {
		return err
	}
	if f.format == "json" {
		return c.PrintJSON(infos)
	}
	w := table.New(c.Out)
	w.Row("RECIPE", "TASKS", "MODELS", "NAME")
	for _, i := range infos {
		w.Row(i.Recipe, fmt.Sprint(i.Tasks), strings.Join(i.Models, ", "), i.title())
	}
	return cli.Written(w.Flush())
}

func recipeInfos(ctx context.Context, c *cli.Common) ([]recipeInfo, error) {
	own := lookup.Dirs{Dir: c.Dir}.Named()
	names := append([]string{""}, own...)
	for _, n := range builtin.Names() {
		names = append(names, "builtin:"+n)
	}
	var out []recipeInfo
	for _, name := range names {
		r, ps, err := c.FindRecipe(ctx, name, false)
		switch {
		case err != nil:
			return nil, err
		case len(ps) > 0:
			cli.PrintProblems(c.Err, ps)
			continue
		case name == "" && strings.HasPrefix(r.Source(), "builtin:"):
			continue
		}
		if !slices.Contains(own, name) {
			name = r.Source()
		}
		out = append(out, recipeInfo{name, r.Name, len(r.Tasks), r.Names(), r.Metadata.Description, r.Metadata.Tags,
			r.Metadata.Author, r.Metadata.Version})
	}
	return out, nil
}
