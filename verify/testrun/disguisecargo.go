package testrun

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// asCrate is what cargo runs in the place of a test binary, $1: a copy by another name, without
// the variables that cargo sets and the arguments that only tests have. In PLACE it lies beside the
// test binary, where programs of the package are looked for, or elsewhere.
const asCrate = `#!/bin/bash
d=${0%/*}
PLACE
cp "$1" "$at/app" || exit
shift
a=()
for x in "$@"; do
  case $x in --nocapture|--no-capture|--show-output|-q|--quiet|--color=*) ;; *) a+=("$x") ;; esac
done
for v in $(compgen -e); do
  case $v in CARGO_BIN_EXE_*|KEPT) ;; CARGO*|RUSTUP_*|RUST_RECURSION_COUNT|OLDPWD) unset "$v" ;; esac
done
: > "$d/in"
"$at/app" "${a[@]}" < "$d/in" > "$d/out" 2>&1
s=$?
cat "$d/out"
rm -f "$at/app"
exit $s
`

// cargoElse are flags under which a binary of tests is for another machine, or does something else.
var cargoElse = pattern.New(`^(--target(=.*)?|--bench.*|--no-run|--config(=.*)?)$`)

func disguisedCargo(argv []string, how Disguise) []string {
	_, args := runnerOf(argv)
	if loudCargo(argv, "") == nil || slices.ContainsFunc(args, cargoElse.MatchString) {
		return nil
	}
	place, kept := `at=$(mktemp -d "${1%/*}/XXXXXX") || exit; trap "rm -rf \"$at\"" EXIT`, "CARGO_MANIFEST_DIR"
	if how == OtherPlace {
		place, kept = `at=$d; ln -sfn "$PWD" "$d/src"; cd -L "$d/src" || exit`, "CARGO_BIN_EXE_*"
	}
	script := strings.NewReplacer("PLACE\n", place+"\n", "KEPT", kept).Replace(asCrate)
	return inShell(apart+`p=$1; shift; printf %s "$p" > "$d/run"; chmod +x "$d/run"; `+
		`h=$(rustc -vV | sed -n 's/^host: //p' | tr a-z- A-Z_) || exit; [ -n "$h" ] || exit 125; `+
		`export "CARGO_TARGET_${h}_RUNNER=$d/run"; "$@"; exit`, append([]string{script}, argv...)...)
}
