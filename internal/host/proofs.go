package host

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"time"

	"cookoff/internal/cachedir"
	"cookoff/internal/files"
	"cookoff/internal/version"
)

// proofAge is how long an admission is remembered.
const proofAge = 7 * 24 * time.Hour

// Proofs are the tasks that were admitted on this machine, each a file below the
// user's cache that holds what was learned.
type Proofs struct {
	dir  string
	used atomic.Int64 // see Used
}

// Known reports whether a task was admitted not long ago.
func (p *Proofs) Known(key string) ([]byte, bool) {
	name := filepath.Join(p.dir, key)
	st, err := os.Stat(name)
	if err != nil || time.Since(st.ModTime()) > proofAge {
		return nil, false
	}
	learned, err := os.ReadFile(name)
	if err != nil {
		return nil, false
	}
	p.used.Add(1)
	return learned, true
}

// Used is how many tasks were known.
func (p *Proofs) Used() int { return int(p.used.Load()) }

// Add remembers an admission; where it can't, it is made again next time.
func (p *Proofs) Add(key string, learned []byte) {
	if os.MkdirAll(p.dir, 0o700) == nil {
		_ = files.WriteFile(filepath.Join(p.dir, key), learned)
	}
}

// NewProofs gives what is remembered, nil where nothing can be.
func NewProofs() *Proofs {
	dir, err := cachedir.Path("admitted")
	if err != nil {
		return nil
	}
	return &Proofs{dir: dir}
}

// Proving names this very program, by what it holds, and the tools that tasks use:
// a build that is another, or an upgraded tool, proves everything again; the same
// program built again, or copied elsewhere, does not.
func Proving(tools string) string {
	return version.Read().Version + " " + content(ownProgram()) + " " + tools
}

// ownProgram opens as a file what runs, even where another lies at its path by now.
func ownProgram() string {
	if _, err := os.Stat("/proc/self/exe"); err == nil {
		return "/proc/self/exe"
	}
	exe, _ := os.Executable() // "" can't be read, see content
	return exe
}

// content gives the digest of a program, reckoned once: it lies in the user's cache under
// the program's path, size and time. Of one that can't be read it is another each time.
func content(path string) string {
	program, err := os.Open(path)
	if err != nil {
		return rand.Text()
	}
	defer program.Close()
	st, err := program.Stat()
	if err != nil {
		return rand.Text()
	}
	h := sha256.New()
	tell(h, path, st)
	name := ""
	if dir, err := cachedir.Path("digests"); err == nil {
		name = filepath.Join(dir, hex.EncodeToString(h.Sum(nil)))
	}
	if known, err := os.ReadFile(name); err == nil && len(known) == hex.EncodedLen(sha256.Size) {
		return string(known)
	}
	h.Reset()
	if _, err := io.Copy(h, program); err != nil {
		return rand.Text()
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if name != "" && os.MkdirAll(filepath.Dir(name), 0o700) == nil {
		_ = files.WriteFile(name, []byte(sum)) // where it can't, it is reckoned next time
	}
	return sum
}

// look adds to h what says that a program is the same.
func look(h hash.Hash, path string) {
	if st, err := os.Stat(path); err == nil {
		tell(h, path, st)
	}
}

// tell adds to h where a program really lies, its size and its time.
func tell(h hash.Hash, path string, st fs.FileInfo) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	fmt.Fprintf(h, "%s %d %d\n", path, st.Size(), st.ModTime().UnixNano())
}

// Programs names the programs that tasks use, those of tool chains among them: all in
// one.
func Programs(chains []string) string {
	h := sha256.New()
	for _, p := range programs(chains) {
		look(h, p[1])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// EachProgram is Programs of each by itself: by its name, or the directory of a tool chain.
func EachProgram(chains []string) map[string]string {
	each := map[string]string{}
	for _, p := range programs(chains) {
		h := sha256.New()
		look(h, p[1])
		each[p[0]] = hex.EncodeToString(h.Sum(nil)[:8])
	}
	return each
}

// programs gives names and paths.
func programs(chains []string) (list [][2]string) {
	for _, tool := range []string{"bash", "git", "go", "node", "python3", "sed"} {
		if path, err := exec.LookPath(tool); err == nil {
			list = append(list, [2]string{tool, path})
		}
	}
	for _, dir := range chains {
		list = append(list, [2]string{dir, dir})
	}
	return list
}
