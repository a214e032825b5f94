package final

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"cookoff/internal/temporary"
	"cookoff/trial"
)

// Dir is the directory of stored final states in a run's directory.
const Dir = "states"

// Writer writes the final states of a run's trials. It is safe for concurrent
// use.
type Writer struct {
	secrets map[string]string

	mu    sync.Mutex
	dir   string // of the run
	count int
	bytes int64
}

// NewWriter makes a store that writes nothing before it knows its place, see
// In. secrets maps names to values that must never be written.
func NewWriter(secrets map[string]string) *Writer { return &Writer{secrets: secrets} }

// In says in which run's directory states are stored.
func (s *Writer) In(run string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dir = run
}

// Kept gives the number of states that were stored, and their bytes.
func (s *Writer) Kept() (count int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count, s.bytes
}

// Secret gives the name of a secret whose value stands in b; "" when there is
// none. The content of such a file must not be stored.
func (s *Writer) Secret(b []byte) string {
	for name, v := range s.secrets {
		if len(v) >= 8 && bytes.Contains(b, []byte(v)) {
			return name
		}
	}
	return ""
}

// Store writes a state; data is as for Write. A change whose path or
// link holds a secret is left out.
func (s *Writer) Store(st *State, data func(*File) ([]byte, error)) (*trial.StateRef, error) {
	s.mu.Lock()
	dir := s.dir
	s.mu.Unlock()
	name := path.Join(Dir, st.Trial.ID+".tar.gz")
	if st.Attempt > 1 {
		name = path.Join(Dir, fmt.Sprintf("%s.%d.tar.gz", st.Trial.ID, st.Attempt))
	}
	st.Schema = Schema
	if err := s.refuse(st); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, Dir), 0o755); err != nil {
		return nil, err
	}
	f, err := temporary.File(filepath.Join(dir, Dir), ".new-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name()) // gone already when all went well
	sum := sha256.New()
	counted := &counter{w: io.MultiWriter(f, sum)}
	err = errors.Join(Write(counted, st, data), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, filepath.FromSlash(name)))
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count, s.bytes = s.count+1, s.bytes+counted.n
	return &trial.StateRef{File: name, Digest: "sha256:" + hex.EncodeToString(sum.Sum(nil)), Bytes: counted.n,
		Changes: len(st.Changes), Missing: st.missing()}, nil
}

// refuse finds a secret where only the content could be left out.
func (s *Writer) refuse(st *State) error {
	for path, v := range st.versions() {
		if name := s.Secret([]byte(path + "\x00" + v.Link)); name != "" {
			return fmt.Errorf("the value of %s stands in the name of a file", name)
		}
	}
	return nil
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// ErrNotKept is wrapped by errors about a state that is not there.
var ErrNotKept = errors.New("the final state was not kept")

// Open reads the stored state that ref names, of the run whose journal,
// or bundle, lies at journal. ref nil, or no such file, is ErrNotKept.
func Open(journal string, ref *trial.StateRef) (*State, error) {
	r := NewReader(journal)
	defer r.Close()
	return r.Open(ref)
}

// Reader reads the stored states of one run. A bundle is a stream: all its
// states take one pass, in whatever order they are asked for; those that are
// passed over are held until they are. It is safe for concurrent use.
type Reader struct {
	journal string

	mu     sync.Mutex
	f      *os.File // of a bundle that is open
	t      *tar.Reader
	passed map[string][]byte // states that nobody asked for yet
	given  map[string]bool
}

// NewReader reads the states of the run whose journal, or bundle, lies at
// journal. It holds nothing before the first state is asked for.
func NewReader(journal string) *Reader { return &Reader{journal: journal} }

// Close lets go of the bundle. The reader can be used again.
func (r *Reader) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.close()
}

func (r *Reader) close() {
	if r.f != nil {
		_ = r.f.Close() // it was only read
	}
	r.f, r.t, r.passed, r.given = nil, nil, nil, nil
}

// Open reads the state that ref names. ref nil, or no such file, is ErrNotKept.
func (r *Reader) Open(ref *trial.StateRef) (*State, error) {
	if ref == nil {
		return nil, ErrNotKept
	}
	b, err := r.Bytes(ref)
	if err != nil {
		return nil, err
	}
	return Read(bytes.NewReader(b))
}

// Bytes gives the file that Open reads, its digest checked.
func (r *Reader) Bytes(ref *trial.StateRef) ([]byte, error) {
	name := filepath.FromSlash(ref.File)
	if !filepath.IsLocal(name) || !strings.HasPrefix(ref.File, Dir+"/") {
		return nil, fmt.Errorf("a stored state at %q, which is no place of the run's", ref.File)
	}
	b, err := r.read(ref.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no %s", ErrNotKept, ref.File)
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	if "sha256:"+hex.EncodeToString(sum[:]) != ref.Digest {
		return nil, fmt.Errorf("%s is not what the run stored: its digest differs", ref.File)
	}
	return b, nil
}

// read gives a file of the run: beside the journal, or in the bundle.
func (r *Reader) read(name string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.given[name] {
		r.close() // begin again
	}
	if r.t == nil {
		bundled, err := r.begin()
		if err != nil {
			return nil, err
		}
		if !bundled {
			return os.ReadFile(filepath.Join(filepath.Dir(r.journal), filepath.FromSlash(name)))
		}
	}
	b, err := r.next(name)
	if err == nil {
		r.given[name] = true
	}
	return b, err
}

// begin opens the bundle; bundled is false where the journal is in none.
func (r *Reader) begin() (bundled bool, err error) {
	f, err := os.Open(r.journal)
	if err != nil {
		return false, err
	}
	if !trial.Bundled(f) {
		return false, f.Close()
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		_ = f.Close() // it was only read
		return true, fmt.Errorf("opening a bundle: %w", err)
	}
	r.f, r.t, r.passed, r.given = f, tar.NewReader(z), map[string][]byte{}, map[string]bool{}
	return true, nil
}

// next gives a file that was passed over, or stands further on in the bundle.
func (r *Reader) next(name string) ([]byte, error) {
	if b, ok := r.passed[name]; ok {
		delete(r.passed, name)
		return b, nil
	}
	for {
		h, err := r.t.Next()
		if errors.Is(err, io.EOF) {
			return nil, fs.ErrNotExist
		}
		if err != nil {
			return nil, fmt.Errorf("opening a bundle: %w", err)
		}
		if h.Typeflag != tar.TypeReg || !strings.HasPrefix(h.Name, Dir+"/") {
			continue
		}
		b, err := io.ReadAll(r.t)
		if err != nil {
			return nil, fmt.Errorf("opening a bundle: %w", err)
		}
		if h.Name == name {
			return b, nil
		}
		r.passed[h.Name] = b
	}
}
