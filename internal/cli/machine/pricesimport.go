package machine

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/litellm"
	"cookoff/internal/ui/text"
	"cookoff/model"
)

// pricesImportCommand is "prices import".
func newPricesImport(c *cli.Common) *cobra.Command {
	var f importing
	cmd := &cobra.Command{
		Use:   "import FILE [MODEL]",
		Short: "Print the prices of LiteLLM's price file for your cookoff.toml",
		Long: `Reads the price file that LiteLLM publishes (model_prices_and_context_window.json)
and prints its chat models as cookoff.toml has them: input, cached input, output,
reasoning, what is written to a cache, the tiers of longer requests, and the day of the
file: a report says when prices were more than 120 days old. What batches cost, which
cookoff doesn't use, is a comment. Nothing is fetched; without -o nothing is written.

MODEL is provider/model, or a glob such as 'openai/*'.`,
		Example: `  cookoff prices import model_prices_and_context_window.json 'openai/gpt-5*' ` +
			`>> ~/.config/cookoff/cookoff.toml`,
		Args: cli.Positional(1, 2, "a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			return f.run(c, args[0], append(args, "")[1])
		},
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "-", "write the prices to this file; - is standard output")
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite the file")
	return cmd
}

// importing are the flags of "prices import".
type importing struct {
	output string
	force  bool
}

func (f importing) run(c *cli.Common, file, glob string) error {
	if _, err := path.Match(glob, ""); err != nil {
		return cli.Usage("%q is no glob: %v", glob, err)
	}
	const which = "it is model_prices_and_context_window.json of LiteLLM's repository, as it was downloaded"
	st, err := os.Stat(file)
	if err != nil {
		return cli.Unread(file, err, which)
	}
	words, err := cli.ReadFile(file)
	if err != nil {
		return err
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
	day := st.ModTime().UTC().Format(time.DateOnly)
	for id, p := range prices {
		p.Date = day
		prices[id] = p
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# From %q of LiteLLM, a file of %s.\n", path.Base(file), day)
	_ = litellm.Write(&b, prices, litellm.Batches(words)) // a Builder takes everything
	if f.output != "-" {
		if err := cli.Create(f.output, []byte(b.String()), f.force); err != nil {
			return err
		}
		c.Say("wrote %s", f.output)
	} else if _, err := io.WriteString(c.Out, b.String()); err != nil {
		return cli.Written(err)
	}
	c.Say("%s of %d; they go into your own cookoff.toml (cookoff help configuration says where that is)",
		text.Count(len(prices), "model"), all)
	return nil
}
