package launch

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"cookoff/sandbox/plan"
)

// shell builds "worlds" that are a script.
type shell struct {
	program, script string
	running         func(made *Prepared) (kill func(), err error)
}

func (shell) Facts() Facts { return Facts{} }

func (b shell) Prepare(o Order) (*Prepared, error) {
	conn, theirs, err := Pipes()
	if err != nil {
		return nil, err
	}
	made := &Prepared{Conn: conn, Given: theirs, Cmd: exec.Command(b.program, "-c", b.script)}
	made.Cmd.Stdin, made.Cmd.Stdout, made.Cmd.Stderr = theirs[0], theirs[1], o.Stderr
	if b.running != nil {
		made.Running = func() (func(), error) { return b.running(made) }
	}
	return made, nil
}

func (shell) Explain(err error, said string) error { return fmt.Errorf("%w; it said %q", err, said) }

// TestStart wants a program to be reached, and all of it to be gone after its end.
func TestStart(t *testing.T) {
	p, err := Start(shell{program: "sh", script: "read a; echo got $a; read a"}, Order{Plan: &plan.Plan{}}, &Thread{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(p.Conn, "one\n"); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, len("got one\n"))
	if _, err := io.ReadFull(p.Conn, answer); err != nil || string(answer) != "got one\n" {
		t.Errorf("%q, %v", answer, err)
	}
	for range 2 { // the second time it has ended already
		if err := p.End(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if rest, err := io.ReadAll(p.Conn); err != nil || len(rest) > 0 {
		t.Errorf("%q is said after the end, %v", rest, err)
	}
}

// TestStartFails wants the reason, what the program said about it, and nothing left.
func TestStartFails(t *testing.T) {
	_, err := Start(shell{program: "/no/such/program"}, Order{Plan: &plan.Plan{}}, &Thread{})
	if e, ok := errors.AsType[*StartError](err); !ok || e.Program != "/no/such/program" {
		t.Errorf("a program that is not there: %v", err)
	}
	why := errors.New("not today")
	var conn io.Reader
	_, err = Start(shell{program: "sh", script: "echo because >&2; echo; exec sleep 1000",
		running: func(made *Prepared) (func(), error) {
			conn = made.Conn
			_, err := io.ReadFull(made.Conn, make([]byte, 1)) // then it has said why
			return nil, errors.Join(why, err)
		}}, Order{Plan: &plan.Plan{}}, &Thread{})
	if !errors.Is(err, why) || !strings.Contains(err.Error(), `it said "because\n"`) {
		t.Errorf("one that began and failed: %v", err)
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the connection is still open")
	}
}
