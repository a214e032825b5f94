package cli

import (
	"os"

	"cookoff/internal/config"
)

// LoadConfig reads the configuration: that of --config, else the user's.
func (c *Common) LoadConfig() (*config.Config, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then there is no configuration of the user's
	}
	cfg, err := config.Load(config.Options{Path: c.Config, Env: c.Getenv, Home: home})
	if err != nil {
		return nil, Fail(ExitUsage, err)
	}
	return cfg, nil
}
