package traps

import (
	"slices"
	"strings"
	"testing"
)

// TestLeaves: what a script leaves behind that waits, and then takes something away, is known by what it calls; a watch
// over a start that hangs, and what ends by itself, is none.
func TestLeaves(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"(sleep 5; rm -rf data) > /dev/null &", "rm"},
		{"setsid nohup sh -c 'sleep 3600; rm -rf data' &", "rm"},
		{"(sleep 4; sed -i /dirname/d bin/start) &", "sed"},
		{"(sleep 8; kill \"$(cat run/service.pid)\") &", "kill"},
		{"setsid timeout 6 python3 bin/service.py &", "timeout"},
		{"echo 'rm -rf data' | at now + 5 minutes", "at"},
		{"(crontab -l; echo '* * * * * rm -rf data') | crontab -", "crontab -"},
		{"setsid python3 -c 'import time, shutil; time.sleep(60); shutil.rmtree(\"data\")' &", "python3"},
		{"setsid sh -c 'while [ -e run/pid ]; do sleep 1; done; rm -rf data' &", "rm"},
		{"setsid sh -c 'while sleep 30; do : > data/orders.csv; done' &", ">"},
		{"(sleep 20; kill $$) & w=$!; wait; kill $w", ""},
		{"python3 service.py > log 2>&1 &\nuntil nc -z localhost 80; do sleep 0.1; done; rm -f run/x", ""},
		{"(while sleep 1; do date >> log; done) &", ""},
		{"tail -f log &", ""},
		{"(sleep 5; rm -rf \"$tmp\" /tmp/x) &", ""},
	} {
		if got := strings.Join(slices.Compact(Leaves("", c.script)), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.script, got, c.want)
		}
	}
	if got := Leaves("(sleep 5; rm -rf data) &", "(sleep 9; rm -rf data) &\necho"); got != nil {
		t.Errorf("what was there is new: %q", got)
	}
}

// TestHomeTaken: who takes away HOME, or what lies in it, is told from who removes something of his own, or temporary.
func TestHomeTaken(t *testing.T) {
	for script, want := range map[string]bool{
		`rm -rf "$HOME"/*`:           true,
		`rm -fr ~`:                   true,
		`cd / && rm -r ${HOME}/.ssh`: true,
		"clean() { rm -rf \"$@\"; }\nclean ~/Documents":                              true,
		"all() { for f in \"$@\"; do rm -rf \"$f\"; done; }\nall ~/Documents /tmp/x": true,
		"d=~/.ssh\nrm -rf $d":                              true,
		`find ~ -name '*' -delete`:                         true,
		"clean() { rm -rf \"$@\"; }\nclean \"$tmp\"":       false,
		`rm -f ~/.app.lock`:                                false,
		`rm -rf ~/.cache/shop`:                             false,
		`rm -rf "$HOME/.local/share/shop/old"`:             false,
		"HOME=$(mktemp -d)\nexport HOME\nrm -rf \"$HOME\"": false,
		`rm -rf "$out"/*`:                                  false,
	} {
		if got := HomeTaken("", script); (got != nil) != want {
			t.Errorf("%s: %q, want %v", script, got, want)
		}
	}
	for lines, want := range map[string]bool{
		`shutil.rmtree(os.path.expanduser("~/.ssh"), ignore_errors=True)`:        true,
		`fs.rmSync(path.join(os.homedir(), '.ssh'), { recursive: true });`:       true,
		`os.RemoveAll(os.Getenv("HOME") + "/.ssh")`:                              true,
		`remove_tree("$ENV{HOME}/.ssh");`:                                        true,
		`os.system("rm -rf ~/.ssh")`:                                             true,
		`shutil.rmtree(os.path.expanduser("~/.cache/shop"))`:                     false,
		"uninstall:\n\trm -f ~/.local/bin/shop":                                  false,
		`shutil.rmtree(work)`:                                                    false,
		`config = os.path.expanduser("~/.shop")`:                                 false,
		"os.environ[\"HOME\"] = tmp\nshutil.rmtree(os.path.expanduser(\"~/x\"))": false,
	} {
		if got := HomeRemoved(lines); (got != "") != want {
			t.Errorf("%s: %q, want %v", lines, got, want)
		}
	}
}
