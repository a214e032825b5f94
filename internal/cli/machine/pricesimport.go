package machine

import (
	"fmt"
	"maps"
	"os"
	"path"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/litellm"
	"cookoff/internal/ui/text"
	"cookoff/model"
)

// pricesImportCommand is "prices import".
func newPricesImport(c *cli.Common) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE [MODEL]",
		Short: "Print the prices of LiteLLM's price file for your cookoff.toml",
		Long: `Reads the price file that LiteLLM publishes (model_prices_and_context_window.json)
and prints its chat models as cookoff.toml has them: input, cached input, output,
reasoning, what is written to a cache, and the tiers of longer requests. Nothing is
fetched or written. What batches cost has no place there.

MODEL is provider/model, or a glob such as 'openai/*'.`,
		Example: `  cookoff prices import model_prices_and_context_window.json 'openai/gpt-5*' >> ~/.config/cookoff/cookoff.toml`,
		Args:    cli.Positional(1, 2, "a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			return importPrices(c, args[0], append(args, "")[1])
		},
	}
}

func importPrices(c *cli.Common, file, glob string) error {
	if _, err := path.Match(glob, ""); err != nil {
		return cli.Usage("%q is no glob: %v", glob, err)
	}
	const which = "it is model_prices_and_context_window.json of LiteLLM's repository, as it was downloaded"
	st, err := os.Stat(file)
	if err != nil {
		return cli.Usage("%w\n  hint: %s", err, which)
	}
	words, err := os.ReadFile(file)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	prices, err := litellm.Read(words)
	if err != nil {
		return cli.Usage("%s: %v\n  hint: %s", file, err, which)
	}
	all := len(prices)
	maps.DeleteFunc(prices, func(id string, _ model.Price) bool {
		fits, _ := path.Match(glob, id)
		return glob != "" && !fits
	})
	if len(prices) == 0 {
		return cli.Usage("%q names none of the %s in %s", glob, text.Count(all, "model"), file)
	}
	fmt.Fprintf(c.Out, "# From %q of LiteLLM, a file of %s.\n", path.Base(file), st.ModTime().UTC().Format("2006-01-02"))
	if err := litellm.Write(c.Out, prices); err != nil {
		return cli.Written(err)
	}
	c.Say("%s of %d; they go into your own cookoff.toml", text.Count(len(prices), "model"), all)
	return nil
}
