package leftovers

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What is kept for next runs in the user's cache.
const (
	unused = 30 * 24 * time.Hour // goes
	lately = 24 * time.Hour      // stays, however much there is
	most   = 20 << 30            // bytes of all together
)

// stores are the directories of it.
var stores = []struct {
	name, what string
	made       bool // its time is that at which it was made
}{
	{name: "prepared", what: "what prepare: got"}, {name: "warm", what: "what checks compiled"},
	{name: "roots", what: "an unpacked root", made: true}, {name: "mined", what: "what mine found in a history"},
	{name: "bases", what: "what commits of a repository have in common"},
	{name: "sums", what: "sums of files that worlds share"}, {name: "go-build", what: "the library of Go, compiled"},
}

// cached is one thing that is kept.
type cached struct {
	Leftover
	age time.Duration // since a run used it, or made it
}

// Caches gives what is kept for next runs of any project and is to go: what no run used
// for long, and the oldest of what is too much; or all of it.
func Caches(all bool) (out []Leftover) {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	var list []cached
	for _, s := range stores {
		dir := filepath.Join(base, "cookoff", s.name)
		entries, _ := os.ReadDir(dir) // there is none where nothing was kept
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || !e.IsDir() || strings.HasPrefix(e.Name(), "new-") || strings.HasPrefix(e.Name(), ".") {
				continue // it is being made
			}
			at := filepath.Join(dir, e.Name())
			age := max(0, time.Since(info.ModTime()))
			list = append(list, cached{Leftover{Path: at, What: s.what + ", " + ago(age, s.made), Bytes: sizeOf(at)},
				age})
		}
	}
	slices.SortStableFunc(list, func(a, b cached) int { return int(b.age/time.Second) - int(a.age/time.Second) })
	var sum int64
	for _, c := range list {
		sum += c.Bytes
	}
	for _, c := range list {
		if all || c.age > unused || sum > most && c.age > lately {
			out = append(out, c.Leftover)
			sum -= c.Bytes
		}
	}
	return out
}

// ago says how long something was not used, or is there.
func ago(age time.Duration, made bool) string {
	switch days := int(age / (24 * time.Hour)); {
	case made:
		return fmt.Sprintf("unpacked %d days ago", days)
	case days == 0:
		return "used today"
	case days == 1:
		return "unused for a day"
	default:
		return fmt.Sprintf("unused for %d days", days)
	}
}
