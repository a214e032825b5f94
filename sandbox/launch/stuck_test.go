package launch

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/sandbox"
)

// says is a builder that adds what the program said.
type says struct{ Builder }

func (says) Explain(err error, said string) error { return errors.New(err.Error() + ": " + said) }

// TestStuck: a world whose processes don't die, as where one hangs in the kernel, is an
// error of the sandbox within a bounded time, and holds nobody up.
func TestStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		killed := 0
		p := &Process{builder: says{}, kill: func() { killed++ }, gone: make(chan struct{})}
		began := time.Now()
		if err := p.End(t.Context()); !errors.Is(err, sandbox.ErrUnavailable) ||
			!strings.Contains(err.Error(), "processes still live after") || killed != 1 ||
			time.Since(began) != endTime {
			t.Errorf("%v after %v, killed %d times", err, time.Since(began), killed)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.End(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		_, _ = p.output.Write([]byte("no room"))
		began = time.Now()
		if err := p.Explain(errors.New("it broke")); err.Error() != "it broke: no room" ||
			time.Since(began) != endTime {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		close(p.gone)
		if err := p.End(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
