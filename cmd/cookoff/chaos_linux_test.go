package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"cookoff/sandbox/native"
	"cookoff/trial"
)

// chaos is a place where runs are cut off.
type chaos struct {
	*testing.T
	home, root string
	provider   *provider
	before     map[int]string // processes
}

// at makes a place with a project and a provider of its own. Programs of one test
// share a home.
func (c *chaos) at(name string) *chaos {
	d := *c
	d.root = filepath.Join(c.TempDir(), name)
	d.provider = newProvider(c.T)
	for dir, files := range map[string]map[string]string{
		"p": {"recipe.md": chaosRecipe}, "tmp": nil, "../home/config/cookoff": {"cookoff.toml": chaosConfig},
	} {
		if err := os.MkdirAll(filepath.Join(d.root, dir), 0o755); err != nil {
			c.Fatal(err)
		}
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(d.root, dir, file), []byte(text), 0o644); err != nil {
				c.Fatal(err)
			}
		}
	}
	if c.home == "" {
		c.home = filepath.Join(d.root, "../home")
	}
	d.home = c.home
	return &d
}

// start begins a program.
func (c *chaos) start(cut, program string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	c.Helper()
	var out bytes.Buffer
	cmd := exec.CommandContext(c.Context(), program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(c.root, "p"), &out, &out
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(c.root, "tmp"), "HOME="+c.home,
		"XDG_CACHE_HOME="+c.home+"/cache", "XDG_CONFIG_HOME="+c.home+"/config", "XDG_STATE_HOME="+c.home+"/state",
		"COOKOFF_CUT="+cut, "OPENAI_BASE_URL="+c.provider.URL, "OPENAI_API_KEY=sk-test-0123456789abcdef")
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	return cmd, &out
}

// cut has a program end at an event, by a signal, and looks whether it did.
func (c *chaos) cut(signal string, event int, args ...string) {
	c.Helper()
	cmd, out := c.start(fmt.Sprintf("%s %d", signal, event), "cookoff-cut", args...)
	_ = cmd.Wait() // it has not ended well
	ends := map[string]string{"SIGKILL": "signal: killed", "SIGINT": "exit status 130", "SIGTERM": "exit status 143"}
	want := ends[signal]
	if got := cmd.ProcessState.String(); got != want {
		c.Fatalf("cut off by %s after event %d it ended with %q, want %q:\n%s", signal, event, got, want, out)
	}
	c.nothingLives()
}

// goOn takes a run up and ends it.
func (c *chaos) goOn(args ...string) (said string) {
	c.Helper()
	cmd, out := c.start("", "cookoff-nowait", append([]string{"resume", "--parallel", "1"}, args...)...)
	if err := cmd.Wait(); err != nil {
		c.Fatalf("resume: %v\n%s", err, out)
	}
	return out.String()
}

// nothingLives waits until no process of the program is left, and looks for mounts.
func (c *chaos) nothingLives() {
	c.Helper()
	for end := time.Now().Add(hung); ; time.Sleep(2 * time.Millisecond) {
		left := descendants(0)
		for pid := range c.before {
			delete(left, pid)
		}
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			c.Fatalf("these live on: %v", left)
		}
	}
	if b, err := os.ReadFile("/proc/self/mountinfo"); err != nil || strings.Contains(string(b), c.root) {
		c.Fatalf("something is mounted, %v:\n%s", err, b)
	}
}

// runID is the name of a run, or of a proof, which differ from run to run.
var runID = regexp.MustCompile(`\d{8}-\d{6}-[0-9a-f]{6}|[0-9a-f]{64}`)

// files lists what there is in the project, the home and TMPDIR.
func (c *chaos) files() (list []string) {
	for _, dir := range []string{c.home, filepath.Join(c.root, "p"), filepath.Join(c.root, "tmp")} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(filepath.Dir(dir), path)
			if strings.HasPrefix(rel, "p/.cookoff/cache/") { // the copy of the project, by its place
				return err
			}
			list = append(list, runID.ReplaceAllString(rel, "RUN"))
			return err
		})
		if err != nil {
			c.Fatal(err)
		}
	}
	return slices.Compact(list)
}

// report is what the run says of itself that may not differ, and what it says that
// it has spent.
func (c *chaos) report() (table string, spent, unsettled float64) {
	c.Helper()
	cmd, out := c.start("", "cookoff", "report", "--format", "json")
	if err := cmd.Wait(); err != nil {
		c.Fatalf("report: %v\n%s", err, out)
	}
	var r struct {
		Spent     float64 `json:"spent_usd"`
		Unsettled struct {
			USD float64 `json:"usd"`
		} `json:"unsettled"`
	}
	var all any
	for _, into := range []any{&r, &all} {
		if err := json.Unmarshal(out.Bytes(), into); err != nil {
			c.Fatalf("%v:\n%s", err, out)
		}
	}
	text, err := json.MarshalIndent(withoutTimes(all), "", " ")
	if err != nil {
		c.Fatal(err)
	}
	return string(text), r.Spent, r.Unsettled.USD
}

