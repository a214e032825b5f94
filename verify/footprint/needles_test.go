package footprint

import (
	"strings"
	"testing"

	"cookoff/sandbox"
)

func TestNeedles(t *testing.T) {
	secrets := map[string]sandbox.Item{".env": {Data: []byte("DEBUG=1\nURL=postgres://localhost/app_dev\n" +
		"API_KEY=sk-9f8e7d6c5b4a39281706\n")}}
	others := map[string]sandbox.Item{"README.md": {Data: []byte("URL=postgres://localhost/app_dev")}}
	n := needlesOf(secrets, others)
	for text, want := range map[string]bool{
		"sk-9f8e7d6c5b4a39281706":          true,
		"key: '9f8e7d6c5b4a'":              true,
		"URL=postgres://localhost/app_dev": false,
		"API_KEY=\nDEBUG=0\n":              false,
		"0x73 0x6b 0x2d 0x39 0x66 0x38 0x65 0x37 0x64 0x36 0x63 0x35 0x62 0x34": true,
		"sk-9f8e7d6": false,
		"":           false,
	} {
		if got := n.in("a", []byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if n.in(".env", secrets[".env"].Data) {
		t.Error("a file is a copy of itself")
	}
}

// TestNeedlesInMuch: encodings are looked at up to a limit, texts as they are without one.
func TestNeedlesInMuch(t *testing.T) {
	n := needlesOf(map[string]sandbox.Item{".env": {Data: []byte("API_KEY=sk-9f8e7d6c5b4a39281706\n")}}, nil)
	*n.budget = 100
	for text, want := range map[string]bool{"60718293a4b5c6d7e8f9-ks": false, "sk-9f8e7d6c5b4a39281706": true} {
		if got := n.in("a", []byte(strings.Repeat(" ", 100)+text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestSecretsBeside: a text that had one secret at the start, and has another now, is a copy of that.
func TestSecretsBeside(t *testing.T) {
	n := needlesOf(map[string]sandbox.Item{
		"a.key": {Data: []byte("MIGHAgEAMBMGByqGSM49AgEG")}, "b.key": {Data: []byte("CCqGSM49AwEHBG0wawIBAQQg")}}, nil)
	was, is := n.of("c", []byte("MIGHAgEAMBMGByqGSM49AgEG")), n.of("c", []byte("MIGHAgEAMBMGByqGSM49AgEG CCqGSM49AwEHBG0wawIBAQQg"))
	if holds(was, is) || !holds(is, was) || !holds(nil, nil) {
		t.Errorf("%v, then %v", was, is)
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
