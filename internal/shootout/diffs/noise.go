package diffs

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/trial/final"
)

// caches are the directories below HOME that tools fill by themselves.
func caches() []string {
	return []string{"~/.cache/", "~/.npm/", "~/go/pkg/", "~/.config/go/", "~/.cargo/registry/", "~/.gradle/caches/",
		"~/.m2/repository/"}
}

// cacheOf gives the cache in HOME that a path lies in; "": none.
func cacheOf(path string) string {
	for _, c := range caches() {
		if rest, in := strings.CutPrefix(path, c); in {
			if c == "~/.cache/" {
				tool, _, _ := strings.Cut(rest, "/")
				return c + tool
			}
			return strings.TrimSuffix(c, "/")
		}
	}
	const compiled = "__pycache__"
	if strings.HasPrefix(path, "~/") && slices.Contains(strings.Split(path, "/"), compiled) {
		return "~/…/" + compiled
	}
	return ""
}

// folded is the one entry that stands for what tools cached in HOME; none where
// they cached nothing.
func folded(changes []final.Change) []File {
	n, sum := map[string]int{}, 0
	var names []string
	for _, c := range changes {
		name := cacheOf(c.Path)
		if name == "" {
			continue
		}
		if n[name] == 0 {
			names = append(names, name)
		}
		n[name]++
		sum++
	}
	if sum == 0 {
		return nil
	}
	slices.Sort(names)
	f := File{Path: "~", What: "cached", Lines: []Line{{Text: fmt.Sprintf("%s in caches of tools, in HOME",
		text.Count(sum, "change")), Mark: '#'}}}
	for _, name := range names {
		f.Lines = append(f.Lines, Line{Text: fmt.Sprintf("%s: %d", text.Line(name), n[name]), Mark: '!'})
	}
	return []File{f}
}
