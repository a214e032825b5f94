package trial

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/binary"
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
	"syscall"
	"time"
)

// JournalFile is the name of the journal in a run's directory.
const JournalFile = "journal.jsonl"

// Schema is what the first line of a journal says it is.
const Schema = "cookoff.journal/1"

// runsDir is where the runs of a project are kept, relative to it.
const runsDir = ".cookoff/runs"

// RunsDir gives the directory that holds the runs of the project at dir.
func RunsDir(dir string) string { return filepath.Join(dir, runsDir) }

// NewRunID makes the name of a run: when it began, and enough chance that two
// never meet. Names sort by time, also within a second: the first half of what
// follows it is its fraction, in 4096ths.
func NewRunID(now time.Time) string {
	var b [2]byte
	rand.Read(b[:]) // never fails
	fraction := int64(now.Nanosecond()) * 4096 / 1_000_000_000
	chance := binary.BigEndian.Uint16(b[:]) & 0xfff
	return fmt.Sprintf("%s%03x%03x", now.UTC().Format("20060102-150405-"), fraction, chance)
}

// Journal appends events to a file, one JSON line each, secrets redacted. It
// is a Sink for one goroutine at a time or many.
type Journal struct {
	path    string
	secrets []secret

	mu      sync.Mutex
	f       *os.File
	written int64 // bytes, by this process
	size    int64 // of the file

	syncing sync.Mutex
	synced  int64 // of them
}

type secret struct{ value, name []byte }

// JournalError says that the record can't be kept; the run can't go on. None: nothing
// was written yet.
type JournalError struct {
	Path string
	Err  error
	None bool
}

func (e *JournalError) Error() string {
	why := e.Err
	if p, ok := errors.AsType[*fs.PathError](e.Err); ok && p.Path == e.Path {
		why = p.Err
	}
	text := fmt.Sprintf("writing the journal %s: %v", e.Path, why)
	switch {
	case !e.None && errors.Is(e.Err, syscall.ENOSPC):
		return text + "\n  hint: a disk is full, or takes no more files (df and df -i say which): make room where runs " +
			"are kept, and cookoff resume goes on from what was recorded"
	case errors.Is(e.Err, ErrGone):
		return text
	case !e.None:
		return text + " (what was written before is kept)"
	case errors.Is(e.Err, syscall.ENOSPC): // there is another way out
		return text
	}
	return text + "\n  hint: runs are kept in .cookoff of the project, " +
		"which has to be a directory that you may write to; nothing was run"
}
func (e *JournalError) Unwrap() error { return e.Err }

// CreateJournal starts the journal of the run id of the project at dir.
// secrets maps names to values that must never be written.
func CreateJournal(dir, id string, secrets map[string]string) (*Journal, error) {
	run := filepath.Join(RunsDir(dir), id)
	path := filepath.Join(run, JournalFile)
	if err := os.MkdirAll(run, 0o755); err != nil {
		return nil, &JournalError{path, err, true}
	}
	// Runs are the machine's, not the project's: keep them out of its history.
	ignore := filepath.Join(RunsDir(dir), ".gitignore")
	if err := os.WriteFile(ignore, []byte("*\n"), 0o644); err != nil {
		return nil, &JournalError{ignore, err, true}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o644)
	if err != nil {
		return nil, &JournalError{path, err, true}
	}
	hold(f)
	return &Journal{path: path, f: f, secrets: redactions(secrets)}, nil
}

// CanRecord refuses a project where no run could be kept, before anything is paid for one;
// nothing is made.
func CanRecord(dir string) error {
	at := RunsDir(dir)
	for {
		err := mayWrite(at)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrNotExist) && filepath.Dir(at) != at:
			at = filepath.Dir(at)
		default:
			return &JournalError{RunsDir(dir), &fs.PathError{Op: "writing into", Path: at, Err: err}, true}
		}
	}
}

// ErrWritten is wrapped by the error about a journal that another process writes.
var ErrWritten = errors.New("another cookoff is at work on this run")

// ContinueJournal opens the journal at path to write on. A last line that was
// cut off while it was written is taken out: it stands for nothing.
func ContinueJournal(path string, secrets map[string]string) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, &JournalError{Path: path, Err: err}
	}
	if !Hold(f) {
		f.Close()
		return nil, &JournalError{Path: path, Err: ErrWritten}
	}
	err = DropTorn(f)
	st, statErr := f.Stat()
	if err = errors.Join(err, statErr); err != nil {
		f.Close()
		return nil, &JournalError{Path: path, Err: err}
	}
	return &Journal{path: path, f: f, secrets: redactions(secrets), size: st.Size()}, nil
}

// DropTorn takes what stands behind the last line break out of a file of lines.
func DropTorn(f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	block := make([]byte, 64<<10)
	end := st.Size()
	for end > 0 {
		from := max(end-int64(len(block)), 0)
		b := block[:end-from]
		if _, err := f.ReadAt(b, from); err != nil {
			return err
		}
		if at := bytes.LastIndexByte(b, '\n'); at >= 0 {
			end = from + int64(at) + 1
			break
		}
		end = from
	}
	if end == st.Size() {
		return nil
	}
	return f.Truncate(end)
}

