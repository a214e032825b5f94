// Package hosts is the commands about other machines: what a host starts there, and
// what of the hosts works.
package hosts

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"cookoff/hosts/hand"
	"cookoff/hosts/link"
	"cookoff/internal/cli"
	"cookoff/internal/remote"
	"cookoff/internal/ui/screen"
)

// Commands are those of this room.
func Commands(c *cli.Common) []*cobra.Command {
	return []*cobra.Command{newHosts(c), newHand(c), newShards(c)}
}

// newHand is "hand".
func newHand(c *cli.Common) *cobra.Command {
	return &cobra.Command{
		Use:   "hand",
		Short: "Open sandboxes for a cookoff on another machine",
		Long: `Opens sandboxes on this machine for a cookoff on another one, which starts this
command there by itself and speaks to it over standard input and output:
[hosts.NAME] in its cookoff.toml says how. It needs no configuration and no key,
and nothing of it is left when the connection ends or falls silent.`,
		Example: `  ssh build-2 cookoff hand`,
		Args:    cli.Positional(0, 0, ""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), c) },
	}
}

// endTime bounds the closing of worlds, once nobody wants them: what is left then
// ends with this process.
const endTime = 3 * time.Second

func serve(ctx context.Context, c *cli.Common) error {
	in, ok := c.Stdin.(*os.File) // srun gives a program a terminal to write to, and none to read from
	if c.Out.Terminal && ok && screen.New(in, c.Getenv, false).Terminal {
		return cli.Usage("a hand speaks to another cookoff, and not to a terminal: " +
			"[hosts.NAME] in cookoff.toml has its command")
	}
	cfg, err := remote.Hand()
	if err != nil {
		return cli.Fail(cli.ExitInfra, err)
	}
	ended, conn := make(chan error, 1), &stdio{in: c.Stdin, out: c.Out.Writer, gone: make(chan struct{})}
	go func() { ended <- hand.Serve(ctx, conn, cfg) }()
	select {
	case err = <-ended:
	case <-conn.gone:
		select {
		case err = <-ended:
		case <-time.After(endTime):
			err = errors.New("sandboxes did not end in time")
		}
	}
	if errors.Is(err, link.ErrGone) || err == nil {
		return nil // whoever wanted this hand does not any more
	}
	return cli.Fail(cli.ExitInfra, err)
}

// stdio is standard input and output as a connection. They are not closed: a read
// under way can't be ended, and the process ends soon.
type stdio struct {
	in   io.Reader
	out  io.Writer
	once sync.Once
	gone chan struct{} // closed when nobody wants the connection any more
}

func (s *stdio) Read(b []byte) (int, error)  { return s.in.Read(b) }
func (s *stdio) Write(b []byte) (int, error) { return s.out.Write(b) }

func (s *stdio) Close() error {
	s.once.Do(func() { close(s.gone) })
	return nil
}
