package witness

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// Older are builds that are put back as the start has them. What they are made of has changed
// since, and programs that build tell so by times alone: changed files must be newer than
// they are, and whatever else is as it was, such as a stamp that tells of a later build, must not.
type Older struct {
	at            time.Time
	changed, same []string // regular files of the project
}

// OlderBuilds says what makes items that are put back older. Nil: none is.
func OlderBuilds(items []sandbox.Item, start, final sandbox.Manifest) *Older {
	o := &Older{}
	back := map[string]bool{}
	for _, it := range items {
		back[it.Path] = true
		if !it.Gone && it.Time.After(o.at) {
			o.at = it.Time
		}
	}
	if o.at.IsZero() {
		return nil
	}
	for _, f := range final {
		if !f.Mode.IsRegular() || back[f.Path] || strings.HasPrefix(f.Path, "~/") {
			continue
		}
		if was, had := tree.Lookup(start, f.Path); had && tree.Differs(was, f) == "" {
			o.same = append(o.same, f.Path)
		} else {
			o.changed = append(o.changed, f.Path)
		}
	}
	return o
}

// dateFiles reads names that end in NUL: those of changed files, an empty one, and those of
// files that are as they were.
const dateFiles = `PATH=/usr/bin:/bin; at=$(mktemp) && touch -d "@$AT" "$at"
while IFS= read -r -d '' f && [ "$f" ]; do [ "./$f" -nt "$at" ] || touch -c "./$f"; done
while IFS= read -r -d '' f; do [ ! "./$f" -nt "$at" ] || touch -c -r "$at" "./$f"; done
rm -f "$at"`

// date gives the files of a world their times. Errors are the sandbox's.
func (o *Older) date(ctx context.Context, sb sandbox.Sandbox) error {
	names := strings.Join(o.changed, "\x00") + "\x00\x00" + strings.Join(o.same, "\x00") + "\x00"
	if len(o.changed) == 0 {
		names = names[1:]
	}
	_, err := sb.Exec(ctx, sandbox.Cmd{Script: dateFiles, Stdin: []byte(names),
		Env: []string{fmt.Sprintf("AT=%d.%09d", o.at.Unix(), o.at.Nanosecond())}})
	return err
}

// dateBuilds reads names that end in NUL.
const dateBuilds = `PATH=/usr/bin:/bin; while IFS= read -r -d '' f; do touch -c -h -d "@$AT" "./$f"; done`

// builtAt is the time of what checks build, before anything of which they build it. Tools take a time of
// zero for none.
const builtAt = 946_684_800 // the year 2000

// dateBuilt has files of a world be older than all others: programs that build by times make them anew,
// and those that only run them still find them. Errors are the sandbox's.
func dateBuilt(ctx context.Context, sb sandbox.Sandbox, files []string) error {
	if len(files) == 0 {
		return nil
	}
	_, err := sb.Exec(ctx, sandbox.Cmd{Script: dateBuilds, Stdin: []byte(strings.Join(files, "\x00") + "\x00"),
		Env: []string{fmt.Sprintf("AT=%d", builtAt)}})
	return err
}