// redactions gives the secrets as they stand in a JSON line, longest first.
func redactions(secrets map[string]string) []secret {
	var out []secret
	for name, v := range secrets {
		if len(v) < 8 { // too short to be a key, and likely to be part of honest text
			continue
		}
		line, err := Encode(v)
		if err != nil {
			continue // a string always encodes
		}
		out = append(out, secret{bytes.Trim(line, "\n")[1 : len(line)-2], []byte("[redacted:" + name + "]")})
	}
	slices.SortFunc(out, func(a, b secret) int {
		return cmp.Or(cmp.Compare(len(b.value), len(a.value)), bytes.Compare(a.value, b.value))
	})
	return out
}

// Path is the journal's file.
func (j *Journal) Path() string { return j.path }

// Emit appends one line: it survives the process, and with Sync the machine. What
// begins or ends a run is on disk when it returns.
func (j *Journal) Emit(e Event) error {
	line, err := redacted(e, j.secrets)
	if err != nil {
		return &JournalError{Path: j.path, Err: err}
	}
	if err := j.write(line); err != nil {
		return &JournalError{Path: j.path, Err: err}
	}
	switch e.Kind {
	case RunStarted, RunFinished:
		return j.Sync()
	}
	return nil
}

func (j *Journal) write(line []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.there(); err != nil {
		return err
	}
	n, err := j.f.Write(line)
	j.written += int64(n)
	j.size += int64(n)
	return err
}

// ErrGone is wrapped by the error about a journal that was removed, replaced,
// emptied or written to by others while it was written.
var ErrGone = errors.New("it was removed, replaced, cut or written to by another program while the run went on")

// there looks whether the file at the path is still the one that is written. The
// lock is held.
func (j *Journal) there() error {
	own, err := j.f.Stat()
	if err != nil {
		return err
	}
	st, err := os.Stat(j.path)
	if err != nil || !os.SameFile(own, st) || own.Size() != j.size {
		return ErrGone
	}
	return nil
}

// Rescue writes what is left of a journal that is gone into a file of its own, without
// what others wrote behind it, and gives its path; "": nothing is left.
func (j *Journal) Rescue() (path string, err error) {
	if st, err := j.f.Stat(); err != nil || st.Size() == 0 {
		return "", err
	}
	to, err := os.CreateTemp("", "cookoff-rescued-*.jsonl")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, io.NewSectionReader(j.f, 0, j.size))
	return to.Name(), errors.Join(err, to.Close())
}

// Kept reports whether a run's directory holds a journal.
func Kept(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, JournalFile))
	return err == nil
}

// Sync returns once all that was emitted before is on disk. Who comes while
// another waits for the disk waits for the next turn, and shares it.
func (j *Journal) Sync() error {
	j.mu.Lock()
	mine := j.written
	j.mu.Unlock()
	j.syncing.Lock()
	defer j.syncing.Unlock()
	if j.synced >= mine {
		return nil
	}
	j.mu.Lock()
	all := j.written
	j.mu.Unlock()
	if err := j.f.Sync(); err != nil {
		return &JournalError{Path: j.path, Err: err}
	}
	j.synced = all
	return nil
}

// redacted is an event as a line in which no secret stands.
func redacted(e Event, secrets []secret) ([]byte, error) {
	line, err := Encode(e)
	for _, s := range secrets {
		line = bytes.ReplaceAll(line, s.value, s.name)
	}
	return line, err
}

// Close closes the file.
func (j *Journal) Close() error { return j.f.Close() }

// Encode gives a line of JSON as journals have it: no character is escaped for HTML.
func Encode(e any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(e)
	return b.Bytes(), err
}

// Runs lists the ids of the runs of the project at dir, oldest first.
func Runs(dir string) ([]string, error) {
	entries, err := os.ReadDir(RunsDir(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() {
			ids = append(ids, e.Name())
		}
	}
	return ids, err
}

// latestRun means the last run of a project, as no name at all does.
const latestRun = "latest"

// FindRun gives the journal of the run that name means in the project at dir:
// a path to a journal or to a run's directory, an id or the only id that
// begins so, or "" or "latest" for the latest.
func FindRun(dir, name string) (string, error) {
	if name != "" {
		for _, p := range []string{filepath.Join(name, JournalFile), name} {
			if st, err := os.Stat(p); err == nil && st.Mode().IsRegular() {
				return p, nil
			}
		}
	}
	ids, err := Runs(dir)
	if err != nil {
		return "", err
	}
	if name == latestRun {
		name = ""
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return !strings.HasPrefix(id, name) })
	switch {
	case len(ids) == 0 && name == "":
		return "", fmt.Errorf("no runs in %s\n  hint: cookoff run makes one", RunsDir(dir))
	case len(ids) == 0:
		return "", fmt.Errorf("no run %q in %s\n  hint: cookoff runs lists them", name, RunsDir(dir))
	case len(ids) > 1 && name != "":
		return "", fmt.Errorf("run %q is ambiguous: %s", name, strings.Join(ids, ", "))
	}
	return filepath.Join(RunsDir(dir), ids[len(ids)-1], JournalFile), nil
}
