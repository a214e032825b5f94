// Package sandboxcmd is "cookoff sandbox": a command, or a shell, in the very
// sandbox that trials run in.
package sandboxcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"cookoff/sandbox"
	"cookoff/sandbox/gate"
)

// Env is what the commands work with.
type Env struct {
	Stdin    io.Reader
	Out, Err io.Writer
	Backend  func() (sandbox.Backend, error)
	Tools    func() ([]string, error) // tool chains in view; nil: none but the system's
	// Concealed are the files that --filesystem unrestricted does not show.
	Concealed func() ([]string, error)
	// Clean makes the command's output fit for a terminal; nil: it goes out
	// byte for byte.
	Clean func(string) string
	// Term is the kind of terminal that Out is; "": it is none.
	Term string
	// Stage opens the environment of a task, as it is after its setup. The
	// function that it gives removes what the sandbox rests on.
	Stage func(context.Context, Staging) (sandbox.Sandbox, func(), error)
}

// SetupFailed is the exit code when the command never ran.
const SetupFailed = 125

// ExitError carries the exit code of the command: its own, 124 when the time
// was up, SetupFailed when it never ran. Err, when set, is not yet said.
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap gives what is not yet said.
func (e *ExitError) Unwrap() error { return e.Err }

// options are the flags.
type options struct {
	workdir, filesystem, network, profile string
	timeout                               time.Duration
	memory, fileSize, disk, tmp           size
	maxOutput                             size
	processes, files                      int
	ro, env, path, hidden, hosts          []string
	jsonFile, image                       string
	stdin                                 bool
}

// Command makes "sandbox" and its subcommands.
func Command(env Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "sandbox",
		Short: "Run a command or a shell in the sandbox of trials",
		Example: `  cookoff sandbox run -- id
  cookoff sandbox shell --workdir .`,
		Long: `Runs a command, or a shell, in the very sandbox that trials run in: the
directory at /work, HOME at /home/agent, a private /tmp, the machine's programs
read-only, and nothing else of it. With --filesystem unrestricted it sees all
files that you may read, in a private overlay. Nothing on the host is written:
what the command changes is gone when it ends.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(runCommand(env), shellCommand(env))
	return c
}

func runCommand(env Env) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "run [flags] -- COMMAND [ARGUMENT...]",
		Short: "Run one command in a fresh sandbox",
		Long: `Runs one command in a fresh sandbox over a copy of --workdir.

Exit code: the command's own, 128+n after signal n, 124 when the time was up,
125 when the sandbox could not be set up and nothing ran, 2 when this command
line can't be read.`,
		Example: `  cookoff sandbox run -- id
  cookoff sandbox run --workdir . --timeout 1m -- go test ./...
  cookoff sandbox run --image debian:stable-slim -- cat /etc/os-release
  cookoff sandbox run --filesystem unrestricted -- bash -c 'ls "$HOST_HOME"'
  cookoff sandbox run --network none --memory 512MiB -- bash -c 'curl example.com'`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "" {
				return fmt.Errorf("%s needs a command\n  hint: %s -- id", c.CommandPath(), c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), env, args) },
	}
	o.flags(c)
	f := c.Flags()
	f.SetInterspersed(false)
	f.DurationVar(&o.timeout, "timeout", sandbox.DefaultLimits().Call, "end the command after this time")
	f.StringVar(&o.jsonFile, "json-file", "", "write how the command ended to this file")
	f.BoolVar(&o.stdin, "stdin", false, "hand standard input to the command")
	return c
}

