package footprint

import (
	"context"
	"errors"
	"path"
	"strings"
	"sync"

	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// systemDirs knows the programs of the directories on PATH that no contestant's
// state has: they are the same in every world of a task, and listed once. It is
// safe for concurrent use.
type systemDirs struct {
	mu    sync.Mutex
	names map[string]map[string]bool // of a PATH; each is never changed
}

// programs gives the directories that a PATH has before the system's, as in a
// manifest, and the names of the system's programs.
func (d *systemDirs) programs(ctx context.Context, sb sandbox.Sandbox, search string) (own []string,
	system map[string]bool, err error) {
	var waiting, dirs []string
	for dir := range strings.SplitSeq(search, ":") {
		switch p, err := tree.Glob(dir); {
		case !path.IsAbs(dir):
		case err == nil:
			waiting = append(waiting, strings.TrimSuffix(p, "/**"))
		default:
			own, waiting = append(own, waiting...), nil
			dirs = append(dirs, dir)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if system = d.names[search]; system != nil {
		return own, system, nil
	}
	system = map[string]bool{}
	for _, dir := range dirs {
		list, err := sb.FS().List(ctx, dir)
		if none := (*sandbox.FileError)(nil); err != nil && !errors.As(err, &none) {
			return nil, nil, err
		}
		for _, e := range list {
			system[e.Name] = true
		}
	}
	if d.names == nil {
		d.names = map[string]map[string]bool{}
	}
	d.names[search] = system
	return own, system, nil
}
