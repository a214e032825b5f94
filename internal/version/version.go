// Package version is what this program was built of.
package version

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"cookoff/recipe"
	"cookoff/trial"
)

// What a release is built with (-ldflags -X): its version, commit and the date of
// that; "": the Go tool wrote into the binary what is known.
var released, commit, date string

// Info is what "version --format json" prints; keys are only added.
type Info struct {
	Version       string `json:"version"`
	Commit        string `json:"commit,omitempty"`
	Date          string `json:"date,omitempty"` // of the commit, RFC 3339
	Modified      bool   `json:"modified,omitempty"`
	Go            string `json:"go"`
	Platform      string `json:"platform"`
	RecipeVersion int    `json:"recipe_version"` // the highest
	Journal       string `json:"journal"`
}

// Read reads what the Go tool wrote into the binary.
func Read() Info {
	v := Info{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		RecipeVersion: recipe.MaxVersion, Journal: trial.Schema}
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

func (v Info) String() string {
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
