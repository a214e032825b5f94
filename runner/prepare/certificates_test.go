package prepare

import (
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCertificates: a command that is prepared with believes whom the user believes, and
// gets no private key that lies in the same file.
func TestCertificates(t *testing.T) {
	dir := t.TempDir()
	block := func(kind string) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: []byte(kind)}))
	}
	both := filepath.Join(dir, "company.pem")
	write(t, both, "# ours\n"+block("CERTIFICATE")+block("PRIVATE KEY")+block("CERTIFICATE"))
	seed := filepath.Join(dir, "seed")
	env, err := Certificates{"PIP_CERT": both}.gather(seed)
	if err != nil || len(env) != 1 || env[0] != "PIP_CERT="+seedDir+"/certificates/PIP_CERT.pem" {
		t.Fatalf("%q, %v", env, err)
	}
	got, err := os.ReadFile(filepath.Join(seed, "certificates", "PIP_CERT.pem"))
	if err != nil || string(got) != block("CERTIFICATE") {
		t.Errorf("%s, %v", got, err)
	}
	again, err := certificatesOf(dir)
	if err != nil || string(again) != block("CERTIFICATE") {
		t.Errorf("of a directory: %s, %v", again, err)
	}
	key := filepath.Join(dir, "key.pem")
	write(t, key, block("PRIVATE KEY"))
	for _, file := range []string{key, seed, filepath.Join(dir, "none")} {
		_, err := Certificates{"SSL_CERT_FILE": file}.gather(seed)
		if err == nil || !strings.Contains(err.Error(), "SSL_CERT_FILE: ") {
			t.Errorf("%s: %v", file, err)
		}
	}
}
