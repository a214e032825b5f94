package formats

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"cookoff/report/gates"
	"cookoff/report/reporttest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares what a format printed with the recorded file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-update writes it anew); got:\n%s", path, got)
	}
}

// Every recorded journal in every format. The bytes must be the same each time.
func TestGoldens(t *testing.T) {
	for _, name := range []string{"mixed", "repeats", "interrupted"} {
		r := reporttest.Fold(t, name)
		r.Gates = gates.Set{FailUnder: []gates.MinRate{{Rate: 0.5}}, MaxVoid: new(0)}.Check(r)
		for _, format := range Formats() {
			var a, b bytes.Buffer
			if err := Write(&a, format, r, Options{Width: 80}); err != nil {
				t.Fatal(err)
			}
			again := reporttest.Fold(t, name)
			again.Gates = r.Gates
			if err := Write(&b, format, again, Options{Width: 80}); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Errorf("%s of %s is not the same twice", format, name)
			}
			golden(t, name+"."+format, a.Bytes())
		}
	}
	var b bytes.Buffer
	if err := Table(&b, reporttest.Fold(t, "mixed"), Options{Color: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "mixed.wide.colour", b.Bytes())
}
