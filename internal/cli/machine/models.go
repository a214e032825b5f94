package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/config"
	"cookoff/internal/preflight"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/table"
	"cookoff/internal/ui/text"
	"cookoff/model"
)

// pingTimeout is how long a model has to answer one word.
const pingTimeout = 2 * time.Minute

// modelsInfo is the result of "models"; keys of its JSON are only added.
type modelsInfo struct {
	Providers []providerInfo `json:"providers"`
	Pings     []pingInfo     `json:"pings,omitempty"`
}

type providerInfo struct {
	Provider string `json:"provider"`
	Endpoint string `json:"endpoint"`
	KeyEnv   string `json:"key_env,omitempty"` // absent: it needs no key
	KeySet   bool   `json:"key_set"`
	Ready    bool   `json:"ready"`
	Why      string `json:"why,omitempty"` // it is not ready
	Slots    int    `json:"slots"`         // requests at once, at most
	Builtin  bool   `json:"builtin"`

	silent bool // nothing listens at Endpoint
	unset  bool // a variable that it needs is not set
}

type pingInfo struct {
	Model   string       `json:"model"`
	OK      bool         `json:"ok"`
	Seconds float64      `json:"seconds,omitempty"`
	Served  string       `json:"served,omitempty"` // the model that the provider says answered
	NoTools bool         `json:"no_tools,omitempty"`
	Usage   *model.Usage `json:"usage,omitempty"` // absent when the provider told none
	CostUSD *float64     `json:"cost_usd"`        // null: unknown
	Error   string       `json:"error,omitempty"`
}

