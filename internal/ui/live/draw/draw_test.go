package draw

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"cookoff/internal/ui/live/board"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/model"
	"cookoff/trial"
)

var update = flag.Bool("update", false, "rewrite the golden frames")

// recorded folds a journal of the repository, up to as many events as given.
func recorded(t testing.TB, name string, events int) board.View {
	t.Helper()
	b, n := board.New(), 0
	_, err := trial.ReadFile(filepath.Join("..", "..", "..", "..", "testdata", "journals", name+".jsonl"),
		func(e trial.Event) error {
			if n++; n <= events || events == 0 {
				return b.Emit(e)
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return b.Look()
}

// TestFrames holds what is drawn of each recorded journal at the sizes people
// have, while the run goes on and when it has ended.
func TestFrames(t *testing.T) {
	keys := []Key{{"q", "quit"}, {"tab", "next"}, {"enter", "full screen"}, {"?", "keys"}}
	check := func(name, journal string, events int, st State) {
		t.Helper()
		v := recorded(t, journal, events)
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
			st.Width, st.Height, st.Keys, st.Now = size[0], size[1], keys, v.Last.Add(1500*time.Millisecond)
			frame := Frame(v, st)
			whole(t, frame, st)
			var got strings.Builder
			for line := range strings.SplitSeq(frame, "\n") {
				got.WriteString(strings.TrimRight(line, " ") + "\n")
			}
			path := filepath.Join("testdata", fmt.Sprintf("%s-%dx%d.txt", name, size[0], size[1]))
			if *update {
				if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got.String()); d != "" {
				t.Errorf("%s at %dx%d (-want +got; -update rewrites):\n%s", name, size[0], size[1], d)
			}
		}
	}
	check("mixed", "mixed", 0, State{Focus: 1})
	check("mixed-live", "mixed", 30, State{})
	check("mixed-matrix", "mixed", 0, State{Matrix: true})
	check("repeats-matrix", "repeats", 0, State{Matrix: true, Focus: 2})
	check("interrupted-full", "interrupted", 0, State{Full: true, Focus: 1})
}

// TestATitleStandsApartFromThePage, also where it is cut.
func TestATitleStandsApartFromThePage(t *testing.T) {
	v := recorded(t, "mixed", 0)
	frame := Frame(v, State{Width: 50, Height: 14, Title: strings.Repeat("a title ", 9)})
	if first, _, _ := strings.Cut(frame, "\n"); !strings.Contains(first, "… page 1/") {
		t.Errorf("%q", first)
	}
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// whole checks that a frame is as large as its terminal and holds nothing that
// could steer it but colours.
func whole(t testing.TB, frame string, st State) {
	t.Helper()
	lines := strings.Split(sgr.ReplaceAllString(frame, ""), "\n")
	if len(lines) != st.Height {
		t.Errorf("%d lines on a terminal of %d", len(lines), st.Height)
	}
	for i, l := range lines {
		if w := text.Width(l); w > st.Width {
			t.Errorf("line %d takes %d of %d columns: %q", i, w, st.Width, l)
		}
		for _, r := range l {
			if unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) ||
				r == utf8.RuneError && strings.Contains(l, "\xff") {
				t.Fatalf("line %d holds %q: %q", i, r, l)
			}
		}
	}
}

// hostile is a run of a model that would like to have the terminal.
func hostile() board.View {
	b := board.New()
	text := "\x1b]52;c;aGFja2Vk\x07\x1b[2J\x1b[10;10H\u202egnp.exe\u2066 " + strings.Repeat("界",
		90) + " e" + strings.Repeat("\u0301", 200) +
		" 👩‍👩‍👧‍👦🇩🇪❤️👍🏿\r\nleft\rright\x00\x7f\xff\xfe\t|\n" + strings.Repeat("x", 10<<20)
	at := time.Unix(0, 0)
	id := trial.Trial{ID: "t001", Model: "evil/\x1b[31mred\x1b[0m\u202e", Task: "task \x1b]0;title\x07\nsecond line",
		N: 1}
	second := trial.Trial{ID: "t002",
		Model: "evil/界界界界界界界界界界界界界界界界界界界界界界界界界", Task: id.Task, N: 1}
	b.Emit(trial.Event{Kind: trial.RunStarted, At: at,
		Run: &trial.Run{ID: "r\x1b[1m", Recipe: text[:200], Models: []string{id.Model, second.Model},
			Tasks: []string{id.Task, "two"}, Trials: []trial.Trial{id, second}}})
	b.Emit(trial.Event{Kind: trial.TrialStarted, At: at, Trial: "t001", Attempt: 1, Start: &id})
	b.Emit(trial.Event{Kind: trial.ModelCalled, Trial: "t001", Step: 1,
		Called: &trial.Called{New: []model.Message{{Role: model.User, Content: text}}}})
	b.Emit(trial.Event{Kind: trial.ModelReplied, Trial: "t001", Step: 1,
		Replied: &trial.Replied{Reply: model.Reply{Message: model.Message{Content: text}}}})
	b.Emit(trial.Event{Kind: trial.ToolCalled, Trial: "t001", Step: 1,
		Tool: &trial.Tool{Name: "bash\x1b[2J", Args: []byte(`{"command":"\u001b]52;c;eA==\u0007\n\u202e"}`)}})
	b.Emit(trial.Event{Kind: trial.ToolReturned, Trial: "t001", Step: 1,
		Returned: &trial.Returned{Name: "bash", Text: text, Failed: true}})
	b.Emit(trial.Event{Kind: trial.Note, Trial: "t001", Note: &trial.NoteText{Kind: "x\x1b", Text: text, Wait: 3}})
	b.Stream("t001", 2, 1, text)
	b.Stream("t001", 2, 1, "\xe7\x95") // half a letter
	b.Emit(trial.Event{Kind: "later.kind", Trial: "t001"})
	b.Emit(trial.Event{Kind: trial.ToolCalled, Trial: "t404"})
	b.Emit(trial.Event{Kind: trial.TrialFinished})
	return b.Look()
}

// TestHostileText draws it at every size, in every way.
func TestHostileText(t *testing.T) {
	v := hostile()
	if v.Fault != nil {
		t.Fatalf("the fold broke: %v", v.Fault)
	}
	for _, width := range []int{1, 2, 5, 20, 39, 40, 80, 81, 200} {
		for _, height := range []int{1, 2, 3, 5, 24, 61} {
			for _, st := range []State{{}, {Full: true, Expand: true}, {Matrix: true}, {Help: true},
				{Expand: true, Panes: map[int]Pane{0: {Held: 3, Up: 7}}}, {Color: true, Status: "\x1b[2Jsaid"}} {
				st.Width, st.Height = width, height
				st.Keys = []Key{{"q", "quit"}}
				whole(t, Frame(v, st), st)
			}
		}
	}
}

// TestColourOnlyWhereWanted: what colours say is said in marks as well.
func TestColourOnlyWhereWanted(t *testing.T) {
	v := recorded(t, "mixed", 0)
	st := State{Width: 120, Height: 40}
	if frame := Frame(v, st); strings.Contains(frame, "\x1b") {
		t.Errorf("%q", frame)
	}
	st.Color = true
	if frame := Frame(v, st); !strings.Contains(frame, "\x1b[31m✗ gave_up") {
		t.Errorf("no red: %q", frame)
	}
}

// TestTheKeyThatListsKeys: a footer without room for all keys still says how to see them.
func TestTheKeyThatListsKeys(t *testing.T) {
	keys := []Key{{"w", "wins"}, {"t", "tie"}, {"x", "all bad"}, {"?", "keys"}, {"f", "follow"}}
	for width, want := range map[int]string{80: " w wins  t tie  x all bad  ? keys  f follow",
		36: " w wins  t tie  x all bad  ? keys", 32: " w wins  t tie  ? keys", 15: " w wins  ? keys", 14: " ? keys", 7: " ? keys", 6: ""} {
		if got := strings.TrimRight(Keys(screen.Stream{}, keys, width), " "); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	check := func(words string, width int, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, text.Wrap(words, width)); d != "" {
			t.Errorf("%q at %d: %s", words, width, d)
		}
	}
	check("", 5, "")
	check("one two three", 8, "one two", "three")
	check("abcdefghij", 4, "abcd", "efgh", "ij")
	check("界界界", 4, "界界", "界")
	check("界", 1, "界")
	check("a bcdefghij", 4, "a", "bcde", "fghi", "j")
}

// BenchmarkFrame draws sixteen models that stream, while their events come in:
// one frame, and the 16×200 events of a thirtieth of a second.
func BenchmarkFrame(b *testing.B) {
	board, st := busy(16), State{Width: 200, Height: 60, Color: true}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		stream(board, 16, n, 200/30)
		Frame(board.Look(), st)
	}
}

func busy(models int) *board.Board {
	b := board.New()
	run := &trial.Run{ID: "r", Recipe: "busy", Tasks: []string{"one"}}
	for i := range models {
		id := trial.Trial{ID: fmt.Sprintf("t%03d", i), Model: fmt.Sprintf("lab/model-%d", i), Task: "one", N: 1}
		run.Models, run.Trials = append(run.Models, id.Model), append(run.Trials, id)
	}
	b.Emit(trial.Event{Kind: trial.RunStarted, Run: run})
	for i := range run.Trials {
		b.Emit(trial.Event{Kind: trial.TrialStarted, Trial: run.Trials[i].ID, Start: &run.Trials[i]})
	}
	return b
}

// stream gives every model some events: mostly pieces of text, now and then a
// call with its output.
func stream(b *board.Board, models, n, events int) {
	for i := range models {
		id := fmt.Sprintf("t%03d", i)
		for j := range events {
			step := n*events + j
			if step%20 != 0 {
				b.Stream(id, step/20, 1, "and then I would look at the file, ")
				continue
			}
			b.Emit(trial.Event{Kind: trial.ToolCalled, Trial: id, Step: step / 20,
				Tool: &trial.Tool{Name: "bash", Args: []byte(`{"command":"go test ./..."}`)}})
			b.Emit(trial.Event{Kind: trial.ToolReturned, Trial: id, Step: step / 20,
				Returned: &trial.Returned{Name: "bash", Text: strings.Repeat("ok  	example/pkg	0.01s\n", 30)}})
		}
	}
}
