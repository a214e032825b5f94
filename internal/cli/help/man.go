//go:build man

package help

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manPages writes a manual page for each command into a directory. Their date is
// SOURCE_DATE_EPOCH where that is set, else today's.
var manPages = func(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	now := time.Now()
	if epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		now = time.Unix(epoch, 0)
	}
	now = now.UTC()
	asMarkdown(root)
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &now, Source: root.Version, Manual: "cookoff"},
		dir)
}

// asMarkdown makes the texts of commands what the pages are made of: what is
// indented stays as it stands.
func asMarkdown(cmd *cobra.Command) {
	var b strings.Builder
	before := ""
	for line := range strings.Lines(cmd.Long) {
		switch indented := strings.HasPrefix(line, "  "); {
		case indented && strings.TrimSpace(before) != "" && !strings.HasPrefix(before, "  "):
			b.WriteString("\n    " + line)
		case indented:
			b.WriteString("    " + line)
		default:
			b.WriteString(strings.ReplaceAll(line, "*", `\*`))
		}
		before = line
	}
	cmd.Long = b.String()
	for _, c := range cmd.Commands() {
		asMarkdown(c)
	}
}
