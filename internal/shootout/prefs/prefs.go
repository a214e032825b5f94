// Package prefs keeps what people preferred: one line a choice, only ever
// appended, and what follows from all of them.
package prefs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Schema is what a preference says it is.
const Schema = "cookoff.preference/1"

// Preference is one choice. Keys are only ever added.
type Preference struct {
	Schema  string    `json:"schema"`
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	Run     string    `json:"run"`
	Project string    `json:"project"` // name of its directory
	Recipe  string    `json:"recipe"`
	Source  string    `json:"source"`
	Tags    []string  `json:"tags,omitempty"`
	Task    string    `json:"task"`   // its first line
	Models  []string  `json:"models"` // whose trials count
	LeftOut []string  `json:"left_out,omitempty"`
	Blind   bool      `json:"blind,omitempty"` // names were hidden until the choice
	Choice  string    `json:"choice"`          // winner, tie, all_bad
	Winner  string    `json:"winner,omitempty"`
	Note    string    `json:"note,omitempty"`
}

// Path is where the preferences of a user are kept.
func Path(getenv func(string) string) (string, error) {
	dir := getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(dir) { // the specification says to ignore it then
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("finding the place of preferences: %w", err)
		}
		dir = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(dir, "cookoff", "preferences.jsonl"), nil
}

// Append writes a preference, and sees it to the disk. Several programs may do
// so at once.
func Append(path string, p Preference) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("writing the preference: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("writing the preference: %w", err)
	}
	_, err = f.Write(b.Bytes())
	return errors.Join(err, f.Sync(), f.Close())
}

// Read gives the preferences, and how many lines are none: torn ones, and
// those of a later version. No file is no preferences.
func Read(path string) (out []Preference, strange int, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	return decode(f)
}

func decode(r io.Reader) (out []Preference, strange int, err error) {
	for br := bufio.NewReader(r); ; {
		line, err := br.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var p Preference
			if json.Unmarshal(line, &p) == nil && p.Schema == Schema && p.sound() {
				out = append(out, p)
			} else {
				strange++
			}
		}
		if errors.Is(err, io.EOF) {
			return out, strange, nil
		}
		if err != nil {
			return out, strange, err
		}
	}
}

func (p *Preference) sound() bool {
	switch p.Choice {
	case "winner":
		for _, m := range p.Models {
			if m == p.Winner {
				return true
			}
		}
		return false
	case "tie", "all_bad":
		return true
	}
	return false
}