func newModels(c *cli.Common) *cobra.Command {
	var f modelsFlags
	cmd := &cobra.Command{
		Use:        "models",
		SuggestFor: []string{"providers", "keys", "login"},
		Short:      "List the providers of models, which have a key, and whether one answers",
		Long: `Lists every provider that is known: where its requests go, whether its key is
set, whether a server of this machine listens, and how many requests it gets at
once. Keys are never printed, and nothing is sent anywhere. Other providers go as [providers.NAME] into cookoff.toml.

With --ping one tiny request is sent to each model named, to see that the key,
the endpoint and the name are right, and whether it takes tools. Exits 3 when one does not answer.`,
		Example: `  cookoff models
  cookoff models --ping openai/gpt-5 ollama/qwen3
  cookoff models --format json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(f.pings) > 0 { // further models
				return nil
			}
			return cli.Positional(0, 0, "")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.pings = append(f.pings, args...)
			return f.run(cmd.Context(), c)
		},
	}
	cmd.Flags().StringVar(&f.format, "format", "table", "table or json")
	cmd.Flags().StringSliceVar(&f.pings, "ping", nil,
		"send one tiny request to this `MODEL`, as provider/model, and to those named behind it; repeatable")
	return cmd
}

// modelsFlags are the flags of "models".
type modelsFlags struct {
	format string // table or json
	pings  []string
}

// run lists the providers, or asks the models of --ping.
func (f *modelsFlags) run(ctx context.Context, c *cli.Common) error {
	if err := cli.OneOf("format", f.format, "table", "json"); err != nil {
		return err
	}
	cfg, err := c.LoadConfig()
	if err != nil {
		return err
	}
	var chats []model.Chat
	for _, id := range f.pings { // all names first: nothing is sent where one is wrong
		chat, err := cfg.Chat(id)
		if err != nil {
			return cli.Usage("--ping: %w", err)
		}
		chats = append(chats, chat)
	}
	info := modelsInfo{Providers: providers(ctx, cfg)}
	var broken []string
	for i, chat := range chats {
		c.Say("asking %s", text.Line(f.pings[i]))
		p := ping(ctx, cfg, f.pings[i], chat)
		if ctx.Err() != nil {
			return cli.Fail(cli.ExitInterrupted, nil)
		}
		if info.Pings = append(info.Pings, p); !p.OK {
			broken = append(broken, p.Model)
		}
		if f.format == "table" { // at once: the next may take long
			if err := printPing(c, p); err != nil {
				return err
			}
		}
	}
	if len(chats) == 0 || f.format == "json" { // who pings wants to know that alone
		if err := printModels(c, info, f.format); err != nil {
			return err
		}
	}
	if len(broken) > 0 {
		return cli.Fail(cli.ExitInfra, fmt.Errorf("no answer from %s", strings.Join(broken, ", ")))
	}
	return nil
}

func providers(ctx context.Context, cfg *config.Config) []providerInfo {
	out := []providerInfo{}
	for _, p := range cfg.Providers() {
		silent := false
		if p.Ready && p.Local {
			if err := listens(ctx, p.BaseURL); err != nil {
				silent = true
				p.Ready, p.Why = false, nothingListens(p.BaseURL, err)
			}
		}
		out = append(out, providerInfo{Provider: p.Name, Endpoint: p.BaseURL, KeyEnv: p.KeyEnv, KeySet: p.HasKey,
			Ready: p.Ready, Why: p.Why, Slots: p.Slots, Builtin: p.Builtin, silent: silent, unset: p.Unset})
	}
	return out
}

// ping sends one request with a tool, as runs do, and another where the model takes none. No limit of tokens goes
// with it: some models spend any limit on thinking, and some servers then call that an error.
func ping(ctx context.Context, cfg *config.Config, id string, chat model.Chat) pingInfo {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	p := pingInfo{Model: id}
	began := time.Now()
	req := preflight.Word()
	reply, err := chat.Generate(ctx, req)
	if p.NoTools = preflight.TakesNoTools(err); p.NoTools {
		req.Tools = nil
		reply, err = chat.Generate(ctx, req)
	}
	if p.Seconds = time.Since(began).Seconds(); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("no answer within %v", pingTimeout)
		}
		err = fmt.Errorf("%w%s", err, preflight.Waits(err))
		p.Error = preflight.Asker{Config: cfg}.Advised(ctx, id, chat, err).Error()
		return p
	}
	p.OK, p.Served = true, reply.Served
	if reply.Usage.Known {
		p.Usage = &reply.Usage
		if usd, ok := cfg.Prices().Cost(id, reply.Usage); ok {
			p.CostUSD = &usd
		}
	}
	return p
}

func printModels(c *cli.Common, info modelsInfo, format string) error {
	if format == "json" {
		return c.PrintJSON(info)
	}
	w := table.New(c.Out)
	w.Row("PROVIDER", "READY", "KEY", "SLOTS", "ENDPOINT")
	for _, p := range info.Providers {
		ready, key := "yes", "not needed"
		switch {
		case p.KeySet:
			key = p.KeyEnv + " is set"
		case p.KeyEnv != "" && p.Ready:
			key = "not needed (" + p.KeyEnv + ")"
		case p.KeyEnv != "":
			key = p.KeyEnv + " is not set"
		}
		switch {
		case p.silent:
			ready = "nothing listens"
		case !p.Ready:
			ready = "no"
		}
		w.Row(p.Provider, ready, key, fmt.Sprint(p.Slots), cmp.Or(p.Endpoint, p.Why))
	}
	if err := w.Flush(); err != nil {
		return cli.Written(err)
	}
	for _, p := range info.Providers {
		if !p.Ready && !p.unset && !p.silent { // the columns say that
			c.Say("%s: %s", p.Provider, text.Lines(p.Why))
		}
	}
	c.Say("a model is named provider/model, as in openai/gpt-5\n  hint: --ping provider/model sees whether it answers")
	return nil
}

func printPing(c *cli.Common, p pingInfo) error {
	if !p.OK {
		said := strings.TrimPrefix(p.Error, "asking "+p.Model+": ")
		first, rest, _ := strings.Cut(text.Lines(said), "\n")
		words := fmt.Sprintf("%s  %s: %s\n", c.Out.Paint(screen.Red, "broken"), text.Line(p.Model), first)
		for line := range strings.Lines(rest) {
			words += fmt.Sprintf("        %s\n", strings.TrimRight(line, "\n"))
		}
		_, err := fmt.Fprint(c.Out, words)
		return cli.Written(err)
	}
	told := "the server tells no usage"
	if p.Usage != nil {
		told = fmt.Sprintf("%d tokens in, %d out", p.Usage.Input, p.Usage.Output)
	}
	if p.CostUSD != nil {
		told += fmt.Sprintf(", $%.6f", *p.CostUSD)
	}
	if p.Served != "" && !strings.HasSuffix(p.Model, "/"+p.Served) {
		told += ", served by " + p.Served
	}
	if p.NoTools {
		told += "; it " + preflight.NoTools
	}
	_, err := fmt.Fprintf(c.Out, "%s      %s: answered in %.1f s, %s\n", c.Out.Paint(screen.Green, "ok"),
		text.Line(p.Model), p.Seconds, text.Line(told))
	return cli.Written(err)
}
