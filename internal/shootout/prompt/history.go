package prompt

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// kept is how many entries of the history are looked at.
const kept = 2000

// History is what was typed before, the latest last. Several programs may add
// to its file at once.
type History struct {
	path    string // "": it is not kept
	entries []string
}

// ReadHistory reads a history; a file that can't be read is an empty one.
func ReadHistory(path string) *History {
	h := &History{path: path}
	f, err := os.Open(path)
	if err != nil {
		return h
	}
	defer f.Close()
	for br := bufio.NewReader(f); ; {
		line, err := br.ReadBytes('\n')
		var text string
		if json.Unmarshal(line, &text) == nil && text != "" {
			h.entries = append(h.entries, text)
		}
		if err != nil {
			break
		}
	}
	h.entries = h.entries[max(0, len(h.entries)-kept):]
	return h
}

// Add appends what was typed, unless it is the same as the last time.
func (h *History) Add(text string) error {
	if text == "" || len(h.entries) > 0 && h.entries[len(h.entries)-1] == text {
		return nil
	}
	h.entries = append(h.entries, text)
	if h.path == "" {
		return nil
	}
	line, err := json.Marshal(text)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, string(line)+"\n")
	return errors.Join(err, f.Close())
}

// find gives the latest entry before the one at that holds text, and where it
// is; -1: there is none.
func (h *History) find(text string, at int) (string, int) {
	for i := min(at, len(h.entries)) - 1; i >= 0; i-- {
		if strings.Contains(strings.ToLower(h.entries[i]), strings.ToLower(text)) {
			return h.entries[i], i
		}
	}
	return "", -1
}
