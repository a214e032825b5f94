package report

import "strings"

// About is what the recipe of a run says of itself, on one line: its description,
// version, author and tags, as far as it has them. It is foreign text.
func About(r *Report) string {
	m := r.Run.Metadata
	if m == nil {
		return ""
	}
	var parts []string
	add := func(before, s string) {
		if s != "" {
			parts = append(parts, before+s)
		}
	}
	add("", m.Description)
	add("version ", m.Version)
	add("by ", m.Author)
	add("tags: ", strings.Join(m.Tags, ", "))
	return strings.Join(parts, " · ")
}
