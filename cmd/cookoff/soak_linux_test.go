package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"cookoff/model/openai/openaitest"
	"cookoff/sandbox/sandboxtest"
)

// soaked is what a running program holds.
type soaked struct {
	at        time.Duration
	files     int   // descriptors
	processes int   // below it
	mounts    int   // of its namespace
	memory    int64 // resident, in bytes
}

func soakedNow(pid int, at time.Duration) soaked {
	s := soaked{at: at, processes: len(descendants(pid))}
	files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	s.files = len(files)
	mounts, _ := os.ReadFile(fmt.Sprintf("/proc/%d/mountinfo", pid))
	s.mounts = strings.Count(string(mounts), "\n")
	statm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if f := strings.Fields(string(statm)); len(f) > 1 {
		pages, _ := strconv.ParseInt(f[1], 10, 64)
		s.memory = pages * int64(os.Getpagesize())
	}
	return s
}

// descriptors counts those of a process by what they lead to, without numbers.
func descriptors(pid int) map[string]int {
	kinds := map[string]int{}
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		to, _ := os.Readlink(filepath.Join(dir, f.Name()))
		kinds[regexp.MustCompile(`[0-9]+|/[A-Z0-9]{16}\b`).ReplaceAllString(to, "#")]++
	}
	return kinds
}

// faulty answers nine requests in ten as a model does that mends its task in two
// steps; the tenth meets one fault after another.
func faulty() func(n int, r *openaitest.Request) openaitest.Step {
	var faults atomic.Int64
	return func(n int, r *openaitest.Request) openaitest.Step {
		if n%10 == 0 {
			switch faults.Add(1) % 9 {
			case 0:
				return openaitest.Status(http.StatusServiceUnavailable, openaitest.Error("", "busy"))
			case 1:
				return openaitest.Status(http.StatusTooManyRequests, openaitest.Error("", "slow down"))
			case 2:
				return openaitest.Raw("text/html", "<html>a gateway</html>")
			case 3:
				return openaitest.Cut(says("half an answer that is never finished", 100))
			case 4:
				return openaitest.Reply(calls("bash", `{"command":`, 100))
			case 5:
				return openaitest.Reply(calls("bash", `{"command":"tail /dev/zero"}`, 101))
			case 6:
				return openaitest.Reply(calls("bash", `{"command":"dd if=/dev/zero of=/tmp/full bs=1M"}`, 102))
			case 7:
				fill := `{"command":"n=0; while fallocate -l 100M full$n; do n=$((n+1)); done; sleep 1"}`
				return openaitest.Reply(calls("bash", fill, 104))
			default:
				bomb := `{"command":"for i in $(seq 300); do sleep 1000 & done; kill -9 1 -1"}`
				return openaitest.Reply(calls("bash", bomb, 103))
			}
		}
		for _, m := range r.Messages {
			if m.Role == "tool" && strings.Contains(m.Content, "written") {
				return openaitest.Reply(says("It says hello.", 200))
			}
		}
		mend := `{"command":"rm -f /tmp/full full*; echo hello > greeting && echo written"}`
		return openaitest.Reply(calls("bash", mend, 201))
	}
}

