package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/control"
	"cookoff/verify/tree"
	"cookoff/verify/verdict"
	"cookoff/verify/witness"
)

func knownCriterion(kind string) bool {
	switch kind {
	case "no_errors", "contains", "tool_used", "max_tool_calls", "max_cost", "max_latency":
		return true
	}
	return fromState(kind)
}

// fromState reports whether a final state alone decides a kind of criterion,
// whatever the loop was.
func fromState(kind string) bool {
	switch kind {
	case "has_writes", "files_written", "run", "file_exists", "file_contains", "protected":
		return true
	}
	return false
}

// criterionFacts are what a criterion is judged on.
type criterionFacts struct {
	checks.Criterion
	loop     *Loop
	manifest sandbox.Manifest
	changes  []tree.Change
	isOutput func(string) bool // of paths that "protected" covers: see outputs
}

// criteria adds the verdicts on the success criteria of some kinds. In haste it ends with
// the first that does not hold.
func (j *judging) criteria(ctx context.Context, b *witness.Bench, vs []trial.Verdict, loop *Loop,
	some func(kind string) bool) (
	[]trial.Verdict, error) {
	for _, cr := range j.Criteria {
		if b.Hasty && verdict.Failing(vs) {
			break
		}
		if !some(cr.Kind) {
			continue
		}
		v, err := criterion(ctx, b, j.start, criterionFacts{cr, loop, j.facts.manifest, j.facts.changes,
			outputs(j.Case, j.start, []string{tree.Pattern(cr.Text)})})
		if err != nil {
			return nil, err
		}
		if vs, err = control.Add(ctx, b, cr.Script(), append(vs, v)); err != nil {
			return nil, err
		}
	}
	for _, further := range []func(context.Context, *witness.Bench, []trial.Verdict) (*trial.Verdict, error){
		j.later, j.running} {
		v, err := further(ctx, b, vs)
		if err != nil {
			return nil, err
		}
		if v != nil {
			vs = append(vs, *v)
		}
	}
	return vs, nil
}

// criterion judges one bullet of Success Criteria.
func criterion(ctx context.Context, b *witness.Bench, s *Start, f criterionFacts) (trial.Verdict, error) {
	switch f.Kind {
	case "run":
		return b.Script(ctx, f.Script(), nil)
	case "file_exists":
		return fileExists(ctx, *b.Most(), f)
	case "file_contains":
		return fileContains(ctx, *b.Most(), f)
	case "protected":
		return protectVerdict(f.Name, []string{tree.Pattern(f.Text)}, stateFacts{manifest: f.manifest, changes: f.changes},
			s, f.isOutput), nil
	case "has_writes", "files_written":
		return f.written(), nil
	}
	return f.ofLoop(), nil
}

// ofLoop judges what only the loop knows.
func (f criterionFacts) ofLoop() trial.Verdict {
	l := f.loop
	calls := 0
	for _, n := range l.Tools {
		calls += n
	}
	switch f.Kind {
	case "no_errors":
		return f.says(l.ToolErrors == 0, "%d tool calls failed, or ran a command that exited non-zero", l.ToolErrors)
	case "contains":
		return f.says(strings.Contains(l.Answer, f.Text), "the final answer does not contain %q", f.Text)
	case "tool_used":
		return f.says(l.Tools[f.Text] > 0, "%q was never called", f.Text)
	case "max_tool_calls":
		return f.says(float64(calls) <= f.Limit, "%d tool calls, at most %g", calls, f.Limit)
	case "max_latency":
		ms := float64(l.Latency.Microseconds()) / 1000
		return f.says(ms <= f.Limit, "%.0f ms, at most %g", ms, f.Limit)
	case "max_cost":
		if l.CostUSD == nil {
			return trial.Verdict{Check: f.Name, Kind: f.sort(), Status: trial.Undecided,
				Detail: "the cost is unknown: no price for this model"}
		}
		return f.says(*l.CostUSD <= f.Limit, "$%.4f, at most $%g", *l.CostUSD, f.Limit)
	}
	return trial.Verdict{Check: f.Name, Kind: f.sort(), Status: trial.Undecided,
		Detail: fmt.Sprintf("unknown criterion %q", f.Kind)}
}

// sort is the kind of the verdict on a criterion.
func (f criterionFacts) sort() trial.CheckKind {
	switch f.Kind {
	case "max_tool_calls", "max_cost", "max_latency":
		return trial.KindBound
	}
	return trial.KindCriterion
}

