package guest

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/guest/files"
	"cookoff/sandbox/guest/proc"
	"cookoff/sandbox/wire"
)

// The next look comes before what is free could be used up, and as soon as possible where
// processes multiply.
func TestPause(t *testing.T) {
	l := sandbox.Limits{Memory: 1 << 50, Processes: 256}
	check := func(what string, held int64, processes int, want time.Duration) {
		t.Helper()
		if got := pause(l, held, processes); got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	check("much is free", 0, 1, latest)
	check("all is used", l.Memory, 1, soonest)
	check("more than all", l.Memory+1, 1, soonest)
	check("many processes", 0, 65, soonest)
	l.Memory = int64(fillRate*runtime.NumCPU()) / 16
	check("a sixteenth of a second to fill it", 0, 1, time.Second/16)
}

// In a world where nothing lives and nothing is asked nobody looks; a request that is
// worked on, or a process, has the looks go on.
func TestNobodyLooksAtNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int64
		var over atomic.Bool
		var lives atomic.Pointer[map[int]proc.Process]
		lives.Store(&map[int]proc.Process{})
		look := func() (files.Usage, error) {
			if looks.Add(1); over.Load() {
				runtime.Goexit()
			}
			return files.Usage{}, nil
		}
		cfg := &wire.Config{TestOnlyBlind: true} // the machine's own processes are no concern of it
		asked := newRequests()
		w := &watch{cfg: cfg, procs: &processes{}, calls: &calls{cfg: cfg}, asked: asked,
			used: &usage{limits: &cfg.Limits, look: look}, table: func() map[int]proc.Process { return *lives.Load() }}
		during := func(d time.Duration) int64 {
			before := looks.Load()
			time.Sleep(d)
			synctest.Wait()
			return looks.Load() - before
		}
		go w.run()
		during(time.Minute)
		if n := during(time.Hour); n != 0 {
			t.Errorf("%d looks at nothing", n)
		}
		end := asked.begin()
		during(time.Minute)
		if n := during(time.Minute); n < 200 {
			t.Errorf("%d looks in a minute in which a request is worked on", n)
		}
		lives.Store(&map[int]proc.Process{7: {Key: proc.Key{PID: 7}, Thread: 7}})
		end()
		during(time.Minute)
		if n := during(time.Minute); n < 200 {
			t.Errorf("%d looks in a minute in which a process lives", n)
		}
		lives.Store(&map[int]proc.Process{})
		during(time.Minute)
		if n := during(time.Hour); n != 0 {
			t.Errorf("%d looks after the last process", n)
		}
		over.Store(true)
		asked.begin()()
		synctest.Wait()
		time.Sleep(time.Minute)
	})
}

// TestDiskIsMeasuredBeforeItIsFull: the more room there is, the later, and never so late that
// it could be filled meanwhile.
func TestDiskIsMeasuredBeforeItIsFull(t *testing.T) {
	cores := int64(runtime.NumCPU())
	l := sandbox.Limits{Disk: cores * fillRate, Files: int(cores * makeRate)} // full after a second
	for _, c := range []struct {
		bytes, files int64
		want         time.Duration
	}{
		{0, 0, diskLatest},
		{l.Disk * 4 / 5, 0, 200 * time.Millisecond},
		{0, int64(l.Files) * 4 / 5, 200 * time.Millisecond},
		{l.Disk, 0, diskSoonest},
		{2 * l.Disk, 2 * int64(l.Files), diskSoonest},
	} {
		if got := diskPause(l, c.bytes, c.files).Round(time.Millisecond); got != c.want {
			t.Errorf("%d bytes, %d files: %v, want %v", c.bytes, c.files, got, c.want)
		}
	}
}
