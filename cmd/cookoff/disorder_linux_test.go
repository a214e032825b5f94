package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// disorderly is a machine on which something is not as it should be.
type disorderly struct {
	name   string
	script string // in mounts of its own; $D is a directory of its own, PWD a project
	says   string // a pattern of what is said
	silent string // and of what is not
}

func disorders() []disorderly {
	return []disorderly{
		{"a home that can't be written, no TMPDIR", `
			mount -t tmpfs -o ro none $HOME
			unset TMPDIR
			cookoff run`, `oracle +1/1 `, "error"},
		{"a TMPDIR of spaces and quotes, where nothing may be executed", `
			export TMPDIR="$D/a 'b\" c"
			mkdir -p "$TMPDIR"
			mount -t tmpfs -o noexec none "$TMPDIR"
			cookoff run`, `oracle +1/1 `, "error"},
		{"a TMPDIR that is a file", `
			echo x > $D/file
			TMPDIR=$D/file cookoff run`, `(?s)error: .*/file.*not a directory`, "oracle"},
		{"a TMPDIR that is full", `
			mount -t tmpfs -o size=4k none $TMPDIR
			cookoff run; echo "code $?"
			mount -o remount,size=64m $TMPDIR
			cookoff run`, `(?s)error: .*no space left on device.*hint: a disk is full.*TMPDIR.*code 3.*oracle +1/1 `,
			"goroutine"},
		{"a TMPDIR that takes no more files", `
			mount -t tmpfs -o nr_inodes=12 none $TMPDIR
			cookoff run; echo "code $?"
			mount -o remount,nr_inodes=9999 $TMPDIR
			cookoff run`, `(?s)error: .*no space left on device.*hint: .*df -i.*code 3.*oracle +1/1 `, "goroutine"},
		{"a home that is full", `
			mount -t tmpfs -o size=4k none $HOME
			dd if=/dev/zero of=$HOME/full bs=4k 2> $D/said
			cookoff run`, `oracle +1/1 `, "error"},
		{"a home with no room for what is compiled before, and a disk of runs that fills up", `
			echo 'def one(): return 1' > one.py
			command -v python3 > $D/said &&
				sed -i 's/^## Tasks/## Sandbox\n\n- warm: python3 -c "import one"\n\n&/' recipe.md
			mount -t tmpfs -o size=4k none $HOME
			dd if=/dev/zero of=$HOME/full bs=4k 2> $D/said
			cookoff run
			mkdir -p .cookoff
			mount -t tmpfs -o size=8k none .cookoff
			cookoff run --trials 9; echo "code $?"`,
			`(?s)oracle +1/1 .*error: writing the journal .*hint: a disk is full.*cookoff resume goes on.*code 3`, "TMPDIR"},
		{"a project on a disk that is full, where files stand that are to be replaced", `
			head -c 200000 /dev/zero | tr '\\0' x > large
			printf 'version: 1\n\n## Models\n* baseline/oracle\n\n## Tasks\n\n### Grow\nCopy it.\n\n' > recipe.md
			f='` + "```" + `'
			printf "${f}sh after\ncmp large small\n$f\n\n${f}sh solution\ncp large small\n$f\n" >> recipe.md
			echo OLD > small
			mkdir $D/disk
			mount -t tmpfs -o size=4m none $D/disk
			cp -r . $D/disk/p
			cd $D/disk/p
			cookoff run -q > /dev/null
			cp recipe.md old.md
			dd if=/dev/zero of=../full bs=4k 2> $D/said
			full() {
				cookoff "$@" > $D/said 2>&1; code=$?
				grep -q 'no space left on device' $D/said && grep -q 'hint: .*make room' $D/said && test $code = 3 ||
					{ echo "$*: code $code"; cat $D/said; }
			}
			full apply --yes latest t001
			full report --format json -o old.md
			full report --format html -o new.html
			full report --format otel -o traces
			full convert recipe.md -o new.md
			full fmt old.md
			full init --no-input --models baseline/noop --test-command false --task Mend. --force -o old.md
			full run -q -o old.md
			test "$(cat small)" = OLD && cmp old.md recipe.md && ls -A`,
			`\A\.cookoff\nlarge\nold\.md\nrecipe\.md\nsmall\n\z`, "code"},
		{"a file in the place of /dev/null", `
			echo x > $D/null
			mount --bind $D/null /dev/null
			cookoff run`, `(?s)/dev/null of this machine is not the device of that name.*mknod -m 666 /dev/null c 1 3`,
			"gVisor"},
		{"a clock that was set back", `
			cookoff run -q > /dev/null
			mv .cookoff/runs/2* .cookoff/runs/29991231-235959-000000
			cookoff run`, `the clock is behind: the run 29991231-235959-000000 is of a later time`, "error"},
		{"a project that was moved", `
			(ulimit -f 12; cookoff run -q --trials 3 --parallel 1)
			test $? = 3 || exit 9
			mkdir "$D/a b"
			mv .cookoff recipe.md "$D/a b"
			cd "$D/a b"
			cookoff resume`, `oracle +3/3 `, "can.t go on"},
		{"files that can't be read", `
			mkdir closed
			echo x > own
			chmod 0 closed own
			chmod 777 . $HOME $TMPDIR
			setpriv --reuid 65534 --regid 65534 --clear-groups cookoff run`,
			`(?s)models don't see .*closed, own\n.*oracle +1/1 `, "error"},
		{"files that can't be read, which a commit has", `
			git init -q . && echo x > own && git add own && git -c user.name=a -c user.email=a@b commit -q -m own
			chmod 0 own
			chown -R 65534:65534 .
			chmod 777 $HOME $TMPDIR
			setpriv --reuid 65534 --regid 65534 --clear-groups cookoff run`,
			`(?s)the project holds what can't be read: "own".*hint: .*chmod -R u\+rX`, "oracle"},
	}
}

