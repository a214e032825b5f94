package history

import (
	"context"
	"fmt"
	"strings"
)

// Change is a path that differs between two commits; the file of a side that has none
// has no ID.
type Change struct {
	Path     string
	Was, Now File
}

// Step is two commits by their ids: what differs between them is asked for.
type Step struct{ From, To string }

// Differences is what differs; Err is a *PathError where a path leads elsewhere.
type Differences struct {
	List []Change
	Err  error
}

var rawDiff = []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-ext-diff"}

// Changes lists what differs below the directory that the repository is seen from. A
// file that moved is one that is gone and one that is new. Where a path leads
// elsewhere, it is a *PathError.
func (r *Repo) Changes(ctx context.Context, s Step) ([]Change, error) {
	out, err := r.git(ctx, nil, within(r.Prefix, append(rawDiff[:len(rawDiff):len(rawDiff)], s.From, s.To, "--"))...)
	if err != nil {
		return nil, err
	}
	d := Differences{}
	parts := strings.Split(out, "\x00")
	for i := 0; i+1 < len(parts) && d.Err == nil; i += 2 {
		d.add(r.Prefix, s.To, parts[i], parts[i+1])
	}
	return d.List, d.Err
}

// ChangesOf is Changes of many steps by one process of git. Steps between which nothing
// differs, or that git can't compare, are not in what it gives.
func (r *Repo) ChangesOf(ctx context.Context, steps []Step) map[Step]Differences {
	var ask strings.Builder
	to := make(map[string]Step, len(steps))
	for _, s := range steps {
		fmt.Fprintf(&ask, "%s %s\n", s.To, s.From)
		to[s.To] = s
	}
	args := within(r.Prefix, append(rawDiff[:len(rawDiff):len(rawDiff)], "--stdin", "-m", "--"))
	out, err := r.git(ctx, []byte(ask.String()), args...)
	if err != nil {
		return nil // asked one after another, each says what is wrong
	}
	all := map[Step]Differences{}
	var at Step
	parts := strings.Split(out, "\x00")
	for i := 0; i+1 < len(parts); i++ {
		if !strings.HasPrefix(parts[i], ":") {
			at = to[parts[i]]
			continue
		}
		d := all[at]
		if i++; d.Err == nil {
			d.add(r.Prefix, at.To, parts[i-1], parts[i])
		}
		all[at] = d
	}
	return all
}

// within has a command of git look at a directory only.
func within(prefix string, args []string) []string {
	if prefix != "" {
		args = append(args, below(prefix, nil)...)
	}
	return args
}

// add takes in an entry of git's raw format, of a path below a directory.
func (d *Differences) add(below, to, entry, path string) {
	f := strings.Fields(strings.TrimPrefix(entry, ":")) // modes, ids, letter
	if len(f) != 5 {
		d.Err = fmt.Errorf("git diff-tree says %q", entry)
		return
	}
	path = strings.TrimPrefix(path, below)
	if err := sane(path); err != nil {
		d.Err = fmt.Errorf("commit %.12s: %w", to, err)
		return
	}
	c := Change{Path: path}
	if strings.Trim(f[0], "0") != "" {
		c.Was = File{Path: path, Mode: f[0], ID: f[2]}
	}
	if strings.Trim(f[1], "0") != "" {
		c.Now = File{Path: path, Mode: f[1], ID: f[3]}
	}
	d.List = append(d.List, c)
}
