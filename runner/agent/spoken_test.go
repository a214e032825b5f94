package agent

import (
	"context"
	"errors"
	"testing"

	"cookoff/contestant/agents"
	"cookoff/sandbox"
)

// counting is a backend that opens nothing, and says how often it was asked to.
type counting struct {
	sandbox.Backend
	asked int
}

var errNoWorld = errors.New("no world")

func (c *counting) Open(context.Context, sandbox.Spec) (sandbox.Sandbox, error) {
	c.asked++
	return nil, errNoWorld
}

// TestSpoken: what spoke its protocol is known by version and settings; what failed is
// tried again; a command is never tried; nil remembers nothing.
func TestSpoken(t *testing.T) {
	one := agents.Installed{Agent: agents.Agent{Name: "one", Protocol: "acp"}, Found: "1.0"}
	newer, set := one, one
	newer.Found = "1.1"
	set.Env = map[string]string{"QUIET": "1"}
	command := agents.Installed{Agent: agents.Agent{Name: "command", Protocol: agents.Exec}}
	known := &Spoken{seen: map[string]bool{(*Spoken)(nil).key(one): true}}
	b := &counting{}
	for _, c := range []struct {
		name string
		s    *Spoken
		a    agents.Installed
		want bool
	}{
		{"known", known, one, true}, {"a newer version", known, newer, false}, {"other settings", known, set, false},
		{"nobody remembers", nil, one, false}, {"a command", nil, command, true},
	} {
		if got := c.s.Before(c.a); got != c.want {
			t.Errorf("%s: tried before is %v, want %v", c.name, got, c.want)
		}
	}
	for _, s := range []*Spoken{{}, nil} {
		if err := s.Probe(t.Context(), b, one); !errors.Is(err, errNoWorld) {
			t.Errorf("a trial that can't open a world: %v", err)
		}
		if s.Before(one) {
			t.Error("an agent that failed is known as good")
		}
	}
	if b.asked != 2 {
		t.Errorf("%d worlds were asked for, want 2", b.asked)
	}
}
