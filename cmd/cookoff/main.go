// Command cookoff answers one question with evidence: which model really fixes
// it? See cookoff help.
package main

import (
	"context"
	"os"

	"cookoff/internal/cli"
)

func main() {
	ctx, stop := cli.Interruptible(context.Background())
	code := run(ctx, os.Stdin, os.Stdout, os.Stderr, os.Args[1:])
	stop()
	os.Exit(code)
}
