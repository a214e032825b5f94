package tools

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"cookoff/sandbox"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	searchLimit  = 10 * time.Second
	maxFound     = 500 // paths
	maxGrepLines = 300 // lines, with context
	maxGrepLine  = 500 // bytes shown of one line
	maxPattern   = 2 << 10
	maxAround    = 20 // lines of context

	searchFilesDoc = `Finds files by name. The pattern is a glob relative to path; ` +
		`** stands for any directories, for example **/*.go. ` +
		`What lies in .git is found only when the pattern names it.`
	searchCodeDoc = `Searches the content of text files for a regular expression (RE2). ` +
		`Binary files and .git are skipped. ` +
		`A line found is shown as path:line:text, a line of context as path-line-text.`
)

type findArgs struct {
	Pattern string `json:"pattern" description:"glob, for example **/*_test.go"`
	Path    string `json:"path,omitempty" description:"the directory to search; the project when absent"`
}

// searchFiles finds files by a glob, and cuts what would be too much for a model.
func searchFiles(ctx context.Context, sb sandbox.Sandbox, a findArgs) (Result, error) {
	if err := checkGlob("pattern", a.Pattern); err != nil {
		return Result{}, err
	}
	if a.Path != "" {
		if err := checkPath(a.Path); err != nil {
			return Result{}, err
		}
	}
	within, cancel := context.WithTimeout(ctx, searchLimit)
	defer cancel()
	paths, more, err := sb.FS().Find(within, sandbox.FindQuery{Dir: a.Path, Glob: a.Pattern, Max: maxFound})
	if err != nil {
		return Result{}, searchFailed(ctx, err)
	}
	if len(paths) == 0 {
		return Result{Text: "(no file matches)"}, nil
	}
	var b strings.Builder
	for _, p := range paths {
		b.WriteString(cleanName(p))
		b.WriteByte('\n')
	}
	if more {
		fmt.Fprintf(&b, "[more than %d files match; use a narrower pattern]\n", maxFound)
	}
	return Result{Text: strings.TrimSuffix(b.String(), "\n")}, nil
}

type grepArgs struct {
	Pattern    string `json:"pattern" description:"regular expression (RE2)"`
	Path       string `json:"path,omitempty" description:"the directory or file to search; the project when absent"`
	Glob       string `json:"glob,omitempty" description:"only files whose path matches, for example **/*.go"`
	IgnoreCase bool   `json:"ignore_case,omitempty" description:"take upper and lower case as equal"`
	Context    int    `json:"context,omitempty" description:"lines to show before and after each, at most 20"`
}

// searchCode finds lines of text files by a regular expression, and cuts what would be too
// much for a model.
func searchCode(ctx context.Context, sb sandbox.Sandbox, a grepArgs) (Result, error) {
	if err := a.check(); err != nil {
		return Result{}, err
	}
	within, cancel := context.WithTimeout(ctx, searchLimit)
	defer cancel()
	q := sandbox.GrepQuery{Dir: a.Path, Pattern: a.Pattern, Glob: a.Glob, IgnoreCase: a.IgnoreCase,
		Context: min(a.Context, maxAround), Max: maxGrepLines}
	lines, more, err := sb.FS().Grep(within, q)
	if err != nil {
		return Result{}, searchFailed(ctx, err)
	}
	if len(lines) == 0 {
		return Result{Text: "(no line matches)"}, nil
	}
	var b strings.Builder
	for i, l := range lines {
		if i > 0 && q.Context > 0 && (l.Path != lines[i-1].Path || l.Line != lines[i-1].Line+1) {
			b.WriteString("--\n")
		}
		sep := "-"
		if l.Match {
			sep = ":"
		}
		fmt.Fprintf(&b, "%s%s%d%s%s\n", cleanName(l.Path), sep, l.Line, sep,
			Clip(Clean([]byte(strings.TrimRight(l.Text, "\r\n"))), maxGrepLine))
	}
	if more {
		fmt.Fprintf(&b, "[more than %d lines; use a narrower pattern, path or glob]\n", maxGrepLines)
	}
	return Result{Text: strings.TrimSuffix(b.String(), "\n")}, nil
}

func (a grepArgs) check() error {
	switch {
	case a.Pattern == "":
		return badArgs("pattern: empty")
	case len(a.Pattern) > maxPattern:
		return badArgs("pattern: %d bytes are more than the %d that a pattern may have", len(a.Pattern), maxPattern)
	case a.Context < 0:
		return badArgs("context: %d is negative", a.Context)
	}
	if _, err := regexp.Compile(a.Pattern); err != nil {
		return badArgs("pattern: %s", Clean([]byte(err.Error())))
	}
	if a.Glob != "" {
		if err := checkGlob("glob", a.Glob); err != nil {
			return err
		}
	}
	if a.Path != "" {
		return checkPath(a.Path)
	}
	return nil
}

func checkGlob(field, g string) error {
	switch {
	case g == "":
		return badArgs("%s: empty", field)
	case len(g) > maxPattern:
		return badArgs("%s: %d bytes are more than the %d that a pattern may have", field, len(g), maxPattern)
	case strings.ContainsRune(g, 0):
		return badArgs("%s: contains a NUL character", field)
	case !doublestar.ValidatePattern(g):
		return badArgs("%s: %q is no glob", field, Clip(Clean([]byte(g)), 80))
	}
	return nil
}

// searchFailed tells a search that took too long, which is the pattern's
// doing, from a trial that is over and from a sandbox that failed.
func searchFailed(ctx context.Context, err error) error {
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return failed("search: not done after %s; hint: use a narrower path or pattern", searchLimit)
	}
	return fileFailed(err)
}