// withoutTimes takes times out of a report, what names the run, and what tells
// of its being cut off.
func withoutTimes(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if slices.Contains([]string{"run", "seconds", "warnings", "unsettled", "timed", "started"}, k) {
				delete(v, k)
				continue
			}
			v[k] = withoutTimes(x)
		}
	case []any:
		for i, x := range v {
			v[i] = withoutTimes(x)
		}
	}
	return v
}

// ending is what a run comes to.
type ending struct {
	table string
	files []string
	bill  float64
	asked int
}

// ending looks at a run that has ended, at what it cost and what it left.
func (c *chaos) ending() ending {
	c.Helper()
	c.nothingLives()
	table, spent, unsettled := c.report()
	o := ending{table, c.files(), math.Round(c.provider.bill()*1e9) / 1e9, len(c.provider.Requests())}
	if err := c.provider.Check(); err != nil {
		c.Error(err)
	}
	if twice := c.provider.twice(); len(twice) > 0 {
		c.Errorf("paid twice: %q", twice)
	}
	if math.Abs(spent-o.bill) > 1e-9 {
		c.Errorf("the report says that $%.6f were spent ($%.6f unsettled), and $%.6f were charged", spent,
			unsettled, o.bill)
	}
	return o
}

// newChaos makes a place for what a test cuts off.
func newChaos(t *testing.T) *chaos {
	t.Helper()
	if err := native.New(native.Options{}).Check(t.Context()); err != nil {
		t.Skipf("no sandbox here: %v", err)
	}
	// Whoever loses its parents becomes this process's child, and is seen.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) })
	return &chaos{T: t, before: descendants(0)}
}

// whole carries a run out that nobody cuts off.
func (c *chaos) whole() (want ending, events int) {
	c.Helper()
	w := c.at("whole")
	cmd, out := w.start("", "cookoff-nowait", "run", "--parallel", "1")
	if err := cmd.Wait(); err != nil {
		c.Fatalf("%v\n%s", err, out)
	}
	path, err := trial.FindRun(filepath.Join(w.root, "p"), "")
	if err != nil {
		c.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		c.Fatal(err)
	}
	want = w.ending()
	if len(want.table) == 0 || !strings.Contains(want.table, `"compactions": 1`) ||
		want.asked != len(replies)+len(busy()) {
		c.Fatalf("asked %d times, want %d:\n%s", want.asked, len(replies)+len(busy()), want.table)
	}
	return want, bytes.Count(text, []byte("\n"))
}

// sampled gives n of the numbers from 1 to all, the last among them; all of them
// with COOKOFF_CHAOS=all.
func sampled(n, all int) (numbers []int) {
	numbers = rand.New(rand.NewPCG(15, 51)).Perm(all - 1)
	if os.Getenv("COOKOFF_CHAOS") != "all" {
		numbers = numbers[:min(n, all)-1]
	}
	for i := range numbers {
		numbers[i]++
	}
	numbers = append(numbers, all)
	slices.Sort(numbers)
	return numbers
}

// TestCutOffAtEveryEvent ends a run after each event of it in turn, by each signal,
// and lets it go on: nothing that was answered is paid twice, the table is that of
// a run that nobody cut off, and nothing is left of it, no process, mount or file.
// A part of the events is tried; COOKOFF_CHAOS=all tries all of them.
func TestCutOffAtEveryEvent(t *testing.T) {
	if testing.Short() {
		t.Skip("carries out a dozen runs")
	}
	c := newChaos(t)
	want, events := c.whole()
	for signal, n := range map[string]int{"SIGKILL": 8, "SIGINT": 2, "SIGTERM": 2} {
		for _, event := range sampled(n, events-1) {
			name := fmt.Sprintf("%s after event %d of %d", signal, event, events)
			d := c.at(fmt.Sprintf("%s%d", signal, event))
			d.cut(signal, event, "run", "--parallel", "1")
			if event%3 == 0 && event < events-1 { // once more, a little later
				d.cut(signal, 2, "resume", "--parallel", "1")
			}
			said := d.goOn()
			if diff := cmp.Diff(want, d.ending(), cmp.AllowUnexported(ending{})); diff != "" {
				t.Errorf("%s: %s\n%s", name, diff, said)
			}
			if t.Failed() {
				t.Fatal(name)
			}
		}
	}
}

