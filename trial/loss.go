package trial

import (
	"cookoff/internal/files"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// Loss says how a trial came to fail: the move with which it lost.
type Loss struct {
	Calls int `json:"calls"` // of tools that it made
	// Unknown says why nothing can be said; the rest is empty then.
	Unknown string `json:"unknown,omitempty"`
	// Move is the first after which the task's solution no longer mends the world;
	// nil: it mends what the trial left.
	Move *Move `json:"move,omitempty"`
	// Check is the first that does not hold after the move and the solution, Because
	// what it says. With no Check the solution itself fails there.
	Check   string `json:"check,omitempty"`
	Because string `json:"because,omitempty"`
	// Once are the checks that do not hold at the end and did before.
	Once []Once `json:"once,omitempty"`
	// Differs says what came out otherwise when the calls were made again; "":
	// nothing did, and the finding is deterministic.
	Differs string `json:"differs,omitempty"`
}

// Confidence says how sure the finding is: that the calls came out as they did when they
// were made again, or what did not. "": no call was made again.
func (l Loss) Confidence() string {
	switch {
	case l.Calls == 0 || l.Unknown != "":
		return ""
	case l.Differs == "":
		return "deterministic on re-execution"
	}
	return "not reproducible: " + l.Differs
}

// Move is one call of a tool in a trial.
type Move struct {
	Step int             `json:"step"` // the reply that asked for it, from 1
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
	// Paths are the first of the files that it changed, as final states name them.
	Paths []string `json:"paths,omitempty"`
}

// Once is a check that held once.
type Once struct {
	Check string `json:"check"`
	// After is the last move after which it held; nil: it held at the start alone.
	After *Move `json:"after,omitempty"`
}

// Command is what a move says in one line: its command, path or arguments.
func (m Move) Command() string {
	var args map[string]any
	if json.Unmarshal(m.Args, &args) != nil {
		return string(m.Args)
	}
	for _, key := range []string{"command", "path", "file_path", "patch"} {
		if text, ok := args[key].(string); ok {
			line, more, _ := strings.Cut(strings.TrimSpace(text), "\n")
			if more != "" {
				line += " …"
			}
			return line
		}
	}
	return string(m.Args)
}

// lossesFile is the name of the file, beside a journal, that says how its trials
// came to fail.
const lossesFile = "why.json"

const lossesSchema = "cookoff.why/1"

// maxLosses bounds what is read of that file, in bytes.
const maxLosses = 64 << 20

// Losses are what is known of a run's failed trials.
type Losses struct {
	Schema string          `json:"schema"` // cookoff.why/1
	Recipe string          `json:"recipe"` // digest of that whose solutions were tried
	Trials map[string]Loss `json:"trials"` // by id
}

// ReadLosses reads what was found of a journal's trials; empty where nobody looked.
func ReadLosses(journal string) (l Losses, err error) {
	path := filepath.Join(filepath.Dir(journal), lossesFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, err
	}
	defer f.Close()
	if err := json.NewDecoder(io.LimitReader(f, maxLosses)).Decode(&l); err != nil {
		return Losses{}, fmt.Errorf("%s can't be read: %w\n  hint: delete it, and cookoff why makes it anew", path, err)
	}
	if l.Schema != lossesSchema {
		return Losses{}, fmt.Errorf("%s is of schema %q, and %q is understood\n"+
			"  hint: delete it, and cookoff why makes it anew", path, l.Schema, lossesSchema)
	}
	return l, nil
}

// Add puts what was found beside a journal, with what was found before by the same
// recipe.
func (l Losses) Add(journal string) error {
	before, err := ReadLosses(journal)
	if err == nil && before.Recipe == l.Recipe {
		all := maps.Clone(before.Trials)
		maps.Copy(all, l.Trials)
		l.Trials = all
	}
	l.Schema = lossesSchema
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	return files.WriteFile(filepath.Join(filepath.Dir(journal), lossesFile), append(text, '\n'))
}
