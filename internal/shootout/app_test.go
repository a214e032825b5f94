package shootout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"cookoff/internal/shootout/prefs"
	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/runner"
)

func choices(t *testing.T, w *world) []prefs.Preference {
	t.Helper()
	ps, _, err := prefs.Read(w.prefs)
	if err != nil {
		t.Fatal(err)
	}
	return ps
}

// TestAWholeTask: typed, watched, compared, judged, applied, taken back.
func TestAWholeTask(t *testing.T) {
	w := newWorld(t, "lab/a", "lab/b")
	s := w.begin()
	u := sits(t, w, s)
	u.sees("Type a task.", "● lab/a", "● lab/b")
	u.press("mend it", "<enter>")
	u.done()
	u.sees("┏━ lab/a", "I am b", "All done.", "w wins")
	u.press("<tab>", "d")
	u.sees("diff of lab/b: 1 file, +1 -1", "+ b")
	u.press("<esc>", "s")
	u.sees("lab/b  |  lab/a")
	u.press("<esc>", "w", "because", "<enter>")
	u.sees("Apply the change of lab/b to this project? 1 file", "uncommitted work in f.txt")
	u.press("y")
	u.sees("1 file written")
	u.press("<esc>")
	u.sees("★ lab/b won, its change is applied")
	u.press("i")
	if got := w.read("f.txt"); got != "b\n" {
		t.Errorf("f.txt: %q", got)
	}
	ps := choices(t, w)
	if len(ps) != 1 || ps[0].Winner != "lab/b" || ps[0].Note != "because" || ps[0].Blind || len(ps[0].Models) != 2 ||
		ps[0].Task != "mend it" {
		t.Errorf("%+v", ps)
	}
	w.write("f.txt", "b and mine\n")
	u.press("/rewind", "<enter>")
	u.sees("nothing is taken back", "f.txt")
	u.press("<esc>")
	w.write("f.txt", "b\n")
	u.press("/rewind", "<enter>")
	u.sees("the change of task 1 is taken back")
	if got := w.read("f.txt"); got != "nobody\n" {
		t.Errorf("f.txt: %q", got)
	}
}

// TestConversationsGoOn over tasks and sessions; what was taken back is
// forgotten.
func TestConversationsGoOn(t *testing.T) {
	w := newWorld(t, "lab/a", "lab/b")
	s := w.begin()
	u := sits(t, w, s)
	u.press("one", "<enter>")
	u.done()
	u.press("w", "<enter>", "y", "two", "<enter>")
	u.done()
	if _, err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := w.resume()
	u = sits(t, w, again)
	u.sees("task 2")
	u.press("three", "<enter>")
	u.done()
	u.press("/rewind", "<enter>", "i", "four", "<enter>")
	u.done()
	want := []map[string]int{{}, {"lab/a": 1, "lab/b": 1}, {"lab/a": 2, "lab/b": 2}, {}}
	if d := cmp.Diff(want, w.before); d != "" {
		t.Error(d)
	}
}

func TestIndependentTasksForget(t *testing.T) {
	w := newWorld(t, "lab/a", "lab/b")
	s := w.begin()
	u := sits(t, w, s)
	u.press("/config context.task_mode independent", "<enter>", "one", "<enter>")
	u.done()
	u.press("t", "<enter>", "two", "<enter>")
	u.done()
	if d := cmp.Diff([]map[string]int{{}, {}}, w.before); d != "" {
		t.Error(d)
	}
}

// TestStopAndRetry: what was stopped or void is tried again, the rest stays,
// and none of them counts as beaten.
func TestStopAndRetry(t *testing.T) {
	w := newWorld(t, "lab/a", "lab/wait", "lab/void")
	s := w.begin()
	u := sits(t, w, s)
	u.press("go", "<enter>")
	u.until("two have ended", func() bool { return strings.Count(u.a.panesFrame(), "step 1") >= 3 })
	u.sees("on my way") // what arrives of a reply
	u.press("/stop lab/wait", "<enter>")
	u.press("<tab>", "<esc>")
	u.done()
	u.sees("● done", "■ stopped", "∅ void: provider")
	u.press("/", "retry", "<enter>")
	u.until("it runs again", s.Running)
	u.press("<ctrl+c>")
	u.sees("stopping all models")
	u.done()
	turn, _ := s.Turn()
	if len(turn.Runs) != 2 || !turn.Finished {
		t.Errorf("%+v", turn)
	}
	u.sees("3/3 trials")
	u.press("w", "<enter>", "n")
	if p := choices(t, w)[0]; cmp.Diff([]string{"lab/a", "lab/void"}, p.Models) != "" || cmp.Diff([]string{"lab/wait"},
		p.LeftOut) != "" {
		t.Errorf("%+v", p)
	}
	u.press("/retry", "<enter>")
	u.sees("judged already")
}

