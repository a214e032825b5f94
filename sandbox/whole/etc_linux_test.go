package whole

import "testing"

func TestWithAgent(t *testing.T) {
	made := "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nagent:x:1000:1000:agent:/home/agent:/bin/bash\n"
	host := "root:x:0:0:root:/root:/bin/bash\nalice:x:1000:1000::/home/alice:/bin/sh\n" +
		"bob:x:1001:1001::/home/bob:/bin/sh\nagent:x:7:7::/:/bin/sh\nbroken\n"
	want := "agent:x:1000:1000:agent:/home/agent:/bin/bash\nroot:x:0:0:root:/root:/bin/bash\n" +
		"bob:x:1001:1001::/home/bob:/bin/sh\n"
	if got := withAgent(host, made); got != want {
		t.Errorf("%q", got)
	}
}
