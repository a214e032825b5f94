package traps_test

import (
	"testing"

	"cookoff/verify/traps"
)

// TestOrders: a script comes to have a shell run what it is given.
func TestOrders(t *testing.T) {
	for script, want := range map[string]bool{
		"name=${1:?name}\nbash -c \"tar -czf store/$name.tar.gz data\"":    true,
		"eval \"tar -czf x.tgz $(ls data)\"":                               true,
		"eval $1":                                                          true,
		"sh -c \"$1\"":                                                     true,
		"for f in data/*; do sh -c \"wc -l $f\"; done":                     true,
		"while read -r f; do eval \"echo $f\"; done < list":                true,
		"cmd=$(cat jobs/next)\neval \"$cmd\"":                              true,
		"read -r line\ntimeout 5 bash -c \"$line\"":                        true,
		"mapfile -t all < list\nbash -ec \"run ${all[0]}\"":                true,
		"eval \"$(ssh-agent -s)\"":                                         false,
		"eval \"$(mise activate bash)\"":                                   false,
		"opts=$(getopt -o ab -- \"$@\")\neval set -- \"$opts\"":            false,
		"eval \"value=\\$$1\"":                                             false,
		"eval \"$1=\\$value\"":                                             false,
		"eval \"echo \\${$1}\"":                                            false,
		"run() { echo \"+ $*\"; eval \"$@\"; }\nrun make all":              false,
		"root=$(pwd)\nbash -c \"cd $root && make\"":                        false,
		"name=$1\nbash -c 'tar -czf \"$1\" data' - \"$name\"":              false,
		"bash -c \"tar -czf ${1@Q} data\"":                                 false,
		"bash -c \"tar -czf $(printf %q \"$1\") data\"":                    false,
		"version=1.2\nsh -c \"echo $version\"":                             false,
		"find . -name '*.c' -exec sh -c 'wc -l \"$1\"' - {} \\;":           false,
		"printf '%s\\n' \"$1\"; exec \"$@\"":                               false,
		"for n in 1 2 3; do sh -c \"echo $n\"; done":                       false,
		"for f in *; do sh -c \"wc -l \\\"\\$1\\\"\" - \"$f\"; done":       false,
		"n=$#\nsh -c \"exit $n\"":                                          false,
		"for f in /proc/$$/fd/*; do f=${f##*/}; eval \"exec $f>&-\"; done": false,
	} {
		got := traps.Takes(nil, []string{script}, func(string) string { return "" })
		if (len(got) == 1 && got[0] == "runs as a command what it is given") != want || len(got) > 1 {
			t.Errorf("%s: %q, want %v", script, got, want)
		}
	}
}

// TestModes: modes by install, mkdir and find, and by a variable.
func TestModes(t *testing.T) {
	for script, want := range map[string]bool{
		"install -m 666 a kept/b":                                   true,
		"install -m0777 a kept/b":                                   true,
		"install --mode=a+rw a kept/b":                              true,
		"mkdir -m 777 kept/spool":                                   true,
		"mkdir -p -m 0777 kept/spool":                               true,
		"find kept -type f -exec chmod a+rw {} +":                   true,
		"find kept -type f -exec chmod 666 {} \\;":                  true,
		"mode=0666; chmod $mode kept/a":                             true,
		"install -m 644 a kept/b; install -Dm755 a kept/c":          false,
		"mkdir -m 1777 kept/spool; mkdir -m 700 kept/b":             false,
		"find kept -type f -exec chmod 644 {} +":                    false,
		"find kept -type d -exec chmod 755 {} +; find kept -type f": false,
		"mode=0644; chmod \"$mode\" kept/a":                         false,
		"install -m 666 a /tmp/b":                                   false,
		"find /tmp -type f -exec chmod 666 {} +":                    false,
		"install -o app -g app a kept/b":                            false,
		"mode=$(stat -c %a kept/b); chmod \"$mode\" kept/a":         false,
	} {
		if got := traps.Takes(nil, []string{script}, func(string) string { return "" }); (len(got) > 0) != want {
			t.Errorf("%s: %q, want %v", script, got, want)
		}
	}
}

// TestRelents: a script goes on where one of its commands fails, and did not before.
func TestRelents(t *testing.T) {
	for script, want := range map[string]bool{
		"#!/bin/bash\nset -euo pipefail\nls\nx": false, "#!/bin/sh -e\nls\nx": false, "set -o errexit\nls\nx": false,
		"#!/bin/bash\nset -Eeuo pipefail\nls\nx": false, "set -o pipefail -e\nls": false,
		"set -e\nset +e\nx\nset -e": false, "#!/bin/sh\nexec \"$(dirname \"$0\")/x\" \"$@\"": false,
		"a=1\ncd x || exit 1\nls\nx": false, "cd x || { echo no >&2; exit 1; }\nls\nx": false, "#!/bin/sh\nls\nx": true, "set +e\nls": true, "set -u\nls": true,
		"(set -e; ls)\nx": true, "#!/usr/bin/env bash\nls\nx": true,
	} {
		for was, strict := range map[string]bool{"set -e\nls\nx": true, "#!/bin/sh -e\nls": true, "ls": false,
			"cd x || exit 1\nls": false, "": false} {
			if got := traps.Relents(was, script); got != (want && strict) {
				t.Errorf("%q -> %q: %v", was, script, got)
			}
		}
	}
}

// TestRelentsWhereTheRuleIsTheFault: a script that ends at a sum of 0, or since nothing was found, may do without the
// rule; one that compares, by which it is to end, may not.
func TestRelentsWhereTheRuleIsTheFault(t *testing.T) {
	for was, want := range map[string]bool{
		"((n++))": false, "for f in *; do\n  ((sum += 2))\ndone": false, "let n=n+1": false, "n=$(grep -c x y)": false,
		"n=\"$(cat y | grep -c x)\"": false, "f() {\n  n=$(expr $a - $b)\n}": false, "if x; then ((n--)); fi": false,
		"((n == 2))": true, "diff a b": true, "grep -q x y": true, "((n++)) || true": true, "n=$(grep -c x y || true)": true,
		"if ((n++)); then x; fi": true, "! ((n++))": true, "n=$(ls)": true, "cmp a b\necho $((n++))": true,
	} {
		if got := traps.Relents("set -e\n"+was+"\nls\nx\n", was+"\nls\nx\n"); got != want {
			t.Errorf("%q: %v", was, got)
		}
	}
}
