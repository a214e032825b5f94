// Package promises tries what a sandbox of the native backend promises from outside: what programs
// in it can't do, and what survives them.
package promises

import (
	"fmt"
	"os"
	"testing"
)

// TestMain has the test binary be the program that is tried inside a sandbox.
func TestMain(m *testing.M) {
	switch args := os.Args[1:]; {
	case len(args) == 1 && args[0] == refusedName:
		tryRefused()
	case len(args) == 2 && args[0] == trickName:
		trick(args[1])
	case len(args) > 1 && args[0] == namespaceName:
		if err := inNamespace(args[1]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}
