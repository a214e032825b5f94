package mine

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"cookoff/internal/cli"
	"cookoff/internal/mine"
	"cookoff/internal/mine/refusal"
	"cookoff/internal/plant"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
)

// shown is how mining is shown while it goes on: a line on a terminal, else a line for
// each task and one a minute that says how far it is, with --verbose one for each commit that was tried.
type shown struct {
	c    *cli.Common
	live bool

	mu    sync.Mutex
	far   string // how far it is
	slow  string // the last candidate whose tests were said to take long
	quiet func() // ends what is said each minute; nil: a line shows it
}

// start begins to show; doing is what it begins with. finish must be called.
func (s *shown) start(c *cli.Common, doing string) {
	s.c, s.far = c, doing
	s.live = !c.Quiet && c.Err.Terminal && (c.Getenv("CI") == "" || c.Getenv("CI") == "false")
	if !s.live {
		if doing != "" {
			c.Say("%s", doing)
		}
		s.quiet = c.EachMinute(s.sayFar)
	}
}

// sayFar is how far it is.
func (s *shown) sayFar(time.Duration) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.far
}

// finish takes the line away, and says no more.
func (s *shown) finish() {
	if s.clear(); s.quiet != nil {
		s.quiet()
	}
}

// tell shows how far it is.
func (s *shown) tell(p mine.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := p.Found; f != nil && (f.Task != nil || s.c.Verbose && telling(f)) {
		s.clear()
		if f.Task != nil {
			s.c.Say("%s %s (%s, %s)", s.c.Err.Paint(screen.Green, "task"), text.Line(f.Task.Recipe.Title),
				text.Count(len(f.Task.Tests), "test"), text.Count(f.Task.Lines, "line"))
			s.accepts("half of the fix: without", f.Task.Half)
			s.accepts("a fault in it:", f.Task.Weak)
		} else {
			subject := text.Cut(text.Line(cmp.Or(f.Subject, "no message")), 50)
			s.c.Say("not %.10s %s: %s%s", f.Commit, subject, f.Reason, detail(f))
		}
	}
	line := fmt.Sprintf("%d of %s, %s, %s", p.Seen, text.Count(p.Of, "commit"), text.Count(p.Candidates, "candidate"),
		text.Count(p.Admitted, "task"))
	if why, n := most(p.Refused); n > 0 {
		line += fmt.Sprintf("; %d %s", n, why)
	}
	if p.Now != "" {
		line += "; " + now(p)
		s.long(p)
	}
	s.line(line)
}

// telling reports whether it is said of a commit by itself why it is no task: most are refused because they change no
// tests, or nothing else.
func telling(f *mine.Found) bool {
	return f.Candidate || f.Reason != refusal.NotBoth && f.Reason != refusal.NoParent
}

// now says what is being done: first what changes, as a line is cut at its end.
func now(p mine.Progress) string {
	switch {
	case p.Step == "":
		return text.Line(p.Now)
	case p.Takes >= long:
		return fmt.Sprintf("%s (%s a run): %s", p.Step, p.Takes.Round(time.Second), text.Line(p.Now))
	}
	return p.Step + ": " + text.Line(p.Now)
}

// long is from when on a candidate's tests are said to take long where no line shows how it goes on.
const long = 5 * time.Second

// long says once of a candidate, with --verbose and without a line, that its tests take long.
func (s *shown) long(p mine.Progress) {
	if !s.live && s.c.Verbose && p.Takes >= long && s.slow != p.Now {
		s.slow = p.Now
		s.c.Say("trying %s: its tests take %s, and run some twenty times", text.Line(p.Now), p.Takes.Round(time.Second))
	}
}

// line shows a line in place of the last one, on a terminal. The lock is held.
func (s *shown) line(line string) {
	s.far = line
	if s.live {
		columns, _ := s.c.Err.Size()
		fmt.Fprintf(s.c.Err, "\r\x1b[K%s", text.Cut(line, max(20, columns-1)))
	}
}

// planted shows what became of a fault that was planted: a line on a terminal, with --verbose one for each.
func (s *shown) planted(fault, became string, all plant.Tried) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.c.Verbose {
		s.clear()
		s.c.Say("%s %s", text.Line(became), text.Line(fault))
	}
	line := text.Count(all.Planted, "fault") + " planted"
	for _, r := range outcomes(all, "")[1:] {
		if r.n > 0 {
			line += fmt.Sprintf(", %d %s", r.n, r.what)
		}
	}
	s.line(line)
}

// proves shows that a task is being proved, which takes longer than all that was shown before.
func (s *shown) proves() {
	s.mu.Lock()
	defer s.mu.Unlock()
	const what = "; the referee proves one"
	s.line(strings.TrimSuffix(s.far, what) + what)
}

// accepts says what the tests of a task accept beside the fix.
func (s *shown) accepts(what string, list []string) {
	for i, one := range list {
		if i == 3 && !s.c.Verbose {
			s.c.Say("  and %d more; -v says which", len(list)-i)
			return
		}
		s.c.Say("  its tests accept %s %s", what, text.Line(one))
	}
}

// most is the commonest reason among candidates.
func most(refused map[refusal.Reason]int) (why refusal.Reason, n int) {
	for _, r := range refusal.Reasons() {
		if !slices.Contains(refusal.Screened(), r) && refused[r] > n {
			why, n = r, refused[r]
		}
	}
	return why, n
}

func detail(f *mine.Found) string {
	if f.Detail == "" {
		return ""
	}
	return ": " + text.Line(f.Detail)
}

// say writes a line of the command's own.
func (s *shown) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	s.c.Say(format, args...)
}

// clear takes the line of a terminal away. The lock is held, or nobody else shows anything.
func (s *shown) clear() {
	if s.live {
		_, _ = io.WriteString(s.c.Err, "\r\x1b[K") // a terminal that is gone
	}
}
