package repairs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/files"
	"cookoff/tools/repair"
)

func newNew(c *cli.Common) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "new ID",
		Short: "Write a new repair to start from: whole, and kept as it stands",
		Long: `Writes DIR/ID.yaml, a small repair whose contract is kept, to be changed step by
step. docs/writing-repairs.md explains every part.`,
		Example: `  cookoff repair new disk-full
  cookoff repair new disk-full --dir .cookoff/repairs`,
		Args: cli.Positional(1, 1, "the id of a repair"),
		RunE: func(_ *cobra.Command, args []string) error {
			return newRepair(c, dir, args[0])
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "repairs", "write it to `DIR`")
	return cmd
}

// scaffold is a repair that keeps its contract; ID stands for its id.
const scaffold = `id: ID # unique in the library, never renamed
probe: ID # the kind of finding that it answers
fixes:
  - id: write-port # unique in this repair
    class: safe # safe, shared, destructive, privileged: the most restrictive that fits
    # when: { os: linux, has_tool: git } # all that is given must hold
    label: "Write port {{.Port}} into app.conf"
    # Every value is quoted for the shell where it stands. Look before you
    # change: the command is run twice, and the second run must change nothing.
    command: |
      if grep -q '^port=' app.conf; then sed -i '/^port=/d' app.conf; fi
      printf 'port=%s\n' {{.Port}} >> app.conf
    test:
      params: { Port: "8080" }
      prompt: app.conf names no port. It has to be 8080; the rest stays as it is.
      setup: | # stages the fault, in an empty project without a network
        set -eu; umask 022
        printf 'name=shop\nport=\n' > app.conf
      before: { check: "! grep -qx 'port=8080' app.conf" } # exits 0: broken
      after: { check: test "$(grep -c '^port=' app.conf)" = 1 && grep -qx 'port=8080' app.conf, idempotent: true } # exits 0: mended
      guard: grep -qx 'name=shop' app.conf # holds before and after
      shortcuts: # wrong repairs that the checks above must reject
        - id: file-anew
          command: echo port=8080 > app.conf
          why: the other settings are lost
        - id: append
          command: echo port=8080 >> app.conf
          why: the first port is read
`

// newRepair writes the scaffold to DIR/ID.yaml, which must not exist.
func newRepair(c *cli.Common, dir, id string) error {
	if err := repair.ValidID(id); err != nil {
		return cli.Usage("id %v", err)
	}
	ours, err := repair.Default()
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	if same, err := ours.Select([]string{id}); err == nil {
		return cli.Usage("repair %q is already one of the program's own, at %s\n"+
			"  hint: ids are unique: cookoff repair list names those that are taken", id, same[0].Pos)
	}
	name := filepath.Join(dir, id+".yaml")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	err = files.CreateFile(name, []byte(strings.ReplaceAll(scaffold, "ID ", id+" ")))
	if errors.Is(err, fs.ErrExist) {
		return cli.Usage("%s is there already", name)
	}
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	fmt.Fprintln(c.Out, name)
	c.Say("next: cookoff repair lint %s; cookoff repair test %s --repairs %s", dir, id, dir)
	return nil
}
