// Package trust remembers which recipes from elsewhere the user has agreed to run.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"cookoff/internal/faults"
	"cookoff/internal/files"
	"cookoff/internal/host"
	"cookoff/internal/repairdirs"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/sandbox"
)

// Terms are what the user lays over a recipe.
type Terms struct {
	Models []string // instead of the recipe's
	Trials int      // of each task; 0: as the recipe says
	Allow  []string // permissions that it gets
}

// Question asks whether a recipe from elsewhere may be run.
type Question struct {
	Source string   // where the recipe comes from
	Seen   string   // "was never run here", or "has changed since it ran here"
	Says   []string // what it is and would be allowed to do, a line each

	file, digest string
}

func (q *Question) Error() string { return text.Line(q.Source) + " " + q.Seen }

// Of gives the question that has to be answered before r is run: nil for a recipe of
// the user's own, and for one that was agreed to. own are the repairs of r.
func Of(r *recipe.Recipe, own []repairdirs.Dir, with Terms, getenv func(string) string) (*Question, error) {
	if !r.FromElsewhere() {
		return nil, nil
	}
	repairs, err := repairdirs.Files(own)
	if err != nil {
		return nil, err
	}
	q := &Question{Source: r.Source(), Seen: "was never run here", file: host.TrustFile(getenv),
		digest: trusted(r, repairs)}
	known, err := os.ReadFile(q.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, faults.Machinef("reading which recipes are trusted: %w", err)
	}
	for line := range strings.Lines(string(known)) {
		was, source, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if was == q.digest {
			return nil, nil
		}
		if source == r.Source() && strings.HasPrefix(source, "git+") { // a bundle's name is anybody's
			q.Seen = "has changed since it ran here"
		}
	}
	q.Says = allowances(r, with, slices.Sorted(maps.Keys(repairs)))
	return q, nil
}

// Remember keeps that the user agreed: it is not asked again.
func (q *Question) Remember() error { return files.AppendLine(q.file, q.digest+" "+q.Source) }

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
func allowances(r *recipe.Recipe, with Terms, repairs []string) []string {
	out := []string{"  " + r.Source()}
	for _, s := range r.Sources() {
		if s.URL == r.Source() {
			out = append(out, "  commit "+s.Commit)
		} else {
			out = append(out, fmt.Sprintf("  extends %s, commit %s", s.URL, s.Commit))
		}
	}
	models := asked(r, with.Models)
	out = append(out,
		fmt.Sprintf("It would ask these models, with your keys: %s; trials of each task: %d",
			strings.Join(models, ", "), max(r.Comparison.Trials, with.Trials, 1)),
		fmt.Sprintf("It would run in sandboxes, never on this machine itself: %s, %s", text.Count(scripts(r), "script"),
			text.Count(len(r.Hooks), "hook")),
		fmt.Sprintf("The sandboxes see a copy of this directory; filesystem: %s, network: %s", r.Sandbox.Filesystem,
			r.Sandbox.Network))
	for _, command := range prepared(r) {
		out = append(out, "It would run in a sandbox with the network of this machine, before any trial: "+command)
	}
	if r.Sandbox.Filesystem == string(sandbox.Unrestricted) {
		out = append(out, "  and all files of this machine that you may read, keys in them too; "+
			"the models and their providers get to know what they ask for")
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
	out = append(out, Own(r)...)
	if len(with.Allow) > 0 {
		out = append(out, "You allow it as well: "+strings.Join(with.Allow, ", "))
	}
	return out
}

// asked are the models behind the names of contestants, agents with them; nil: all that
// the recipe has.
func asked(r *recipe.Recipe, names []string) (out []string) {
	if len(names) == 0 {
		names = r.Names()
	}
	all := r.AllContestants()
	for _, name := range names {
		if i := slices.IndexFunc(all, func(c recipe.ContestantConfig) bool { return c.Name == name }); i >= 0 {
			name = all[i].Behind()
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Own says what contestants bring for themselves: servers, a line each, and files.
func Own(r *recipe.Recipe) (out []string) {
	for _, c := range r.AllContestants() {
		for _, item := range c.MCP {
			if name, command, defined := strings.Cut(item, ":"); defined {
				out = append(out, fmt.Sprintf("It would start the MCP server %s for %s: %s", strings.TrimSpace(name),
					c.Name, strings.TrimSpace(command)))
			}
		}
		if len(c.Files) > 0 {
			out = append(out, fmt.Sprintf("It would show %s these files beside the recipe: %s", c.Name,
				strings.Join(c.Files, ", ")))
		}
	}
	return out
}

// prepared are the commands that get what worlds need.
func prepared(r *recipe.Recipe) (out []string) {
	all := []string{r.Sandbox.Prepare}
	for _, t := range r.Tasks {
		all = append(all, t.Prepare)
	}
	for _, command := range all {
		if command != "" && command != "none" && !slices.Contains(out, command) {
			out = append(out, command)
		}
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
