package final

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cookoff/trial"
)

func sampleState() *State {
	kept := func(mode fs.FileMode, data string) *File {
		v := &File{Mode: mode, Size: int64(len(data)), Sum: "s" + data, Time: time.Unix(1, 5).UTC()}
		v.Keep([]byte(data))
		return v
	}
	return &State{
		Schema: Schema, Trial: trial.Trial{ID: "t001", Model: "m", Task: "t", N: 1}, Attempt: 1, Caches: 2,
		Changes: []Change{
			{Path: "a\xff", Before: kept(0o644, "one"), After: kept(0o755, "two")},
			{Path: "dir", After: &File{Mode: fs.ModeDir | 0o755}},
			{Path: "gone", Before: kept(0o600, "two")},
			{Path: "huge", After: &File{Mode: 0o644, Size: 1 << 40, Sum: "x", Missing: "larger than 16 MiB"}},
			{Path: "~/link", After: &File{Mode: fs.ModeSymlink | 0o777, Link: "\xfe"}},
		},
	}
}

// TestStatesKeepEverything stores a state, reads it back by its reference, and
// wants what is damaged, foreign or away to be said.
func TestStatesKeepEverything(t *testing.T) {
	run := t.TempDir()
	journal := filepath.Join(run, trial.JournalFile)
	if err := os.WriteFile(journal, []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	store := NewWriter(map[string]string{"THE_KEY": "sk-0123456789"})
	store.In(run)
	want := sampleState()
	ref, err := store.Store(want, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ref.Changes != 5 || ref.Missing != 1 || ref.File != "states/t001.tar.gz" {
		t.Errorf("stored as %+v", ref)
	}
	got, err := Open(journal, ref)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if lost := got.Lost(); len(lost) != 1 || !strings.Contains(lost[0], "huge") {
		t.Errorf("lost: %q", lost)
	}
	if n, size := store.Kept(); n != 1 || size != ref.Bytes {
		t.Errorf("kept %d of %d bytes", n, size)
	}
	left, err := filepath.Glob(filepath.Join(run, Dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q %v", left, err)
	}

	refuse := func(what string, ref *trial.StateRef, want string) {
		t.Helper()
		if _, err := Open(journal, ref); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	refuse("no state", nil, "not kept")
	refuse("a path out", &trial.StateRef{File: "states/../../x"}, "no place of the run's")
	refuse("another digest", &trial.StateRef{File: ref.File, Digest: "sha256:00"}, "digest differs")
	if err := os.Remove(filepath.Join(run, ref.File)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(journal, ref); !errors.Is(err, ErrNotKept) {
		t.Errorf("a removed state: %v", err)
	}

	leak := sampleState()
	leak.Changes[4].After.Link = "/x?sk-0123456789"
	if _, err := store.Store(leak, nil); err == nil || !strings.Contains(err.Error(), "THE_KEY") {
		t.Errorf("a key in a link: %v", err)
	}
	if store.Secret([]byte("x sk-0123456789 y")) != "THE_KEY" || store.Secret([]byte("x")) != "" {
		t.Error("a key is not seen, or seen where none is")
	}
}

// TestAllStatesOfABundleTakeOnePass, in whatever order they are asked for.
func TestAllStatesOfABundleTakeOnePass(t *testing.T) {
	dir := t.TempDir()
	store := NewWriter(nil)
	store.In(dir)
	var refs []*trial.StateRef
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	put := func(name string, data []byte) {
		t.Helper()
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(data)),
			Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	put(trial.JournalFile, []byte("{}\n"))
	for _, id := range []string{"t001", "t002", "t003", "t004"} {
		st := sampleState()
		st.Trial.ID = id
		ref, err := store.Store(st, nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, ref.File))
		if err != nil {
			t.Fatal(err)
		}
		put(ref.File, data)
		refs = append(refs, ref)
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	bundle := filepath.Join(t.TempDir(), "run.tar.gz")
	if err := os.WriteFile(bundle, archive.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	r := NewReader(bundle)
	defer r.Close()
	var pass *tar.Reader
	for n, i := range []int{0, 2, 1, 3, 1} {
		st, err := r.Open(refs[i])
		if err != nil || st.Trial.ID != refs[i].File[len("states/"):len("states/t001")] {
			t.Fatalf("%s: %+v, %v", refs[i].File, st, err)
		}
		switch {
		case n == 0:
			pass = r.t
		case n < 4 && r.t != pass:
			t.Errorf("%s: the bundle is read from its beginning again", refs[i].File)
		}
	}
	if _, err := r.Open(&trial.StateRef{File: "states/t009.tar.gz"}); !errors.Is(err, ErrNotKept) {
		t.Errorf("a state that is not there: %v", err)
	}
	if _, err := r.Open(refs[3]); err != nil {
		t.Error(err)
	}
}

// TestReadStateRefuses wants every damaged file to be an error.
func TestReadStateRefuses(t *testing.T) {
	var whole bytes.Buffer
	if err := Write(&whole, sampleState(), nil); err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := Write(&again, sampleState(), nil); err != nil || !bytes.Equal(whole.Bytes(), again.Bytes()) {
		t.Errorf("the same state makes other bytes: %v", err)
	}
	check := func(want string, mend func(*State), data func(*File) ([]byte, error)) {
		t.Helper()
		s := sampleState()
		mend(s)
		var b bytes.Buffer
		if err := Write(&b, s, data); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(&b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	check("its schema is", func(s *State) { s.Schema = "cookoff.state/9" }, nil)
	check("does not hold what its name says", func(*State) {},
		func(*File) ([]byte, error) { return []byte("other"), nil })
	check("too large", func(*State) {},
		func(*File) ([]byte, error) { return make([]byte, MaxContent+1), nil })
	if _, err := Read(bytes.NewReader(whole.Bytes()[:whole.Len()/2])); err == nil {
		t.Error("half a file was read")
	}
}

func FuzzReadState(f *testing.F) {
	var whole bytes.Buffer
	if err := Write(&whole, sampleState(), nil); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := Write(&out, s, nil); err != nil {
			t.Fatalf("what was read can't be written: %v", err)
		}
	})
}
