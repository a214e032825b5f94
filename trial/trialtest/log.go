package trialtest

import (
	"encoding/json"
	"strings"
	"sync"

	"cookoff/trial"
)

// Log is a sink that keeps what it is given.
type Log struct {
	mu     sync.Mutex
	Events []trial.Event
}

// Emit keeps an event.
func (l *Log) Emit(e trial.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Events = append(l.Events, e)
	return nil
}

// Text gives the events of one kind as one JSON line each.
func (l *Log) Text(k trial.Kind) string {
	var b strings.Builder
	for _, e := range l.Events {
		if e.Kind == k {
			line, _ := json.Marshal(e)
			b.Write(line)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
