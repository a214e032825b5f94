package shootout

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/tty"
	"cookoff/trial"
)

// timed measures how long frames take.
type timed struct {
	*App
	mu     sync.Mutex
	frames []time.Duration
}

func (m *timed) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	began := time.Now()
	_, cmd := m.App.Update(msg)
	m.took(began)
	return m, cmd
}

func (m *timed) View() tea.View {
	defer m.took(time.Now())
	return m.App.View()
}

func (m *timed) took(began time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.frames = append(m.frames, time.Since(began))
}

// BenchmarkSixteenModels runs the screen for a second at a time while sixteen
// models stream 200 events a second each, on a terminal of 200×60: the
// processor time of the whole program, and how long its slowest frames take.
// The issue asks for less than 20 % of a core, and 16 ms at the 99th percentile.
func BenchmarkSixteenModels(b *testing.B) {
	const models, events = 16, 200
	var names []string
	for i := range models {
		names = append(names, fmt.Sprintf("lab%d/wait", i))
	}
	w := newWorld(b, names...)
	s := w.begin()
	ctx, cancel := context.WithCancel(b.Context())
	if err := s.Start(ctx, "go"); err != nil {
		b.Fatal(err)
	}
	ended := make(chan error, 1)
	app := &timed{App: New(ctx, s, w.host(), screen.Stream{Color: true})}
	app.typing = false
	in, keys, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	program := make(chan *tea.Program, 1)
	go func() {
		ended <- tty.Run(ctx, app, in, screen.Stream{Writer: io.Discard, Color: true},
			func(p *tea.Program) { program <- p })
	}()
	time.Sleep(200 * time.Millisecond) // it has begun to draw
	(<-program).Send(tea.WindowSizeMsg{Width: 200, Height: 60})
	time.Sleep(200 * time.Millisecond)
	app.mu.Lock()
	app.frames = nil
	app.mu.Unlock()
	began, cpu := time.Now(), processor(b)
	n := 0
	for b.Loop() {
		tick := time.NewTicker(time.Second / events)
		for range events {
			<-tick.C
			n++
			for i := range models {
				feed(s.Board().Emit, s.Board().Stream, fmt.Sprintf("t%03d", i+1), n)
			}
		}
		tick.Stop()
	}
	if w := app.panes.State.Width; w != 200 || n < events {
		b.Fatalf("%d columns, %d events", w, n)
	}
	used := (processor(b) - cpu).Seconds() / time.Since(began).Seconds()
	app.mu.Lock()
	slices.Sort(app.frames)
	p99 := app.frames[len(app.frames)*99/100]
	app.mu.Unlock()
	b.ReportMetric(100*used, "%core")
	b.ReportMetric(float64(p99.Microseconds())/1000, "p99-ms/frame")
	b.ReportMetric(float64(len(app.frames))/time.Since(began).Seconds(), "frames/s")
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
	s.Wait()
	if err := keys.Close(); err != nil {
		b.Error(err)
	}
}

// feed gives one event of a model that works: mostly text as it arrives, now
// and then a call with its output.
func feed(emit func(trial.Event) error, stream func(id string, step, try int, text string), id string, n int) {
	if n%40 > 1 {
		stream(id, n/40, 1, "and then I would look at the file, ")
		return
	}
	e := trial.Event{Kind: trial.ToolCalled, At: time.Now(), Trial: id, Step: n / 40,
		Tool: &trial.Tool{Name: "bash", Args: []byte(`{"command":"go test ./..."}`)}}
	if n%2 == 1 {
		e.Kind, e.Tool, e.Returned = trial.ToolReturned, nil, &trial.Returned{Name: "bash",
			Text: strings.Repeat("ok  	example/pkg	0.01s\n", 40)}
	}
	_ = emit(e) // a board's never fails
}

// processor is the processor time that this program has used.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
