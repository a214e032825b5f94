package aside_test

import (
	"testing"

	"cookoff/verify/footprint/aside"
)

// TestOpens: a program lets everybody write something; one that keeps a mode, takes rights from it, asks for it or for
// the mask, does not.
func TestOpens(t *testing.T) {
	for lines, want := range map[string]bool{
		"mask = os.umask(0)\nos.umask(mask)\nos.chmod(p, 0o666 & ~mask)":                          false,
		"old = os.umask(0)\ntry:\n    fd = os.open(p, flags, 0o644)\nfinally:\n    os.umask(old)": false,
		"old = os.umask(0)\nopen(p, 'w').write(x)\nos.umask(old)":                                 true,
		"os.umask(os.umask(0))": false, "const old = process.umask(0); process.umask(old)": false,
		"os.chmod(new, os.stat(old).st_mode & 0o777)": false,
		"fs.chmodSync(p, 0o666 & ~process.umask())":   false,
		"err = os.Chmod(p, 0o666&^0o022)":             false, "os.Chmod(p, fi.Mode()&0o777)": false,
		"os.chmod(p, mode & ~stat.S_IWOTH)": false, "os.chmod(p, m & ~(stat.S_IWGRP | stat.S_IWOTH))": false,
		"if st.st_mode & stat.S_IWOTH:\n    sys.exit('open to all')": false,
		"chmod(path, st.st_mode & 07777);":                           false, "os.chmod(d, 0o1777)": false, "os.chmod(p, 0o755)": false,
		"os.chmod(p, 0o666)": true, "os.umask(0)": true, "syscall.Umask(0)": true, "os.Chmod(p, 0o777&0o777)": true,
		"os.chmod(p, 0o777 & ~(mask | 0o022))": false,
		"os.chmod(p, 0o666 & ~0)":              true, "os.chmod(p, stat.S_IRWXU | stat.S_IWOTH)": true,
	} {
		if got := (aside.Text{Lines: lines}).Opens(); got != want {
			t.Errorf("%s: %v, want %v", lines, got, want)
		}
	}
}