// TestAPageWaitsForWhoTypes: verdicts that come while a line is typed take none
// of its keys, of which "y" might have answered a question.
func TestAPageWaitsForWhoTypes(t *testing.T) {
	w := newWorld(t, "lab/a", "lab/b")
	u := sits(t, w, w.begin())
	u.press("go", "<enter>")
	u.done()
	comes := func(title string) { u.a.page(message(title, "fine")) }
	u.press("i", "/pi")
	comes("verdicts")
	u.press("ck b", "<backspace>")
	u.sees("/pick ", "esc shows: verdicts")
	u.press("a", "<enter>")
	u.sees("Apply the change of lab/a")
	comes("more")
	u.press("n")
	u.sees(" verdicts", "fine")
	u.press("<esc>")
	u.sees(" more", "fine")
	u.press("<esc>", "again")
	comes("last")
	u.press("<esc>")
	u.sees(" last", "fine")
	u.press("<esc>", "i")
	u.sees("again")
}

// TestSuspend: ctrl+z gives the terminal to the shell, but not while models work.
func TestSuspend(t *testing.T) {
	w := newWorld(t, "lab/wait")
	s := w.begin()
	u := sits(t, w, s)
	ctrlZ := tea.KeyPressMsg{Code: 'z', Mod: tea.ModCtrl}
	u.press("half a line")
	_, cmd := u.a.Update(ctrlZ)
	if cmd == nil || cmd() != (tea.SuspendMsg{}) {
		t.Error("nothing works, and ctrl+z does nothing")
	}
	u.sees("half a line")
	u.press("<enter>")
	u.until("it runs", s.Running)
	if _, cmd := u.a.Update(ctrlZ); cmd != nil {
		t.Error("ctrl+z holds up a model")
	}
	u.sees("a task is under way, and its time runs")
	u.press("<ctrl+c>")
	u.done()
}

func TestBlind(t *testing.T) {
	w := newWorld(t, "lab/alpha", "lab/beta")
	s := w.begin()
	u := sits(t, w, s)
	u.press("/blind", "<enter>")
	u.sees("names are hidden")
	u.press("go", "<enter>")
	u.done()
	frame, _ := u.a.frame()
	if strings.Contains(frame, "lab/alpha") || !strings.Contains(frame, "model A") || strings.Contains(frame, "$0.25") {
		t.Errorf("names or prices are shown:\n%s", frame)
	}
	u.press("/pick lab/alpha", "<enter>")
	u.sees("names are hidden until you pick")
	u.press("<esc>", "/cost", "<enter>")
	u.sees("names and prices are hidden")
	u.press("<esc>", "/export", "<enter>")
	u.sees("names are hidden until you pick")
	u.press("<esc>", "/pick b", "<enter>")
	t1, _ := s.Turn()
	if p := choices(t, w)[0]; !p.Blind || p.Winner != order(t1)[1] {
		t.Errorf("%+v", p)
	}
	u.press("n", "<esc>")
	t1, _ = s.Turn()
	u.sees("lab/alpha", "★ "+t1.Winner)
}

// TestBlindHidesWhatAProviderSays: a provider names itself and the model.
func TestBlindHidesWhatAProviderSays(t *testing.T) {
	w := newWorld(t, "lab/slow", "lab/void")
	u := sits(t, w, w.begin())
	u.press("/blind", "<enter>", "go", "<enter>")
	u.done()
	if frame, _ := u.a.frame(); strings.Contains(frame, "lab") || strings.Contains(frame, "gone for good") ||
		!strings.Contains(frame, "~ retried") {
		t.Errorf("who is who can be read:\n%s", frame)
	}
	u.press("x", "<enter>")
	u.sees("asking lab/slow: busy", "lab is gone for good")
}

