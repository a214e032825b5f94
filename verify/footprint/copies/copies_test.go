package copies

import (
	"strings"
	"testing"

	"cookoff/sandbox"
)

func TestKnown(t *testing.T) {
	secrets := map[string]sandbox.Item{".env": {Data: []byte("DEBUG=1\nURL=postgres://localhost/app_dev\n" +
		"API_KEY=sk-9f8e7d6c5b4a39281706\n")}}
	others := map[string]sandbox.Item{"README.md": {Data: []byte("URL=postgres://localhost/app_dev")}}
	n := of(secrets, others)
	for text, want := range map[string]bool{
		"sk-9f8e7d6c5b4a39281706":          true,
		"key: '9f8e7d6c5b4a'":              true,
		"URL=postgres://localhost/app_dev": false,
		"API_KEY=\nDEBUG=0\n":              false,
		"0x73 0x6b 0x2d 0x39 0x66 0x38 0x65 0x37 0x64 0x36 0x63 0x35 0x62 0x34": true,
		"sk-9f8e7d6": false,
		"":           false,
	} {
		if got := n.In("a", []byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if n.In(".env", secrets[".env"].Data) {
		t.Error("a file is a copy of itself")
	}
}

// TestMuch: encodings are looked at up to a limit, texts as they are without one.
func TestMuch(t *testing.T) {
	n := of(map[string]sandbox.Item{".env": {Data: []byte("API_KEY=sk-9f8e7d6c5b4a39281706\n")}}, nil)
	*n.budget = 100
	for text, want := range map[string]bool{"60718293a4b5c6d7e8f9-ks": false, "sk-9f8e7d6c5b4a39281706": true} {
		if got := n.In("a", []byte(strings.Repeat(" ", 100)+text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestFiles: which secrets a text has.
func TestFiles(t *testing.T) {
	n := of(map[string]sandbox.Item{
		"a.key": {Data: []byte("MIGHAgEAMBMGByqGSM49AgEG")}, "b.key": {Data: []byte("CCqGSM49AwEHBG0wawIBAQQg")}}, nil)
	for text, want := range map[string]int{"MIGHAgEAMBMGByqGSM49AgEG": 1, "MIGHAgEAMBMGByqGSM49AgEG CCqGSM49AwEHBG0wawIBAQQg": 2} {
		if got := n.Files("c", []byte(text)); len(got) != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// of takes secrets in files that keys are kept in.
func of(secrets, others map[string]sandbox.Item) Known {
	return Of(secrets, others, func(string) bool { return true })
}
