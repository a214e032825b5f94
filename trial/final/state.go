// Package final keeps final states: what trials left, stored beside the journal of a run and read from there or from a
// bundle.
package final

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"time"
	"unicode/utf8"

	"cookoff/trial"
)

// Schema is what a stored final state says it is.
const Schema = "cookoff.state/1"

// MaxContent is the size in bytes above which the content of a file of a
// stored state is not kept: the file is named, with what it is, and why.
const MaxContent = 16 << 20

// State is what a trial left, as the difference from where it started:
// enough to show it, to apply it elsewhere and to judge it again.
type State struct {
	Schema  string      `json:"schema"`
	Trial   trial.Trial `json:"trial"`
	Attempt int         `json:"attempt"`
	Changes []Change    `json:"changes"` // sorted by path
	// Start has the files that the setup touched in this trial, as it left them. Those that it
	// leaves the same each time may have no content. StartSum is of the setup and
	// all files of the start (remake.Sum); "": it was not taken.
	Start    []Change `json:"start,omitempty"` // sorted by path; only After is set
	StartSum string   `json:"start_sum,omitempty"`
	// Tools counts the loop's calls per tool, Wrote those that may have changed
	// files: what criteria ask of a loop and an Outcome does not say.
	Tools map[string]int `json:"tools,omitempty"`
	Wrote int            `json:"wrote,omitempty"`
	// Caches counts the changed files of tools' caches in HOME, which are
	// never kept and never count as a change.
	Caches int `json:"caches,omitempty"`
}

// Change is what became of one file. Path is relative to the project, or
// starts with ~/. Before is nil where there was none, After where there is
// none any more.
type Change struct {
	Path   string
	Before *File
	After  *File
}

// File is a file, directory or link at one moment.
type File struct {
	Mode    fs.FileMode `json:"mode"` // type and permission bits
	Size    int64       `json:"size,omitempty"`
	Sum     string      `json:"sum,omitempty"`   // of the manifest: equal where the content is
	Link    string      `json:"-"`               // target of a symbolic link
	Time    time.Time   `json:"time,omitzero"`   // of the last change
	Owner   string      `json:"owner,omitempty"` // user and group, where a world has several and it is not its root's
	Content string      `json:"content,omitempty"`
	// Missing says why the content is not kept; Content, the SHA-256 of it,
	// is "" then.
	Missing string `json:"missing,omitempty"`
	Data    []byte `json:"-"` // the content
}

// Keep puts data in as the content of the version.
func (v *File) Keep(data []byte) {
	sum := sha256.Sum256(data)
	v.Content, v.Data, v.Missing = hex.EncodeToString(sum[:]), data, ""
}

// Lost gives the paths whose content after the trial is not kept, each with
// the reason: such a state can be shown in part, but not judged again.
func (s *State) Lost() []string {
	var out []string
	for _, c := range s.Changes {
		if c.After != nil && c.After.Missing != "" {
			out = append(out, fmt.Sprintf("%q (%s)", c.Path, c.After.Missing))
		}
	}
	return out
}

func (s *State) missing() int {
	n := 0
	for _, c := range s.Changes {
		for _, v := range []*File{c.Before, c.After} {
			if v != nil && v.Missing != "" {
				n++
			}
		}
	}
	return n
}

// Entries of a stored state: the index, then contents by their SHA-256.
const (
	stateIndex   = "state.json"
	stateContent = "content/"
)

// Bounds of what is read, whoever wrote it.
const (
	maxStateIndex = 128 << 20
	maxStateTotal = 1 << 30
)