// TestCostsFit: no row is broken on a narrow terminal, and what is not known is
// not zero.
func TestCostsFit(t *testing.T) {
	long := "provider/with-a-name-that-is-much-longer-than-a-column-of-any-table-may-be"
	sums := []session.Cost{{Model: long, Trials: 3, Input: 1200, Output: 30, USD: 1.5, Priced: true, Counted: true},
		{Model: "lab/b", Trials: 3}}
	for _, width := range []int{80, 46} {
		lines := costLines(sums, width)
		for _, l := range lines {
			if text.Width(l) > width {
				t.Errorf("%d columns: %q", text.Width(l), l)
			}
		}
		if got := strings.Join(lines, "\n"); len(lines) != 5 || !strings.Contains(got, "1200      30    $1.5000") ||
			!strings.Contains(got, "lab/b") || !strings.Contains(got, "known price: $1.5000") {
			t.Errorf("%s", got)
		}
	}
	if got := strings.Join(costLines(sums[1:], 80), "\n"); strings.Contains(got, "$") || strings.Contains(got, " 0") ||
		!strings.Contains(got, "no model is known") {
		t.Errorf("%s", got)
	}
}

// TestApprovals are asked in the panel, and answered there.
func TestApprovals(t *testing.T) {
	for key, want := range map[string]runner.Answer{"y": runner.Once, "a": runner.ThisTrial, "n": runner.Deny} {
		w := newWorld(t, "lab/ask")
		s := w.begin()
		u := sits(t, w, s)
		u.press("go", "<enter>")
		u.until("it asks", func() bool { return s.Asking() != nil })
		u.press("i")
		u.sees("lab/ask asks for a permission: esc")
		u.press("<esc>")
		u.sees("lab/ask asks to run a repair of class destructive", `rm -r \x1b[2Jbuild`, "once")
		u.press("z", key)
		u.done()
		if len(w.answers) != 1 || w.answers[0] != want {
			t.Errorf("%s gave %q", key, w.answers)
		}
	}
}

func TestPermissionsAreAsked(t *testing.T) {
	w := newWorld(t, "lab/a")
	s := w.begin()
	u := sits(t, w, s)
	wants := []string{"network"}
	u.a.tasks.wants = func(*recipe.Recipe) []string { return wants }
	u.press("go", "<enter>", "n")
	if s.Running() || u.a.prompt.Empty() {
		t.Error("refused, and yet it runs, or what was typed is lost")
	}
	u.press("<enter>")
	u.sees("The recipe wants: network")
	u.press("y")
	u.done()
	if len(s.Missing(wants)) != 1 {
		t.Error("granted for more than a task")
	}
	u.press("t", "<enter>", "go on", "<enter>", "a")
	u.done()
	if len(s.Missing(wants)) != 0 {
		t.Error("not granted")
	}
	u.sees("All done.")
	if _, err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if again := w.resume(); len(again.Missing(wants)) != 0 {
		t.Error("the grant is forgotten")
	}
}

func TestCommands(t *testing.T) {
	w := newWorld(t, "lab/a", "lab/b")
	s := w.begin()
	u := sits(t, w, s)
	check := func(line string, want ...string) {
		t.Helper()
		u.press(line, "<enter>")
		u.sees(want...)
		u.press("<esc>", "i")
		u.a.prompt.Set("")
	}
	check("/help", "/rewind", "hide names until the pick")
	check("/hepl", "/hepl is no command", "did you mean /help?")
	check("/tools", `with \x1b[2J escapes`)
	check("/config", "constraints.max_steps", "models[1]")
	check("/config constraints.max_steps 5", "constraints.max_steps is 5 in this session")
	check("/config constraints.max_steps five", `  max_steps: "five" is not`) // and no place in a file
	check("/config constraints.max_step 5", `did you mean "max_steps"`)
	check("/config models[0] x", "can't be set by itself")
	check("/config edit", "no editor is known")
	check("/models b", "lab/b does not take part")
	check("/models lab/a", "one must take part")
	check("/models b", "lab/b takes part")
	check("/models nobody", `"nobody" is none of the models: `)
	check("/stats", "No choices yet")
	check("/retry", "no task was typed yet")
	check("/pick tie", "no task was typed yet")
	check("/rewind", "no change is applied")
	check("/remind x", "no task is under way")
	check("/compact lab/a", "no task is under way")
	check("/stop lab/a", "no task is under way")
	check("/load x", "there is none")
	check("/save own.md", "wrote own.md")
	check("/save own.md", "is there already")
	check("/export", "no finished task")
	check("impossible", "it can't be done")
	u.press("go", "<enter>")
	u.done()
	check("/verify", "all well")
	check("/export html", "wrote report.html")
	check("/cost", "lab/a", "$0.2500", "$0.5000")
	check("/diff b", "diff of lab/b")
	check("/pick none no good", "written down")
	check("/pick tie", "judged already")
	check("/apply a", "Apply the change of lab/a")
	if text := w.read("own.md"); !strings.Contains(text, "max_steps: 5") {
		t.Errorf("saved: %s", text)
	}
	if p := choices(t, w)[0]; p.Choice != "all_bad" || p.Note != "no good" {
		t.Errorf("%+v", p)
	}
}

