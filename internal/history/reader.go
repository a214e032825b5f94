package history

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// newReader reads contents one after another, by one process of git, which starts with the
// first.
type reader struct {
	started bool
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  bytes.Buffer
	err     error // the first
	cancel  context.CancelFunc
}

func newReader(ctx context.Context, r *Repo) *reader {
	ctx, cancel := context.WithCancel(ctx)
	b := &reader{cmd: command(ctx, "/", r.env(), "cat-file", "--batch"), cancel: cancel}
	b.cmd.Stderr = &b.stderr
	return b
}

func (b *reader) start() error {
	b.started = true
	out, err := b.cmd.StdoutPipe()
	if err == nil {
		b.in, err = b.cmd.StdinPipe()
	}
	if err == nil {
		err = b.cmd.Start()
		b.out = bufio.NewReaderSize(out, 1<<16)
	}
	return err
}

// content reads a whole file.
func (b *reader) content(f File) ([]byte, error) {
	var text bytes.Buffer
	err := b.copy(f, &text)
	return text.Bytes(), err
}

// copy writes the content of a file to w.
func (b *reader) copy(f File, w io.Writer) error {
	if !b.started {
		b.err = b.start()
	}
	if b.err != nil {
		return b.err
	}
	b.err = b.next(f, w)
	return b.err
}

// next asks the git that runs for one content by its id, and copies the answer: a line of
// id, type and size, then so many bytes.
func (b *reader) next(f File, w io.Writer) error {
	if _, err := io.WriteString(b.in, f.ID+"\n"); err != nil {
		return fmt.Errorf("git cat-file: %w: %s", err, strings.TrimSpace(b.stderr.String()))
	}
	line, err := b.out.ReadString('\n')
	if err != nil {
		return fmt.Errorf("git cat-file: %w: %s", err, strings.TrimSpace(b.stderr.String()))
	}
	head := strings.Fields(line) // id, type, size
	if len(head) != 3 || head[1] != "blob" {
		return fmt.Errorf("%q can't be read from the repository: %s", f.Path, strings.TrimSpace(line))
	}
	size, err := strconv.ParseInt(head[2], 10, 64)
	if err != nil {
		return err
	}
	if _, err := io.CopyN(w, b.out, size); err != nil {
		return err
	}
	_, err = b.out.Discard(1) // the line's end
	return err
}

func (b *reader) close() {
	if b.cmd.Process == nil {
		b.cancel()
		return
	}
	b.in.Close()
	if b.err != nil { // it may still be writing
		b.cancel()
	}
	_ = b.cmd.Wait()
	b.cancel()
}
