package agent

import (
	"bufio"
	"errors"
	"io"
	"testing"
	"testing/synctest"

	"cookoff/contestant/acp"
	"cookoff/contestant/agents"
)

// TestSilentAgent: an agent that never answers initialize, or sends no session, is waited for
// two minutes, and then said not to speak the protocol; a set-up problem in the words of
// Probe, and "crashed" in a trial.
func TestSilentAgent(t *testing.T) {
	for name, answer := range map[string]string{
		"nothing":    "",
		"initialize": `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out, theirs := io.Pipe()
				in, ours := io.Pipe()
				c := acp.New(acp.Options{Out: out, In: ours})
				go func() {
					lines := bufio.NewReader(in)
					_, _ = lines.ReadString('\n') // initialize
					_, _ = io.WriteString(theirs, answer)
					_, _ = io.Copy(io.Discard, lines)
				}()
				_, err := hello(t.Context(), c, agents.Installed{}, nil)
				var gone *acp.GoneError
				if !errors.As(err, &gone) || gone.Why != "the agent did not begin to speak the protocol within 2m0s" {
					t.Errorf("%T %v", err, err)
				}
				theirs.Close()
				ours.Close()
				c.Close()
				synctest.Wait()
			})
		})
	}
}
