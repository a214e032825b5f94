package repairs

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"cookoff/internal/cli"
	"cookoff/internal/contract"
	"cookoff/internal/repairdirs"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/sandbox"
)

// testFlags are the flags of "repair test".
type testFlags struct {
	*flags
	noSkips  bool
	native   bool
	parallel int
}

func newTest(c *cli.Common, f *flags) *cobra.Command {
	t := testFlags{flags: f}
	cmd := &cobra.Command{
		Use:   "test [GLOB]",
		Short: "Prove that fixes do what they claim, twice, and that wrong repairs fail",
		Long: `Tries the test of every fix whose repair matches GLOB, in a sandbox, without a
model: setup stages the fault, before sees it, after and verify reject it; the
command mends it and changes nothing else; a second run changes nothing at all;
every shortcut is rejected. Each phase is a process of its own.

With --native a contract that names an image is tried without it, in the sandbox
of this machine, and its result says so: the image's programs may be missing.

What can't be tried here is skipped, counted and listed. Exits 1 when a
contract is broken, with --no-skips also when one was skipped.`,
		Example: `  cookoff repair test
  cookoff repair test 'git-*' --no-skips
  cookoff repair test --repairs ./repairs 'mine-*' --format junit`,
		Args: cli.Positional(0, 1, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"*"}
			}
			return t.run(cmd.Context(), c, args)
		},
	}
	cmd.Flags().BoolVar(&t.noSkips, "no-skips", false, "a contract that can't be tried here is a failure")
	cmd.Flags().BoolVar(&t.native, "native", false,
		"try contracts that name an image without it, in the sandbox of this machine")
	cmd.Flags().IntVar(&t.parallel, "parallel", 2*cli.Parallel(), "try `N` contracts at once")
	f.formats(cmd, "text, json or junit")
	return cmd
}

// run tries the contracts of the repairs that globs name.
func (t testFlags) run(ctx context.Context, c *cli.Common, globs []string) error {
	if err := cli.OneOf("format", t.format, "text", "json", "junit"); err != nil {
		return err
	}
	if t.parallel < 1 {
		return cli.Usage("--parallel %d: give a number from 1 on", t.parallel)
	}
	lib, err := repairdirs.Load(repairdirs.At(t.dir))
	if err != nil {
		return err
	}
	rs, err := lib.Select(globs)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	all, err := contract.Of(rs)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	for i := range all {
		all[i].Native = t.native
	}
	open, err := openRepairs(c)
	if err != nil {
		return err
	}
	began := time.Now()
	out, err := tryAll(ctx, all, open, t.parallel)
	switch {
	case ctx.Err() != nil:
		return cli.Fail(cli.ExitInterrupted, nil)
	case err != nil:
		return sandboxFailure(err)
	}
	return printContracts(c, out, t, time.Since(began))
}

// openRepairs opens sandboxes for repairs as trials have them: an empty
// project, no network, the user's tool chains in view.
func openRepairs(c *cli.Common) (contract.Opening, error) {
	h, err := c.Host()
	if err != nil {
		return nil, err
	}
	tools := h.ChainsFor(context.Background(), nil).Paths
	backend, err := h.Backend(nil, h.GoCache(context.Background(), nil), tools)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, task recipe.Task, st sandbox.State, p sandbox.Profile) (sandbox.Sandbox, error) {
		return backend.Open(ctx, sandbox.Spec{State: st, Profile: p, Path: task.Path, ToolPaths: tools})
	}, nil
}

// tryAll tries contracts, n at once; the outcomes are in order. The first
// error ends it.
func tryAll(ctx context.Context, all []contract.Contract, open contract.Opening, n int) ([]contract.Outcome, error) {
	bench, err := contract.NewBench(ctx, open, all)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := make([]contract.Outcome, len(all))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(n, len(all)) {
		wg.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					continue
				}
				var err error
				if out[i], err = all[i].Run(ctx, bench); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	wg.Wait()
	return out, context.Cause(ctx)
}