func TestModelsPage(t *testing.T) {
	w := newWorld(t, "lab/a", "lab/b", "lab/c")
	s := w.begin()
	u := sits(t, w, s)
	u.press("/models", "<enter>", "<down>", "<space>")
	u.sees("▶ ○ off lab/b")
	u.press("<enter>", "go", "<enter>")
	u.done()
	turn, _ := s.Turn()
	if d := cmp.Diff([]string{"lab/a", "lab/c"}, turn.Models); d != "" {
		t.Error(d)
	}
}

// TestTheListOfModelsIsFiltered: what is found is switched, and all come back.
func TestTheListOfModelsIsFiltered(t *testing.T) {
	w := newWorld(t, "lab/a", "lab/big", "free/big", "free/c")
	s := w.begin()
	u := sits(t, w, s)
	u.press("/models", "<enter>", "/", "BIG")
	u.sees("▶ ● on  lab/big", "/BIG▏ enter keeps these, esc shows all")
	if frame, _ := u.a.frame(); strings.Contains(frame, "free/c") {
		t.Errorf("all are shown:\n%s", frame)
	}
	u.press("<down>", "<space>", "<enter>")
	u.sees("▶ ○ off free/big")
	u.press("/", "zz")
	u.sees("no name of a model holds BIGzz")
	u.press("<space>", "<esc>")
	u.sees("● on  lab/a", "○ off free/big", "● on  free/c")
	u.press("/", "lab", "<enter>", "<esc>")
	u.sees("● on  free/c")
	u.press("<esc>", "go", "<enter>")
	u.done()
	turn, _ := s.Turn()
	if d := cmp.Diff([]string{"lab/a", "lab/big", "free/c"}, turn.Models); d != "" {
		t.Error(d)
	}
}

// TestLeaving: ctrl+c twice; a session without a task leaves nothing behind.
func TestLeaving(t *testing.T) {
	w := newWorld(t, "lab/wait")
	s := w.begin()
	u := sits(t, w, s)
	u.press("<ctrl+c>")
	u.sees("ctrl+c again leaves")
	_, cmd := u.a.Update(named["<ctrl+c>"])
	if cmd == nil || cmd() != (tea.QuitMsg{}) {
		t.Error("it stays")
	}
	if kept, err := s.Close(); kept || err != nil {
		t.Errorf("kept %v, %v", kept, err)
	}
	if entries, _ := os.ReadDir(session.Dir(w.dir)); len(entries) != 1 { // .gitignore
		t.Errorf("%v", entries)
	}
	s = w.begin()
	u = sits(t, w, s)
	u.press("go", "<enter>")
	u.until("it runs", s.Running)
	u.press("q")
	u.sees("a task is under way")
	u.press("<ctrl+c>", "<ctrl+c>")
	if kept, err := s.Close(); !kept || err != nil { // waits for what was cancelled
		t.Errorf("kept %v, %v", kept, err)
	}
}

// TestTornRecord: the terminal was killed in the middle of a line.
func TestTornRecord(t *testing.T) {
	w := newWorld(t, "lab/a", "lab/b")
	s := w.begin()
	u := sits(t, w, s)
	u.press("go", "<enter>")
	u.done()
	path := filepath.Join(session.Dir(w.dir), s.ID, "session.jsonl")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"kind":"picked","turn":1,"choice":"wi`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	again := w.resume()
	u = sits(t, w, again)
	u.press("<esc>")
	u.sees("I am a", "All done.")
	u.press("t", "<enter>")
	last := w.resume()
	if turn, _ := last.Turn(); turn.Choice != session.Tie {
		t.Errorf("%+v", turn)
	}
}
