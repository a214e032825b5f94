// Package session is a shoot-out without its screen: the tasks that were typed,
// who worked on them, what was picked and applied. Everything is written down
// as it happens, so that a session goes on where it was, whatever ended it.
package session

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Schema is what the record of a session says it is.
const Schema = "cookoff.session/1"

// recordFile is the record in a session's directory.
const recordFile = "session.jsonl"

// Kind says what a record tells. Kinds are never renamed.
type Kind string

// What happens in a session.
const (
	Started  Kind = "session.started"
	Recipe   Kind = "recipe.changed"
	Contests Kind = "models.changed"
	TurnRuns Kind = "turn.started" // a task was typed, or tried again
	TurnEnds Kind = "turn.finished"
	Picked   Kind = "picked"
	Applied  Kind = "applied"
	Rewound  Kind = "rewound"
	Allowed  Kind = "allowed"
)

// Record is a line of a session's record.
type Record struct {
	Kind   Kind      `json:"kind"`
	At     time.Time `json:"at"`
	Schema string    `json:"schema,omitempty"` // session.started

	Source   string   `json:"source,omitempty"`   // of the recipe
	Markdown string   `json:"markdown,omitempty"` // of the recipe
	Models   []string `json:"models,omitempty"`   // that take part
	Turn     int      `json:"turn,omitempty"`     // from 1
	Run      string   `json:"run,omitempty"`
	Prompt   string   `json:"prompt,omitempty"`
	Blind    bool     `json:"blind,omitempty"`
	Choice   Choice   `json:"choice,omitempty"`
	Winner   string   `json:"winner,omitempty"`
	Note     string   `json:"note,omitempty"`
	Undo     string   `json:"undo,omitempty"` // applied: the file that takes it back
	Files    int      `json:"files,omitempty"`
	Allow    []string `json:"allow,omitempty"`
	Once     bool     `json:"once,omitempty"` // allowed: for one task
}

// Choice is how a person judged a turn.
type Choice string

// How a turn may be judged.
const (
	Winner Choice = "winner"
	Tie    Choice = "tie"
	AllBad Choice = "all_bad"
)

// Dir is where the sessions of a project lie.
func Dir(project string) string { return filepath.Join(project, ".cookoff", "sessions") }

// store writes the record of one session.
type store struct {
	dir string
	f   *os.File

	mu   sync.Mutex
	lost error // why the first record that could not be written was not
}

// lose keeps why a record was not written, if it is the first one.
func (s *store) lose(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil {
		s.lost = err
	}
}

// loss is why the first record that could not be written was not; nil: all were.
func (s *store) loss() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// newID names a session: when it began, and some chance.
func newID(now time.Time) string {
	var b [2]byte
	rand.Read(b[:]) // never fails
	return now.UTC().Format("20060102-150405-") + hex.EncodeToString(b[:])
}

func create(project, id string) (*store, error) {
	dir := filepath.Join(Dir(project), id)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	// What was typed is the machine's, not the project's.
	if err := os.WriteFile(filepath.Join(Dir(project), ".gitignore"), []byte("*\n"), 0o644); err != nil {
		return nil, err
	}
	return open(dir)
}

// open goes on with a record. A line that was torn when the terminal was killed
// is ended, so that the next one stands on its own.
func open(dir string) (*store, error) {
	f, err := os.OpenFile(filepath.Join(dir, recordFile), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	if err := endLine(f); err != nil {
		f.Close()
		return nil, err
	}
	return &store{dir: dir, f: f}, nil
}

func endLine(f *os.File) error {
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], st.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = f.WriteString("\n")
	return err
}

// write appends a record and sees it to the disk.
func (s *store) write(r Record) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return err
	}
	if _, err := s.f.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the session: %w", err)
	}
	return s.f.Sync()
}

func (s *store) close() error { return s.f.Close() }

// Read gives the records of a session. Lines that are torn or of a later
// version's kind are passed over.
func Read(dir string) ([]Record, error) {
	f, err := os.Open(filepath.Join(dir, recordFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return decode(f)
}

func decode(r io.Reader) ([]Record, error) {
	var out []Record
	for br := bufio.NewReader(r); ; {
		line, err := br.ReadBytes('\n')
		var rec Record
		if json.Unmarshal(line, &rec) == nil && rec.Kind != "" {
			out = append(out, rec)
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
	}
}

// Info is a session in a list.
type Info struct {
	ID     string    `json:"id"`
	Began  time.Time `json:"began"`
	Last   time.Time `json:"last"`
	Source string    `json:"recipe"`
	Turns  int       `json:"turns"`
	Picked int       `json:"picked"`
	Prompt string    `json:"last_prompt,omitempty"`
}

// List gives the sessions of a project, the latest last. One that can't be
// read is left out.
func List(project string) ([]Info, error) {
	entries, err := os.ReadDir(Dir(project))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []Info
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		recs, err := Read(filepath.Join(Dir(project), e.Name()))
		if err != nil || len(recs) == 0 {
			continue
		}
		out = append(out, infoOf(e.Name(), recs))
	}
	slices.SortFunc(out, func(a, b Info) int { return a.Last.Compare(b.Last) })
	return out, err
}

func infoOf(id string, recs []Record) Info {
	i := Info{ID: id, Began: recs[0].At, Last: recs[len(recs)-1].At}
	for _, r := range recs {
		if r.Source != "" {
			i.Source = r.Source
		}
		switch r.Kind {
		case TurnRuns:
			i.Turns, i.Prompt = max(i.Turns, r.Turn), r.Prompt
		case Picked:
			i.Picked++
		}
	}
	return i
}

// Find gives the id of the session that name begins, "" : the latest one.
func Find(project, name string) (string, error) {
	all, err := List(project)
	if err != nil {
		return "", err
	}
	all = slices.DeleteFunc(all, func(i Info) bool { return !strings.HasPrefix(i.ID, name) })
	switch {
	case len(all) == 0 && name == "":
		return "", fmt.Errorf("no sessions in %s\n  hint: cookoff shootout begins one", Dir(project))
	case len(all) == 0:
		return "", fmt.Errorf("no session %q in %s\n  hint: cookoff sessions lists them", name, Dir(project))
	case len(all) > 1 && name != "":
		return "", fmt.Errorf("session %q is ambiguous: it begins %d sessions\n  hint: cookoff sessions lists them",
			name, len(all))
	}
	return all[len(all)-1].ID, nil
}
