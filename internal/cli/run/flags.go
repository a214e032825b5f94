package run

import (
	"strings"

	"github.com/spf13/cobra"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/cli/plan"
	"cookoff/internal/cli/reports"
	"cookoff/report/gates"
	"cookoff/runner"
)

// carryingOut are the flags that "resume" has, too.
func (f *runFlags) carryingOut(cmd *cobra.Command, d *door.Door) {
	fl := cmd.Flags()
	f.given = fl.Changed
	fl.IntVar(&f.parallel, "parallel", 0,
		"keep `N` trials under way at once (0: as many as their providers take requests)")
	fl.Var(&f.hosts, "hosts",
		"run the trials on these machines, as `A,B,local`: [hosts.NAME] in cookoff.toml says how they are reached")
	cli.CopySelfFlag(cmd, &f.copySelf)
	fl.IntVar(&f.retries, "retries", 2, "try a void trial `N` times more")
	fl.StringArrayVar(&f.allow, "allow", nil, "let the recipe do `THIS`, one of "+strings.Join(mayAllow(),
		", ")+"; repeatable (cookoff help trust)")
	fl.BoolVar(&f.yes, "yes", false, "ask nothing: run a recipe from elsewhere though it was never run here, "+
		"and one that may cost more than confirm_above_usd")
	cli.LockedFlag(cmd, &f.locked)
	fl.StringVar(&f.repairs, "repairs", "", "add the repairs in `DIR`")
	fl.StringVar(&f.keep, "keep", string(runner.KeepAll),
		"store what trials leave beside the journal, to look at, apply or judge it again: `WHICH` is all, "+
			"failed or none")
	_ = cmd.RegisterFlagCompletionFunc("keep", cobra.FixedCompletions(keepings(), cobra.ShellCompDirectiveNoFileComp))
	fl.StringVar(&f.events, "events", "",
		"write what happens to `FILE` as it happens, a line of JSON each, as the journal has it (-: standard output)")
	f.Output.Flags(cmd)
	fl.BoolVar(&f.OTel, "otel", false, "send traces of the run to an OpenTelemetry collector at its end; "+
		"OTEL_EXPORTER_OTLP_ENDPOINT and its like say where (none: http://localhost:4318)")
	f.Gates.Flags(cmd)
	cli.MaxTotalCost(cmd, &f.maxCost, "stop (exit 4) before the run spends more than this many `USD`")
	fl.BoolVar(&f.unasked, "no-preflight", false,
		"don't ask providers first whether they are there, take the key and have the models")
	fl.DurationVar(&f.wait, "provider-wait", 0,
		"give a provider up that does not answer for `TIME`, "+
			"or asks to wait longer (without the flag: 10m of silence, 2h where it says when to ask again)")
	fl.StringVar(&f.onLoss, "on-provider-loss", lossSkip,
		"when a provider is given up, `DO` this: "+strings.Join(losses(), " its trials or ")+" the run")
	_ = cmd.RegisterFlagCompletionFunc("on-provider-loss",
		cobra.FixedCompletions(losses(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("allow", cobra.FixedCompletions(mayAllow(), cobra.ShellCompDirectiveNoFileComp))
}

// keepings are the values of --keep.
func keepings() []string {
	return []string{string(runner.KeepAll), string(runner.KeepFailed), string(runner.KeepNone)}
}

// What --on-provider-loss can say.
const (
	lossSkip = "skip"
	lossStop = "stop"
)

func losses() []string { return []string{lossSkip, lossStop} }

// check refuses flags that can't be met.
func (f *runFlags) check(d *door.Door) (gates.Set, error) {
	allowed := reports.Formats()
	if f.dryRun {
		allowed = plan.Formats()
	}
	for _, check := range []func() error{
		func() error { return f.Output.Check(allowed...) },
		func() error { return f.CheckOTel(d.Common) },
		f.checkWords,
		f.checkZeros,
		f.checkNumbers,
		f.checkShard,
		f.checkEvents,
		func() error { return f.task.Check("task") },
		f.narrowing.check,
		f.checkTogether,
	} {
		if err := check(); err != nil {
			return gates.Set{}, err
		}
	}
	return f.Gates.Wanted(d.Common)
}

// checkWords refuses what is none of the words that a flag takes.
func (f *runFlags) checkWords() error {
	for _, p := range f.allow {
		if err := cli.OneOf("allow", p, mayAllow()...); err != nil {
			return err
		}
	}
	if err := cli.OneOf("keep", f.keep, keepings()...); err != nil {
		return err
	}
	if err := cli.OneOf("on-provider-loss", f.onLoss, losses()...); err != nil {
		return err
	}
	if f.divergence == "" {
		return nil
	}
	return cli.OneOf("on-divergence", f.divergence, divergences()...)
}

// checkNumbers refuses numbers, times and shares out of their range.
func (f *runFlags) checkNumbers() error {
	for _, n := range []struct {
		flag  string
		value int
	}{{"trials", f.trials}, {"parallel", f.parallel}, {"retries", f.retries}} {
		if n.value < 0 {
			return cli.Usage("--%s %d: give a number from 0 on", n.flag, n.value)
		}
	}
	switch u := f.until; {
	case f.wait < 0:
		return cli.Usage("--provider-wait %v: give a time above 0, as 90s or 1h", f.wait)
	case !(u.Delta >= 0 && u.Delta < 100): // NaN is none either
		return cli.Usage("--delta %v: allowed is from 0 to less than 100 points", u.Delta)
	case !(u.Alpha >= 0 && u.Alpha <= 0.5):
		return cli.Usage("--false-alarms %v: allowed is a share above 0 and at most 0.5", u.Alpha)
	}
	return nil
}

func (f *runFlags) checkShard() error {
	if f.shard == "" {
		return nil
	}
	if _, _, err := parseShard(f.shard); err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	return nil
}

// checkTogether refuses flags of which one makes nothing of another.
func (f *runFlags) checkTogether() error {
	u := f.until
	switch {
	case f.copySelf && len(f.hosts) == 0:
		return cli.Usage("--copy-self sends cookoff to hosts, and --hosts names none")
	case u.Decided == "" && (u.Delta > 0 || u.Alpha > 0):
		return cli.Usage("--delta and --false-alarms say how a question is decided: --until-decided asks one")
	case f.shard != "" && u.Decided != "":
		return cli.Usage("--shard and --until-decided at once: a part of the tasks does not decide for all of them")
	case f.record && f.replay != "":
		return cli.Usage("--record and --replay at once: what is replayed is recorded already")
	}
	return nil
}

// mayAllow are the words that --allow takes: what a recipe may do, and hosts that are
// not alike.
func mayAllow() []string { return append(door.Permissions(), cookoff.MixedHosts) }
