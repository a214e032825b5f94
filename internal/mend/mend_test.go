package mend_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"cookoff/internal/mend"
	"cookoff/sandbox"
	"cookoff/tools/probe"
	"cookoff/tools/repair"
)

// TestPolicy: one row a cell of the table.
func TestPolicy(t *testing.T) {
	check := func(class repair.Class, c mend.Consent, want mend.Decision) {
		t.Helper()
		if got := c.Decide(class); got != want {
			t.Errorf("%s %+v: %s, want %s", class, c, got, want)
		}
	}
	terminal, headless := mend.Consent{Terminal: true}, mend.Consent{}
	yes, yesHeadless := mend.Consent{Terminal: true, Yes: true}, mend.Consent{Yes: true}
	include := func(c repair.Class, terminal bool) mend.Consent {
		return mend.Consent{Terminal: terminal, Yes: true, Include: []repair.Class{c}}
	}
	check(repair.Safe, terminal, mend.Run)
	check(repair.Safe, headless, mend.Run)
	check(repair.Safe, yes, mend.Run)
	check(repair.Safe, include(repair.Safe, false), mend.Run)
	check(repair.Shared, terminal, mend.Ask)
	check(repair.Shared, headless, mend.Refuse)
	check(repair.Shared, yes, mend.Ask)
	check(repair.Shared, yesHeadless, mend.Refuse)
	check(repair.Shared, include(repair.Shared, true), mend.Run)
	check(repair.Shared, include(repair.Shared, false), mend.Run)
	check(repair.Shared, mend.Consent{Include: []repair.Class{repair.Shared}}, mend.Refuse) // without --yes
	check(repair.Shared, include(repair.Destructive, false), mend.Refuse)
	check(repair.Destructive, terminal, mend.Ask)
	check(repair.Destructive, headless, mend.Refuse)
	check(repair.Destructive, yes, mend.Ask)
	check(repair.Destructive, yesHeadless, mend.Refuse)
	check(repair.Destructive, include(repair.Destructive, true), mend.Ask)
	check(repair.Destructive, include(repair.Destructive, false), mend.Refuse)
	for _, c := range []mend.Consent{terminal, headless, yes, yesHeadless, include(repair.Privileged, true)} {
		check(repair.Privileged, c, mend.Print)
	}
	check("unknown", include("unknown", false), mend.Refuse)
}

// doctor works on a project of its own, where scripts with the given names
// lack the bit to run them.
func doctor(t *testing.T, class, command string, names ...string) (*mend.Doctor, string, *[]string) {
	t.Helper()
	dir := t.TempDir()
	for _, n := range names {
		if err := os.WriteFile(filepath.Join(dir, n), []byte("#!/bin/sh\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lib, err := repair.Load(fstest.MapFS{"a.yaml": {Data: []byte("id: r\nprobe: exec-bit\nfixes:\n- {id: a, class: " +
		class + ", label: 'Mend {{.Path}}', command: '" + command + "'}\n")}}, "lib")
	if err != nil {
		t.Fatal(err)
	}
	ps, err := probe.Select([]string{"exec-bit", "crlf"})
	if err != nil {
		t.Fatal(err)
	}
	log := new([]string)
	return &mend.Doctor{
		At: mend.Host{Dir: dir, Env: os.Environ()}, Library: lib, Probes: ps,
		Audit: func(event string, r mend.Result) error {
			*log = append(*log, event+" "+r.Params["Path"]+" "+string(r.Status))
			return nil
		},
	}, dir, log
}

func statuses(rs []mend.Result) string {
	var all []string
	for _, r := range rs {
		all = append(all, string(r.Status))
	}
	return strings.Join(all, " ")
}

