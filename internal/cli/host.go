package cli

import (
	"io"

	"cookoff/internal/config"
	"cookoff/internal/host"
	"cookoff/internal/ui/screen"
)

// Host is this machine, as the configuration has it.
func (c *Common) Host() (*host.Host, error) {
	cfg, err := c.LoadConfig()
	if err != nil {
		return nil, err
	}
	return c.HostWith(cfg), nil
}

// HostWith is Host with a configuration that was read.
func (c *Common) HostWith(cfg *config.Config) *host.Host {
	return &host.Host{Dir: c.Dir, Getenv: c.Getenv, Config: cfg, Sandbox: c.Sandbox,
		Notify: c.Notify,
		AtEnd: func(closer io.Closer) {
			if c.AtEnd != nil {
				c.AtEnd.Add(closer)
			}
		}}
}

// Notify says what there is to be known.
func (c *Common) Notify(n host.Notice) {
	if n.Warning {
		n.Text = c.Err.Paint(screen.Yellow, "warning:") + " " + n.Text
	}
	c.Say("%s", n.Text)
}
