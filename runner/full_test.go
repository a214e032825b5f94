package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/model"
	"cookoff/runner/clock"
	"cookoff/sandbox"
	"cookoff/trial"
)

// fullBackend is a machine with a disk that is full for so many openings.
type fullBackend struct {
	stubBackend
	full *atomic.Int64
}

func (b fullBackend) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	if b.full.Add(-1) >= 0 {
		return nil, sandbox.Unavailable("opening", fmt.Errorf("mkdir /tmp/x: %w", syscall.ENOSPC))
	}
	sb, err := b.stubBackend.Open(ctx, spec)
	return fullWorld{sb, b.full}, err
}

type fullWorld struct {
	sandbox.Sandbox
	full *atomic.Int64
}

func (w fullWorld) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	if strings.Contains(c.Script, "fills it") {
		openings := int64(100)
		if strings.Contains(c.Script, "for ever") {
			openings = 1 << 40
		}
		w.full.Store(openings)
		return sandbox.Result{}, sandbox.Unavailable("exec", sandbox.OfKinds("no space left on device",
			sandbox.ErrShort, syscall.ENOSPC))
	}
	return w.Sandbox.Exec(ctx, c)
}

// TestFullForAWhile: a contestant that fills the disk again and again ends neither the run
// nor the trials of its rival, which are tried once there is room; a disk that stays full
// does.
func TestFullForAWhile(t *testing.T) {
	check := func(command, wantFirst, wantSecond, wantErr string) {
		t.Helper()
		b := newBench(t, map[string]model.Chat{"test/model": commander(command), "test/other": commander("touch done")})
		b.env.Backend, b.env.Parallel, b.env.Retries = fullBackend{full: &atomic.Int64{}}, 1, 1
		text := strings.Replace(quickRecipe("## Comparison\n- trials: 3\n"), "- test/model", "- test/model\n- test/other", 1)
		err := b.runner(text).RunAll(t.Context(), "run", b.log, nil)
		ended, models := map[string]string{}, map[string]string{}
		for _, e := range b.log.events {
			switch e.Kind {
			case trial.TrialStarted:
				models[e.Trial] = e.Start.Model
			case trial.TrialFinished:
				ended[models[e.Trial]] += string(e.Outcome.Status) + " "
			}
		}
		if ended["test/model"] != wantFirst || ended["test/other"] != wantSecond {
			t.Errorf("%s: the trials ended %q", command, ended)
		}
		if (err != nil) != (wantErr != "") || err != nil && !strings.Contains(err.Error(), wantErr) {
			t.Errorf("%s: the run ended with %v", command, err)
		}
		if wantErr != "" && !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v does not say that the disk is full", command, err)
		}
	}
	check("fills it", strings.Repeat("void ", 6), strings.Repeat("pass ", 3), "")
	check("fills it for ever", "void void void ", "void void ", "3 trials in a row lost their sandbox")
}

// TestOneLooksForRoom: of a hundred trials that wait for room one looks at a time, as often
// as if it waited alone; each goes on when it has found room itself, and once there was none
// for two minutes nobody waits for it any more.
func TestOneLooksForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const waiting, fullFor = 100, 30
		r, looks, looking := newRoom(), 0, 0 // both are theirs who have the turn
		var found atomic.Int64
		all := func(free bool) {
			var wg sync.WaitGroup
			for range waiting {
				wg.Go(func() {
					got, err := r.await(t.Context(), func() bool {
						if looking++; looking > 1 {
							t.Error("two look at once")
						}
						time.Sleep(time.Millisecond)
						looking, looks = looking-1, looks+1
						return free && looks > fullFor
					}, clock.Real{})
					if got && err == nil {
						found.Add(1)
					}
				})
			}
			wg.Wait()
		}
		if all(true); looks != fullFor+waiting || found.Load() != waiting {
			t.Errorf("%d looks, %d of %d went on, want %d looks", looks, found.Load(), waiting, fullFor+waiting)
		}
		began := time.Now()
		looks = 0
		found.Store(0)
		if all(false); found.Load() != 0 || looks != 120+waiting || time.Since(began) > roomTime+time.Second {
			t.Errorf("%d looks, %d went on after %v, though there was no room", looks, found.Load(), time.Since(began))
		}
		time.Sleep(time.Hour)
		if all(true); found.Load() != waiting {
			t.Errorf("an hour later %d of %d went on", found.Load(), waiting)
		}
	})
}

// TestRoomForOthers: a trial that finds no room while others are judged is waited for further: the
// disk is full now and then, and no machine is broken.
func TestRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, began := newRoom(), time.Now()
		for i := range 3 {
			time.AfterFunc(time.Duration(i+1)*time.Minute, func() { r.ended.Store(true) })
		}
		found, err := r.await(t.Context(), func() bool { return false }, clock.Real{})
		if took := time.Since(began); found || err != nil || took < 5*time.Minute || took > 5*time.Minute+5*time.Second {
			t.Errorf("found %v, %v after %v, want two minutes after the last that was judged", found, err, took)
		}
	})
}
