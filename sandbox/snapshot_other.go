//go:build !unix

package sandbox

import "os"

const openNoFollow = 0

// lockDir only opens: where directories can't be locked, nothing is known to be
// left over.
func lockDir(dir string) (*os.File, error) { return os.Open(os.DevNull) }
