package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cookoff/internal/ceilings"
	"cookoff/internal/cli"
	"cookoff/internal/host"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/sandbox/builds"
	"cookoff/sandbox/container"
	"cookoff/sandbox/native"
)

// finding is one line of "doctor"; keys of its JSON are only added.
type finding struct {
	Kind   string `json:"kind"` // sandbox, config, tool, agent, host, provider
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Needed bool   `json:"needed"` // without it "run" does not work
	Detail string `json:"detail"`
}

func newDoctor(c *cli.Common) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:        "doctor",
		SuggestFor: []string{"diagnose", "env", "info"},
		Short:      "Say what works on this machine, and what to do where it does not",
		Long: `Looks at this machine: which sandboxes really work (one of each kind is opened
and probed from inside; one kind is enough), which tools work inside a sandbox,
with shims of version managers followed to what they lead to, which agents
are installed (each is run once, without a key), and which providers have a key.
Keys are never printed. Exits 0 when "run" would work, else 3.`,
		Example: `  cookoff doctor
  cookoff doctor --format json`,
		Args: cli.Positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), c) },
	}
	cmd.Flags().StringVar(&f.format, "format", "text", "text or json")
	return cmd
}

// doctorFlags are the flags of "doctor".
type doctorFlags struct {
	format string // text or json
}

// run looks at this machine, and says what it finds.
func (f *doctorFlags) run(ctx context.Context, c *cli.Common) error {
	if err := cli.OneOf("format", f.format, "text", "json"); err != nil {
		return err
	}
	all := diagnose(ctx, c)
	if err := printFindings(c, all, f.format); err != nil {
		return err
	}
	for _, x := range all {
		if x.Needed && !x.OK {
			return cli.Fail(cli.ExitInfra, fmt.Errorf("run does not work here: %s %s", x.Kind, x.Name))
		}
	}
	return nil
}

func printFindings(c *cli.Common, fs []finding, format string) error {
	if format == "json" {
		return c.PrintJSON(fs)
	}
	for _, f := range fs {
		mark := c.Out.Paint(screen.Green, "ok     ")
		switch {
		case !f.OK && f.Needed:
			mark = c.Out.Paint(screen.Red, "broken ")
		case !f.OK:
			mark = c.Out.Paint(screen.Yellow, "missing")
		}
		first, rest, _ := strings.Cut(text.Lines(f.Detail), "\n")
		if _, err := fmt.Fprintf(c.Out, "%s  %-8s  %-12s  %s\n", mark, f.Kind, text.Line(f.Name), first); err != nil {
			return cli.Written(err)
		}
		for line := range strings.Lines(rest) {
			fmt.Fprintf(c.Out, "         %s\n", strings.TrimRight(line, "\n"))
		}
	}
	return nil
}

func diagnose(ctx context.Context, c *cli.Common) []finding {
	out := lookSandbox(ctx, c)
	out = append(out, lookTools(ctx, c)...)
	out = append(out, lookAgents(ctx, c)...)
	out = append(out, lookHosts(ctx, c)...)
	return append(out, lookProviders(ctx, c)...)
}

// lookSandbox opens a sandbox of each backend and probes it from inside. One
// is needed: the first, or bubblewrap in its stead, and containers where the
// kernel is not Linux.
func lookSandbox(ctx context.Context, c *cli.Common) []finding {
	o := native.Options{ReadBuild: builds.Read}
	if cfg, err := c.LoadConfig(); err == nil { // else it is said below
		o.Image, o.Guest = cfg.Image, cfg.Guest
	}
	try := func(name, image string) finding {
		f := finding{Kind: "sandbox", Name: name, Detail: "opened, and probed from inside"}
		b, err := native.Choose(native.Choice{Name: name, Image: image}, o)
		if err == nil {
			err = b.Check(ctx)
		}
		if b, ok := b.(io.Closer); ok {
			_ = b.Close() // "clean" finds what it leaves
		}
		if f.OK = err == nil; !f.OK {
			f.Detail = err.Error()
		}
		return f
	}
	engines := func() finding {
		image := o.Image
		if image == "" {
			images, err := container.Images(ctx)
			if err != nil {
				return finding{Kind: "sandbox", Name: native.Container, Detail: err.Error()}
			}
			image = images[0]
		}
		f := try(native.Container, image)
		if f.OK {
			f.Detail += ", in " + image
		}
		return f
	}
	own := try(native.Native, "")
	if !host.OnLinux {
		in := engines()
		in.Needed = true
		return []finding{own, in}
	}
	bwrap := try(native.Bwrap, "")
	own.Needed = !bwrap.OK
	return []finding{own, bwrap, lookBounds(), engines(), try(native.GVisor, ""), wholeHost(ctx),
		lookUsers(ctx), lookRoom()}
}

