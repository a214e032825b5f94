package host

import (
	"os"
	"path/filepath"
)

// TrustFile is where the recipes that were agreed to are kept.
func TrustFile(getenv func(string) string) string {
	dir := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) { // the specification says to ignore it then
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "cookoff", "trusted")
}
