package prompt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"cookoff/internal/ui/text"
)

// typed feeds keys: names in angle brackets, anything else letter by letter. It
// gives what was carried out.
func typed(p *Prompt, keys ...string) (out []string) {
	names := map[string]tea.KeyPressMsg{
		"<enter>": {Code: tea.KeyEnter}, "<alt+enter>": {Code: tea.KeyEnter, Mod: tea.ModAlt},
		"<up>": {Code: tea.KeyUp}, "<down>": {Code: tea.KeyDown},
		"<tab>": {Code: tea.KeyTab}, "<esc>": {Code: tea.KeyEscape}, "<ctrl+r>": {Code: 'r', Mod: tea.ModCtrl},
		"<backspace>": {Code: tea.KeyBackspace},
		"<left>":      {Code: tea.KeyLeft}, "<ctrl+w>": {Code: 'w', Mod: tea.ModCtrl},
	}
	for _, k := range keys {
		msgs := []tea.KeyPressMsg{names[k]}
		if _, ok := names[k]; !ok {
			msgs = nil
			for _, r := range k {
				msgs = append(msgs, tea.KeyPressMsg{Code: r, Text: string(r)})
			}
		}
		for _, m := range msgs {
			if text, done := p.Update(m); done {
				out = append(out, text)
			}
		}
	}
	return out
}

func project(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		path := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func options(t *testing.T) Options {
	return Options{Commands: []Command{{"stats", "", "who wins"}, {"stop", "MODEL", "stops one"},
		{"models", "", "on and off"}}, Project: project(t, "main.go", "cmd/tool/main_test.go", "notes.md",
		".git/config"), Args: func(c string) []Choice {
		if c == "stop" {
			return []Choice{{"baseline/noop", ""}, {"lab/a", ""}}
		}
		return nil
	}}
}

func TestTyping(t *testing.T) {
	check := func(want []string, keys ...string) {
		t.Helper()
		p := New(options(t))
		p.SetWidth(80)
		if d := cmp.Diff(want, typed(p, keys...)); d != "" {
			t.Errorf("%q: %s", keys, d)
		}
	}
	check([]string{"mend it"}, "mend it", "<enter>")
	check([]string{"one\ntwo"}, "one", "<alt+enter>", "two", "<enter>")
	check([]string{"one\ntwo"}, `one\`, "<enter>", "two", "<enter>")
	check(nil, "<enter>", "  ", "<enter>")
	check([]string{"/stats"}, "/sta", "<enter>")
	check([]string{"/stop"}, "/st", "<down>", "<enter>")
	check([]string{"/stop lab/a"}, "/stop l", "<tab>", "<enter>")
	check([]string{"see main.go now"}, "see @mai", "<tab>", "now", "<enter>")
	check([]string{"see cmd/tool/main_test.go"}, "see @ctm", "<tab>", "<enter>")
	check([]string{"mail a@b.c and @nobody"}, "mail a@b.c and @nobody", "<enter>")
	check([]string{"see notes.md, please"}, "see @notes.md, please", "<enter>")
	check([]string{"@ma is no file"}, "@ma", "<esc>", " is no file", "<enter>")
}

func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history")
	o := options(t)
	o.History = ReadHistory(path)
	p := New(o)
	typed(p, "first task", "<enter>", "second task", "<enter>", "second task", "<enter>", "two\\", "<enter>", "lines",
		"<enter>")
	o.History = ReadHistory(path)
	check := func(want string, keys ...string) {
		t.Helper()
		p := New(o)
		p.SetWidth(80)
		got := typed(p, keys...)
		if len(got) != 1 || got[0] != want {
			t.Errorf("%q gave %q, want %q", keys, got, want)
		}
		o.History = ReadHistory(path)
	}
	check("first task", "<up>", "<up>", "<up>", "<enter>")
	check("first task!", "<up>", "!", "<enter>")
	check("second task", "<ctrl+r>", "sec", "<enter>", "<enter>")
	check("first task", "<ctrl+r>", "task", "<ctrl+r>", "<ctrl+r>", "<enter>", "<enter>")
	check("draft", "draft", "<up>", "<down>", "<enter>")
	check("draft", "draft", "<ctrl+r>", "first", "<esc>", "<enter>")
	check("two\nlines.", "<ctrl+r>", "LINES", "<enter>", ".", "<enter>")
	if h := ReadHistory(filepath.Join(path, "no", "such")); len(h.entries) != 0 {
		t.Error("a history of nothing")
	}
}

// TestLargePaste is shown as a word and carried out whole.
func TestLargePaste(t *testing.T) {
	p := New(options(t))
	p.SetWidth(40)
	log := strings.Repeat("a line of a log\n", 5000)
	typed(p, "read this: ")
	p.Update(tea.PasteMsg{Content: log})
	lines, _, _ := p.Lines(40)
	if got := strings.Join(lines, "\n"); !strings.Contains(got, "[paste 1: 5001 lines]") ||
		len(lines) > maxRows+maxChoices {
		t.Errorf("%d lines: %.300s", len(lines), got)
	}
	p.Update(tea.PasteMsg{Content: "short\r\npaste"})
	if got := typed(p, "<enter>"); len(got) != 1 || got[0] != "read this: "+log+"short\npaste" {
		t.Errorf("%d: %.100q", len(got), got)
	}
}

// TestLinesFit at every width, and what is pasted never steers the terminal.
func TestLinesFit(t *testing.T) {
	for _, width := range []int{8, 20, 40, 80, 200} {
		p := New(options(t))
		p.Update(tea.PasteMsg{Content: "a\x1b[2Jb\u202ec"})
		p.Update(tea.PasteMsg{Content: "界界界界界界界界界界界界界界界\tx" + strings.Repeat("y", 300)})
		typed(p, " @")
		lines, x, y := p.Lines(width)
		for _, l := range lines {
			if strings.Contains(l, "\x1b") || strings.Contains(l, "\u202e") {
				t.Errorf("at %d: %q", width, l)
			}
			if text.Width(l) > width {
				t.Errorf("%d of %d columns: %q", text.Width(l), width, l)
			}
		}
		if x >= width+1 || y >= len(lines) {
			t.Errorf("the cursor stands at %d,%d of %d,%d", x, y, width, len(lines))
		}
	}
}
