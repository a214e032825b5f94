package shootout

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/shootout/session"
	"cookoff/recipe"
)

// slowWorld is a world whose recipes take as long to be checked as a test likes.
func slowWorld(t *testing.T) (u *user, end chan struct{}) {
	t.Helper()
	w := newWorld(t, "lab/a", "lab/b")
	sw := w.session()
	end = make(chan struct{})
	sw.Build = func(ctx context.Context, r *recipe.Recipe, b session.Build) (session.Runner, error) {
		b.Doing("compiling the world")
		select {
		case <-end:
			return w.build(ctx, r, b)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	s, err := session.Begin(sw, w.recipe)
	if err != nil {
		t.Fatal(err)
	}
	return sits(t, w, s), end
}

// sends types a task and gives what goes on beside the screen.
func (u *user) sends(text string) <-chan tea.Msg {
	u.t.Helper()
	u.press(text)
	u.looks()
	_, cmd := u.a.Update(named["<enter>"])
	out := make(chan tea.Msg, 1)
	go func() { out <- cmd() }()
	u.until("it is being checked", func() bool { return u.a.s.Doing() != "" })
	return out
}

// TestSlowTaskNeverBlocks: while a task is checked the screen says what goes on,
// and no key that is pressed then does anything later.
func TestSlowTaskNeverBlocks(t *testing.T) {
	u, end := slowWorld(t)
	beside := u.sends("mend it")
	u.sees("checking the task: compiling the world", "ctrl+c stops it")
	u.press("w", "<enter>", "y", "a", "/quit", "<enter>")
	close(end)
	u.a.Update(<-beside)
	u.done()
	u.sees("All done.")
	// They were pressed, and come in only now: nothing was seen in between.
	for _, k := range "wtxay" {
		u.a.Update(tea.KeyPressMsg{Code: k, Text: string(k)})
	}
	u.sees("typed before this was shown")
	if turn, _ := u.a.s.Turn(); turn.Choice != "" || u.a.question != nil {
		t.Errorf("a key that was typed blindly chose: %+v", turn)
	}
	u.press("w")
	u.sees("wins. A note why")
}

// TestSlowTaskIsStopped: at once, and what was typed is there again.
func TestSlowTaskIsStopped(t *testing.T) {
	u, _ := slowWorld(t)
	beside := u.sends("mend it")
	u.press("<ctrl+c>")
	u.sees("the task was not run", "› mend it")
	u.a.Update(<-beside) // comes too late
	u.sees("› mend it")
	if _, any := u.a.s.Turn(); any {
		t.Error("the task is there all the same")
	}
	if kept, err := u.a.s.Close(); kept || err != nil {
		t.Errorf("kept %v, %v", kept, err)
	}
}

// TestStalledScreen: keys that come in after the screen stood still were typed
// blindly, however long ago the question was drawn.
func TestStalledScreen(t *testing.T) {
	w := newWorld(t, "lab/a", "lab/b")
	u := sits(t, w, w.begin())
	u.press("go on", "<enter>")
	u.done()
	u.press("w", "<enter>")
	u.sees("Apply the change")
	u.looks()
	u.now = u.now.Add(2 * still)
	u.a.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
	if got := w.read("f.txt"); got != "nobody\n" {
		t.Errorf("a key typed while the screen stood still applied a change: %q", got)
	}
	u.press("y")
	u.sees("1 file written")
}

// TestBoxesSwallow: what is typed behind a slash never ends up in the prompt,
// whatever lies over it, nor answers a question.
func TestBoxesSwallow(t *testing.T) {
	w := newWorld(t, "lab/a", "lab/b")
	s := w.begin()
	u := sits(t, w, s)
	sent := func() int { return len(s.Turns()) }
	for _, page := range []string{"/nonsense", "/help", "/config", "/models"} {
		u.press(page, "<enter>", "/quti", "<enter>")
		if sent() != 0 || !u.a.prompt.Empty() {
			t.Fatalf("over %s, /quti was typed into the prompt: %d tasks", page, sent())
		}
		u.press("<esc>", "<esc>")
		u.press("quite", "<esc>")
		u.a.prompt.Set("")
	}
	u.press("/nonsense", "<enter>", "quit it")
	if !u.a.prompt.Empty() || u.a.over == nil {
		t.Error("a letter left the page, and the others were typed")
	}
	u.press("<esc>", "mend it", "<enter>")
	u.done()
	u.press("w", "<enter>", "/yny", "<enter>")
	u.sees("Apply the change of lab/a")
	if got := w.read("f.txt"); got != "nobody\n" {
		t.Errorf("a letter of a command applied a change: %q", got)
	}
}

// TestOneWordToPaidModels is asked about.
func TestOneWordToPaidModels(t *testing.T) {
	w := newWorld(t, "lab/a", "free/b")
	s := w.begin()
	u := sits(t, w, s)
	u.a.tasks.costs = func(m string) bool { return strings.HasPrefix(m, "lab/") }
	u.press("uti", "<enter>")
	u.sees(`Send the one word "uti" as a task to 1 model?`)
	u.press("n")
	if len(s.Turns()) != 0 || u.a.prompt.Empty() {
		t.Error("sent, or lost")
	}
	u.press("<enter>", "y")
	u.done()
	if turns := s.Turns(); len(turns) != 1 || turns[0].Prompt != "uti" {
		t.Errorf("%+v", turns)
	}
}

// TestKeysAreExplained wherever keys go.
func TestKeysAreExplained(t *testing.T) {
	w := newWorld(t, "lab/a", "lab/b")
	u := sits(t, w, w.begin())
	u.press("?")
	u.sees("keys while a task is typed", "history")
	u.press("<esc>", "/help", "<enter>", "?")
	u.sees("keys of this page", "find")
	u.press("<esc>")
	u.sees("/rewind")
	u.press("/", "blind")
	u.sees("hide names until the pick", "/blind")
	if frame, _ := u.a.frame(); strings.Contains(frame, "/rewind") {
		t.Errorf("not only the lines that were asked for:\n%s", frame)
	}
	u.press("<enter>", "<esc>", "<esc>", "mend it", "<enter>")
	u.done()
	u.press("w", "<enter>", "?")
	u.sees("answers", "not now")
	u.press("<esc>")
	u.sees("Apply the change")
}