// tally counts the outcomes.
type tally struct {
	Pass int `json:"pass"`
	Fail int `json:"fail"`
	Skip int `json:"skip"`
}

func printContracts(c *cli.Common, out []contract.Outcome, t testFlags, took time.Duration) error {
	var n tally
	for _, o := range out {
		switch o.Status {
		case contract.Pass:
			n.Pass++
		case contract.Fail:
			n.Fail++
		case contract.Skip:
			n.Skip++
		}
	}
	var err error
	switch t.format {
	case "json":
		err = c.PrintJSON(struct {
			tally
			Contracts []contract.Outcome `json:"contracts"`
		}{n, out})
	case "junit":
		err = printContractsJUnit(c, out, n, t.noSkips)
	default:
		err = printContractsText(c, out, n, took)
	}
	if err != nil {
		return err
	}
	if n.Fail > 0 || t.noSkips && n.Skip > 0 {
		return cli.Fail(cli.ExitGate, nil)
	}
	return nil
}

func printContractsText(c *cli.Common, out []contract.Outcome, n tally, took time.Duration) error {
	var b strings.Builder
	for _, o := range out {
		word := map[contract.Status]string{
			contract.Pass: c.Out.Paint(screen.Green, "pass"), contract.Fail: c.Out.Paint(screen.Red, "FAIL"),
			contract.Skip: c.Out.Paint(screen.Yellow, "skip"),
		}[o.Status]
		switch o.Status {
		case contract.Pass:
			if native := withoutImage(o); native != "" || c.Verbose {
				fmt.Fprintf(&b, "%s  %s/%s%s\n", word, o.Repair, o.Fix, native)
			}
		case contract.Skip:
			fmt.Fprintf(&b, "%s  %s/%s: %s\n", word, o.Repair, o.Fix, text.Line(o.Reason))
		case contract.Fail:
			fmt.Fprintf(&b, "%s  %s/%s%s: %s: %s\n      usually: %s\n", word, o.Repair, o.Fix, withoutImage(o),
				text.Line(o.Phase),
				strings.ReplaceAll(text.Lines(o.Detail), "\n", "\n      "), o.Cause)
		}
	}
	fmt.Fprintf(&b, "%d kept, %d broken, %d skipped\n", n.Pass, n.Fail, n.Skip)
	if _, err := c.Out.Write([]byte(b.String())); err != nil {
		return cli.Written(err)
	}
	if c.Verbose {
		c.Say("%s in %s", text.Count(len(out), "contract"), took.Round(100*time.Millisecond))
	}
	return nil
}

// withoutImage says that a contract ran natively; "": it names no image.
func withoutImage(o contract.Outcome) string {
	if o.Native == "" {
		return ""
	}
	return " (natively, without image " + text.Line(o.Native) + ")"
}

// The JUnit elements that CI systems read.
type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Failure *junitMessage `xml:"failure,omitempty"`
		Skipped *junitMessage `xml:"skipped,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

func printContractsJUnit(c *cli.Common, out []contract.Outcome, n tally, noSkips bool) error {
	s := junitSuite{Name: "repairs", Tests: len(out), Failures: n.Fail, Skipped: n.Skip}
	if noSkips {
		s.Failures, s.Skipped = n.Fail+n.Skip, 0
	}
	for _, o := range out {
		one := junitCase{Name: o.Fix + withoutImage(o), Class: o.Repair}
		switch {
		case o.Status == contract.Fail:
			one.Failure = &junitMessage{text.Line(o.Detail), o.Phase, "usually: " + o.Cause}
		case o.Status == contract.Skip && noSkips:
			one.Failure = &junitMessage{Message: o.Reason, Type: "skip"}
		case o.Status == contract.Skip:
			one.Skipped = &junitMessage{Message: o.Reason}
		}
		s.Cases = append(s.Cases, one)
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", "  ")
	if err := enc.Encode(s); err != nil {
		return cli.Written(err)
	}
	b.WriteByte('\n')
	_, err := c.Out.Write(b.Bytes())
	return cli.Written(err)
}
