package witness

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/internal/ui/text"
	"cookoff/sandbox"
	"cookoff/shell"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/needs"
	"cookoff/verify/printed"
)

// Script judges by exit status.
func (p Place) Script(ctx context.Context, c checks.Script) (trial.Verdict, error) {
	v := trial.Verdict{Check: c.Name, Kind: c.Kind}
	p = p.told(c)
	err := p.In(ctx, c.Name, func(sb sandbox.Sandbox) error {
		res, err := p.Run(ctx, sb, c.Text, c.Timeout)
		if err != nil {
			return err
		}
		v.Evidence = Evidence(c.Text, res)
		switch {
		case res.OK():
			v.Status = trial.Held
			return p.untouched(ctx, sb, &v)
		case res.Exit == cantTell && res.Signal == "":
			v.Status, v.Detail = trial.Undecided, verdictText(res, c.Timeout)+": it can't tell"
			p.disbelieve(&v, c.Text)
			return nil
		case res.Exit == 127 && res.Signal == "":
			gone, err := p.unfair(ctx, sb, c.Text)
			if err != nil || gone != "" {
				v.Status, v.Detail = trial.Undecided, gone
				return err
			}
		}
		v.Status, v.Detail = trial.NotHeld, verdictText(res, c.Timeout)
		p.disbelieve(&v, c.Text)
		return nil
	})
	return v, err
}

// disbelieve adds to a verdict what git was not believed.
func (p Place) disbelieve(v *trial.Verdict, script string) {
	if p.World != nil {
		return
	}
	if list := p.From.Git.Unbelieved(script); len(list) > 0 {
		v.Evidence.Unbelieved = list
		v.Detail += " (git is not believed: " + strings.Join(list, ", ") + ")"
	}
}

// cantTell is the exit status of a script that can't judge, as for git bisect run.
const cantTell = 125

// verdictText says why a command did not hold.
func verdictText(res sandbox.Result, limit time.Duration) string {
	if res.Reason == "timeout" {
		return fmt.Sprintf("timeout after %s", limit)
	}
	return printed.Ended(res)
}

// Evidence is what a command printed and how it ended, as it is kept with a verdict.
func Evidence(command string, res sandbox.Result) *trial.Evidence {
	return &trial.Evidence{
		Command: text.Lines(strings.TrimSpace(command)), Exit: res.Exit, Signal: res.Signal, Reason: res.Reason,
		Tail: printed.LastLines(printed.Tail(res.Stdout)), Stderr: printed.LastLines(printed.Tail(res.Stderr)),
		Seconds: res.Duration.Seconds(),
	}
}

// unfair says which tool a check lacks through nobody's doing: it was not
// there at the start either, and nothing in the task shows that the check can
// ever hold on this machine. "" means that the failure counts.
func (p Place) unfair(ctx context.Context, sb sandbox.Sandbox, text string) (string, error) {
	var lacked []string
	for _, n := range shell.Programs(text) {
		if slices.Contains(p.Missing, n) {
			lacked = append(lacked, n)
		}
	}
	still, err := needs.Missing(ctx, sb, lacked, p.Env)
	if err != nil || len(still) == 0 {
		return "", err
	}
	return fmt.Sprintf("%q is not there, neither at the start nor at the end: the check can't hold on this machine",
		still[0]), nil
}
