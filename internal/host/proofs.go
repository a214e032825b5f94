package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"time"

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

// NewProofs gives what is remembered, nil where there is no cache directory.
func NewProofs() *Proofs {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return &Proofs{dir: filepath.Join(base, "cookoff", "admitted")}
}

// Proving names this very program and the tools that tasks use: another build
// or an upgraded tool proves everything again.
func Proving(tools string) string {
	h := sha256.New()
	if exe, err := os.Executable(); err == nil {
		look(h, exe)
	}
	return version.Read().Version + " " + hex.EncodeToString(h.Sum(nil)) + " " + tools
}

// look adds to h what says that a program is the same.
func look(h hash.Hash, path string) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if st, err := os.Stat(path); err == nil {
		fmt.Fprintf(h, "%s %d %d\n", path, st.Size(), st.ModTime().UnixNano())
	}
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
