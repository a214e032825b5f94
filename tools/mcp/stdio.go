package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"cookoff/sandbox"
)

// stdio is a connection to a server whose program runs in the sandbox: a
// message is a line of JSON.
type stdio struct {
	prog   *boundedProgram
	notice func(method string) // of a notification
	writes sync.Mutex

	mu      sync.Mutex
	next    int64
	waiting map[int64]chan response
	closed  bool
}

func newStdio(prog *boundedProgram, notice func(string)) *stdio {
	s := &stdio{prog: prog, notice: notice, waiting: map[int64]chan response{}}
	go s.read()
	return s
}

// read hands out what the server writes, until it ends. A line that is no
// message is passed over: programs write more to their output than they should.
func (s *stdio) read() {
	defer s.close()
	in := bufio.NewReader(s.prog)
	for {
		line, err := in.ReadBytes('\n')
		var m message
		if json.Unmarshal(line, &m) == nil && m.Version == rpcVersion {
			s.take(m)
		}
		if err != nil {
			return
		}
	}
}

// take handles one message of the server: an answer goes to the request that waits for it,
// a request of the server is refused.
func (s *stdio) take(m message) {
	switch {
	case m.Method != "" && m.hasID():
		// A server that does not read would keep its own answers from being
		// read, too, if they had to wait for this one.
		go func() { _ = s.send(refusal(m)) }()
	case m.Method != "":
		s.notice(m.Method)
	default:
		var id int64
		if json.Unmarshal(m.ID, &id) != nil {
			return
		}
		s.mu.Lock()
		answer := s.waiting[id]
		delete(s.waiting, id)
		s.mu.Unlock()
		if answer != nil {
			answer <- m.response
		}
	}
}

func (s *stdio) send(m message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	s.writes.Lock()
	defer s.writes.Unlock()
	_, err = io.Copy(s.prog, bytes.NewReader(append(line, '\n')))
	return err
}

// request sends one request to the server and waits for the answer that has its number,
// until ctx ends or the server does.
func (s *stdio) request(ctx context.Context, method string, params any) (response, error) {
	answer := make(chan response, 1)
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return response{}, errClosed
	}
	s.next++
	id := s.next
	s.waiting[id] = answer
	s.mu.Unlock()
	sent := make(chan error, 1)
	go func() { sent <- s.send(request(id, method, params)) }()
	for {
		select {
		case err := <-sent:
			if err != nil {
				s.forget(id)
				return response{}, err
			}
			sent = nil
		case got, open := <-answer:
			if !open {
				return response{}, errClosed
			}
			return got, nil
		case <-ctx.Done():
			s.forget(id)
			return response{}, ctx.Err()
		}
	}
}

func (s *stdio) forget(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, id)
}

func (s *stdio) notify(_ context.Context, method string) error {
	return s.send(message{Version: rpcVersion, Method: method})
}

func (s *stdio) speak(string) {} // a line says nothing of the revision

func (s *stdio) close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	for id, answer := range s.waiting {
		close(answer)
		delete(s.waiting, id)
	}
	s.mu.Unlock()
	_ = s.prog.Close() // its input; what it writes is read to the end all the same
}

// boundedProgram is a program whose output has bounds.
type boundedProgram struct {
	sandbox.Program

	frame, total, messages int

	mu  sync.Mutex
	err error
}

// Read ends the output of a server that goes too far: the connection is over
// then. The error of a sandbox is kept for failure.
func (w *boundedProgram) Read(p []byte) (int, error) {
	if err := w.failure(); err != nil {
		return 0, io.EOF
	}
	n, err := w.Program.Read(p)
	longest := 0
	for _, b := range p[:n] {
		w.frame++
		longest = max(longest, w.frame)
		if b == '\n' {
			w.frame = 0
			w.messages++
		}
	}
	w.total += n
	switch {
	case err != nil && err != io.EOF:
		w.fail(err)
		return 0, io.EOF
	case longest > maxFrame:
		w.fail(fmt.Errorf("it wrote a message of more than %d MiB", maxFrame>>20))
		return 0, io.EOF
	case w.total > maxTotal, w.messages > maxMessages:
		w.fail(errors.New("it wrote more than a server may"))
		return 0, io.EOF
	}
	return n, err
}

func (w *boundedProgram) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

func (w *boundedProgram) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
