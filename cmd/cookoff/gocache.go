package main

import (
	"os"
	"path/filepath"
)

// goCache is the user's Go build cache, "" where there is none: with it a
// sandbox need not compile the standard library anew.
func (a *app) goCache() string {
	dir := a.getenv("GOCACHE")
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(base, "go-build")
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return ""
	}
	return dir
}
