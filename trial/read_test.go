package trial

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/model"

	"github.com/google/go-cmp/cmp"
)

func TestReadReportsATornLineAndRefusesACorruptOne(t *testing.T) {
	check := func(text string, wantTorn bool, wantErr string, wantEvents int) {
		t.Helper()
		n := 0
		torn, err := Read(strings.NewReader(text), func(Event) error { n++; return nil })
		if torn != wantTorn || n != wantEvents {
			t.Errorf("%q: torn %v, %d events", text, torn, n)
		}
		if (err == nil) != (wantErr == "") || (err != nil && !strings.Contains(err.Error(), wantErr)) {
			t.Errorf("%q: error %v, want %q", text, err, wantErr)
		}
		torn, err = Outline(strings.NewReader(text), func(Event) error { return nil })
		if torn != wantTorn || (err == nil) != (wantErr == "") ||
			err != nil && !strings.Contains(err.Error(), wantErr) {
			t.Errorf("outline of %q: torn %v, error %v", text, torn, err)
		}
	}
	check("{\"seq\":1,\"kind\":\"note\"}\n{\"seq\":2,\"ki", true, "", 1)
	check("{\"seq\":1,\"kind\":\"note\"}\ngarbage\n{\"seq\":2}\n", false, "line 2", 1)
	check("{\"seq\":1,\"kind\":\"later.kind\",\"new\":{}}\n", false, "", 1)
	check("{\"seq\":1,\"kind\":\"note\",\"note\":{\"text\":\"a\\\"}\"\n", false, "line 1", 0)
	check("{\"seq\":1,\"kind\":\"note\"}{\"seq\":2,\"kind\":\"note\"}\n", false, "line 1", 0)
	check("{ \"seq\" : 1, \"kind\" : \"note\", \"note\": {\"text\": \"\\\\\"}}\n", false, "", 1)
	check("", false, "", 0)
	check(`{"seq":1,"kind":"note","note":{"text":"`+strings.Repeat("x", 1<<20)+"\"}}\n", false, "",
		1) // longer than any Scanner's line
}

// outline is what is left of events in an outline.
func outline(events []Event) (out []Event) {
	for _, e := range events {
		switch e.Kind {
		case ToolCalled, HookDecided, ToolReturned, Judged:
			continue
		case Note:
			if e.Note == nil || e.Note.Failure == nil {
				continue
			}
		case ModelCalled:
			if e.Called != nil {
				e.Called = &Called{Try: e.Called.Try, MostUSD: e.Called.MostUSD}
			}
		case ModelReplied:
			if e.Replied != nil {
				r := *e.Replied
				r.Reply.Message, r.Reply.Finish, r.Reply.Notes = model.Message{}, "", nil
				e.Replied = &r
			}
		}
		out = append(out, e)
	}
	return out
}

func gather(read func(io.Reader, func(Event) error) (bool, error), text []byte) (events []Event, err error) {
	_, err = read(bytes.NewReader(text), func(e Event) error { events = append(events, e); return nil })
	return events, err
}

func TestAnOutlineIsTheJournalWithoutWhatWasSaid(t *testing.T) {
	for _, name := range []string{"mixed", "repeats", "interrupted"} {
		text, err := os.ReadFile(filepath.Join("..", "testdata", "journals", name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		all, err := gather(Read, text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := gather(Outline, text)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(outline(all), got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Whatever is a journal has an outline; an outline never has what the journal
// has not.
func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"seq\":1,\"kind\":\"run.started\",\"run\":{\"id\":\"x\"}}\n"))
	f.Add([]byte("{\"seq\":1,\"kind\":\"model.replied\",\"replied\":{\"reply\":{\"served\":\"x\"}}}\n"))
	f.Add([]byte("{\"seq\":1,\"kind\":\"note\",\"note\":{\"text\":\"a\\\"b\"}}\n{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := gather(Read, b)
		if err != nil {
			return
		}
		got, err := gather(Outline, b)
		if err != nil {
			t.Fatalf("a journal without an outline: %v", err)
		}
		if len(got) > len(all) {
			t.Errorf("%d events, %d of them in the outline", len(all), len(got))
		}
	})
}
