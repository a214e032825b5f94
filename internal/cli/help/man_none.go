//go:build !man

package help

import "github.com/spf13/cobra"

// manPages is there where a release is built: what draws manual pages would be a
// part of every program, and of the start of every sandbox.
var manPages func(root *cobra.Command, dir string) error
