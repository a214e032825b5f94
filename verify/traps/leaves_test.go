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