// TestSoak keeps 200 trials under way for as long as COOKOFF_SOAK says ("10m", or
// "1m 30" for 30 of them), a tenth of all requests meeting a fault, on a machine that
// now and then has no memory and no disk left: what the program holds does not grow, and
// Ctrl-C is answered within a second with a table in which every trial is counted.
func TestSoak(t *testing.T) {
	duration, parallel, several := strings.Cut(os.Getenv("COOKOFF_SOAK"), " ")
	long, err := time.ParseDuration(duration)
	if err != nil {
		t.Skip("COOKOFF_SOAK=10m runs it: 200 trials for as long, a tenth of whose requests meet a fault")
	}
	if !several {
		parallel = "200"
	}
	if os.Getuid() != 0 {
		t.Skip("mounts are root's")
	}
	if _, err := exec.LookPath("mkfs.ext4"); err != nil {
		t.Skip("no mkfs.ext4 makes a disk that can be full")
	}
	c := newChaos(t)
	group := sandboxtest.NewMemoryGroup(t, 1500<<20)
	d := c.at("soak")
	d.provider.Server = openaitest.NewFunc(faulty())
	defer d.provider.Close()
	recipe := strings.Replace(tiny(t), "- baseline/noop\n- baseline/oracle", "- openai/gpt-4o", 1)
	recipe = strings.Replace(recipe, "- timeout: 1m", "- timeout: 30m\n\n## Sandbox\ndisk: 8GiB\nfile_size: 8GiB", 1)
	write(t, filepath.Join(d.root, "p", "recipe.md"), recipe)
	const all = 5000
	table := filepath.Join(d.root, "table")
	script := "truncate -s 4G ../disk; mkfs.ext4 -q ../disk; mount -o loop ../disk $TMPDIR; chmod 755 $TMPDIR\n" +
		"exec cookoff-hasty run --no-preflight --yes --quiet --keep none --format json --parallel " +
		parallel + " --trials " + strconv.Itoa(all) + " > " + table
	cmd, out := d.start("", "unshare", "-m", "--propagation", "private", "sh", "-ec", group.Shell(script))
	var seen []soaked
	began, every := time.Now(), time.NewTicker(max(long/30, time.Second))
	defer every.Stop()
	for range every.C {
		s := soakedNow(cmd.Process.Pid, time.Since(began).Round(time.Second))
		t.Logf("%+v, %d requests", s, len(d.provider.Requests()))
		seen = append(seen, s)
		if time.Since(began) > long {
			break
		}
		if s.files == 0 {
			_ = cmd.Wait()
			t.Fatalf("it has ended: %s\n%s", cmd.ProcessState, out)
		}
	}
	stopped := time.Now()
	t.Logf("descriptors: %v", descriptors(cmd.Process.Pid))
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var text string
	for time.Since(stopped) < hung && !strings.HasSuffix(text, "\n}\n") {
		time.Sleep(5 * time.Millisecond)
		written, _ := os.ReadFile(table) // the shell has made it
		text = string(written)
	}
	told := time.Since(stopped)
	if told > time.Second {
		t.Errorf("Ctrl-C was answered after %v, want a second at most", told)
	}
	_ = cmd.Wait()
	t.Logf("Ctrl-C: the table after %v, the end after %v; %d processes were ended for want of memory\n%s",
		told, time.Since(stopped), group.Ended(t), out)
	d.nothingLives()
	steady(t, seen)
	var r struct {
		State  string
		Models []struct{ Pass, Fail, Void, Pending int }
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v:\n%.2000s", err, text)
	}
	t.Logf("%+v", r)
	if m := r.Models[0]; r.State != "interrupted" || m.Pass == 0 || m.Pass+m.Fail+m.Void+m.Pending != all {
		t.Errorf("the table has %+v of %d trials", r, all)
	}
}

// steady wants what is held at the end to be what was held in the middle.
func steady(t *testing.T, seen []soaked) {
	t.Helper()
	most := func(part []soaked) (m soaked) {
		for _, s := range part {
			m.files, m.processes = max(m.files, s.files), max(m.processes, s.processes)
			m.mounts, m.memory = max(m.mounts, s.mounts), max(m.memory, s.memory)
		}
		return m
	}
	third := len(seen) / 3
	before, after := most(seen[third:2*third]), most(seen[2*third:])
	grown := after.files > before.files*5/4+50 || after.mounts > before.mounts
	if grown || after.processes > before.processes*3/2+300 || after.memory > before.memory*5/4+64<<20 {
		t.Errorf("it grows: at most %+v in the middle, %+v at the end", before, after)
	}
}
