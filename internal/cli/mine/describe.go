package mine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cookoff/internal/cli"
	"cookoff/internal/config"
	"cookoff/internal/describe"
	"cookoff/internal/files"
	"cookoff/internal/host"
	"cookoff/internal/mine"
	"cookoff/internal/mine/refusal"
	"cookoff/internal/preflight"
	"cookoff/internal/ui/text"
	"cookoff/model"
	"cookoff/report/number"
)

// describing has a model write what tasks are about, and the user take it or leave it.
type describing struct {
	*mining
	writer describe.Writer
	kept   *describe.Kept
	all    bool // the others are taken unasked
	none   bool // nothing more is asked
	taken  int
	done   int  // descriptions that there are, of this time and of earlier ones
	dear   bool // one was written whose price nobody knows
	left   bool // one was not taken, as nobody was asked
	doc    strings.Builder
}

// describer makes ready who writes descriptions; nil: nobody is to. A provider that is not there, or takes no key of
// the user's, is said before a search that may take hours.
func (m *mining) describer(ctx context.Context, o *mine.Options) (*describing, error) {
	switch {
	case m.describe == "" && (m.maxCost != 0 || m.yes):
		return nil, cli.Usage("--max-total-cost and --yes go with --describe")
	case m.describe == "":
		return nil, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then there is no configuration of the user's
	}
	cfg, err := config.Load(config.Options{Path: m.Config, Env: m.Getenv, Home: home})
	if err != nil {
		return nil, cli.Usage("%w", err)
	}
	chat, err := cfg.Chat(m.describe)
	if err != nil {
		return nil, cli.Usage("--describe: %w", err)
	}
	ask := preflight.Asker{Config: cfg, Notify: func(n host.Notice) { m.Say("warning: %s", n.Text) }}
	if err := ask.Free(ctx, m.describe); ctx.Err() != nil {
		return nil, cli.Fail(cli.ExitInterrupted, nil)
	} else if err != nil {
		return nil, cli.Fail(cli.ExitInfra, fmt.Errorf("--describe: %w\n  hint: nothing was mined; "+
			"cookoff models --ping %s tries it", err, text.Line(m.describe)))
	}
	d := &describing{mining: m, all: m.yes, writer: describe.Writer{Model: m.describe, Chat: chat,
		Max: float64(m.maxCost), Wait: waited}}
	d.writer.Cost = func(u model.Usage) (float64, bool) { return cfg.Prices().Cost(m.describe, u) }
	kept := ""
	if o.Record != "" {
		kept = filepath.Join(filepath.Dir(o.Record), "described.jsonl")
	}
	if d.kept, err = describe.Open(kept); err != nil {
		return nil, cli.Fail(cli.ExitInfra, err)
	}
	o.Vague = true // a description may say what is asked for
	return d, nil
}

