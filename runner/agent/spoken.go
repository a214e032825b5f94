package agent

import (
	"context"
	"fmt"
	"sync"

	"cookoff/contestant/agents"
	"cookoff/sandbox"
)

// Spoken remembers which agents of this machine spoke their protocol, so that a
// program is tried once, however many runs follow. The nil one remembers nothing.
type Spoken struct {
	mu   sync.Mutex
	seen map[string]bool
}

// Before says whether that version of an agent spoke its protocol before. One that
// is a command is never tried (see Probe).
func (s *Spoken) Before(a agents.Installed) bool {
	if a.Protocol == agents.Exec {
		return true
	}
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[s.key(a)]
}

// Probe is the function Probe, remembered where nothing is wrong.
func (s *Spoken) Probe(ctx context.Context, b sandbox.Backend, a agents.Installed) error {
	if _, err := Probe(ctx, b, a); err != nil || s == nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[s.key(a)] = true
	return nil
}

func (*Spoken) key(a agents.Installed) string {
	return fmt.Sprintf("%q", []any{a.Agent, a.Found, a.Dir})
}
