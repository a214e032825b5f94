package copies

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cookoff/internal/temporary"
	"cookoff/sandbox/trees"

	"golang.org/x/sys/unix"
)

// Tree is a copy that nobody changes until it is released.
type Tree struct {
	Dir   string
	Made  string   // names this content among all that the copy ever had
	home  string   // directory of the copy, its index and what is remembered of it
	users *os.File // locked together with all who start from it
}

// Names in a copy's directory. Whoever looks at a project holds updateLock; whoever
// starts from its copy holds usersLock with others.
const (
	treeName   = "p"
	indexName  = "index"
	factsName  = "facts"
	updateLock = "update.lock"
	usersLock  = "users.lock"
)

// Take gives the copy of a project as it is now. What is unchanged since the last
// time is not copied again. The error is ctx's, ErrNotKept, an *UnreadableError, or
// what went wrong with the files.
func (s *Store) Take(ctx context.Context, src string, skip Skip) (*Tree, error) {
	src, err := filepath.EvalSymlinks(src)
	if err == nil {
		src, err = filepath.Abs(src)
	}
	if err != nil {
		return nil, err
	}
	if err := s.makeDir(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(src))
	home := filepath.Join(s.Dir, "project-"+hex.EncodeToString(sum[:8]))
	if err := own(home); err != nil {
		return nil, err
	}
	looking, err := locked(filepath.Join(home, updateLock), unix.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer looking.Close()
	defer s.sweep(home)
	t := &Tree{Dir: filepath.Join(home, treeName), home: home}
	if err := s.update(ctx, t, src, skip); err != nil {
		return nil, err
	}
	return t, nil
}

// makeDir makes the directory of all copies, in which git sees nothing.
func (s *Store) makeDir() error {
	if err := os.MkdirAll(filepath.Dir(s.Dir), 0o755); err != nil {
		return fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	if err := own(s.Dir); err != nil {
		return err
	}
	temporary.Spread(s.Dir)
	ignore := filepath.Join(s.Dir, ".gitignore")
	if _, err := os.Lstat(ignore); err == nil {
		return nil
	}
	if err := os.WriteFile(ignore, []byte("*\n"), 0o600); err != nil {
		return fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	return nil
}

// own makes a directory that is this user's alone, or sees that it is.
func own(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR || int(st.Uid) != os.Geteuid() || st.Mode&0o022 != 0 {
		return fmt.Errorf("%w: %s is not a directory of this user's alone", ErrNotKept, dir)
	}
	return nil
}

// locked opens a file and locks it, without waiting.
func locked(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	if err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	held, err := f.Stat()
	if there, err2 := os.Lstat(path); err != nil || err2 != nil || !os.SameFile(held,
		there) { // it was swept away meanwhile
		f.Close()
		return nil, fmt.Errorf("%w: %s is another file by now", ErrNotKept, path)
	}
	return f, nil
}

// update makes a copy what its project is, and takes it. The update lock is held.
func (s *Store) update(ctx context.Context, t *Tree, src string, skip Skip) error {
	now, err := s.now()
	if err != nil {
		return err
	}
	before, err := readIndex(filepath.Join(t.home, indexName))
	if err != nil || before.Boot != boot() {
		before = &index{}
	}
	l := &look{ctx: ctx, skip: skip, before: map[string]*entry{}, whole: before.Made != ""}
	for i := range before.Entries {
		l.before[before.Entries[i].Path] = &before.Entries[i]
	}
	if err := l.at(src, t.Dir); err != nil {
		return err
	}
	if most := s.Most; l.size > MostBytes && most == 0 || most > 0 && l.size > most {
		return fmt.Errorf("%w: it has %d bytes", ErrNotKept, l.size)
	}
	if len(l.unreadable) > 0 {
		return &UnreadableError{l.unreadable}
	}
	after := &index{Made: before.Made, Boot: boot(), Entries: l.found}
	if alone, err := locked(filepath.Join(t.home, usersLock), unix.LOCK_EX); err == nil {
		err = t.put(ctx, l, after, src, now)
		alone.Close()
		if err != nil {
			return err
		}
	} else if l.changed() { // others start from what it was
		return err
	}
	t.Made = after.Made
	t.users, err = locked(filepath.Join(t.home, usersLock), unix.LOCK_SH)
	return err
}

// put brings a copy that nobody uses up to date.
func (t *Tree) put(ctx context.Context, l *look, after *index, src string, now time.Time) error {
	at := filepath.Join(t.home, indexName)
	if !l.changed() {
		if l.settle(now) {
			return after.write(at) // of the same content; more of it is sure
		}
		return nil
	}
	// Without an index nothing of it counts, should this process end here.
	if err := errors.Join(trees.Remove(at), trees.Remove(filepath.Join(t.home, factsName))); err != nil {
		return err
	}
	if !l.whole {
		if err := trees.Remove(t.Dir); err != nil {
			return err
		}
	}
	c := &copying{ctx: ctx, look: l, src: src, dst: t.Dir}
	if err := c.all(); err != nil {
		return err
	}
	l.settle(now)
	after.Made = rand.Text()
	return after.write(at)
}

// now is the time by the clock that stamps the files here, or by this machine's where
// that is earlier.
func (s *Store) now() (time.Time, error) {
	probe := filepath.Join(s.Dir, ".clock")
	if err := os.WriteFile(probe, []byte{'\n'}, 0o600); err != nil {
		return time.Time{}, fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	st, err := os.Lstat(probe)
	if err != nil {
		return time.Time{}, err
	}
	if now := time.Now(); now.Before(st.ModTime()) {
		return now, nil
	}
	return st.ModTime(), nil
}

// boot names the time since when the machine runs.
func boot() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // "": then as long as it runs
	return strings.TrimSpace(string(id))
}

// sweep removes the copies of other projects that nobody has started from for long.
func (s *Store) sweep(but string) {
	for _, home := range s.Homes() {
		st, err := os.Lstat(filepath.Join(home, usersLock))
		if home == but || err != nil || time.Since(st.ModTime()) < unused {
			continue
		}
		_ = remove(home)
	}
}

// remove removes a copy that nobody uses.
func remove(home string) error {
	looking, err := locked(filepath.Join(home, updateLock), unix.LOCK_EX)
	if err != nil {
		return err
	}
	defer looking.Close()
	alone, err := locked(filepath.Join(home, usersLock), unix.LOCK_EX)
	if err != nil {
		return err
	}
	defer alone.Close()
	return errors.Join(trees.Remove(filepath.Join(home, indexName)), trees.Remove(home))
}

// Release lets others change the copy.
func (t *Tree) Release() {
	if t.users != nil {
		now := time.Now()
		_ = os.Chtimes(t.users.Name(), now, now) // it was used
		t.users.Close()
		t.users = nil
	}
}

// Fact gives what was remembered of exactly this content under a name.
func (t *Tree) Fact(name string) ([]byte, bool) {
	text, err := os.ReadFile(filepath.Join(t.home, factsName, t.Made, name))
	return text, err == nil
}

// Remember keeps what was found out about this content. Where it can't, it is found
// out again.
func (t *Tree) Remember(name string, text []byte) {
	dir := filepath.Join(t.home, factsName, t.Made)
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	half := filepath.Join(dir, "."+name+"."+rand.Text())
	temporary.Note(half)
	if os.WriteFile(half, text, 0o600) != nil || os.Rename(half, filepath.Join(dir, name)) != nil {
		_ = os.Remove(half)
	}
}
