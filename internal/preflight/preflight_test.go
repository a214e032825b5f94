package preflight

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/model"
)

// silent is a model that never answers.
type silent struct{ asked int }

func (s *silent) Generate(ctx context.Context, _ *model.Request) (*model.Reply, error) {
	s.asked++
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestSilentModelIsAskedOnce: it would be as silent to a request without a limit, and
// nobody sees why the run does not begin.
func TestSilentModelIsAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chat, began := &silent{}, time.Now()
		out := Asker{}.lookAt(t.Context(), "mute/ok", chat)
		if took := time.Since(began); chat.asked != 1 || took > askTimeout {
			t.Errorf("asked %d times, in %v", chat.asked, took)
		}
		if out.problem == nil || !strings.Contains(out.problem.Error(), "asking mute/ok: no answer within 2m0s") {
			t.Errorf("it says %v", out.problem)
		}
	})
}
