package recipes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/files"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/recipe/lookup"
)

func newFmt(c *cli.Common) *cobra.Command {
	var f fmtFlags
	cmd := &cobra.Command{
		Use:        "fmt [RECIPE...]",
		SuggestFor: []string{"format"},
		Short:      "Rewrite recipes in canonical form",
		Long: `Rewrites recipe files in one form: headings, bullets, empty lines, the order of
keys, numbers, durations and quotes. Prose, scripts and comments stay as they
are, and so does what the recipe says. The names of files that changed are
printed. With - for a file, standard input is written to standard output.

With --check no file is written, and the exit code is 1 when one would change.`,
		Example: `  cookoff fmt
  cookoff fmt --check *.recipe.md
  cookoff fmt - < draft.md`,
		ValidArgsFunction: c.CompleteRecipes,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{""}
			}
			return f.run(c, args)
		},
	}
	cmd.Flags().BoolVar(&f.check, "check", false, "write nothing; exit 1 when a file would change")
	return cmd
}

// fmtFlags are the flags of "fmt".
type fmtFlags struct {
	check bool // write nothing
}

// run formats files one after another; one that can't be does not keep the
// others from being formatted.
func (f *fmtFlags) run(c *cli.Common, names []string) error {
	code := cli.ExitOK
	for _, name := range names {
		changed, err := f.format(c, name)
		switch {
		case err != nil:
			c.PrintError(err)
			code = cli.ExitUsage
			if f, ok := errors.AsType[*cli.Failure](err); ok {
				code = f.Code
			}
		case changed && f.check && code == cli.ExitOK:
			code = cli.ExitGate
		}
	}
	if code != cli.ExitOK {
		return cli.Fail(code, nil)
	}
	return nil
}

// format formats one file.
func (f *fmtFlags) format(c *cli.Common, name string) (changed bool, err error) {
	if name == "-" {
		return f.formatStdin(c)
	}
	file, err := lookup.Dirs{Dir: c.Dir}.Find(name)
	switch {
	case err != nil:
		return false, err
	case strings.HasPrefix(file, "builtin:") || strings.HasPrefix(file, "git+"):
		return false, fmt.Errorf("%s is no file that could be rewritten\n  hint: name a file, or - for standard input",
			text.Line(file))
	}
	path, err := filepath.EvalSymlinks(file)
	if err != nil {
		return false, cli.Unread(file, err, "")
	}
	st, err := os.Stat(path)
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", text.Line(file))
	}
	if err != nil {
		return false, err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return false, cli.Unread(file, err, "")
	}
	out, err := recipe.Format(file, content)
	if err != nil || bytes.Equal(content, out) {
		return false, err
	}
	if !f.check {
		if err := files.WriteFile(path, out); err != nil {
			return false, cli.Written(err)
		}
	}
	_, err = fmt.Fprintln(c.Out, text.Line(file))
	return true, cli.Written(err)
}

func (f *fmtFlags) formatStdin(c *cli.Common) (changed bool, err error) {
	content, err := io.ReadAll(c.Stdin)
	if err != nil {
		return false, err
	}
	out, err := recipe.Format("standard input", content)
	if err != nil {
		return false, err
	}
	if changed = !bytes.Equal(content, out); f.check {
		return changed, nil
	}
	_, err = c.Out.Write(out)
	return changed, cli.Written(err)
}