// flags are those that run and shell share.
func (o *options) flags(c *cobra.Command) {
	d := sandbox.DefaultLimits()
	o.timeout = d.Call
	o.memory, o.fileSize, o.disk, o.tmp, o.maxOutput = size(d.Memory), size(d.FileSize), size(d.Disk), size(d.Tmp),
		size(d.Output)
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.workdir, "workdir", "", "directory whose content is at /work (default: an empty one)")
	f.StringVar(&o.filesystem, "filesystem", string(sandbox.ProjectOnly),
		"project_only, read_only or unrestricted (all of the host, in a private overlay)")
	f.StringVar(&o.network, "network", string(sandbox.NoNetwork), "none, allow or full")
	f.StringArrayVar(&o.hosts, "allow-host", nil,
		"with --network allow: reach this `HOST` (*.HOST: all below it) on the ports 80 and 443")
	f.StringVar(&o.profile, "profile", string(sandbox.Agent), "agent or verify: whose search path and environment")
	f.Var(&o.memory, "memory", "memory of all processes together")
	f.IntVar(&o.processes, "processes", d.Processes, "processes at once")
	f.Var(&o.fileSize, "file-size", "size of one file")
	f.Var(&o.disk, "disk", "bytes written to /work and HOME")
	f.IntVar(&o.files, "files", d.Files, "files and directories made")
	f.Var(&o.tmp, "tmp", "size of /tmp")
	f.Var(&o.maxOutput, "max-output", "bytes kept of each of stdout and stderr: head and tail")
	f.StringVar(&o.image, "image", "",
		"container image to run in, which must be here, instead of this machine's programs")
	f.StringArrayVar(&o.ro, "ro", nil, "show SRC of the host read-only at DST (SRC:DST)")
	f.StringArrayVar(&o.env, "env", nil, "set K=V for the command")
	f.StringArrayVar(&o.path, "path", nil, "directory first on PATH (~/x, or relative to /work)")
	f.StringArrayVar(&o.hidden, "hide", nil, "leave files that match this glob out of /work")
}

// spec is what the flags ask for, without the project.
func (o *options) spec(env Env) (sandbox.Spec, error) {
	s := sandbox.Spec{
		Filesystem: sandbox.Filesystem(o.filesystem), Network: sandbox.Network(o.network),
		Profile: sandbox.Profile(o.profile),
		Image:   o.image, Env: o.env, Path: o.path, Hidden: o.hidden,
		Limits: sandbox.Limits{
			Processes: o.processes, Memory: int64(o.memory), FileSize: int64(o.fileSize), Disk: int64(o.disk),
			Files: o.files, Tmp: int64(o.tmp), Output: int(o.maxOutput), Call: o.timeout,
		},
	}
	if env.Tools != nil {
		var err error
		if s.ToolPaths, err = env.Tools(); err != nil {
			return s, err
		}
	}
	if s.Filesystem == sandbox.Unrestricted && env.Concealed != nil {
		var err error
		if s.Concealed, err = env.Concealed(); err != nil {
			return s, err
		}
	}
	for _, h := range o.hosts {
		if err := gate.CheckHost(h); err != nil {
			return s, fmt.Errorf("--allow-host: %w", err)
		}
	}
	switch {
	case s.Network == sandbox.AllowedNetwork && len(o.hosts) == 0:
		return s, errors.New("--network allow without --allow-host\n" +
			"  hint: --allow-host HOST, for each that is to be reached")
	case s.Network == sandbox.AllowedNetwork:
		s.Gate = &gate.Gate{Hosts: o.hosts}
	case len(o.hosts) > 0:
		return s, errors.New("--allow-host without --network allow\n  hint: give both")
	}
	for _, m := range o.ro {
		src, dst, ok := strings.Cut(m, ":")
		if !ok || src == "" || !filepath.IsAbs(dst) {
			return s, fmt.Errorf("--ro %q is not SRC:DST\n"+
				"  hint: DST is a path inside, from / on, as in --ro data:/opt/data", m)
		}
		s.ReadOnly = append(s.ReadOnly, sandbox.Mount{Source: src, Target: dst})
	}
	return s, o.check()
}

// check refuses values that can't be meant: a limit of 0 would be the usual one.
func (o *options) check() error {
	for _, l := range []struct {
		flag string
		n    int64
	}{{"processes", int64(o.processes)}, {"files", int64(o.files)}, {"timeout", int64(o.timeout)}} {
		if l.n <= 0 {
			return fmt.Errorf("--%s must be above 0", l.flag)
		}
	}
	for _, kv := range o.env {
		if k, _, ok := strings.Cut(kv, "="); !ok || k == "" {
			return fmt.Errorf("--env %q is not K=V", kv)
		}
	}
	for _, g := range o.hidden {
		if !doublestar.ValidatePattern(g) {
			return fmt.Errorf("--hide %q is not a valid glob\n  hint: *.log, or **/*.log in every directory", g)
		}
	}
	return nil
}

