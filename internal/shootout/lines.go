package shootout

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
)

// plainWidth is how wide pages are written where nothing is redrawn.
const plainWidth = 100

// Plain is the shoot-out in lines: the same commands, nothing is redrawn. What
// models do is written by a sink of the session's.
type Plain struct {
	app   *App
	out   io.Writer
	lines chan string
	asked *session.Ask // that was written already
}

// NewPlain makes a shoot-out in lines, read from in.
func NewPlain(ctx context.Context, s *session.Session, h Host, in io.Reader, out io.Writer) *Plain {
	p := &Plain{app: New(ctx, s, h, screen.Stream{Writer: out}), out: out, lines: make(chan string)}
	go func() {
		defer close(p.lines)
		for br := bufio.NewReader(in); ; {
			line, err := br.ReadString('\n')
			if line != "" {
				p.lines <- strings.TrimRight(line, "\r\n")
			}
			if err != nil {
				return
			}
		}
	}()
	return p
}

// Run reads and carries out lines until the user leaves or the input ends.
// SIGINT stops all models, a second one ends it.
func (p *Plain) Run() {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	fmt.Fprintln(p.out, "Type a task for every model, or /help. /quit leaves.")
	p.prompt()
	done := make(chan tea.Msg, 1)
	tick := time.NewTicker(busy)
	defer tick.Stop()
	for {
		var cmd tea.Cmd
		select {
		case line, ok := <-p.lines:
			if !ok {
				p.app.s.Wait()
				return
			}
			p.app.look()
			cmd = p.line(line)
		case msg := <-done:
			_, cmd = p.app.Update(msg)
		case <-tick.C:
			p.ask()
			if !p.app.working || p.app.s.Running() {
				continue
			}
			p.app.tasks.finished(p.app.s.Failed())
			p.summary()
		case <-interrupts:
			if p.app.slowly != nil {
				cmd = p.app.meanwhile("ctrl+c")
			} else {
				cmd = p.app.interrupt()
			}
		}
		if p.follow(cmd, done) {
			return
		}
	}
}

// line carries out a line: an answer, a command or a task.
func (p *Plain) line(line string) tea.Cmd {
	a := p.app
	text := strings.TrimSpace(line)
	ask := a.s.Asking()
	switch {
	case a.slowly != nil:
		a.status = a.slowLine()
		return nil
	case a.question != nil && a.question.line != nil:
		q := a.question
		a.question = nil
		q.enter(text)
		return a.pending()
	case a.question != nil:
		a.answer(text, "")
		return a.pending()
	case ask != nil && !strings.HasPrefix(text, "/"):
		if !a.approve(ask, text) {
			a.status = "answer y, a or n; what begins with a slash is a command"
		}
		return nil
	case text == "":
		return nil
	}
	a.submit(text)
	return a.pending()
}

// follow begins what a line set off, and tells what there is to tell; true: the
// user leaves.
func (p *Plain) follow(cmd tea.Cmd, done chan<- tea.Msg) bool {
	p.tell()
	if cmd == nil {
		if p.app.question == nil && !p.app.working && p.app.slowly == nil {
			p.prompt()
		}
		return false
	}
	if p.app.slowly != nil {
		fmt.Fprintln(p.out, p.app.slowLine())
		go func() { done <- cmd() }()
		return false
	}
	msg := cmd()
	if _, quit := msg.(tea.QuitMsg); quit {
		return true
	}
	_, next := p.app.Update(msg)
	return p.follow(next, done)
}

func (p *Plain) prompt() { fmt.Fprint(p.out, "> ") }

// tell writes what the screen would show.
func (p *Plain) tell() {
	a := p.app
	if a.over != nil {
		p.page(a.over)
		a.over = nil
	}
	if a.status != "" {
		fmt.Fprintln(p.out, text.Line(a.status))
		a.status = ""
	}
	q := a.question
	switch {
	case q == nil:
	case q.page != nil: // keys choose there: here a name does
		p.page(q.page)
		a.question = nil
		fmt.Fprintln(p.out, "/models NAME switches one on or off")
	default:
		fmt.Fprintln(p.out, text.Line(q.text))
		for _, k := range q.keys {
			fmt.Fprintf(p.out, "  %s: %s\n", k.Key, k.Does)
		}
	}
}

func (p *Plain) page(o *overlay) {
	fmt.Fprintln(p.out, text.Line(o.title))
	for _, l := range o.lines(screen.Stream{}, plainWidth) {
		fmt.Fprintln(p.out, strings.TrimRight(l, " "))
	}
}

// ask writes a trial's question, once.
func (p *Plain) ask() {
	ask := p.app.s.Asking()
	if ask == nil || ask == p.asked {
		return
	}
	p.asked = ask
	fmt.Fprintf(p.out, "%s %s: %s\n", p.app.name(ask.Trial.Model), text.Line(ask.Wants()), text.Line(ask.Command))
	for _, k := range slices.Concat(answers(ask)) {
		fmt.Fprintf(p.out, "  %s: %s\n", k.Key, k.Does)
	}
}

// summary lists the models of a turn that has ended.
func (p *Plain) summary() {
	a := p.app
	for i, m := range a.panes.View().Models {
		if len(m.Lanes) == 0 {
			continue
		}
		facts := a.facts(m.Lanes[0].Model)
		if len(facts) > 0 {
			fmt.Fprintf(p.out, "%d. %s: %s\n", i+1, a.name(m.Lanes[0].Model), facts[0].text)
		}
	}
	fmt.Fprintln(p.out, "/diff MODEL shows a change; /pick MODEL, /pick tie or /pick none judges")
}
