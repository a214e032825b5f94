package acp

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestCallsAreBounded: whatever an agent says of its tool calls, what is kept and told of
// them is bounded; long ids stay apart.
func TestCallsAreBounded(t *testing.T) {
	told, began := 0, map[string]bool{}
	cs := &Calls{Began: func(c *Call) {
		if len(c.ID) > 250 || len(c.Name) > 250 || len(c.Args) > maxArgs || !json.Valid(c.Args) {
			t.Errorf("id of %d bytes, name of %d, arguments of %d", len(c.ID), len(c.Name), len(c.Args))
		}
		began[c.ID] = true
		told += len(c.Args)
	}, Ended: func(c *Call) { told += len(c.Text) }}
	cs.kept = maxAll - maxText - 1000 // much was told before
	long, huge := strings.Repeat("x", 4<<10), json.RawMessage(`"`+strings.Repeat("y", 700<<10)+`"`)
	for i := range 8 {
		update := &ToolUpdate{ID: long + fmt.Sprint(i), Name: long, Title: long, Kind: long, Status: "completed",
			Input: huge, Output: huge}
		if i%2 == 0 {
			update.Input, update.Output = huge[:200<<10], nil
			update.Input = append(update.Input[:len(update.Input):len(update.Input)], '"')
			update.Content = []content{{}}
			update.Content[0].Content.Text = long
		}
		cs.Take(update)
	}
	if cs.Close(); told > maxText+1000+8*4096 || len(began) != 8 {
		t.Errorf("%d bytes were told of %d calls", told, len(began))
	}
	cs = &Calls{Began: func(*Call) {}, Ended: func(*Call) {}}
	for i := range maxCalls + 7 {
		cs.Take(&ToolUpdate{ID: fmt.Sprint(i), Status: "completed",
			Output: json.RawMessage(fmt.Sprintf(`{"output":"a","more":%q}`, strings.Repeat("z", 10)))})
	}
	if cs.Left != 7 {
		t.Errorf("%d calls were left out, want 7", cs.Left)
	}
	cs.Take(&ToolUpdate{ID: "0", Output: json.RawMessage(`{"output":"a","more":"` + strings.Repeat("z",
		3*maxText) + `"}`)})
}

// TestLongIDsAreNoise: a request whose id, or an option whose id, is huge is not repeated.
func TestLongIDsAreNoise(t *testing.T) {
	if got := choose([]Option{{ID: strings.Repeat("x", 2<<10), Kind: "allow_once"}, {ID: "y", Kind: "allow_always"}},
		Choice{Allow: true}); got["optionId"] != "y" {
		t.Errorf("chose %.40v", got)
	}
	c := &Client{out: make(chan []byte, 1)}
	if c.take([]byte(`{"id":"` + strings.Repeat("x",
		2<<10) + `","method":"session/request_permission"}`)); len(c.out) != 0 {
		t.Error("a request with a huge id was answered")
	}
}

// endless says the same line for ever.
type endless struct{ line []byte }

func (e endless) Read(p []byte) (n int, err error) {
	for len(p)-n >= len(e.line) {
		n += copy(p[n:], e.line)
	}
	return n, nil
}

// TestSaysWithoutEnd: an agent that says messages without end is listened to no more.
func TestSaysWithoutEnd(t *testing.T) {
	line := `{"method":"x","params":"` + strings.Repeat("y", 60<<10) + "\"}\n"
	c := New(Options{Out: endless{[]byte(line)}, In: io.Discard, most: 1 << 20})
	defer c.Close()
	<-c.Done()
	if err := c.Gone(); err == nil || err.Error() != "the agent has said more than 1 MiB" {
		t.Error(err)
	}
}

// TestHalfAnswersAreNoise: what has an id and neither a result nor an error answers nothing.
func TestHalfAnswersAreNoise(t *testing.T) {
	to := make(chan answer, 1)
	c := &Client{pending: map[int]chan answer{1: to}}
	if c.take([]byte(`{"id":1}`)) || len(to) != 0 {
		t.Error("it was taken for an answer")
	}
	if !c.take([]byte(`{"id":1,"result":null}`)) || len(to) != 1 {
		t.Error("an answer of null was not taken")
	}
}
