package layers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"cookoff/sandbox/noted"
)

// TestKeptSums: a second process reads no file again that is as it was, and each that is not.
func TestKeptSums(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()
	for i := range mostUnkept {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte("text"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list := func() noted.List { return new(sums).in(keptSums(kept), []string{dir}) }
	first := list()
	if string(keptSums(kept).of(dir)) != string(first) || first.Len() != mostUnkept {
		t.Fatal("the list is not kept")
	}
	// A list that says something else of a file that is as it was is believed, so it is what was read.
	told := noted.List(append([]byte(nil), first...))
	told[len(told)-1] ^= 1
	if err := os.WriteFile(filepath.Join(keptSums(kept).at(dir), listName), told, 0o600); err != nil {
		t.Fatal(err)
	}
	if string(list()) != string(told) {
		t.Error("what is as it was is read again")
	}
	for i := range mostUnkept {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte("else"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	changed := list()
	plain := new(sums).in("", []string{dir})
	if string(changed) != string(plain) {
		t.Error("what was changed is not read again")
	}
	if err := os.WriteFile(filepath.Join(keptSums(kept).at(dir), listName), []byte("no list"), 0o600); err != nil {
		t.Fatal(err)
	}
	if string(list()) != string(plain) {
		t.Error("a list that is none is believed")
	}
}

// TestKeptSumsOfSize: few files are kept as well where they are large; a few small ones are not.
func TestKeptSumsOfSize(t *testing.T) {
	for size, want := range map[int64]bool{mostUnkeptSize: true, mostUnkeptSize - 1: false} {
		dir, kept := t.TempDir(), t.TempDir()
		big := filepath.Join(dir, "big")
		if err := errors.Join(os.WriteFile(big, nil, 0o644), os.Truncate(big, size)); err != nil {
			t.Fatal(err)
		}
		new(sums).in(keptSums(kept), []string{dir})
		if got := keptSums(kept).of(dir).Len() == 1; got != want {
			t.Errorf("%d bytes: kept %v", size, got)
		}
	}
}
