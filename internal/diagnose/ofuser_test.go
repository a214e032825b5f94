package diagnose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGitNobody(t *testing.T) {
	for output, want := range map[string]bool{
		"Author identity unknown\n\n*** Please tell me who you are.\n":                                    true,
		"fatal: unable to auto-detect email address (got 'agent@box.(none)')":                             true,
		"fatal: empty ident name (for <agent@box>) not allowed":                                           true,
		"FAIL: test_author: 'unknown author' != 'Ann'":                                                    false,
		"error: identity column of table t is unknown":                                                    false,
		"subprocess.CalledProcessError: Command '['git', 'commit']' returned non-zero exit status 128.\n": false,
	} {
		if got := GitNobody(output); got != want {
			t.Errorf("%q: %v", output, got)
		}
	}
}

func TestOfUser(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".config", "rates"), 0o755); err != nil {
		t.Fatal(err)
	}
	for output, want := range map[string]string{
		"Error: ENOENT: no such file or directory, open '/home/agent/.config/rates'":            "~/.config/rates lies",
		"FileNotFoundError: [Errno 2] No such file or directory: '/home/agent/.config/rates'\n": "~/.config/rates lies",
		"cat: /home/agent/.config/rates/: No such file or directory":                            "~/.config/rates lies",
		"Error: ENOENT: no such file or directory, open '/home/agent/.config/other'":            "",
		"reading /home/agent/.config/rates: want 5, got 6":                                      "",
		"    url = os.environ['SHOP_URL']\nKeyError: 'SHOP_URL'":                                "SHOP_URL is set",
		"sh: 1: SHOP_URL: parameter not set":                                                    "SHOP_URL is set",
		"bash: line 3: SHOP_URL: unbound variable":                                              "SHOP_URL is set",
		"want the shop at SHOP_URL, got none":                                                   "",
		"KeyError: 'OTHER_URL'":                                                                 "",
		"KeyError: 'HOME'; PATH is not set":                                                     "",
	} {
		got := OfUser(output, home, []string{"SHOP_URL=http://x", "HOME=" + home, "PATH=/bin"})
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
