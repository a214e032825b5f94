// Package program sends this program to a machine that has none of its build, over the
// command that would have started a hand there, and starts the hand from it.
package program

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"cookoff/hosts"
	"cookoff/sandbox/wire"
)

// Program is one that hands are started from. It is safe for concurrent use.
type Program struct {
	Path  string // of its file
	Build string // what tells it from others: letters and digits

	Step time.Duration // an answer, or a piece that is taken, may take; 0: a minute

	once sync.Once
	gz   []byte
	err  error
}

// packed gives the file as gzip has it.
func (p *Program) packed() ([]byte, error) {
	p.once.Do(func() {
		f, err := os.Open(p.Path)
		if err != nil {
			p.err = err
			return
		}
		defer f.Close()
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		if err == nil {
			_, err = io.Copy(w, f)
		}
		if err == nil {
			err = w.Close()
		}
		p.gz, p.err = b.Bytes(), err
	})
	return p.gz, p.err
}

// Shell is the command of a host with a shell in the place of the hand.
func Shell(argv []string) ([]string, error) {
	n := len(argv)
	if n < 2 || argv[n-1] != "hand" {
		return nil, fmt.Errorf("its command ends in %q: "+
			"the program can be sent in the place of one that ends in \"cookoff\", \"hand\"",
			argv[max(0, n-2):])
	}
	return append(slices.Clone(argv[:n-2]), "sh"), nil
}

// Command starts hands by the command of a host, from this program: it is sent there
// unless the machine has it from before. env is all of the command's environment.
func (p *Program) Command(argv, env []string) func(context.Context) (hosts.Conn, error) {
	shell, err := Shell(argv)
	if err != nil {
		return func(context.Context) (hosts.Conn, error) { return nil, err }
	}
	dial := hosts.Command(shell, env)
	return func(ctx context.Context) (hosts.Conn, error) {
		conn, err := dial(ctx)
		if err != nil {
			return nil, err
		}
		most := cmp.Or(p.Step, stepTime)
		s := &sending{conn: conn, most: most, late: time.AfterFunc(most, func() { conn.Close() })}
		left := context.AfterFunc(ctx, func() { conn.Close() })
		err = s.start(p)
		if !s.late.Stop() && err != nil {
			err = fmt.Errorf("nothing came for %v: %w\nhint: the command must need no password and ask nothing", most,
				err)
		}
		if !left() {
			err = ctx.Err()
		}
		if err != nil {
			conn.Close()
			return nil, hosts.Explained(fmt.Errorf("sending it this program: %w", err), conn)
		}
		return conn, nil
	}
}

// stepTime bounds each step: an answer, or a piece that is taken.
const stepTime = time.Minute

// pieceSize is what is written at once, in bytes.
const pieceSize = 64 << 10

// sending is a shell on the other machine that is told to start a hand.
type sending struct {
	conn io.ReadWriter
	most time.Duration // for each step
	late *time.Timer
}

// start has the shell start a hand. Nothing that the hand is to hear was sent then, and
// nothing that it says was read.
func (s *sending) start(p *Program) error {
	file, err := os.Stat(p.Path)
	if err != nil {
		return err
	}
	if err := s.write([]byte(script(p.Build, file.Size()))); err != nil {
		return err
	}
	said, err := s.answer()
	if err == nil && said[0] == "wants" {
		if err = s.send(p, said[1:]); err == nil {
			said, err = s.answer()
		}
	}
	if err == nil && said[0] != "starts" {
		err = fmt.Errorf("it can't be kept there: %s", strings.Join(said, " "))
	}
	return err
}

// send gives the program to a machine of this kind.
func (s *sending) send(p *Program, machine []string) error {
	if err := fits(machine); err != nil {
		return err
	}
	read := p.packed
	if machine[len(machine)-1] != "gzip" {
		read = func() ([]byte, error) { return os.ReadFile(p.Path) }
	}
	b, err := read()
	if err != nil {
		return err
	}
	if err := s.write(fmt.Appendf(nil, "%d\n", len(b))); err != nil {
		return err
	}
	for len(b) > 0 {
		n := min(len(b), pieceSize)
		if err := s.write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// write says something to the shell. Where that takes no more, what it says of it is the
// error.
func (s *sending) write(b []byte) error {
	s.late.Reset(s.most)
	if _, err := s.conn.Write(b); err == nil {
		return nil
	}
	said, err := s.answer()
	if err == nil {
		err = errors.New(strings.Join(said, " "))
	}
	return err
}

// machines are what uname says of those that run a program built for an architecture.
var machines = map[string][]string{"amd64": {"x86_64", "amd64"}, "arm64": {"aarch64", "arm64"}}

// fits reports whether a machine runs this program, by its system and its processor.
func fits(machine []string) error {
	if len(machine) < 2 {
		return fmt.Errorf("%w: a machine of %q", errOther, machine)
	}
	runs, known := machines[runtime.GOARCH]
	if !strings.EqualFold(machine[0], runtime.GOOS) || known && !slices.Contains(runs, machine[1]) {
		return fmt.Errorf("it is %s on %s, and this program is for %s on %s",
			machine[0], machine[1], runtime.GOOS, runtime.GOARCH)
	}
	return nil
}

// errOther is what is wrong with a command that gives no shell.
var errOther = errors.New("no shell answers")

// maxBanner bounds what engines may say before the shell does, in bytes.
const maxBanner = 16 << 10

// answer reads what the script says, by words, and no byte more.
func (s *sending) answer() ([]string, error) {
	var saw []byte
	for one := make([]byte, 1); len(saw) < maxBanner; {
		if _, err := io.ReadFull(s.conn, one); err != nil {
			return nil, noShell(saw, err)
		}
		if saw = append(saw, one[0]); one[0] != '\n' {
			continue
		}
		if _, line, ok := bytes.Cut(saw, []byte(mark)); ok {
			if words := strings.Fields(wire.Clean(string(line))); len(words) > 0 {
				return words, nil
			}
		}
	}
	return nil, noShell(saw, errors.New("it says something else"))
}

func noShell(saw []byte, err error) error {
	return hosts.WithWords(fmt.Errorf("%w: %w", errOther, err), saw)
}
