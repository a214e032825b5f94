package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path"
	"strings"
	"sync"

	"cookoff/sandbox"
)

// keptBy are files in which programs keep, for themselves and unasked, what
// they can do without: caches, histories, their own telemetry, marks of where
// they were. Whatever a program writes there is nobody's difference, and what is lost
// there is lost to nobody.
var keptBy = []string{
	"~/.cache/**", "~/.local/state/**", "~/.config/go/telemetry/**", "~/.config/configstore/**", "~/.dotnet/**",
	"~/.npm/**", "~/.yarn/cache/**", "~/.pnpm-store/**",
	"~/.bun/install/cache/**", "~/go/pkg/**", "~/.cargo/registry/**", "~/.cargo/.package-cache*",
	"~/.gradle/{caches,daemon,native,wrapper}/**", "~/.m2/repository/**", "~/.ivy2/cache/**",
	"~/.*history", "~/.*hist", "~/.*_history-*.tmp", "~/.lesshst", "~/.viminfo", "~/.wget-hsts", "~/.python_history",
	"~/.node_repl_history", "~/.local/share/**/*history*",
	"~/.local/share/recently-used.xbel", "~/.config/fish/fish_variables", "~/.sudo_as_admin_successful",
	"~/.motd_shown", "~/.ssh/known_hosts*", "~/.gnupg/{trustdb.gpg,random_seed,.#lk*}",
	"**/__pycache__/**", "**/*.pyc", "**/.pytest_cache/**", "**/.mypy_cache/**", "**/.ruff_cache/**",
	"**/.tox/**/log/**", "**/.hypothesis/**", "**/.coverage",
	"**/node_modules/.cache/**", "**/node_modules/.package-lock.json", "**/.eslintcache", "**/*.tsbuildinfo",
	"**/.parcel-cache/**", "**/.gradle/**", "**/.DS_Store",
	"**/.*.sw[op]", "**/.nfs*",
}

// KeptByPrograms reports whether a path is of a file that programs keep for themselves.
func KeptByPrograms(p string) bool {
	if Untracked(p) || Matches(keptBy, p) {
		return true
	}
	for _, g := range keptBy { // the directories on the way to one
		if dir, whole := strings.CutSuffix(g, "/**"); whole && !strings.ContainsAny(dir, "*{") && strings.HasPrefix(dir,
			p+"/") {
			return true
		}
	}
	return false
}

// keptIn are the directories of what programs keep.
var keptIn = sync.OnceValue(func() (list []string) {
	for _, g := range keptBy {
		if dir, whole := strings.CutSuffix(g, "/**"); whole {
			list = append(list, dir)
		}
	}
	return list
})

// KeepsNothing reports whether a file or a link stands where programs make a directory of what they keep: they can
// keep nothing there.
func KeepsNothing(f sandbox.File) bool {
	return (f.Mode.IsRegular() || f.Mode.Type() == fs.ModeSymlink && f.Link == "/dev/null") &&
		Matches(keptIn(), f.Path) && !Matches(keptIn(), path.Dir(f.Path))
}

// MaxAppended bounds the size in bytes of a log that is looked through.
const MaxAppended = 1 << 20

// IsLog reports whether a file is one that programs write on and on.
func IsLog(p string) bool {
	name := path.Base(p)
	dir := "/" + path.Dir(p) + "/"
	return strings.HasSuffix(name, ".log") || strings.HasSuffix(name, ".out") && strings.HasPrefix(name, "nohup") ||
		strings.Contains(dir, "/log/") || strings.Contains(dir, "/logs/")
}

// Appended reports whether a log only grew: all that it said, it says still.
func Appended(d Difference, held map[string]sandbox.Item) bool {
	if !IsLog(d.Path) || !d.Is.Mode.IsRegular() || d.Was.Size > MaxAppended {
		return false
	}
	return Begins(held[d.Path].Data, *d.Was)
}

// Begins reports whether a text begins with all that a file held.
func Begins(data []byte, was sandbox.File) bool {
	if was.Sum == "" || int64(len(data)) < was.Size {
		return false
	}
	sum := sha256.Sum256(data[:was.Size])
	return hex.EncodeToString(sum[:]) == was.Sum
}
