// Package changes notices that files were changed, by looking at them again and
// again.
package changes

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"cookoff/internal/pattern"
)

// Most is how many files are looked at.
const Most = 50_000

// ErrMany says that there are more files than Most.
var ErrMany = errors.New("more files than can be looked at")

// Seen is what files looked like.
type Seen map[string]stamp

type stamp struct {
	size int64
	when time.Time
	mode fs.FileMode
}

// passing is a file that editors leave, or a directory that is not the user's work.
var passing = pattern.New(`^(\..*\.sw[a-p]|.*~|#.*#|\.#.*|4913|\.DS_Store|\.git|\.cookoff)$`)

// Look looks at files and at all that lies below directories, but for what git,
// cookoff and editors keep there, and for what is left out. What is not there is not
// seen.
func Look(paths, left []string) (Seen, error) {
	out := Seen{}
	for _, root := range paths {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil: // it is gone, or nobody may read it
				return nil
			case path != root && passing.MatchString(d.Name()) && d.IsDir():
				return fs.SkipDir
			case d.IsDir() || passing.MatchString(d.Name()) || slices.Contains(left, path):
				return nil
			case len(out) == Most:
				return ErrMany
			}
			if info, err := d.Info(); err == nil {
				out[path] = stamp{info.Size(), info.ModTime(), info.Mode()}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Since lists the files that differ from what was seen before.
func (s Seen) Since(before Seen) (what []string) {
	for path, now := range s {
		if was, there := before[path]; !there || was != now {
			what = append(what, path)
		}
	}
	for path := range before {
		if _, there := s[path]; !there {
			what = append(what, path)
		}
	}
	slices.Sort(what)
	return what
}

// Wait looks at every tick, until something differs from before and then nothing
// any more between two looks: who saves several files saves them all. It gives what
// differs; the error is ctx's, or look's.
func Wait(ctx context.Context, tick <-chan time.Time, before Seen, look func() (Seen, error)) ([]string, error) {
	last := before
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick:
		}
		now, err := look()
		if err != nil {
			return nil, err
		}
		if what := now.Since(before); len(what) > 0 && len(now.Since(last)) == 0 {
			return what, nil
		}
		last = now
	}
}
