package help

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/docs"
	"cookoff/internal/nearest"
)

// pageNames are the names of the manual's pages.
func pageNames() (names []string) {
	for _, p := range docs.Pages() {
		names = append(names, p.Name)
	}
	return names
}

// pagesTopic stands for the manual in the list of topics. Its pages are read when they are asked for, not at each
// start.
func pagesTopic() *cobra.Command {
	return &cobra.Command{Use: manual, Short: "The pages of the manual",
		Long: "The manual\n\n  cookoff help docs          lists its pages\n  cookoff help docs/NAME.md  prints one"}
}

// manual is what the topic of all pages is called, and begins the names of pages.
const manual = "docs"

// isPage reports whether somebody asks for the manual, or for a page of it.
func isPage(name string) bool { return name == manual || strings.HasPrefix(name, manual+"/") }

// printPage prints a page of the manual, or for "docs" a list of them. The .md of a name may be left out.
func printPage(w io.Writer, name string) error {
	if name == manual {
		return listPages(w)
	}
	for _, p := range docs.Pages() {
		if p.Name == name || p.Name == name+".md" {
			_, err := io.WriteString(w, p.Text)
			return err
		}
	}
	hint := "cookoff help docs lists the pages"
	if near := nearest.Name(name, pageNames()); near != "" {
		hint = "cookoff help " + near
	}
	return fmt.Errorf("the manual has no page %q\n  hint: %s", name, hint)
}

func listPages(w io.Writer) error {
	var list strings.Builder
	list.WriteString("The pages of the manual; cookoff help docs/NAME.md prints one\n\n")
	for _, p := range docs.Pages() {
		fmt.Fprintf(&list, "  %-25s  %s\n", p.Name, p.Title)
	}
	_, err := io.WriteString(w, list.String())
	return err
}
