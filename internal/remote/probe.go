package remote

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"cookoff/internal/pattern"
	"cookoff/internal/ui/text"
	"cookoff/runner/seats"
	"cookoff/sandbox"
)

// Versions are the first lines of what the programs of a machine say of themselves,
// by their names, as its worlds have them.
type Versions map[string]string

// programName is a word that can be a program's name, as it stands in commands.
var programName = pattern.New(`[A-Za-z][\w+-]*(?:\.[\w+-]+)*`)

// maxWords bounds the words that are looked for, and maxVersion what is kept of an
// answer, in bytes.
const (
	maxWords   = 2000
	maxVersion = 200
)

// ask prints each program of its arguments that there is, and the first line of what
// it says of its version: of those that say it quickly, and ask for nothing. go wants
// the word without dashes, and so do others.
const ask = `said() { timeout 5 "$@" </dev/null 2>&1 | head -c 4096 | tr -d '\0'; return "${PIPESTATUS[0]}"; }
for p; do
	[ "$(type -t -- "$p")" = file ] || continue
	v=$(said "$p" --version) || w=$(said "$p" version) && v=${w:-$v}
	w=; v=${v%%$'\n'*}; printf '%s\t%s\n' "$p" "${v//$'\t'/ }"
done`

// Probe asks the worlds of a backend which of the programs they have that a text
// names, and gives the time that work takes there.
func Probe(ctx context.Context, b sandbox.Backend, tools, words []string) (Versions, time.Duration, error) {
	sb, err := b.Open(ctx, sandbox.Spec{ToolPaths: tools})
	if err != nil {
		return nil, 0, err
	}
	defer sb.Close()
	worked, err := calibrate(ctx, sb)
	if err != nil {
		return nil, 0, err
	}
	r, err := sb.Exec(ctx, sandbox.Cmd{Argv: append([]string{"bash", "--noprofile", "--norc", "-c", ask, "ask"},
		words...)})
	if err != nil {
		return nil, 0, err
	}
	out := Versions{}
	for line := range strings.Lines(string(r.Stdout)) {
		if name, said, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok || slices.Contains(words, name) {
			out[name] = text.Line(said[:min(len(said), maxVersion)])
		}
	}
	return out, worked, nil
}

// Words are those of a text that may be names of programs.
func Words(said string) (out []string) {
	seen := map[string]bool{}
	for _, w := range programName.FindAllString(said, -1) {
		if !seen[w] && len(out) < maxWords {
			seen[w] = true
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return out
}

// probe asks every machine for the programs that the recipe names, and how fast it is.
func (w Wanted) probe(ctx context.Context, machines []*seats.Machine) ([]Looked, error) {
	if w.Recipe == nil {
		return nil, nil
	}
	words := Words(w.Recipe.MarshalMarkdown())
	found, errs := make([]Looked, len(machines)), make([]error, len(machines))
	var all sync.WaitGroup
	for i, m := range machines {
		all.Go(func() {
			tools, worked, err := Probe(ctx, m.Backend, w.shown(m), words)
			found[i], errs[i] = Looked{Name: m.Name, OK: true, Tools: tools, WorkMS: ms(worked),
				AheadS: aheadOf(m)}, err
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// shown are the tool chains that worlds of a machine have.
func (w Wanted) shown(m *seats.Machine) []string {
	if !m.Local && len(w.Tools) == 0 {
		return []string{"/usr"} // the hand's own take its place
	}
	return w.Tools
}

// kinds says which tools there are, equal where only the number of machines differs
// that have them: a run goes on with other hosts that are alike.
func kinds(found []Looked) string {
	var out []string
	for _, l := range found {
		out = append(out, fmt.Sprint(l.Tools))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), "\n")
}

// Differ says which programs are not the same on all hosts that can be used, and whose
// clock is wrong.
func Differ(all []Looked) (out []string) {
	all = slices.DeleteFunc(slices.Clone(all), func(l Looked) bool { return !l.OK })
	names := map[string]bool{}
	for _, l := range all {
		for name := range l.Tools {
			names[name] = true
		}
	}
	for name := range names {
		if who := by(all, name); len(who) > 1 {
			var each []string
			for _, said := range slices.Sorted(maps.Keys(who)) {
				each = append(each, fmt.Sprintf("%s on %s", said, strings.Join(who[said], ", ")))
			}
			out = append(out, name+": "+strings.Join(each, "; "))
		}
	}
	slices.Sort(out)
	return append(out, clocks(all)...)
}

// by gives the names of the hosts by what they say of a program.
func by(all []Looked, name string) map[string][]string {
	who := map[string][]string{}
	for _, l := range all {
		said, there := l.Tools[name]
		switch {
		case !there:
			said = "none"
		case said == "":
			said = "one that says no version"
		}
		who[said] = append(who[said], l.Name)
	}
	return who
}
