package prepare

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxCertificates bounds a file of certificates, in bytes: those of a whole system
// take a quarter of a MiB.
const maxCertificates = 8 << 20

// Certificates are files of the user's with certificates to believe servers by, each by
// the variable that programs ask: "PIP_CERT" for /etc/company.pem.
type Certificates map[string]string

// gather copies the certificates of the files into dir, and nothing else that stands
// in them (a private key, say). It gives the variables that name them inside.
func (c Certificates) gather(dir string) (env []string, err error) {
	for name, from := range c {
		text, err := certificatesOf(from)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := os.MkdirAll(filepath.Join(dir, "certificates"), 0o755); err != nil {
			return nil, err
		}
		at := filepath.Join("certificates", name+".pem")
		if err := os.WriteFile(filepath.Join(dir, at), text, 0o644); err != nil {
			return nil, err
		}
		env = append(env, name+"="+seedDir+"/"+filepath.ToSlash(at))
	}
	slices.Sort(env)
	return env, nil
}

// certificatesOf reads the certificates of a PEM file, or of those of a directory.
func certificatesOf(at string) ([]byte, error) {
	files := []string{at}
	st, err := os.Stat(at)
	if err == nil && st.IsDir() {
		files, err = filepath.Glob(filepath.Join(at, "*"))
	}
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, f := range files {
		if st, err := os.Stat(f); err != nil || !st.Mode().IsRegular() {
			continue
		}
		text, err := readSmall(f)
		if err != nil {
			return nil, err
		}
		for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
			one := pem.EncodeToMemory(block)
			if strings.HasSuffix(block.Type, "CERTIFICATE") && !bytes.Contains(out.Bytes(), one) {
				out.Write(one)
			}
		}
	}
	if out.Len() == 0 {
		return nil, fmt.Errorf("%s holds no certificate in PEM", at)
	}
	return out.Bytes(), nil
}

func readSmall(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxCertificates+1))
	if err == nil && len(text) > maxCertificates {
		return nil, fmt.Errorf("%s is larger than %d MiB", file, maxCertificates>>20)
	}
	return text, err
}
