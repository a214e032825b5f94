// Package cli is what every command works with: streams, the flags that all share,
// exit codes and failures, questions and messages. It knows no command.
package cli

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"

	"cookoff/internal/ui/screen"
)

// Common is what every command works with: the streams, the working directory
// and the flags that all commands share.
type Common struct {
	Stdin    io.Reader
	Out, Err screen.Stream
	Dir      string              // the working directory
	Getenv   func(string) string // of the environment
	AtEnd    *Closers            // closed when the program ends

	Quiet, Verbose, NoColor, NoInput bool
	Config                           string // --config: a file
	Sandbox                          string // --sandbox: a backend

	answers *bufio.Reader // see ask
}

// Say writes a message, unless --quiet.
func (c *Common) Say(format string, args ...any) {
	if !c.Quiet {
		fmt.Fprintf(c.Err, format+"\n", args...)
	}
}

// Rel is a path as the user would type it.
func (c *Common) Rel(path string) string {
	if r, err := filepath.Rel(c.Dir, path); err == nil && filepath.IsLocal(r) {
		return r
	}
	return path
}
