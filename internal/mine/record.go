package mine

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"cookoff/internal/files"
	"cookoff/internal/mine/refusal"
)

// Found is what became of a commit: a task, or why there is none.
type Found struct {
	Commit    string         `json:"commit"`
	From      string         `json:"from,omitempty"` // of a range: the commit that it begins behind
	Time      time.Time      `json:"time"`
	Subject   string         `json:"subject"`
	Candidate bool           `json:"candidate"`
	Reason    refusal.Reason `json:"reason,omitempty"`
	Detail    string         `json:"detail,omitempty"`
	Seconds   float64        `json:"seconds"`
	Task      *Task          `json:"task,omitempty"`

	known  bool // of an earlier go
	unkept bool // what it is depends on what was asked for this time: --max-lines
	fresh  bool // nothing lay where this search laid the files of its judge
}

// rules is the number of what decides about commits; another one, and what was found
// before is found again.
const rules = 23

// record keeps what was found, so that an interrupted go is gone on with.
type record struct {
	known map[string]*Found
	key   string
	file  string
	mu    sync.Mutex
}

// line is a line of the record.
type line struct {
	Key string `json:"key"`
	Found
}

// settings say by what commits were decided.
func (m *miner) settings() string {
	text, err := json.Marshal([]any{rules, m.Test, m.Prepare, m.Timeout, m.Path, m.Env, m.Show, m.Vague, m.repo.Prefix,
		m.Beside})
	if err != nil { // plain values always encode
		panic(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// recorded reads what an earlier go with the same settings found. A line that is torn,
// or whose files are gone or are others, is found anew.
func (m *miner) recorded() (*record, error) {
	r := &record{known: map[string]*Found{}, key: m.settings(), file: m.Record}
	if m.Record == "" {
		return r, nil
	}
	text, err := os.ReadFile(m.Record)
	if errors.Is(err, fs.ErrNotExist) {
		return r, os.MkdirAll(filepath.Dir(m.Record), 0o700)
	}
	if err != nil {
		return nil, err
	}
	now := time.Now()
	_ = os.Chtimes(filepath.Dir(m.Record), now, now) // "clean" removes what is not used
	in := bufio.NewReader(bytes.NewReader(text))
	for {
		raw, err := in.ReadBytes('\n')
		var l line
		if err != nil {
			if len(raw) > 0 { // a torn last line
				return r, files.AppendLine(m.Record, "")
			}
			break
		}
		if json.Unmarshal(raw, &l) != nil || l.Key != r.key {
			continue
		}
		f := l.Found
		delete(r.known, f.Commit+f.From) // a later line is in the place of an earlier one
		if f.Task != nil && (f.Task.Sum == "" || m.ground.Sum(f.Task.Files) != f.Task.Sum) {
			continue
		}
		if f.Task != nil && !f.Task.Searched && f.Task.Prepared != "" && !files.IsDir(f.Task.Prepared) {
			continue // what its world has is not there any more
		}
		f.known = true
		r.known[f.Commit+f.From] = &f
	}
	return r, nil
}

// add keeps what was found of a commit.
func (r *record) add(f *Found) error {
	if r.file == "" {
		return nil
	}
	text, err := json.Marshal(line{r.key, *f})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return files.AppendLine(r.file, string(text))
}