// open makes the sandbox. Whatever goes wrong is a failed set-up.
func (o *options) open(ctx context.Context, env Env) (sandbox.Sandbox, func(), error) {
	project, clean := "", func() {}
	spec, err := o.spec(env)
	if err != nil {
		return nil, clean, err
	}
	if o.workdir != "" {
		tmp, remove, err := sandbox.TempDir()
		if err != nil {
			return nil, clean, err
		}
		clean = remove
		project = filepath.Join(tmp, "p")
		if err := sandbox.Snapshot(ctx, o.workdir, project, nil); err != nil {
			return nil, clean, fmt.Errorf("--workdir: %w", err)
		}
	}
	spec.Project = project
	b, err := env.Backend()
	if err != nil {
		return nil, clean, err
	}
	sb, err := b.Open(ctx, spec)
	if p, ok := sb.(sandbox.Partial); ok {
		for _, line := range p.NotShown() {
			env.print(env.Err, []byte("cookoff: not shown: "+line+"\n"))
		}
	}
	return sb, clean, err
}

// report is what --json-file is given.
type report struct {
	Exit       int    `json:"exit"`
	Signal     string `json:"signal,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Cut        int64  `json:"output_left_out,omitempty"`
	DurationMS int64  `json:"duration_ms"`
	Error      string `json:"error,omitempty"` // the command never had a fair run
}

// run runs one command in a fresh sandbox and writes the report about it. Its error carries
// the exit code.
func (o *options) run(ctx context.Context, env Env, argv []string) error {
	if o.jsonFile != "" { // before anything is run
		f, err := os.Create(o.jsonFile)
		if err != nil {
			return &ExitError{SetupFailed, fmt.Errorf("--json-file: %w", err)}
		}
		f.Close()
	}
	r, err := o.result(ctx, env, argv)
	rep := report{Exit: r.Exit, Signal: r.Signal, Reason: r.Reason, Cut: r.Cut, DurationMS: r.Duration.Milliseconds()}
	if err != nil {
		rep = report{Exit: SetupFailed, Error: err.Error()}
	}
	if o.jsonFile != "" {
		b, _ := json.Marshal(rep)
		if werr := os.WriteFile(o.jsonFile, append(b, '\n'), 0o644); werr != nil && err == nil {
			err = werr
		}
	}
	if err != nil {
		return &ExitError{SetupFailed, err}
	}
	env.print(env.Out, r.Stdout)
	env.print(env.Err, r.Stderr)
	if r.Reason != "" {
		fmt.Fprintf(env.Err, "cookoff: the command was ended: %s\n", r.Reason)
	}
	if r.Exit != 0 {
		return &ExitError{Code: r.Exit}
	}
	return nil
}

// result opens, runs and closes.
func (o *options) result(ctx context.Context, env Env, argv []string) (r sandbox.Result, err error) {
	var stdin []byte
	if o.stdin {
		if stdin, err = io.ReadAll(io.LimitReader(env.Stdin, maxStdin+1)); err != nil {
			return r, fmt.Errorf("reading standard input: %w", err)
		}
		if len(stdin) > maxStdin {
			return r, fmt.Errorf("standard input is longer than %d bytes", maxStdin)
		}
	}
	sb, clean, err := o.open(ctx, env)
	defer clean()
	if err != nil {
		return r, err
	}
	r, err = sb.Exec(ctx, sandbox.Cmd{Argv: argv, Stdin: stdin})
	return r, errors.Join(err, sb.Close())
}

// maxStdin bounds what --stdin hands over, in bytes.
const maxStdin = 16 << 20

func (e Env) print(w io.Writer, b []byte) {
	if e.Clean != nil {
		b = []byte(e.Clean(string(b)))
	}
	_, _ = w.Write(b)
}
