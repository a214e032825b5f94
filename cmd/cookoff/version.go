package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/recipe"
	"cookoff/trial"
)

// What a release is built with (-ldflags -X): its version, commit and the date of
// that; "": the Go tool wrote into the binary what is known.
var released, commit, date string

// versionInfo is what "version --format json" prints; keys are only added.
type versionInfo struct {
	Version       string `json:"version"`
	Commit        string `json:"commit,omitempty"`
	Date          string `json:"date,omitempty"` // of the commit, RFC 3339
	Modified      bool   `json:"modified,omitempty"`
	Go            string `json:"go"`
	Platform      string `json:"platform"`
	RecipeVersion int    `json:"recipe_version"` // the highest
	Journal       string `json:"journal"`
}

// newVersionInfo reads what the Go tool wrote into the binary.
func newVersionInfo() versionInfo {
	v := versionInfo{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, RecipeVersion: recipe.MaxVersion, Journal: trial.Schema}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if m := info.Main.Version; m != "" && m != "(devel)" {
		v.Version = m
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	v.Version, v.Commit, v.Date = cmp.Or(released, v.Version), cmp.Or(commit, v.Commit), cmp.Or(date, v.Date)
	return v
}

func (v versionInfo) String() string {
	s := fmt.Sprintf("cookoff %s", v.Version)
	if v.Commit != "" {
		s += " " + v.Commit[:min(len(v.Commit), 12)]
	}
	if day, _, _ := strings.Cut(v.Date, "T"); day != "" {
		s += " " + day
	}
	if v.Modified {
		s += " (modified)"
	}
	return fmt.Sprintf("%s %s %s", s, v.Go, v.Platform)
}

func (a *app) versionCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  cookoff version
  cookoff version --format json`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			v := newVersionInfo()
			switch format {
			case "text":
				_, err := fmt.Fprintln(a.Out, v)
				return cli.Written(err)
			case "json":
				return a.PrintJSON(v)
			}
			return cli.OneOf("format", format, "text", "json")
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}