// TestMend: fixed is what the probe does not find any more, whatever the exit
// status says.
func TestMend(t *testing.T) {
	check := func(class, command, want, wantLog string, edit func(*mend.Doctor)) {
		t.Helper()
		d, _, log := doctor(t, class, command, "a", "b")
		if edit != nil {
			edit(d)
		}
		rs, err := d.Mend(t.Context())
		if err != nil || statuses(rs) != want || strings.Join(*log, ", ") != wantLog {
			t.Errorf("%s %s: %s; log %q (%v), want %s", class, command, statuses(rs), *log, err, want)
		}
	}
	const mendIt = "chmod +x {{.Path}}"
	say := func(answers ...mend.Answer) func(*mend.Doctor) {
		return func(d *mend.Doctor) {
			d.Terminal = true
			d.Ask = func(r mend.Result) (mend.Answer, error) {
				a := answers[0]
				answers = answers[1:]
				return a, nil
			}
		}
	}
	check("safe", mendIt, "fixed fixed", "run a , done a fixed, run b , done b fixed", nil)
	check("safe", "true {{.Path}}", "not_fixed not_fixed", "run a , done a not_fixed, run b , done b not_fixed", nil)
	check("safe", mendIt+"; exit 3", "fixed fixed", "run a , done a fixed, run b , done b fixed", nil)
	check("safe", "chmod +x * # {{if .Path}}x{{end}}", "fixed fixed", "run a , done a fixed", nil) // both with one
	check("shared", mendIt, "refused refused", "", nil)
	check("shared", mendIt, "fixed fixed", "run a , done a fixed, run b , done b fixed",
		func(d *mend.Doctor) { d.Yes, d.Include = true, []repair.Class{repair.Shared} })
	check("shared", mendIt, "declined fixed", "run b , done b fixed", say(mend.No, mend.Yes))
	check("destructive", mendIt, "declined declined", "", say(mend.Skip))
	check("destructive", mendIt, "declined declined", "", say(mend.Quit))
	check("destructive", mendIt, "fixed declined", "run a , done a fixed", say(mend.Yes, mend.Quit))
	check("privileged", "sudo "+mendIt, "printed printed", "", say())
	check("safe", mendIt, "planned planned", "", func(d *mend.Doctor) { d.DryRun = true })
	check("safe", mendIt+" {{.Nosuch}}", "no_fix no_fix", "", nil)
	check("safe", mendIt, "no_fix fixed fixed", "run a , done a fixed, run b , done b fixed",
		func(d *mend.Doctor) { // no repair answers crlf
			if err := os.WriteFile(filepath.Join(d.At.(mend.Host).Dir, "c.sh"), []byte("#!/bin/sh -e\r\n"),
				0o755); err != nil {
				t.Fatal(err)
			}
		})
}

// TestBrokenOff: what was begun and broken off is recorded as such.
func TestBrokenOff(t *testing.T) {
	d, _, log := doctor(t, "safe", "test -e {{.Path}} && sleep 100", "a", "b")
	ctx, cancel := context.WithCancel(t.Context())
	audit := d.Audit
	d.Audit = func(event string, r mend.Result) error {
		time.AfterFunc(50*time.Millisecond, cancel)
		return audit(event, r)
	}
	rs, err := d.Mend(ctx)
	if !errors.Is(err, context.Canceled) || statuses(rs) != "not_fixed declined" || strings.Join(*log,
		", ") != "run a , done a not_fixed" {
		t.Errorf("%s; log %q (%v)", statuses(rs), *log, err)
	}
}

// TestUnrecorded: what can't be recorded is not run.
func TestUnrecorded(t *testing.T) {
	d, dir, _ := doctor(t, "safe", "chmod +x {{.Path}}", "a")
	full := errors.New("no space")
	d.Audit = func(string, mend.Result) error { return full }
	if rs, err := d.Mend(t.Context()); !errors.Is(err, full) || statuses(rs) != "refused" {
		t.Errorf("%s (%v)", statuses(rs), err)
	}
	if st, err := os.Stat(filepath.Join(dir, "a")); err != nil || st.Mode()&0o111 != 0 {
		t.Errorf("it was run: %v (%v)", st, err)
	}
}

// TestHost: how a command ended, and a command that does not end.
func TestHost(t *testing.T) {
	h := mend.Host{Dir: t.TempDir(), Env: append(os.Environ(), "COLOUR=red")}
	check := func(c sandbox.Cmd, exit int, reason, out string) {
		t.Helper()
		r, err := h.Exec(t.Context(), c)
		if err != nil || r.Exit != exit || r.Reason != reason || string(r.Stdout) != out {
			t.Errorf("%+v: %+v (%v)", c, r, err)
		}
	}
	check(sandbox.Cmd{Script: "echo $COLOUR; exit 3"}, 3, "", "red\n")
	check(sandbox.Cmd{Argv: []string{"printf", "%s", "a b"}}, 0, "", "a b")
	check(sandbox.Cmd{Script: "kill -9 $$"}, 137, "", "")
	check(sandbox.Cmd{Script: "while :; do :; done", Timeout: 50 * time.Millisecond}, 124, "timeout", "")
	if r, err := h.Exec(t.Context(), sandbox.Cmd{Script: "head -c 3000000 /dev/zero"}); err != nil ||
		len(r.Stdout) != 1<<20 || r.Cut != 3000000-1<<20 {
		t.Errorf("%d bytes, %d cut (%v)", len(r.Stdout), r.Cut, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Exec(ctx, sandbox.Cmd{Script: "true"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
