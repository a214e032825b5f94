package verify

import "testing"

func TestTrustedEnv(t *testing.T) {
	got := trustedEnv("/home/agent/tools:/work/bin:/home/agent/bin::/usr/bin:/bin:/usr/local/go/bin")[0]
	if want := "PATH=/usr/bin:/bin:/usr/local/go/bin:/home/agent/tools:/work/bin:/home/agent/bin"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
