package hosts

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"cookoff/hosts/link"
	"cookoff/sandbox/wire"
)

// Explained adds what a command said, on standard error and in the place of a hand.
func Explained(err error, conn Conn) error {
	if banner, ok := errors.AsType[*link.BannerError](err); ok {
		err = WithWords(err, banner.Saw)
	}
	if said := strings.TrimSpace(conn.Stderr()); said != "" && err != nil {
		return fmt.Errorf("%w\n%s", err, wire.Clean(said))
	}
	return err
}

// unanswered is the error about a command that ended nothing and did not say in time what
// a hand says; err is what came of waiting.
func unanswered(err error, most time.Duration) error {
	late := fmt.Errorf("no hand answered within %v\nhint: the command must need no password and ask nothing", most)
	if banner, ok := errors.AsType[*link.BannerError](err); ok {
		return WithWords(late, banner.Saw)
	}
	return late
}

// How much is shown of what a command says that is no hand: its last lines and bytes.
const (
	maxShown = 500
	maxLines = 8
)

// WithWords adds the end of what was said to an error; nothing adds nothing.
func WithWords(err error, said []byte) error {
	text := strings.TrimSpace(wire.Clean(string(said[max(0, len(said)-maxShown):])))
	if text == "" {
		return err
	}
	lines := strings.Split(text, "\n")
	if short := lines[max(0, len(lines)-maxLines):]; len(short) < len(lines) || len(said) > maxShown {
		text = "… " + strings.Join(short, "\n")
	}
	return fmt.Errorf("%w\nit said: %s", err, text)
}
