package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"cookoff/internal/cli"
	"cookoff/internal/files"
	"cookoff/internal/host"
	"cookoff/internal/repairdirs"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/sandbox"
)

// trust asks before the first run of a recipe that is no file of the user's
// and never ran here. What was agreed to is remembered by all that it says.
func (a *app) trust(ctx context.Context, r *recipe.Recipe, f runFlags) error {
	if !r.FromElsewhere() {
		return nil
	}
	own, err := repairdirs.Beside(a.Rel, r)
	if err != nil {
		return err
	}
	repairs, err := repairdirs.Files(own)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	digest := trusted(r, repairs)
	file := host.TrustFile(a.Getenv)
	known, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cli.Fail(cli.ExitInfra, fmt.Errorf("reading which recipes are trusted: %w", err))
	}
	seen := "was never run here"
	for line := range strings.Lines(string(known)) {
		was, source, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if was == digest {
			return nil
		}
		if source == r.Source() && strings.HasPrefix(source, "git+") { // a bundle's name is anybody's
			seen = "has changed since it ran here"
		}
	}
	fmt.Fprintf(a.Err, "This recipe comes from elsewhere and %s:\n", seen)
	for _, line := range allowances(r, f, slices.Sorted(maps.Keys(repairs))) {
		fmt.Fprintf(a.Err, "%s\n", text.Line(line))
	}
	switch {
	case f.yes:
	case !a.Asks():
		return cli.Usage("%s %s\n  hint: cookoff show prints it; --yes runs it without asking", text.Line(r.Source()), seen)
	default:
		ok, err := a.Confirm(ctx, "Run it?")
		if err != nil {
			return err
		}
		if !ok {
			return cli.Usage("nothing was run")
		}
	}
	if err := files.AppendLine(file, digest+" "+r.Source()); err != nil {
		a.Say("%s it will be asked about again: %v", a.Err.Paint(screen.Yellow, "warning:"), err)
	}
	return nil
}

// trusted gives the digest of all that a recipe says, and its own repairs.
func trusted(r *recipe.Recipe, repairs map[string][]byte) string {
	h := sha256.New()
	h.Write([]byte(r.MarshalMarkdown()))
	for _, name := range slices.Sorted(maps.Keys(repairs)) {
		fmt.Fprintf(h, "\x00%s\x00%s", name, repairs[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// allowances say what a recipe is and would be allowed to do.
func allowances(r *recipe.Recipe, f runFlags, repairs []string) []string {
	out := []string{"  " + r.Source()}
	for _, s := range r.Sources() {
		if s.URL == r.Source() {
			out = append(out, "  commit "+s.Commit)
		} else {
			out = append(out, fmt.Sprintf("  extends %s, commit %s", s.URL, s.Commit))
		}
	}
	models := r.Models
	if len(f.models) > 0 {
		models = f.models
	}
	out = append(out,
		fmt.Sprintf("It would ask these models, with your keys: %s; trials of each task: %d", strings.Join(models, ", "), max(r.Comparison.Trials, f.trials, 1)),
		fmt.Sprintf("It would run in sandboxes, never on this machine itself: %s, %s", text.Count(scripts(r), "script"), text.Count(len(r.Hooks), "hook")),
		fmt.Sprintf("The sandboxes see a copy of this directory; filesystem: %s, network: %s", r.Sandbox.Filesystem, r.Sandbox.Network))
	if r.Sandbox.Filesystem == string(sandbox.Unrestricted) {
		out = append(out, "  and all files of this machine that you may read, keys in them too; the models and their providers get to know what they ask for")
	}
	if len(r.Sandbox.AllowHosts) > 0 {
		out = append(out, "The hosts that they could reach: "+strings.Join(r.Sandbox.AllowHosts, ", "))
	}
	if len(repairs) > 0 {
		out = append(out, "It brings repairs of its own, which run in the sandboxes too: "+strings.Join(repairs, ", "))
	}
	for _, s := range r.MCPServers {
		out = append(out, fmt.Sprintf("It would start the MCP server %s: %s", s.Name, s.Command))
	}
	if len(f.allow) > 0 {
		out = append(out, "You allow it as well: "+strings.Join(f.allow, ", "))
	}
	return out
}

// scripts counts what a recipe brings to be run in sandboxes, the commands that
// judge included; hooks, servers and repairs are named apart.
func scripts(r *recipe.Recipe) int {
	n := commands(r.Verify)
	for _, c := range r.SuccessCriteria {
		if c.Kind == "run" {
			n++
		}
	}
	for _, t := range r.Tasks {
		n += len(t.After) + len(t.Guard) + commands(t.Verify)
		for _, s := range []string{t.Setup, t.Before, t.Solution} {
			if s != "" {
				n++
			}
		}
	}
	return n
}

func commands(blocks []recipe.VerifyBlock) (n int) {
	for _, b := range blocks {
		n += 1 + len(b.Additional)
		if b.VersionCommand != "" {
			n++
		}
	}
	return n
}
