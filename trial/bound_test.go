package trial

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
)

// zeros reads as n zeros.
type zeros struct{ left int64 }

func (z *zeros) Read(p []byte) (int, error) {
	n := min(int64(len(p)), z.left)
	clear(p[:n])
	z.left -= n
	return int(n), nil
}

// A stranger's bundle has bounds: a line without an end takes no memory without one.
func TestALineWithoutAnEnd(t *testing.T) {
	_, err := Read(&zeros{1 << 40}, func(Event) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "line 1: it is longer than 128 MiB") {
		t.Errorf("%v", err)
	}
}

func TestABundleOfManyFiles(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for range maxMembers + 2 {
		if err := w.WriteHeader(&tar.Header{Name: "x", Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	z.Close()
	if _, err := unbundled(&b); err == nil || !strings.Contains(err.Error(), "more than 10000 files") {
		t.Errorf("%v", err)
	}
	c := &capped{&zeros{100}, 10}
	if n, err := c.Read(make([]byte, 50)); n != 10 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := c.Read(make([]byte, 50)); err == nil {
		t.Error("no bound")
	}
}
