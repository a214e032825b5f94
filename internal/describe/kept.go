package describe

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

	"cookoff/internal/files"
)

// Kept is a file of the user's own with what models wrote, and which of it was taken, so
// that nothing is paid for twice.
type Kept struct {
	file string
	by   map[string]*Description
}

// line is a line of the file; the last one of a key holds.
type line struct {
	Key string `json:"key"`
	Description
}

// Open reads what was kept; file "": nothing is.
func Open(file string) (*Kept, error) {
	k := &Kept{file, map[string]*Description{}}
	if file == "" {
		return k, nil
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return k, os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err != nil {
		return nil, err
	}
	for in := bufio.NewScanner(bytes.NewReader(text)); in.Scan(); {
		var l line
		if json.Unmarshal(in.Bytes(), &l) == nil && l.Key != "" { // a torn line is asked again
			k.by[l.Key] = &l.Description
		}
	}
	return k, nil
}

// Key names what a model is asked.
func Key(name string, in Input) string {
	text, err := json.Marshal([]any{name, in.Request()})
	if err != nil { // plain values always encode
		panic(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Of gives what is kept under a key; nil: nothing.
func (k *Kept) Of(key string) *Description { return k.by[key] }

// Put keeps a description.
func (k *Kept) Put(key string, d *Description) error {
	k.by[key] = d
	if k.file == "" {
		return nil
	}
	text, err := json.Marshal(line{key, *d})
	if err != nil {
		return err
	}
	return files.AppendLine(k.file, string(text))
}
