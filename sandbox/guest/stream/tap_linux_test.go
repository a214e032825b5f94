package stream

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
)

// pieces keeps what it is given; it is asked from elsewhere.
type pieces struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (p *pieces) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.Write(b)
}

func (p *pieces) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.String()
}

// TestTapTakesWhatWasWritten: who saw a command end has all that it wrote,
// whether or not whoever reads on had a processor meanwhile.
func TestTapTakesWhatWasWritten(t *testing.T) {
	opened := func() (*Tap, *pieces, *os.File) {
		r, w, err := Pipe(false)
		if err != nil {
			t.Fatal(err)
		}
		to := &pieces{}
		return &Tap{r: r, to: to}, to, w
	}
	text := strings.Repeat("0123456789", 6000)

	x, to, w := opened() // nobody reads
	if _, err := w.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if x.Now(); to.String() != text {
		t.Errorf("%d bytes were taken, want %d", len(to.String()), len(text))
	}
	if x.Now(); to.String() != text { // an empty pipe is not waited for
		t.Error("something was taken twice")
	}
	w.Close()
	x.Run()
	x.Now() // closed

	for range 200 { // somebody does, at the same time
		x, to, w := opened()
		ended := make(chan struct{})
		go func() {
			x.Run()
			close(ended)
		}()
		for part := range 6 {
			if _, err := w.WriteString(text[part*10000 : (part+1)*10000]); err != nil {
				t.Fatal(err)
			}
		}
		if x.Now(); to.String() != text {
			t.Fatalf("%d bytes were taken, want %d", len(to.String()), len(text))
		}
		if _, err := w.WriteString("late"); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if <-ended; to.String() != text+"late" {
			t.Fatalf("%d bytes in the end", len(to.String()))
		}
	}
}
