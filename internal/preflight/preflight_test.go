package preflight

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/internal/host"
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

// TestWaitingIsSaid: who waits for a provider learns for whom, and for how long yet.
func TestWaitingIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		a := Asker{Notify: func(n host.Notice) { told = append(told, n.Text) }, silent: &silence{}}
		stop := a.silent.tell(t.Context(), a.Notify)
		var wg sync.WaitGroup
		for _, id := range []string{"mute/b", "mute/a"} {
			wg.Go(func() { a.lookAt(t.Context(), id, &silent{}) })
		}
		a.silent.asks("quick/c")()
		wg.Wait()
		stop()
		want := "no answer yet after 15s from mute/a, mute/b; a model has 2m00s"
		if len(told) < 7 || told[0] != want {
			t.Errorf("said %d times: %q; want %q first", len(told), told, want)
		}
	})
}
