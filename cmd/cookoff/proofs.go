package main

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
)

// proofAge is how long an admission is remembered.
const proofAge = 7 * 24 * time.Hour

// proofs are the tasks that were admitted on this machine, each a file below the
// user's cache that holds what was learned.
type proofs struct {
	dir   string
	known atomic.Int64 // how many were known
}

// Known reports whether a task was admitted not long ago.
func (p *proofs) Known(key string) ([]byte, bool) {
	name := filepath.Join(p.dir, key)
	st, err := os.Stat(name)
	if err != nil || time.Since(st.ModTime()) > proofAge {
		return nil, false
	}
	learned, err := os.ReadFile(name)
	if err != nil {
		return nil, false
	}
	p.known.Add(1)
	return learned, true
}

// Add remembers an admission; where it can't, it is made again next time.
func (p *proofs) Add(key string, learned []byte) {
	if os.MkdirAll(p.dir, 0o700) == nil {
		_ = files.WriteFile(filepath.Join(p.dir, key), learned)
	}
}

// newProofs gives what is remembered, nil where there is no cache directory.
func newProofs() *proofs {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	return &proofs{dir: filepath.Join(base, "cookoff", "admitted")}
}

// proving names this very program and the tools that tasks use: another build
// or an upgraded tool proves everything again.
func proving(tools string) string {
	h := sha256.New()
	if exe, err := os.Executable(); err == nil {
		look(h, exe)
	}
	return newVersionInfo().Version + " " + hex.EncodeToString(h.Sum(nil)) + " " + tools
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

// programs names the programs that tasks use, those of tool chains among them.
func programs(chains []string) string {
	h := sha256.New()
	for _, tool := range []string{"bash", "git", "go", "node", "python3", "sed"} {
		if path, err := exec.LookPath(tool); err == nil {
			look(h, path)
		}
	}
	for _, dir := range chains {
		look(h, dir)
	}
	return hex.EncodeToString(h.Sum(nil))
}
