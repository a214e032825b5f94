package trial

import (
	"bytes"
	"errors"
	"testing"

	"cookoff/internal/oneline"
)

// failing takes one write.
type failing struct{ bytes.Buffer }

func (f *failing) Write(b []byte) (int, error) {
	if f.Len() > 0 {
		return 0, errors.New("nobody reads")
	}
	return f.Buffer.Write(b)
}

func TestAStreamHoldsUpNobody(t *testing.T) {
	if s := (*Stream)(nil); s.Emit(Event{}) != nil || s.Err() != nil {
		t.Error("a stream to nowhere fails")
	}
	var out failing
	s := NewStream(&out, map[string]string{"KEY": "sk-very-secret"})
	for range 3 {
		if err := s.Emit(Event{Kind: Note, Note: &NoteText{Text: "sk-very-secret"}}); err != nil {
			t.Error(err)
		}
	}
	if got, want := out.String(), oneline.Of(`{"seq":0,"kind":"note","at":"0001-01-01T00:00:00Z",
		"note":{"kind":"","text":"[redacted:KEY]"}}`)+"\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := s.Err(); err == nil || err.Error() != "nobody reads" {
		t.Error(err)
	}
}
