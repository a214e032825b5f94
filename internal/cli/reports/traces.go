package reports

import (
	"context"
	"time"

	"cookoff/internal/cli"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/internal/version"
	"cookoff/interop/otel"
)

// traceTime is how long a run waits for a collector in all, at its end.
const traceTime = 30 * time.Second

// CheckOTel refuses an environment by which traces can't be sent, where they are to be.
func (o Output) CheckOTel(c *cli.Common) error {
	if !o.OTel {
		return nil
	}
	s, err := otel.Read(c.Getenv, version.Read().Version)
	if err != nil {
		return cli.Usage("--otel: %v", err)
	}
	collector, err := otel.NewCollector(s)
	if err != nil {
		return cli.Usage("--otel: %v", err)
	}
	collector.Close()
	return nil
}

// sendTraces sends what a run did to the collector that the environment names. What
// goes wrong there is said, and harms nothing.
func (r Recorded) sendTraces(c *cli.Common) {
	s, err := otel.Read(c.Getenv, version.Read().Version)
	if err == nil && s.Disabled != "" {
		c.Say("no traces were sent: %s says so", s.Disabled)
		return
	}
	n, rejected := 0, 0
	if err == nil {
		n, rejected, err = r.deliver(s)
	}
	switch {
	case err != nil:
		c.Say("%s traces were not sent to %s: %s\n  hint: cookoff report %s --format otel -o FILE writes them",
			c.Err.Paint(screen.Yellow, "warning:"), s.Place(), text.Line(err.Error()), r.Run.ID)
	case rejected > 0:
		c.Say("%s the collector at %s did not take %s", c.Err.Paint(screen.Yellow, "warning:"), s.Place(),
			text.Count(rejected, "span"))
	default:
		c.Say("sent %s to %s", text.Count(n, "trace"), s.Place())
	}
}

// deliver sends the traces of a run, and counts them and the spans that were rejected.
func (r Recorded) deliver(s otel.Settings) (n, rejected int, err error) {
	collector, err := otel.NewCollector(s)
	if err != nil {
		return 0, 0, err
	}
	defer collector.Close()
	ctx, cancel := context.WithTimeout(context.Background(), traceTime)
	defer cancel()
	err = r.tell(s, func(req otel.Request) error {
		n++
		return collector.Send(ctx, req)
	})
	return n, collector.Rejected, err
}
