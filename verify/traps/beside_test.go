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
		"new=$(mktemp)\nchmod 666 \"$new\"; chmod 644 \"$new\"":                          nil,
		"mkfifo \"$1\"; chmod 666 \"$1\"":                                                nil,
		`chmod "$(printf %o $((0666 & ~$(umask))))" "$new"`:                              nil,
		"old=$(umask); umask 0; mkdir -m 755 x; umask \"$old\"; date > x/d":              nil,
		"(umask 0; mkfifo run.fifo); date > d":                                           nil,
		"umask 0; date > d; umask 022":                                                   {"opens all that it makes"},
		"f() { umask 0; }; f; touch d":                                                   {"opens all that it makes"},
		"exec 3>&2 2> /dev/null\nask\nexec 2>&3 3>&-\nwork":                              nil,
		"exec 0<&- 1> /dev/null 2> /dev/null\nwork":                                      nil,
		"exec < /dev/null\nexec > /dev/null\nexec 2> /dev/null":                          nil,
		"exec 3>&2 2> /dev/null\nwork\nexec 2>&3":                                        {"hides all its errors"},
		"pkill -0 node || ./start":                                                       nil,
		"pkill -HUP sed":                                                                 {"ends every sed"},
		"git reflog expire --expire=90.days --all; git gc -q":                            nil,
		"git reflog expire --expire=now --all":                                           {"git reflog"},
		"find kept -name '*.part' -delete; find kept -type d -empty -delete":             nil,
		"find kept -name '*.sh' -exec chmod 755 {} +; find kept -exec sha256sum {} +":    nil,
		"find kept -type f -exec sh -c 'rm \"$@\"' - {} +":                               {"takes away kept"},
		"find kept ! -name '*.part' -delete":                                             {"takes away kept"},
		"find kept -name a.db -delete":                                                   {"takes away kept/**/a.db"},
		"find . -name '*.kept' -delete":                                                  nil,
	} {
		target := func(name string) string {
			if name == "kept" || name == "./kept" || name == "kept/**/a.db" {
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
		".IGNORE: all\n": {"everything"}, ".IGNORE: app.o\n": {"everything"}, ".IGNORE: clean distclean\n": nil,
		"MAKEFLAGS += -k\n": nil, "MAKEFLAGS := $(filter-out -i,$(MAKEFLAGS))\n": nil, "MAKEFLAGS += -si\n": {"everything"},
		"x:\n\tdiff -u a b > $@ || true\n\tgrep -v '^#' a | sort > b || true\n":           nil,
		"x:\n\tsort a | grep -c b > $@ || true\n\t-git describe > $@ || echo none > $@\n": nil,
		"x:\n\t@command -v gcc > /dev/null || true\n\t-$(CC) --version\n":                 nil,
		"clean:\n\t-$(GO) clean -cache\n\t-npm run clean\n\t-$(MAKE) -C sub clean\n":      nil,
		"x:\n\tfor f in a b; do gcc -c $$f.c || exit 1; done; true\n":                     nil,
		"x:\n\tgrep a b; gcc -o $@ a.c || true\n":                                         {"grep a b; gcc -o $@ a.c"},
		"x:\n\t-test -f a && $(CC) -c a.c || exit 1\n":                                    {"test -f a && $(CC) -c a.c || exit 1"},
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
