package remote

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/hosts/hand"
	"cookoff/hosts/protocol"
	"cookoff/hosts/tree"
	"cookoff/internal/cachedir"
	"cookoff/internal/config"
	"cookoff/internal/host"
	"cookoff/sandbox"
)

// cacheLimit bounds what a hand keeps of projects, in bytes.
const cacheLimit = 8 << 30

// Hand is a hand of this machine. It needs no configuration.
func Hand() (hand.Config, error) {
	hello, err := Hello()
	if err != nil {
		return hand.Config{}, err
	}
	dir, err := cachedir.Path("hand")
	if err != nil {
		dir = filepath.Join(os.TempDir(), "cookoff", "hand")
	}
	return hand.Config{Hello: hello, Make: worlds, Cache: &tree.Cache{Dir: dir,
		Limit: cacheLimit}}, nil
}

// usual are directories with programs that a login shell often has on PATH, and the
// shell of a remote command has not.
var usual = []string{"/usr/local/go/bin", "~/.local/bin", "~/go/bin", "/snap/bin"}

// worlds makes the backend of a hand, and finds its tool chains.
func worlds(ctx context.Context, s protocol.Setup) (sandbox.Backend, []string, error) {
	home, _ := os.UserHomeDir()
	full := func(dir string) string {
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			return filepath.Join(home, rest)
		}
		return filepath.Clean(dir)
	}
	cfg := &config.Config{Backend: s.Backend, Image: s.Image}
	path := filepath.SplitList(os.Getenv("PATH"))
	for _, dir := range s.ToolPaths {
		cfg.ToolPaths = append(cfg.ToolPaths, full(dir))
		path = append(path, filepath.Join(full(dir), "bin"), full(dir))
	}
	for _, dir := range usual {
		path = append(path, full(dir))
	}
	path = slices.DeleteFunc(path, func(dir string) bool { return !filepath.IsAbs(dir) })
	if err := os.Setenv("PATH", strings.Join(path,
		string(filepath.ListSeparator))); err != nil { // a hand is all that this process is
		return nil, nil, err
	}
	h := &host.Host{Dir: "/", Getenv: os.Getenv, Config: cfg, Notify: func(host.Notice) {}}
	tools := h.Chains(ctx, s.Programs).Paths
	b, err := h.Chosen(s.Backend, s.Image, s.Images, h.GoCache(ctx, nil), tools)
	return b, tools, err
}