// says makes a verdict; the text is why it does not hold.
func (f criterionFacts) says(holds bool, format string, args ...any) trial.Verdict {
	if holds {
		return trial.Verdict{Check: f.Name, Kind: f.sort(), Status: trial.Held}
	}
	return trial.Verdict{Check: f.Name, Kind: f.sort(), Status: trial.NotHeld, Detail: fmt.Sprintf(format, args...)}
}

// written counts regular files that are new or have other content: what is
// there, not what a tool call claims.
func (f criterionFacts) written() trial.Verdict {
	n := 0
	for _, c := range f.changes {
		if c.File && c.What != "mode" && c.What != "owner" {
			n++
		}
	}
	if f.Kind == "has_writes" {
		return f.says(n > 0, "no file was written (%d calls may have)", f.loop.Wrote)
	}
	return f.says(float64(n) >= f.Limit, "%d files written, at least %g", n, f.Limit)
}

// fileExists asks for a file or directory that a glob matches. A link counts
// when it leads to one.
func fileExists(ctx context.Context, p witness.Place, f criterionFacts) (trial.Verdict, error) {
	want := tree.Pattern(f.Text)
	var links []string
	for _, e := range f.manifest {
		if ok, _ := doublestar.Match(want, e.Path); !ok {
			continue
		}
		switch {
		case e.Mode.IsRegular() || e.Mode.IsDir():
			return f.says(true, ""), nil
		case e.Mode.Type() == fs.ModeSymlink:
			links = append(links, e.Path)
		}
	}
	found := false
	err := error(nil)
	if links != nil {
		err = p.In(ctx, f.Name, func(sb sandbox.Sandbox) error {
			found, err = leads(ctx, sb, links)
			return err
		})
	}
	return f.says(found, "no file matches %q", f.Text), err
}

func leads(ctx context.Context, sb sandbox.Sandbox, links []string) (bool, error) {
	for _, l := range links[:min(len(links), 100)] {
		_, err := sb.FS().Read(ctx, l, 0, 1)
		var bad *sandbox.FileError
		if err == nil || errors.As(err, &bad) && bad.Kind == sandbox.FileDirectory {
			return true, nil
		}
		if !errors.As(err, &bad) {
			return false, err
		}
	}
	return false, nil
}

// How file_contains looks at a file, in bytes: so much together, and so much at
// most. More takes long, and is nothing that somebody wrote.
const (
	readSize    = 8 << 20
	maxSearched = 64 << 20
)

// fileContains looks for a text in one regular file.
func fileContains(ctx context.Context, p witness.Place, f criterionFacts) (trial.Verdict, error) {
	v := f.says(false, "%q does not contain %q", f.Path, f.Text)
	err := p.In(ctx, f.Name, func(sb sandbox.Sandbox) error {
		var kept []byte
		for off := int64(0); ; {
			ch, err := sb.FS().Read(ctx, f.Path, off, readSize)
			var bad *sandbox.FileError
			if errors.As(err, &bad) {
				v.Detail = bad.Error()
				return nil
			}
			if err != nil {
				return err
			}
			kept = append(kept, ch.Data...)
			if bytes.Contains(kept, []byte(f.Text)) {
				v = f.says(true, "")
				return nil
			}
			off += int64(len(ch.Data))
			if len(ch.Data) == 0 || off >= ch.Size {
				return nil
			}
			if off >= maxSearched {
				v.Detail = fmt.Sprintf("%q does not contain %q in its first %d MiB, and more is not looked at: it has %d MiB",
					f.Path, f.Text, maxSearched>>20, ch.Size>>20)
				return nil
			}
			kept = kept[max(0, len(kept)-len(f.Text)):]
		}
	})
	return v, err
}

// protectVerdict judges what globs cover, but for what is the checks' output.
func protectVerdict(name string, globs []string, f stateFacts, s *Start, isOutput func(string) bool) trial.Verdict {
	hit := slices.DeleteFunc(tree.Protected(globs, f.changes, s.Files, f.manifest),
		func(ch tree.Change) bool { return isOutput(ch.Path) })
	if len(hit) == 0 {
		return trial.Verdict{Check: name, Kind: trial.KindProtect, Status: trial.Held}
	}
	return trial.Verdict{Check: name, Kind: trial.KindProtect, Status: trial.NotHeld,
		Detail: fmt.Sprintf("protected, but changed: %s", tree.Listed(hit))}
}