// TestKilledAtAnyTime kills a run at random moments, between events and within what
// is written for one, and what goes on with it again: the ending is that of a run that
// nobody killed. COOKOFF_CHAOS=all kills a hundred.
func TestKilledAtAnyTime(t *testing.T) {
	if testing.Short() {
		t.Skip("carries out some runs")
	}
	c := newChaos(t)
	began := time.Now()
	want, _ := c.whole()
	whole := time.Since(began) // and what it takes to look at it
	runs, killed := 3, 0
	if os.Getenv("COOKOFF_CHAOS") == "all" {
		runs = 100
	}
	for seed := 0; killed < runs; seed++ {
		if seed == 10*runs {
			t.Fatalf("of %d runs %d were killed while they went on, want %d", seed, killed, runs)
		}
		random := rand.New(rand.NewPCG(15, uint64(seed)))
		d := c.at(fmt.Sprintf("moment%d", seed))
		for i := range 2 {
			cmd, out := d.start("", "cookoff-nowait", []string{"run", "resume"}[i], "--parallel", "1")
			time.Sleep(time.Duration(random.Int64N(int64(whole))))
			_ = cmd.Process.Kill()
			if _ = cmd.Wait(); cmd.ProcessState.Exited() {
				t.Logf("run %d has ended: %s", seed, cmd.ProcessState)
				whole = whole * 3 / 4
				break
			}
			killed++
			if _, err := trial.FindRun(filepath.Join(d.root, "p"), ""); err != nil {
				t.Logf("run %d was killed before it had begun: %.200s", seed, out)
				whole = whole * 5 / 4
				break
			}
		}
		d.nothingLives()
		if _, err := trial.FindRun(filepath.Join(d.root, "p"), ""); err != nil {
			continue
		}
		said := d.goOn()
		got := d.ending()
		if len(d.provider.charged) == len(replies) { // what was under way is asked again, and charged once
			got.asked = want.asked
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(ending{})); diff != "" || t.Failed() {
			t.Fatalf("run %d: %s\n%s", seed, diff, said)
		}
	}
}

// TestSpentIsWhatWasCharged: whatever a provider does not answer at once, so that
// trials are tried again, voided, and cut off now and then: what the report says was
// spent is what the provider has charged, and nothing was charged twice.
func TestSpentIsWhatWasCharged(t *testing.T) {
	if testing.Short() {
		t.Skip("carries out nine runs")
	}
	c := newChaos(t)
	for seed := range uint64(3) {
		random := rand.New(rand.NewPCG(15, seed))
		d := c.at(fmt.Sprintf("seed%d", seed))
		for _, place := range slices.Sorted(maps.Keys(replies)) {
			d.provider.mu.Lock()
			d.provider.busy[place] = max(0, random.IntN(12)-3) // more than six in a row void a trial
			d.provider.mu.Unlock()
		}
		d.cut("SIGKILL", 2+random.IntN(20), "run", "--parallel", "1", "--retries", "9")
		d.cut("SIGTERM", 2+random.IntN(5), "resume", "--parallel", "1", "--retries", "9")
		said := d.goOn("--retries", "9")
		if d.ending(); t.Failed() || !strings.Contains(said, "openai/gpt-4o         1/1") {
			t.Fatalf("seed %d: %s", seed, said)
		}
	}
}

// TestCutOffWhileAProviderAnswers kills a run when a request has arrived: nobody
// knows what it cost, which the report says until the run goes on; it is then asked
// again under the same key, once.
func TestCutOffWhileAProviderAnswers(t *testing.T) {
	c := newChaos(t)
	d := c.at("answering")
	var cmd *exec.Cmd
	begun := make(chan bool)
	d.provider.mu.Lock() // the program's requests come by no way that the race detector sees
	d.provider.onAsked = func(n int) {
		if n == 3 { // it is busy with the second
			<-begun
			_ = cmd.Process.Kill()
		}
	}
	d.provider.mu.Unlock()
	cmd, out := d.start("", "cookoff-nowait", "run", "--parallel", "1")
	close(begun)
	_ = cmd.Wait()
	if got := cmd.ProcessState.String(); got != "signal: killed" {
		t.Fatalf("%s\n%s", got, out)
	}
	d.nothingLives()
	_, spent, unsettled := d.report()
	if bill := d.provider.bill(); spent >= bill || spent+unsettled < bill {
		t.Errorf("charged $%.6f; the report says $%.6f, and $%.6f at most that nobody knows", bill, spent, unsettled)
	}
	if said := d.goOn(); !strings.Contains(said, "requests under way when the run was cut off: 1, at most $") {
		t.Errorf("resume says\n%s", said)
	}
	if got := len(d.provider.charged); got != len(replies) {
		t.Errorf("%d requests were charged, want %d", got, len(replies))
	}
	if _, spent, unsettled := d.report(); math.Abs(spent-d.provider.bill()) > 1e-9 || unsettled == 0 {
		t.Errorf("charged $%.6f; the report says $%.6f, and at most $%.6f more", d.provider.bill(), spent, unsettled)
	}
	if twice := d.provider.twice(); len(twice) > 0 {
		t.Errorf("paid twice: %q", twice)
	}
}
