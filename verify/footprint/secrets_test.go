package footprint

import "testing"

// TestHolds: a text that had one secret at the start, and has another now, is a copy of that.
func TestHolds(t *testing.T) {
	one, both := map[string]bool{"a.key": true}, map[string]bool{"a.key": true, "b.key": true}
	if holds(one, both) || !holds(both, one) || !holds(nil, nil) {
		t.Error("what was there is taken for what was not")
	}
}

func TestPublic(t *testing.T) {
	block := func(of string) string { return "-----BEGIN " + of + "-----\nMIIB\nAAEC\n-----END " + of + "-----\n" }
	for text, want := range map[string]bool{
		block("CERTIFICATE"): true,
		block("CERTIFICATE") + "\n" + block("CERTIFICATE"):     true,
		"# the shop's\n" + block("CERTIFICATE REQUEST"):        true,
		block("PUBLIC KEY") + block("X509 CRL"):                true,
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA me@home\n":     true,
		block("PRIVATE KEY"):                                   false,
		block("CERTIFICATE") + block("RSA PRIVATE KEY"):        false,
		block("CERTIFICATE") + "password: 1234\n":              false,
		"-----BEGIN CERTIFICATE-----\nMIIB\n":                  false,
		block("OPENSSH PRIVATE KEY") + "ssh-ed25519 AAAA me\n": false,
		"":      false,
		"A=1\n": false,
	} {
		if got := public([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
