package worlds

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"time"

	"cookoff/internal/ui/text"
	"cookoff/runner/project"
)

// lookTime bounds the look at what was changed while a run went on.
const lookTime = time.Minute

// taken is what a run has taken of the disk when it begins: nothing that is changed there
// afterwards has to do with it.
type taken struct {
	*Staging
	recipe map[string][sha256.Size]byte // its files
}

// OnDisk notes what there is now.
func (s *Staging) OnDisk() taken { return taken{s, sumsOf(s.Recipe.LocalFiles())} }

func sumsOf(files []string) map[string][sha256.Size]byte {
	out := map[string][sha256.Size]byte{}
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err == nil { // one that is gone has no sum
			out[f] = sha256.Sum256(content)
		}
	}
	return out
}

// Changed names the files of the project and the recipe that are others on the disk by
// now. What can't be read now is no reason for a run to fail: it has ended.
func (t taken) Changed(ctx context.Context) (what []string) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	now := sumsOf(t.Recipe.LocalFiles())
	for _, f := range t.Recipe.LocalFiles() {
		if now[f] != t.recipe[f] {
			what = append(what, text.Line(filepath.Base(f)))
		}
	}
	if t.Listed == nil {
		return what
	}
	roots, done, err := t.gather(ctx, t.Order)
	if err != nil {
		return what
	}
	defer done()
	if roots.sum() == t.Digest {
		return what
	}
	var files project.Counted
	if files, err = roots.counted(t.Order); err == nil {
		more, _ := files.Changes(t.Listed)
		what = append(what, more...)
	}
	return what
}
