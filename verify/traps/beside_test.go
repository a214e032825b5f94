package traps_test

import (
	"slices"
	"testing"

	"cookoff/verify/traps"
)

// TestBeside: a script for a shell comes to open things to everybody, to end what others run, to hide its errors.
func TestBeside(t *testing.T) {
	for script, want := range map[string][]string{
		`chmod 666 "$1" "$1.1"`:                            {"opens $1", "opens $1.1"},
		"chmod -R a+rwX public":                            {"opens public"},
		"chmod 777 /tmp/dist":                              nil,
		`chmod 777 "$tmp/x" run.lock /tmp/x`:               nil,
		"chmod 1777 spool; chmod 755 a; chmod +w b":        nil,
		"chmod u+w,go-w a; chmod go=rX b":                  nil,
		"umask 000":                                        {"opens all that it makes"},
		"umask 0022; umask 002; umask":                     nil,
		"pkill -x sed":                                     {"ends every sed"},
		"killall -9 node":                                  {"ends every node"},
		"kill -9 -1":                                       {"ends all processes of whoever runs it"},
		"kill -1 $pid; kill -- -$pid; kill %1":             nil,
		"pkill -P $$ sleep; pkill -F run.pid":              nil,
		`pkill -f "$PWD/server.py"; pkill shopd`:           nil,
		"exec 2> /dev/null\nls":                            {"hides all its errors"},
		"exec > /dev/null 2>&1":                            {"hides all its errors"},
		"exec &> /dev/null":                                {"hides all its errors"},
		"exec < /dev/null > /dev/null 2>&1":                nil,
		"exec 2>> log; exec 3> /dev/null; ls 2> /dev/null": nil,
		"(exec 2> /dev/null; ls)":                          nil,
		"root=$(cd \"$(dirname \"$0\")\" && pwd)\nfind \"$root/kept\" -mtime +3 -delete": {"takes away ./kept"},
		"root=$(mktemp -d)\nfind \"$root/kept\" -delete; rm -rf \"$root/kept\"":          nil,
		"here=${0%/*}\nrm -rf \"$here/kept\"":                                            {"takes away ./kept"},
		"find . -name '*.kept' -delete":                                                  nil,
	} {
		target := func(name string) string {
			if name == "kept" || name == "./kept" {
				return name
			}
			return ""
		}
		if got := traps.Takes(nil, []string{script}, target); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
		if got := traps.Takes([]string{script}, []string{script}, target); got != nil {
			t.Errorf("%s, as it was: %q", script, got)
		}
	}
}

// TestForgives: make comes to go on where a build or a test fails.
func TestForgives(t *testing.T) {
	for text, want := range map[string][]string{
		".IGNORE:\n":                                                 {"everything"},
		"MAKEFLAGS += -i\n":                                          {"everything"},
		"MAKEFLAGS += --no-builtin-rules -j4":                        nil,
		"x: y\n\t-$(CC) -o $@ $<\n":                                  {"$(CC) -o $@ $<"},
		"x: y\n\t@-tools/gen y > $@\n":                               {"tools/gen y > $@"},
		"test:\n\tgo test ./... || true\n":                           {"go test ./..."},
		"clean:\n\t-rm -f x\n\t-docker rm x || true\n-include x.d\n": nil,
	} {
		if got := traps.Forgives("x: y\n\t$(CC) -o $@ $<\n", text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
