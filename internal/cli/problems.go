package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cookoff/internal/files"
	"cookoff/internal/hint"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/internal/version"
	"cookoff/interop/sarif"
	"cookoff/recipe/problem"
	"cookoff/sandbox"
)

// PrintError writes an error for people: problems of a recipe one a line, any
// other behind "error:"; hints stand on lines of their own.
func (c *Common) PrintError(err error) {
	var ps problem.List
	if errors.As(err, &ps) {
		PrintProblems(c.Err, ps)
		return
	}
	kind := ""
	if errors.Is(err, sandbox.ErrUnavailable) {
		kind = sandbox.ErrUnavailable.Error() + ": "
	}
	seen := map[string]bool{} // joined errors may say the same
	for line := range strings.SplitSeq(text.Lines(err.Error()+fullDisk(err)), "\n") {
		switch {
		case seen[line]:
		case len(seen) == 0:
			fmt.Fprintf(c.Err, "%s %s%s\n", c.Err.Paint(screen.Red, "error:"), kind, line)
		default:
			fmt.Fprintf(c.Err, "  %s\n", strings.TrimSpace(line))
		}
		seen[line] = true
	}
}

// fullDisk says what to do where a disk is full and nobody has said it.
func fullDisk(err error) string {
	if !DiskFull(err) || hint.Given(err) {
		return ""
	}
	const full = "\nhint: a disk is full, or takes no more files (df and df -i say which): "
	if at, ok := errors.AsType[*files.UnwrittenError](err); ok {
		return full + "make room in " + filepath.Dir(at.Path) + "; what was there stands as it was"
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok && !strings.HasPrefix(at.Path, os.TempDir()) {
		return full + "make room there; what was recorded is kept"
	}
	return fmt.Sprintf(full+"make room, or name another place by TMPDIR (it is %s); what was recorded is kept",
		os.TempDir())
}

// PrintProblems writes problems one a line, hints below.
func PrintProblems(s screen.Stream, ps problem.List) {
	for _, p := range ps {
		word := s.Paint(screen.Red, "error:")
		if p.Warning {
			word = s.Paint(screen.Yellow, "warning:")
		}
		if p.Note {
			word = "note:"
		}
		fmt.Fprintf(s, "%s: %s %s\n", s.Paint(screen.Bold, text.Line(p.Pos.String())), word, text.Line(p.Msg))
		if p.Hint != "" {
			fmt.Fprintf(s, "  hint: %s\n", text.Line(p.Hint))
		}
	}
}

// PrintFound writes what lint found: as text to a stream, as json or sarif to
// standard output.
func (c *Common) PrintFound(format string, ps problem.List, lines screen.Stream) error {
	switch format {
	case "json":
		return c.PrintJSON(ProblemsJSON(ps))
	case "sarif":
		left, err := sarif.Write(c.Out, version.Read().Version, ps)
		if left > 0 {
			c.Say("%s left out: a file of SARIF holds %d, and 8 MiB of text", text.Count(left, "problem"), sarif.Most)
		}
		return Written(err)
	}
	PrintProblems(lines, ps)
	return nil
}

// ProblemJSON is a problem in "lint --format json"; keys are only added.
type ProblemJSON struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Severity string `json:"severity"` // error, warning, note
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
}

// ProblemsJSON gives problems as "lint --format json" prints them.
func ProblemsJSON(ps problem.List) []ProblemJSON {
	out := make([]ProblemJSON, len(ps))
	for i, p := range ps {
		out[i] = ProblemJSON{p.Pos.File, p.Pos.Line, p.Pos.Col, "error", p.Msg, p.Hint}
		if p.Warning {
			out[i].Severity = "warning"
		}
		if p.Note {
			out[i].Severity = "note"
		}
	}
	return out
}
