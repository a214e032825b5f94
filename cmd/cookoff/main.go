// Command cookoff answers one question with evidence: which model really fixes
// it? See cookoff help.
package main

import (
	"context"
	"os"

	"cookoff/sandbox/native"
)

func main() {
	native.Init() // in a guest process this never returns
	ctx, stop := interruptible(context.Background())
	code := run(ctx, os.Stdin, os.Stdout, os.Stderr, os.Args[1:])
	stop()
	os.Exit(code)
}