// Write writes a state as a gzipped tar file. data gives the content of
// each version that has one; nil: its Data. The same state makes the same
// bytes.
func Write(w io.Writer, s *State, data func(*File) ([]byte, error)) error {
	if data == nil {
		data = func(v *File) ([]byte, error) { return v.Data, nil }
	}
	whole := *s
	if whole.Changes == nil {
		whole.Changes = []Change{}
	}
	index, err := trial.Encode(whole)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	if err := putEntry(t, stateIndex, index); err != nil {
		return err
	}
	done := map[string]bool{}
	for _, v := range s.versions() {
		if v.Content == "" || done[v.Content] {
			continue
		}
		done[v.Content] = true
		b, err := data(v)
		if err != nil {
			return err
		}
		if err := putEntry(t, stateContent+v.Content, b); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func putEntry(t *tar.Writer, name string, b []byte) error {
	h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(b)), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	_, err := t.Write(b)
	return err
}

// Read reads a stored state with all contents, each checked against its
// sum.
func Read(r io.Reader) (*State, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("reading a stored state: %w", err)
	}
	t := tar.NewReader(z)
	s, err := readIndex(t)
	if err != nil {
		return nil, fmt.Errorf("reading a stored state: %w", err)
	}
	contents, err := readContents(t)
	if err != nil {
		return nil, fmt.Errorf("reading a stored state: %w", err)
	}
	for path, v := range s.versions() {
		if v.Content == "" {
			continue
		}
		data, ok := contents[v.Content]
		if !ok {
			return nil, fmt.Errorf("reading a stored state: the content of %q is missing", path)
		}
		v.Data = data
	}
	return s, nil
}

// versions gives every version of a file that the state has, with its path.
func (s *State) versions() iter.Seq2[string, *File] {
	return func(yield func(string, *File) bool) {
		for _, c := range slices.Concat(s.Changes, s.Start) {
			for _, v := range []*File{c.Before, c.After} {
				if v != nil && !yield(c.Path, v) {
					return
				}
			}
		}
	}
}

// readIndex reads the first entry of a final state, which lists all changes.
func readIndex(t *tar.Reader) (*State, error) {
	h, err := t.Next()
	if err != nil {
		return nil, err
	}
	if h.Name != stateIndex || h.Size > maxStateIndex {
		return nil, fmt.Errorf("the first entry is %q of %d bytes, no index", h.Name, h.Size)
	}
	b, err := io.ReadAll(t)
	if err != nil {
		return nil, err
	}
	s := &State{}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, err
	}
	if s.Schema != Schema {
		return nil, fmt.Errorf("its schema is %q, this cookoff reads %s", s.Schema, Schema)
	}
	return s, nil
}

// readContents reads the contents behind the index, by their SHA-256 in hexadecimal. A
// content that is not what its name says, or too large, is an error.
func readContents(t *tar.Reader) (map[string][]byte, error) {
	out := map[string][]byte{}
	for total := int64(0); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if total += h.Size; h.Size > MaxContent || total > maxStateTotal {
			return nil, fmt.Errorf("%q is too large: %d bytes", h.Name, h.Size)
		}
		b, err := io.ReadAll(t)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(b)
		name := hex.EncodeToString(sum[:])
		if h.Name != stateContent+name {
			return nil, fmt.Errorf("%q does not hold what its name says", h.Name)
		}
		out[name] = b
	}
}

// text is a name or link target: any bytes. JSON strings can't carry all of
// them, so what is not UTF-8 is written as {"b64": …}.
type text string

func (n text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return trial.Encode(string(n))
	}
	return json.Marshal(map[string]string{"b64": base64.StdEncoding.EncodeToString([]byte(n))})
}

func (n *text) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err == nil {
		*n = text(s)
		return nil
	}
	var o struct {
		B64 []byte `json:"b64"`
	}
	if err := json.Unmarshal(b, &o); err != nil {
		return err
	}
	*n = text(o.B64)
	return nil
}

// version and change are File and Change as they are written.
type version struct {
	File
	Link text `json:"link,omitempty"`
}

type change struct {
	Path   text     `json:"path"`
	Before *version `json:"before,omitempty"`
	After  *version `json:"after,omitempty"`
}

func written(v *File) *version {
	if v == nil {
		return nil
	}
	return &version{*v, text(v.Link)}
}

func (v *version) read() *File {
	if v == nil {
		return nil
	}
	out := v.File
	out.Link = string(v.Link)
	return &out
}

// MarshalJSON keeps every byte of names.
func (c Change) MarshalJSON() ([]byte, error) {
	return trial.Encode(change{text(c.Path), written(c.Before), written(c.After)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Change) UnmarshalJSON(b []byte) error {
	var w change
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*c = Change{string(w.Path), w.Before.read(), w.After.read()}
	return nil
}
