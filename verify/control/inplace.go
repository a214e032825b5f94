package control

import (
	"context"
	"fmt"
	"strings"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/lessons"
	"cookoff/verify/witness"
)

// inPlace has a script's copies of the project lead to the project itself, so that what it
// runs in them runs where users run it. WHICH decides about a path that lies in the project.
const inPlace = `__top=$(pwd -P)
cd() { builtin cd -P "$@"; }
__inside() { case $1 in "$__top"/*) ;; *) return 1 ;; esac; }
__lent() { [ ! -L "$1" ] || ! __inside "$(realpath -ms "$1")"; } # a link of the project's own is copied
cp() {
  local to=${!#} x at opts=() from=()
  for x in "${@:1:$#-1}"; do case $x in -*) opts+=("$x") ;; *) from+=("$x") ;; esac; done
  for x in "${opts[@]}"; do case $x in *[!-aRrpPLf]* | --*) command cp "$@"; return ;; esac; done
  for x in "${from[@]}"; do
    at=${to%/} x=${x%/}
    case $x in . | */.) ;; *) if [ -d "$at" ]; then at=$at/${x##*/}; fi ;; esac
    if [ "$x" -ef "$__top" ] && { [ ! -e "$at" ] || rmdir "$at" 2> /dev/null; }; then
      ln -s "$__top" "$at" || return
    elif WHICH && __lent "$x" && __inside "$(readlink -f "$x")" && ! __inside "$(readlink -m "$at")"; then
      ln -sfn "$(readlink -f "$x")" "$at" || return
    else command cp "${opts[@]}" "$x" "$to" || return; fi
  done
}
`

// placed are the ways to do that, the strictest first: with parts of the project as well, with single
// files of it, or with the whole alone.
var placed = []string{"true", `[ -f "$x" ]`, "false"}

// lesson is what the ways of a check are kept under.
func lesson(c checks.Script) string { return "in place " + c.Name }

// ranInPlace asks a check in the project itself.
func ranInPlace(ctx context.Context, p witness.Place, c checks.Script, which string) (sandbox.Result, error) {
	return witness.Same(p, fmt.Sprintf("in place %s of %s", which, c.Name), func() (sandbox.Result, error) {
		return runInPlace(ctx, p, c, which)
	})
}

func runInPlace(ctx context.Context, p witness.Place, c checks.Script, which string) (res sandbox.Result, err error) {
	err = p.In(ctx, "", func(sb sandbox.Sandbox) error {
		c.Text = p.Asked(c.Text)
		cmd := c.Command(p.ScriptEnv(c.Text))
		cmd.Script = p.Draw.Into(p.Who, strings.Replace(inPlace, "WHICH", which, 1)+c.Text)
		res, err = sb.Exec(ctx, cmd)
		return err
	})
	return res, err
}

// learnInPlace finds the strictest way in which a check holds in place, with the solution.
func learnInPlace(ctx context.Context, p witness.Place, c checks.Script) error {
	if !strings.Contains(c.Text, "cp ") || c.Live { // nothing is copied
		return nil
	}
	for _, which := range placed {
		res, err := ranInPlace(ctx, p, c, which)
		if err != nil {
			return err
		}
		if res.OK() {
			p.Tests.Set(lesson(c), 0, &lessons.Tests{InPlace: which})
			return nil
		}
	}
	return nil
}

// sameInPlace judges a check that held for copies of the project: where it holds so in the
// project itself with the solution, it does with every repair. Nil: nothing is to be said.
func sameInPlace(ctx context.Context, p witness.Place, c checks.Script) (*trial.Verdict, error) {
	known := p.Tests.Of(lesson(c), 0)
	if known == nil || known.InPlace == "" {
		return nil, nil
	}
	failed, err := failsTwice(func() (*sandbox.Result, error) {
		res, err := ranInPlace(ctx, p, c, known.InPlace)
		return &res, err
	})
	if failed == nil || p.Unlearns {
		if failed != nil {
			p.Tests.Set(lesson(c), 0, &lessons.Tests{})
		}
		return nil, err
	}
	return notHeld(c, trial.CauseDefeatDevice, failed,
		"it holds in a copy of the project, and not in the project itself"), nil
}
