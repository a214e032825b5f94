package trial

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrNoRun is of a bundle that was made of a recipe.
var ErrNoRun = errors.New("the bundle holds a recipe and no run")

// Bundled reports whether f is a bundle, by how it begins.
func Bundled(f io.ReaderAt) bool {
	var magic [2]byte
	_, err := f.ReadAt(magic[:], 0)
	return err == nil && magic == [2]byte{0x1f, 0x8b}
}

// unbundled gives the journal within a bundle (a gzipped tar file, as cookoff
// share writes it), or what is no bundle as it is.
func unbundled(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	if magic, err := b.Peek(2); err != nil || !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("opening a bundle: %w", err)
	}
	all := &capped{z, maxBundle}
	t := tar.NewReader(all)
	for n := 0; ; n++ {
		if n > maxMembers {
			return nil, fmt.Errorf("the bundle has more than %d files before its journal, which no cookoff writes",
				maxMembers)
		}
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil, ErrNoRun
		}
		if err != nil {
			return nil, fmt.Errorf("opening a bundle: %w", err)
		}
		if h.Name == JournalFile && h.Typeflag == tar.TypeReg {
			return t, nil
		}
	}
}

// Bounds of a bundle, which a stranger may have made.
const (
	maxBundle  = 4 << 30 // bytes, decompressed
	maxMembers = 10_000  // files before the journal
)

// capped reads up to so many bytes; more is an error.
type capped struct {
	r    io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, fmt.Errorf("the bundle has more than %d GiB, which no cookoff writes", maxBundle>>30)
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// Metrics gives what of an event may be passed on without what was said and
// done: models, tasks, outcomes, usage, costs, times and counts. Texts of
// models, arguments, output, evidence and reasons are left out.
func Metrics(e Event) Event {
	e.Host = "" // machines' names tell of their owner
	switch {
	case e.Run != nil:
		r := *e.Run
		r.Tools, r.Source, r.Project, r.ProjectSum, r.Markdown, r.Lock, r.Warnings, r.Places = "", "", "", "", "", nil, nil,
			nil
		r.Excluded, r.ProjectFiles, r.Outputs, r.Metadata, r.Question, r.Dates, r.Groups = nil, nil, nil, nil, nil, nil, nil
		r.Planted = nil
		r.Contestants, r.Hosts, r.Programs = nil, nil, nil
		for _, c := range e.Run.Contestants {
			r.Contestants = append(r.Contestants, Contestant{Name: c.Name, Model: c.Model, Agent: c.Agent})
		}
		for _, x := range e.Run.Excluded {
			r.Excluded = append(r.Excluded, Exclude{Task: x.Task, Phase: x.Phase})
		}
		e.Run = &r
	case e.Called != nil:
		e.Called = &Called{Try: e.Called.Try, MostUSD: e.Called.MostUSD}
	case e.Replied != nil:
		r := *e.Replied
		r.Reply.Message.Content, r.Reply.Message.Reasoning, r.Reply.Message.Calls, r.Reply.Notes = "", "", nil, nil
		r.Reply.Message.Kept = nil
		e.Replied = &r
	case e.Tool != nil:
		e.Tool = &Tool{CallID: e.Tool.CallID, Name: e.Tool.Name}
	case e.Returned != nil:
		r := *e.Returned
		r.Text = ""
		e.Returned = &r
	case e.Request != nil:
		r := *e.Request
		r.Asked, r.Why, r.Dropped = "", "", nil // an agent names models as it likes
		e.Request = &r
	case e.Hook != nil:
		h := *e.Hook
		h.Reason, h.Context, h.Args = "", "", nil
		e.Hook = &h
	case e.Note != nil:
		n := &NoteText{Kind: e.Note.Kind, Wait: e.Note.Wait}
		if e.Note.Failure != nil {
			failure := *e.Note.Failure
			failure.Words = ""
			n.Failure = &failure
		}
		e.Note = n
	case e.Outcome != nil:
		o := *e.Outcome
		o.Detail, o.Answer, o.Verdicts, o.State = "", "", withoutEvidence(o.Verdicts), nil
		if o.Cheats != nil { // named after what a task's checks say
			o.Cheats = &Cheats{Tried: o.Cheats.Tried,
				Accepted: slices.Repeat([]string{"not told"}, len(o.Cheats.Accepted))}
		}
		if o.SideEffects != nil {
			o.SideEffects = &SideEffects{Count: o.SideEffects.Count}
		}
		e.Outcome = &o
	case e.End != nil:
		end := *e.End
		end.Decision, end.Changed = nil, nil
		if end.Error != "" {
			end.Error = "the run could not go on"
		}
		e.End = &end
	}
	e.Verdicts = withoutEvidence(e.Verdicts)
	return e
}

// withoutEvidence gives verdicts without what they rest on.
func withoutEvidence(vs []Verdict) []Verdict {
	var out []Verdict
	for _, v := range vs {
		out = append(out, Verdict{Check: v.Check, Status: v.Status, Strength: v.Strength})
	}
	return out
}