func waited(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// run describes the tasks that were found, and leaves out those that nothing says enough
// of. What was written stands beside what the rules made in a file of its own.
func (d *describing) run(ctx context.Context, o *mine.Options, res *mine.Result) error {
	fmt.Fprintf(&d.doc, "# Descriptions by %s\n", text.Line(d.writer.Model))
	var failed error
	for i := range res.Found {
		f := &res.Found[i]
		if f.Task == nil {
			continue
		}
		if failed == nil && ctx.Err() == nil {
			failed = d.one(ctx, f.Task)
		}
		if f.Task.Unclear() && !d.vague {
			f.Reason, f.Detail, f.Task = refusal.Hidden, f.Task.Unsaid(), nil
		}
	}
	res.Stopped = ctx.Err() != nil
	file := filepath.Join(o.Files, "described.md")
	if err := files.NoLinks(d.top, file); err != nil {
		return cli.Usage("%w", err)
	}
	if len(res.Tasks()) > 0 {
		if err := cli.Written(files.WriteFile(file, []byte(d.doc.String()))); err != nil {
			return err
		}
		if d.taken > 0 || d.done > 0 && !res.Stopped {
			d.Say("%s", d.summary(file))
		}
	}
	switch {
	case failed == nil || ctx.Err() != nil:
	case errors.Is(failed, describe.ErrSpent):
		d.Say("%v: the others keep what the rules made\n  hint: a larger --max-total-cost goes on", failed)
	default:
		d.Say("warning: %s wrote no more descriptions: %s: the others keep what the rules made",
			text.Line(d.writer.Model), text.Line(failed.Error()))
	}
	return nil
}

// summary says what was written, what it cost and what of it was taken.
func (d *describing) summary(file string) string {
	cost := "for " + number.Money(&d.writer.Spent)
	if d.dear {
		cost = "at a price that is not known"
	}
	out := fmt.Sprintf("%s described by %s, %s", text.Count(d.done, "task"), text.Line(d.writer.Model), cost)
	if d.taken < d.done {
		out += fmt.Sprintf("; %d taken", d.taken)
	}
	out += ": both texts of each task are in " + d.Rel(file)
	if d.left {
		out += "\n  hint: --yes takes what nobody was asked about"
	}
	return out
}

// one describes a task.
func (d *describing) one(ctx context.Context, t *mine.Task) error {
	in := describe.Input{Message: t.FromMessage, Tests: t.Tests, Prompt: t.Recipe.Prompt, Fix: t.Recipe.Solution}
	key := describe.Key(d.writer.Model, in)
	got := d.kept.Of(key)
	if got == nil {
		var err error
		if got, err = d.writer.Write(ctx, in); err != nil {
			return err
		}
		if err := d.kept.Put(key, got); err != nil {
			return err
		}
		d.dear = d.dear || got.USD == nil
	}
	d.done++
	clean, why := t.Clean(got.Text)
	taken := got.Taken
	if why == "" && (taken == nil || d.again) {
		var err error
		if taken, err = d.ask(ctx, t, clean); err != nil {
			return err
		}
		if taken != nil {
			got.Taken = taken
			if err := d.kept.Put(key, got); err != nil {
				return err
			}
		}
	}
	if taken != nil && *taken {
		why = "taken"
	} else if why == "" && taken != nil {
		why = "not taken"
	} else if why == "" {
		why, d.left = "not taken: --yes takes what nobody was asked about", true
	}
	fmt.Fprintf(&d.doc, "\n## %s\n\n%s; %s\n\n### By rule\n\n%s\n### By the model\n\n%s", text.Line(t.Recipe.Title),
		why, number.Money(got.USD), quoted(t.FromMessage), quoted(or(clean, got.Text)))
	if taken != nil && *taken && clean != "" {
		t.Describe(clean)
		d.taken++
	}
	return nil
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// quoted is a text as Markdown quotes it.
func quoted(s string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(or(s, "nothing"), "\n") {
		b.WriteString(strings.TrimRight("> "+text.Visible(line), " ") + "\n")
	}
	return b.String()
}

// ask shows both texts side by side and asks which is to be had; nil: there is nobody to
// ask.
func (d *describing) ask(ctx context.Context, t *mine.Task, clean string) (*bool, error) {
	switch {
	case d.all:
		return new(true), nil
	case d.none || !d.Asks():
		return nil, nil
	}
	columns, _ := d.Err.Size()
	d.Say("\n%s\n%s", text.Line(t.Recipe.Title), beside(or(t.FromMessage, "(nothing)"), clean, max(40, columns)))
	answer, err := d.Choose(ctx, "Take the text on the right? y, n, all, none", "n", "no", "yes", "all", "none")
	if err != nil {
		return nil, err
	}
	switch answer {
	case "yes":
		return new(true), nil
	case "all":
		d.all = true
		return new(true), nil
	case "none":
		d.none = true
		return nil, nil
	}
	return new(false), nil
}

// beside gives two texts in two columns.
func beside(left, right string, columns int) string {
	half := (columns - 3) / 2
	wrap := func(s string) (out []string) {
		for line := range strings.SplitSeq(s, "\n") {
			out = append(out, text.Wrap(text.Visible(line), half)...)
		}
		return out
	}
	l, r := append([]string{"by rule", ""}, wrap(left)...), append([]string{"by the model", ""}, wrap(right)...)
	var b strings.Builder
	for i := range max(len(l), len(r)) {
		row := [2]string{}
		if i < len(l) {
			row[0] = l[i]
		}
		if i < len(r) {
			row[1] = r[i]
		}
		b.WriteString(strings.TrimRight(row[0]+strings.Repeat(" ", half-text.Width(row[0]))+" │ "+row[1], " ") + "\n")
	}
	return b.String()
}
