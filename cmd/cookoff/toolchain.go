package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// goRoot is the Go tool chain on the user's PATH, "" where there is none: the
// built-in recipe has Go tasks, and /usr alone holds Go on few machines.
func goRoot() string {
	bin, err := exec.LookPath("go")
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(bin); err == nil {
		if root := filepath.Dir(filepath.Dir(real)); isGoRoot(root) {
			return root
		}
	}
	// A launcher of a version manager: it knows.
	cmd := exec.Command(bin, "env", "GOROOT")
	cmd.Dir = "/" // no go.mod or .tool-versions of a project has a say
	out, err := cmd.Output()
	if root := strings.TrimSpace(string(out)); err == nil && isGoRoot(root) {
		return root
	}
	return ""
}

func isGoRoot(dir string) bool {
	st, err := os.Stat(filepath.Join(dir, "src", "runtime"))
	return err == nil && st.IsDir()
}

// toolPaths are the tool chains that a sandbox shows: the user's, and Go, where
// its programs run in a sandbox.
func toolPaths(own []string) []string {
	if root := goRoot(); onLinux && root != "" {
		return append(append([]string{}, own...), root)
	}
	return own
}
