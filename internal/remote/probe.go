package remote

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

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
// names.
func Probe(ctx context.Context, b sandbox.Backend, tools, words []string) (Versions, error) {
	sb, err := b.Open(ctx, sandbox.Spec{ToolPaths: tools})
	if err != nil {
		return nil, err
	}
	defer sb.Close()
	r, err := sb.Exec(ctx, sandbox.Cmd{Argv: append([]string{"bash", "--noprofile", "--norc", "-c", ask, "ask"},
		words...)})
	if err != nil {
		return nil, err
	}
	out := Versions{}
	for line := range strings.Lines(string(r.Stdout)) {
		if name, said, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok || slices.Contains(words, name) {
			out[name] = text.Line(said[:min(len(said), maxVersion)])
		}
	}
	return out, nil
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

// probe asks every machine for the programs that the recipe names.
func (w Wanted) probe(ctx context.Context, machines []*seats.Machine) ([]Versions, error) {
	if w.Recipe == nil {
		return nil, nil
	}
	words := Words(w.Recipe.MarshalMarkdown())
	found, errs := make([]Versions, len(machines)), make([]error, len(machines))
	var all sync.WaitGroup
	for i, m := range machines {
		all.Go(func() {
			found[i], errs[i] = Probe(ctx, m.Backend, w.shown(m), words)
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
func kinds(found []Versions) string {
	var out []string
	for _, v := range found {
		out = append(out, fmt.Sprint(v))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), "\n")
}

// differences says which programs are not the same everywhere.
func differences(machines []*seats.Machine, found []Versions) []string {
	all := make([]Looked, len(found))
	for i, v := range found {
		all[i] = Looked{Name: machines[i].Name, OK: true, Tools: v}
	}
	return Differ(all)
}

// Differ says which programs are not the same on all hosts that can be used.
func Differ(all []Looked) (out []string) {
	all = slices.DeleteFunc(slices.Clone(all), func(l Looked) bool { return !l.OK })
	names := map[string]bool{}
	for _, l := range all {
		for name := range l.Tools {
			names[name] = true
		}
	}
	for name := range names {
		var each []string
		same := true
		for _, l := range all {
			said, there := l.Tools[name]
			first, one := all[0].Tools[name]
			same = same && there == one && said == first
			if !there {
				said = "none"
			}
			each = append(each, fmt.Sprintf("%s has %s", l.Name, said))
		}
		if !same {
			out = append(out, name+": "+strings.Join(each, ", "))
		}
	}
	slices.Sort(out)
	return out
}
