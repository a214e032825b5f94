package witness

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/internal/ui/text"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/lint"
	"cookoff/verify/printed"
	"cookoff/verify/versions"
)

// Block judges a verify block: its binary, then each command and its patterns.
func (p Place) Block(ctx context.Context, b checks.Block) (trial.Verdict, error) {
	v := trial.Verdict{Check: b.Name, Kind: trial.KindVerify, Strength: b.Strength(), Status: trial.Held,
		Evidence: &trial.Evidence{}}
	asked := p.Versions[b.Name]
	version := asked
	if b.Mode == lint.ModeVersion {
		var err error
		if version, err = versions.Transform(b.Format, asked); err != nil {
			v.Status, v.Detail, v.Evidence = trial.Undecided, err.Error(), nil
			return v, nil
		}
	}
	if b.Binary != "" {
		if err := lookup(ctx, p, b, &v); err != nil || v.Status != trial.Held {
			return v, err
		}
	}
	binary, first := v.Evidence.Binary, (*trial.Evidence)(nil)
	for _, cmd := range b.Commands {
		if err := p.command(ctx, b, cmd, version, &v); err != nil {
			return v, err
		}
		v.Evidence.Binary = binary
		if b.Mode == lint.ModeVersion {
			v.Evidence.Version = asked
			if version != asked {
				v.Evidence.Version += " -> " + version
			}
		}
		if v.Status != trial.Held {
			return v, nil
		}
		if first == nil {
			first = v.Evidence
		}
	}
	v.Evidence = first // of the block's own command, when all hold
	return v, nil
}

// command judges one command of a block into v.
func (p Place) command(ctx context.Context, b checks.Block, cmd checks.Command, version string,
	v *trial.Verdict) error {
	return p.In(ctx, b.Name, func(sb sandbox.Sandbox) error {
		res, err := p.Run(ctx, sb, cmd.Text, b.Timeout)
		if err != nil {
			return err
		}
		v.Evidence = Evidence(cmd.Text, res)
		if res.Exit == 127 && cmd.Exit != 127 && res.Signal == "" {
			gone, err := p.unfair(ctx, sb, cmd.Text)
			if err != nil || gone != "" {
				v.Status, v.Detail = trial.Undecided, gone
				return err
			}
		}
		v.Status, v.Detail = trial.Held, ""
		if res.Reason != "" || res.Signal != "" || res.Exit != cmd.Exit {
			v.Status, v.Detail = trial.NotHeld, verdictText(res, b.Timeout)
			if cmd.Exit != 0 {
				v.Detail += fmt.Sprintf(" (exit_code = %d)", cmd.Exit)
			}
			return nil
		}
		if match(cmd, res, b.Mode, version, v); v.Status != trial.Held {
			return nil
		}
		return p.untouched(ctx, sb, v)
	})
}

// match looks for every pattern in the stream that was asked for.
func match(cmd checks.Command, res sandbox.Result, mode, version string, v *trial.Verdict) {
	out := res.Stdout
	switch cmd.Stream {
	case lint.StreamStderr:
		out = res.Stderr
	case lint.StreamBoth:
		out = slices.Concat(res.Stdout, []byte("\n"), res.Stderr)
	}
	var texts []string
	for _, pat := range cmd.Patterns {
		want := versions.Expanded{Text: pat}
		if mode == lint.ModeVersion {
			want = versions.Expand(pat, version)
		}
		texts = append(texts, want.Text)
		if v.Status != trial.Held {
			continue
		}
		if found, near := want.In(string(out)); !found {
			v.Status, v.Detail = trial.NotHeld, fmt.Sprintf("%q is not in %s", want.Text, cmd.Stream)
			if near {
				v.Detail = fmt.Sprintf("%q is in %s only as part of another version", want.Text, cmd.Stream)
			}
		}
	}
	v.Evidence.Pattern, v.Evidence.Tail = strings.Join(texts, "\n"), printed.Tail(out)
}

// lookup judges a block's binary: what PATH resolves it to, by its real path.
func lookup(ctx context.Context, p Place, b checks.Block, v *trial.Verdict) error {
	name, err := syntax.Quote(b.Binary, syntax.LangBash)
	if err != nil {
		v.Status, v.Detail = trial.Undecided, err.Error()
		return nil
	}
	script := `p=$(type -P -- ` + name + `) && [ -f "$p" ] && [ -x "$p" ] && readlink -f -- "$p"`
	return p.In(ctx, b.Name, func(sb sandbox.Sandbox) error {
		res, err := sb.Exec(ctx, sandbox.Cmd{Script: script, Env: p.Env, Timeout: b.Timeout})
		if err != nil {
			return err
		}
		if v.Evidence = Evidence("type -P "+b.Binary, res); !res.OK() {
			v.Status, v.Detail = trial.NotHeld, fmt.Sprintf("PATH finds no executable %q", b.Binary)
			return nil
		}
		v.Evidence.Binary = text.Visible(strings.TrimSuffix(string(res.Stdout), "\n"))
		return nil
	})
}