// wholeHost tries filesystem: unrestricted, which a recipe may be allowed, and
// says what of this machine it would not show.
func wholeHost(ctx context.Context) finding {
	f := finding{Kind: "sandbox", Name: "unrestricted",
		Detail: "the whole machine in an overlay: opened, and probed from inside"}
	left, err := native.TryWhole(ctx)
	if f.OK = err == nil; !f.OK {
		f.Detail = err.Error()
	}
	for _, line := range left {
		f.Detail += "\nnot shown: " + line
	}
	return f
}

// lookUsers says whether worlds can have several users here, which few recipes need.
func lookUsers(ctx context.Context) finding {
	f := finding{Kind: "sandbox", Name: "several users", OK: true,
		Detail: "user: root+others: opened, and a file given away inside"}
	if err := native.TryUsers(ctx); err != nil {
		f.OK, f.Detail = false, "worlds have one user each: "+err.Error()
	}
	return f
}

// lookBounds says whether the kernel bounds what a sandbox uses. It is as safe
// without: the limits are then watched, and can be overshot for a moment.
func lookBounds() finding {
	f := finding{Kind: "sandbox", Name: "cgroup v2", OK: true,
		Detail: "memory and processes of a native or bwrap sandbox are bounded by the kernel"}
	if err := native.Bounded(native.Options{}); err != nil {
		f.OK, f.Detail = false, "memory and processes are watched instead: "+err.Error()+notBounded
	}
	return f
}

// lookRoom says how many trials this machine can hold.
func lookRoom() finding {
	all := ceilings.Find(os.TempDir(), ceilings.Hibernating())
	f := finding{Kind: "sandbox", Name: "trials", OK: true,
		Detail: "nothing is known that limits how many are under way at once"}
	low, known := ceilings.Lowest(all)
	if !known {
		return f
	}
	f.Detail = fmt.Sprintf("this machine can hold %v under way at once, and works at %d", low, runtime.GOMAXPROCS(0))
	for _, c := range all {
		if c.Bounds() {
			f.Detail += "\n" + c.String()
		}
	}
	if low, known := ceilings.Lowest(ceilings.Find(os.TempDir(), ceilings.Living())); known {
		f.Detail += fmt.Sprintf("\n%v where processes live on in them: agents, MCP servers, services", low)
	}
	return f
}

// notBounded is the memory that only a control group counts.
const notBounded = "\nnot counted without one: files in /tmp, /run and /dev/shm (at most the limit tmp), " +
	"64 MiB of pipes, records of file locks; memfd_create and vmsplice are refused"

// lookProviders says which providers have a key, and which servers of this machine
// listen. Without any, baselines still run, so none is needed.
func lookProviders(ctx context.Context, c *cli.Common) []finding {
	cfg, err := c.LoadConfig()
	if err != nil {
		return []finding{{Kind: "config", Name: "cookoff.toml", Needed: true, Detail: err.Error()}}
	}
	out := []finding{{Kind: "config", Name: "cookoff.toml", OK: true,
		Detail: cmp.Or(cfg.Path, "none, and none is needed")}}
	if cfg.KeyFile != "" {
		out = append(out, finding{Kind: "config", Name: ".env", OK: true, Detail: cfg.KeyFile})
	}
	for _, p := range cfg.Providers() {
		f := finding{Kind: "provider", Name: p.Name, OK: p.Ready, Detail: p.BaseURL}
		switch {
		case !p.Ready:
			f.Detail = p.Why
		case p.HasKey:
			f.Detail += ", key in " + p.KeyEnv
		default:
			f.Detail += ", without a key"
		}
		if p.Ready && p.Local {
			if err := listens(ctx, p.BaseURL); err != nil {
				f.OK, f.Detail = false, nothingListens(p.BaseURL, err)
			}
		}
		out = append(out, f)
	}
	return out
}

func nothingListens(base string, err error) string {
	return fmt.Sprintf("nothing listens at %s: %v", base, err)
}

// listens tries whether a server of this machine takes connections. Nothing is sent.
func listens(ctx context.Context, base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return err
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		if op, ok := errors.AsType[*net.OpError](err); ok {
			err = op.Err
		}
		return err
	}
	return conn.Close()
}
