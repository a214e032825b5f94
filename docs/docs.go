// Package docs holds the manual: the pages of this directory, which "cookoff help docs/NAME.md" prints.
package docs

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.md
var files embed.FS

// Page is a page of the manual.
type Page struct {
	Name  string // docs/NAME.md
	Title string // its first heading
	Text  string // Markdown
}

// Pages gives all pages, by their names.
func Pages() []Page {
	names, err := fs.Glob(files, "*.md")
	if err != nil {
		panic(err) // the pattern is right
	}
	pages := make([]Page, len(names))
	for i, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			panic(err) // it was listed
		}
		text := string(data)
		title, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
		pages[i] = Page{Name: "docs/" + name, Title: title, Text: text}
	}
	return pages
}
