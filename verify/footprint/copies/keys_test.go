package copies

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// TestPublicHalves: what a key has in common with a certificate is no piece of a secret, wherever in a group of
// base64 it begins; all else of the key is.
func TestPublicHalves(t *testing.T) {
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]struct{ private, public any }{
		"curve": {curve, &curve.PublicKey}, "rsa": {long, &long.PublicKey}, "edwards": {edwards, edwards.Public()},
	} {
		der, err := x509.MarshalPKCS8PrivateKey(k.private)
		if err != nil {
			t.Fatal(err)
		}
		half, err := x509.MarshalPKIXPublicKey(k.public)
		if err != nil {
			t.Fatal(err)
		}
		text := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
		knows(t, name, text, half)
	}
}

func knows(t *testing.T, name string, key, half []byte) {
	t.Helper()
	n := of(map[string]sandbox.Item{"tls/a.key": {Data: key}}, nil)
	for at := range 3 {
		cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: append(make([]byte, at), half...)})
		if n.In("a.pem", cert) {
			t.Errorf("%s: the public half, %d bytes on, is taken for the key", name, at)
		}
	}
	lines := strings.Split(strings.TrimSpace(string(key)), "\n")
	if last := lines[len(lines)-2]; len(last) > 20 && !n.In("a.pem", append([]byte("x"), key...)) {
		t.Errorf("%s: a copy of the key is not seen", name)
	}
}

// TestPublicOfSSH: keys of OpenSSH have the public key before the private one.
func TestPublicOfSSH(t *testing.T) {
	text := func(s string) string { return string(binary.BigEndian.AppendUint32(nil, uint32(len(s)))) + s }
	public := text("ssh-ed25519") + text("0123456789abcdefghijklmnopqrstuv")
	data := "openssh-key-v1\x00" + text("none") + text("none") + text("") + "\x00\x00\x00\x01" + text(public) +
		text("the private one, which is a secret of 32 bytes")
	if got := publicOfSSH([]byte(data)); string(got) != public {
		t.Errorf("%q", got)
	}
	for cut := range len(data) - 60 {
		publicOfSSH([]byte(data[:cut]))
	}
	key := pem.EncodeToMemory(&pem.Block{Type: "OPENSSH PRIVATE KEY", Bytes: []byte(data)})
	n := of(map[string]sandbox.Item{"~/.ssh/deploy": {Data: key}}, nil)
	if n.In("deploy.pub", []byte("ssh-ed25519 "+base64.StdEncoding.EncodeToString([]byte(public))+" me")) {
		t.Error("a public key is taken for the private one")
	}
	if !n.In("deploy.txt", []byte(strings.ReplaceAll(string(key), "\n", "\n> "))) {
		t.Error("a copy is not seen")
	}
}
