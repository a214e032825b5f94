package proc

import (
	"net"
	"os"
	"testing"
)

func TestUnusedKindsOfSockets(t *testing.T) {
	const text = "sockets: used 44\nTCP: inuse 2 orphan 0 tw 5 alloc 2 mem 0\nUDP: inuse 0 mem 0\nUDPLITE: inuse 0\n"
	for kind, want := range map[string]bool{"TCP": false, "UDP": true, "TCP6": false, "RAW": false} {
		if got := noneCounted(text, kind); got != want {
			t.Errorf("%s: %t", kind, got)
		}
	}
	for text, want := range map[string]bool{text: false, "": false, "sockets: used 0\nTCP: inuse 0\n": true,
		"sockets: used 01\n": false, "sockets: used 10\n": false} {
		if got := noSockets(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
	if _, err := os.Stat("/proc/net/sockstat"); err != nil {
		t.Skip(err)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	if unused("TCP") {
		t.Error("a socket that listens is in use")
	}
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if unused("UDP") {
		t.Error("a bound socket is in use")
	}
	if noSockets(sockstat("")) {
		t.Error("two sockets are some")
	}
}
