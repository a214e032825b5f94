package draw

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cookoff/internal/ui/live/board"
	"cookoff/model"
	"cookoff/trial"
)

// saying is a run whose only model says something, in a reply or while it arrives.
func saying(words, agent string, arrives bool) board.View {
	b := board.New()
	id := trial.Trial{ID: "t001", Model: "lab/a", Task: "one", N: 1}
	b.Emit(trial.Event{Kind: trial.RunStarted,
		Run: &trial.Run{ID: "r", Models: []string{id.Model}, Tasks: []string{id.Task}, Trials: []trial.Trial{id}}})
	b.Emit(trial.Event{Kind: trial.TrialStarted, Trial: "t001", Attempt: 1, Start: &id})
	if arrives {
		b.Stream("t001", 1, 1, words)
		return b.Look()
	}
	b.Emit(trial.Event{Kind: trial.ModelReplied, Trial: "t001", Step: 1, Agent: agent,
		Replied: &trial.Replied{Reply: model.Reply{Message: model.Message{Content: words}}}})
	return b.Look()
}

// drawn gives what the panel of the only model says, between its edges.
func drawn(t *testing.T, v board.View, width int, color bool) (out []string) {
	t.Helper()
	st := State{Width: width, Height: 20, Full: true, Color: color}
	frame := Frame(v, st)
	whole(t, frame, st)
	for line := range strings.SplitSeq(frame, "\n") {
		line = strings.ReplaceAll(line, "\x1b[1m┃\x1b[0m", "┃")
		if in, ok := strings.CutPrefix(line, "┃ "); ok {
			out = append(out, strings.TrimRight(strings.TrimSuffix(in, "┃"), " "))
		}
	}
	return out[2:] // behind what is known of the trial
}

// TestMarkdownIsDrawn: of what a model writes in Markdown the marks are drawn, in colours
// or without, wrapped or not, as it arrives and when it is there.
func TestMarkdownIsDrawn(t *testing.T) {
	const words = "## Done\n\nThe test is **fixed for good**, by `go fmt`:\n\n- first\n" +
		"- second is so long that it is wrapped\n\n```\ngo test ./...\n```"
	check := func(v board.View, width int, color bool, want ...string) {
		t.Helper()
		got := drawn(t, v, width, color)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%d columns, colour %v (-want +got):\n%s", width, color, d)
		}
	}
	for _, arrives := range []bool{false, true} {
		v := saying(words, "", arrives)
		check(v, 34, false, "Done", "", "The test is fixed for good,", "by `go fmt`:", "", "• first",
			"• second is so long that it", "  is wrapped", "", "  go test ./...", "", "", "", "")
		check(v, 34, true, "\x1b[1mDone\x1b[0m", "", "The test is \x1b[1mfixed for good\x1b[0m,",
			"by \x1b[36mgo fmt\x1b[0m:", "", "• first", "• second is so long that it", "  is wrapped", "",
			"  \x1b[36mgo test ./...\x1b[0m", "", "", "", "")
	}
}

// TestMarkdownSteersNothing: what decides about a terminal stands written out, wherever in
// Markdown it stands.
func TestMarkdownSteersNothing(t *testing.T) {
	hostile := "\x1b[2J\u202e\x07&#27;[2J\\\x1b]0;x\x07"
	for _, words := range []string{"# " + hostile, "**" + hostile + "**", "`" + hostile + "`",
		"```" + hostile + "\n" + hostile, "> - 1. " + hostile, hostile + "\n===", "*\\\x1b*[31m",
		strings.Repeat("> ", 2000) + hostile, strings.Repeat("- ", 2000) + hostile} {
		for _, width := range []int{33, 40, 200} {
			for _, color := range []bool{false, true} {
				st := State{Width: width, Height: 24, Color: color, Full: true}
				whole(t, Frame(saying(words, "sub", false), st), st)
				if frame := Frame(saying(words, "sub", true), st); !color && strings.Contains(frame, "\x1b") {
					t.Errorf("%q: %q", words, frame)
				}
			}
		}
	}
}

// TestASubAgentIsNamed before what it says, whatever that begins with.
func TestASubAgentIsNamed(t *testing.T) {
	check := func(words string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, drawn(t, saying(words, "scout", false), 40, false)[:2]); d != "" {
			t.Errorf("%q: %s", words, d)
		}
	}
	check("It is **there**.", "agent scout: It is there.", "")
	check("- one", "agent scout:", "• one")
	check("```\nls\n```", "agent scout:", "  ls")
}
