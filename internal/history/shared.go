package history

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"cookoff/internal/cachedir"
	"cookoff/internal/temporary"
)

// fileTime is the time of every file of a commit. It is the same for all commits, since
// trees of several have a file that does not differ between them in common.
var fileTime = time.Unix(1_000_000_000, 0)

// Share has the trees of a repository's commits share files and packs that are alike, as
// hard links to a directory of the user's cache. Where there is none, or links can't lead
// there, trees have copies. Nobody may write to the files of such a tree.
func (r *Repo) Share() {
	bases, err := cachedir.Path("bases")
	if err != nil {
		return
	}
	common := r.Common
	if real, err := filepath.EvalSymlinks(common); err == nil {
		common = real
	}
	sum := sha256.Sum256([]byte(common))
	r.shared = sharedIn(filepath.Join(bases, hex.EncodeToString(sum[:16])))
}

// sharedIn makes a directory ready, anew after each start of the machine: what was not on
// the disk yet when it went down is not there. nil: there can be none.
func sharedIn(dir string) *shared {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // Linux only
	mark := filepath.Join(dir, "boot")
	if was, err := os.ReadFile(mark); err != nil || string(was) != string(boot) {
		if os.RemoveAll(dir) != nil || os.MkdirAll(dir, 0o700) != nil || os.WriteFile(mark, boot, 0o600) != nil {
			return nil
		}
	}
	if st, err := os.Lstat(dir); err != nil || !st.IsDir() || st.Mode().Perm()&0o077 != 0 {
		return nil // a link, or somebody else's too
	}
	now := time.Now()
	_ = os.Chtimes(dir, now, now) // "clean" removes what is not used
	return &shared{dir}
}

// shared are files and packs that trees have in common.
type shared struct{ dir string }

// file puts a file of a commit into a tree, as a link. false: it has to be written.
func (s *shared) file(f File, mode fs.FileMode, at string, read *reader) (bool, error) {
	name := f.ID
	if mode == 0o755 {
		name += "x"
	}
	own := filepath.Join(s.dir, "files", name[:2], name[2:])
	if st, err := os.Lstat(own); err != nil || !st.Mode().IsRegular() || st.Mode().Perm() != mode || st.Size() != f.Size ||
		!st.ModTime().Equal(fileTime) {
		if err := s.write(f, mode, own, read); err != nil {
			return false, err
		}
	}
	return os.Link(own, at) == nil, nil // not from one file system to another, nor any number of times
}

// write puts a file beside the others once its content is known to be the one that its
// name says: who has a repository can have put anything into it.
func (s *shared) write(f File, mode fs.FileMode, own string, read *reader) error {
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
		return err
	}
	w, err := temporary.File(s.dir, "new-*")
	if err != nil {
		return err
	}
	defer os.Remove(w.Name())
	h := sha1.New()
	if len(f.ID) > 2*sha1.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", f.Size)
	err = errors.Join(read.copy(f, io.MultiWriter(w, h)), w.Chmod(mode), w.Close())
	if err == nil && hex.EncodeToString(h.Sum(nil)) != f.ID {
		err = fmt.Errorf("the repository is damaged: the content of %q is not %.12s", f.Path, f.ID)
	}
	if err == nil {
		err = os.Chtimes(w.Name(), fileTime, fileTime)
	}
	if err == nil {
		err = os.Rename(w.Name(), own)
	}
	return err
}

// packs puts the contents of files into a repository's directory of packs, as links to
// packs of some hundred files that lie side by side: from one commit to the next most
// packs stay. false: they have to be written.
func (s *shared) packs(ctx context.Context, r *Repo, files []File, into string) (bool, error) {
	for _, ids := range groups(files) {
		sum := sha256.Sum256([]byte(ids))
		own := filepath.Join(s.dir, "packs", hex.EncodeToString(sum[:16]))
		list, err := os.ReadDir(own)
		if errors.Is(err, fs.ErrNotExist) {
			if err := s.pack(ctx, r, ids, own); err != nil {
				return false, err
			}
			list, err = os.ReadDir(own)
		}
		if err != nil {
			return false, err
		}
		for _, e := range list {
			err := os.Link(filepath.Join(own, e.Name()), filepath.Join(into, e.Name()))
			if errors.Is(err, syscall.EXDEV) || errors.Is(err, syscall.EMLINK) || errors.Is(err, syscall.EPERM) {
				return false, nil
			}
			if err != nil && !errors.Is(err, fs.ErrExist) { // two groups of the same contents
				return false, err
			}
		}
	}
	return true, nil
}

// groups gives the ids of files, a line each, in groups. Where one begins is said by
// paths alone, so that a file that changes is in its own group as before.
func groups(files []File) (out []string) {
	size := uint32(256)
	for int(size)*24 < len(files) {
		size *= 2
	}
	var ids strings.Builder
	for _, f := range files {
		ids.WriteString(f.ID + "\n")
		h := fnv.New32a()
		_, _ = h.Write([]byte(f.Path)) // never fails
		if h.Sum32()%size == 0 {
			out = append(out, ids.String())
			ids.Reset()
		}
	}
	if ids.Len() > 0 {
		out = append(out, ids.String())
	}
	return out
}

// pack makes the directory of one pack.
func (s *shared) pack(ctx context.Context, r *Repo, ids, own string) error {
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
		return err
	}
	tmp, err := temporary.Dir(s.dir, "new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	aside, err := temporary.Dir(s.dir, "new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(aside)
	args := append(packing(), filepath.Join(tmp, "pack"))
	if _, err := run(ctx, "/", r.writingTo(aside), []byte(ids), args...); err != nil {
		return err
	}
	if err := os.Rename(tmp, own); err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, syscall.ENOTEMPTY) {
		return err
	}
	return nil // another made it meanwhile
}

// packing are the arguments of git that pack contents. Looking for deltas among the
// files of one commit takes five times as long, and saves next to nothing.
func packing() []string {
	return []string{"-c", "pack.writeReverseIndex=false", "-c", "pack.compression=1", "pack-objects", "--quiet",
		"--delta-base-offset", "--window=0"}
}