// TestDisorder: a machine in disorder does not matter, or is named as what it is.
func TestDisorder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("mounts and other users are root's")
	}
	if testing.Short() {
		t.Skip("carries out a dozen runs")
	}
	c := newChaos(t)
	for _, d := range disorders() {
		t.Run(d.name, func(t *testing.T) {
			here := *c
			here.T = t
			at := here.at("disorder")
			write(t, filepath.Join(at.root, "p", "recipe.md"), tiny(t))
			above := filepath.Dir(at.root)
			for _, dir := range []string{at.root, above, filepath.Dir(above), filepath.Join(at.root, "p")} {
				if err := os.Chmod(dir, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd, out := at.start("", "unshare", "-m", "--propagation", "private", "sh", "-c",
				"D="+at.root+"; "+d.script)
			_ = cmd.Wait()
			if said := out.String(); !regexp.MustCompile(d.says).MatchString(said) || strings.Contains(said, d.silent) {
				t.Errorf("%s, without %q, want %q:\n%s", cmd.ProcessState, d.silent, d.says, said)
			}
		})
	}
}

var changed = regexp.MustCompile(`"changes": (null|\d+)`)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestFullDisk lets the disk of the journal be full at ever later writes: the run
// ends in words, and goes on once there is room, as if nothing had happened.
func TestFullDisk(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("mounts are root's")
	}
	if testing.Short() {
		t.Skip("carries out a dozen runs")
	}
	c := newChaos(t)
	want, _ := c.whole()
	stopped := 0
	for _, pages := range []int{1, 2, 4, 5, 6, 7} {
		d := c.at(fmt.Sprintf("pages%d", pages))
		script := fmt.Sprintf(`
			mkdir .cookoff; mount -t tmpfs -o size=%dk none .cookoff
			code=0; cookoff-nowait run -q --parallel 1 || code=$?; echo "code $code"
			mount -o remount,size=64m .cookoff; cookoff-nowait resume -q --parallel 1 || cookoff-nowait run -q --parallel 1
			cp -r .cookoff $TMPDIR/kept; umount .cookoff
			cp -r $TMPDIR/kept/. .cookoff; rm -r $TMPDIR/kept`, 4*pages)
		cmd, out := d.start("", "unshare", "-m", "--propagation", "private", "sh", "-ec", script)
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%d pages: %v\n%s", pages, err, out)
		}
		said := out.String()
		full := strings.Contains(said, "code 3") && strings.Contains(said, "no space left on device")
		if full {
			stopped++
		}
		if strings.Contains(said, "goroutine") || !full && !strings.Contains(said, "code 0") {
			t.Errorf("%d pages:\n%s", pages, said)
		}
		alike, table := want.table, d.ending().table
		if strings.Contains(said, "is not stored: ") { // then nobody knows what it changed
			alike, table = changed.ReplaceAllString(alike, ""), changed.ReplaceAllString(table, "")
		}
		if diff := cmp.Diff(alike, table); diff != "" {
			t.Errorf("%d pages: %s\n%s", pages, diff, said)
		}
	}
	if stopped < 3 {
		t.Errorf("%d of the disks were too small", stopped)
	}
}
