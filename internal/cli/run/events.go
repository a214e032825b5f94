package run

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"cookoff"
	"cookoff/internal/cli"
	"cookoff/internal/cli/door"
	"cookoff/internal/cli/reports"
	"cookoff/internal/ui/text"
	"cookoff/trial"
)

// eventsOut is where a run tells what happens, as it happens: --events.
type eventsOut struct {
	file   io.WriteCloser // nil: nowhere
	stream *trial.Stream  // nil without a file
}

// checkEvents refuses a place that is taken.
func (f *runFlags) checkEvents() error {
	switch {
	case f.events == "":
		return nil
	case f.dryRun:
		return cli.Usage("--events and --dry-run at once: nothing happens")
	case f.events == "-" && (f.Output.File == "" || slices.Contains(append(f.Output.Also, f.Output.File), "-")):
		return cli.Usage("--events - and the report both go to standard output\n" +
			"  hint: -o FILE puts the report elsewhere")
	}
	return reports.CheckPlace("events", f.events)
}

// openEvents opens what --events names.
func openEvents(d *door.Door, c *cookoff.Comparison, name string) (*eventsOut, error) {
	if name == "" {
		return &eventsOut{}, nil
	}
	out := untilGone(d.Out)
	if name != "-" {
		f, err := ownFile(name)
		if err != nil {
			return nil, err
		}
		out = f
	}
	return &eventsOut{out, c.Stream(out)}, nil
}

// ownFile opens and empties a file that no other run writes its events to: two would
// write over each other's lines. Pipes and devices take those of any number.
func ownFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, cli.Usage("--events %s: %v", name, err)
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return f, nil
	}
	if !trial.Hold(f) {
		f.Close()
		return nil, cli.Usage("--events %s: another cookoff writes its events there\n  hint: name another file", name)
	}
	if err := f.Truncate(0); err != nil {
		f.Close()
		return nil, cli.Usage("--events %s: %v", name, err)
	}
	return f, nil
}

// standard is standard output, of which a reader that goes ends nothing.
type standard struct {
	io.Writer
	pipe chan os.Signal
}

// untilGone has a write fail once nobody reads, which would end the program
// otherwise: that is what signals of pipes do where nobody takes them.
func untilGone(w io.Writer) io.WriteCloser {
	s := standard{w, make(chan os.Signal, 1)}
	signal.Notify(s.pipe, syscall.SIGPIPE)
	return s
}

func (s standard) Close() error {
	signal.Stop(s.pipe)
	return nil
}

// close ends the stream, and says when it broke off: the run did not.
func (o *eventsOut) close(d *door.Door) {
	err := o.stream.Err()
	if o.file != nil {
		if e := o.file.Close(); err == nil {
			err = e
		}
	}
	if err != nil {
		fmt.Fprintf(d.Err, "--events broke off: %s (the journal has everything)\n", text.Lines(err.Error()))
	}
}
