package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// PrintJSON writes v to standard output.
func (c *Common) PrintJSON(v any) error {
	return Written(WriteJSON(c.Out, v))
}

// WriteJSON writes v, indented, to w.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Written makes an error of writing a result a failure of the machine.
func Written(err error) error {
	if _, said := errors.AsType[*Failure](err); err == nil || said {
		return err
	}
	return Fail(ExitInfra, fmt.Errorf("writing the result: %w", err))
}
