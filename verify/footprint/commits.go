package footprint

import (
	"context"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// Committed is what was done to a reference that has all that it had, and commits beside;
// Rewound what was done to a branch that no longer has all the commits which it had.
const (
	Committed = "commits added"
	Rewound   = "commits taken out"
)

// maxCommits bounds the commits that are read to see what a branch came from.
const maxCommits = 1000

var (
	asksGit = pattern.New(`\bgit\b[^;&|\n]*\b(status|diff|log|shortlog|rev-parse|rev-list|describe|show|show-ref|` +
		`branch|reflog|stash|merge-base|cat-file|ls-files|ls-tree|symbolic-ref|for-each-ref|fsck|grep|blame|commit)\b`)
	forbidsCommits = pattern.New(`(?i)\b(commit nothing|(do not|don't|never|not) commit|no (new )?commits?|` +
		`without (a commit|committing))\b`)
)

// AsksGit reports whether checks ask git what is committed, changed or ignored.
func AsksGit(checks string) bool { return asksGit.MatchString(checks) }

// ForbidsCommits reports whether a prompt says that nothing is to be committed.
func ForbidsCommits(prompt string) bool { return forbidsCommits.MatchString(prompt) }

// commits finds which of the branches that are others only went on from what they were:
// "DIR/NAME" of each, with HEAD where it is on a new branch. Errors are the sandbox's.
func (o *observer) commits(ctx context.Context, sb sandbox.Sandbox) (map[string]bool, error) {
	on := map[string]bool{}
	for dir := range o.git {
		was, is := o.from.refs(dir), o.to.refs(dir)
		type move struct{ old, now string }
		moved := map[string]move{}
		for name, old := range was {
			if now := is[name]; strings.HasPrefix(name, "refs/heads/") && now != "" && now != old {
				moved[name] = move{old, now}
			}
		}
		from, to := headOf(o.from.held[dir+"/HEAD"]), headOf(o.to.held[dir+"/HEAD"])
		if to != from && was[from] != "" && was[to] == "" {
			moved["HEAD"] = move{was[from], is[to]}
		}
		for name, m := range moved {
			ok, err := o.follows(ctx, sb, dir, m.now, m.old)
			if err != nil {
				return nil, err
			}
			on[dir+"/"+name] = ok
		}
	}
	return on, nil
}

// headOf is the branch that HEAD is on; "": none.
func headOf(it sandbox.Item) string {
	name, is := strings.CutPrefix(strings.TrimSpace(string(it.Data)), "ref: ")
	if !is || it.Link != "" {
		return ""
	}
	return name
}

// follows reports whether a commit is an old one, or came from it, by the commits that
// were added since.
func (o *observer) follows(ctx context.Context, sb sandbox.Sandbox, dir, now, old string) (bool, error) {
	seen, inPacks := map[string]bool{}, packsOf(o, sb, dir)
	for next := []string{now}; len(next) > 0 && len(seen) < maxCommits; {
		if slices.Contains(next, old) {
			return true, nil
		}
		var ahead []string
		r := &reading{}
		for _, name := range next {
			if seen[name] || len(name) < 40 {
				continue
			}
			seen[name] = true
			if f, there := tree.Lookup(o.to.files, dir+"/objects/"+name[:2]+"/"+name[2:]); there {
				r.want(f, maxObeyedSize)
				continue
			}
			kind, body, err := inPacks.object(ctx, name)
			if err != nil {
				return false, err
			}
			if kind == "commit" {
				ahead = append(ahead, parents(string(body))...)
			}
		}
		held, err := r.read(ctx, sb)
		if err != nil {
			return false, err
		}
		next = ahead
		for p, it := range held {
			if name := objectName(strings.TrimPrefix(p, dir+"/")); sound(it.Data, name) {
				if kind, body := object(it.Data); kind == "commit" {
					next = append(next, parents(string(body))...)
				}
			}
		}
	}
	return false, nil
}

// parents are those that a commit names.
func parents(text string) (list []string) {
	head, _, _ := strings.Cut(text, "\n\n")
	for line := range strings.Lines(head) {
		if name, is := strings.CutPrefix(line, "parent "); is {
			list = append(list, strings.TrimSpace(name))
		}
	}
	return list
}
