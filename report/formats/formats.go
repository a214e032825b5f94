// Package formats writes a report, or a comparison of several, as text: a table for
// the terminal, Markdown, JSON, CSV, JUnit, metrics and a comment for a pull request.
// What models, tools and recipes wrote is made harmless for each.
package formats

import (
	"fmt"
	"io"
	"strings"

	"cookoff/report"
)

// format is one way to print a report.
type format struct {
	name  string
	write func(io.Writer, *report.Report, Options) error
}

func formats() []format {
	plain := func(f func(io.Writer, *report.Report) error) func(io.Writer, *report.Report, Options) error {
		return func(w io.Writer, r *report.Report, _ Options) error { return f(w, r) }
	}
	return []format{
		{"table", Table},
		{"json", plain(JSON)},
		{"markdown", plain(Markdown)},
		{"csv", plain(CSV)},
		{"junit", plain(JUnit)},
		{"metrics", plain(Metrics)},
		{"pr-comment", plain(Comment)},
	}
}

// Formats gives the names of the formats, the default first.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// Write prints the report in the format of that name. An unknown name is an
// error that lists the known ones, and nothing is written.
func Write(w io.Writer, name string, r *report.Report, o Options) error {
	for _, f := range formats() {
		if f.name == name {
			return f.write(w, r, o)
		}
	}
	return fmt.Errorf("no report format %q\n  hint: one of %s", name, strings.Join(Formats(), ", "))
}
