package prepare

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pythonLocks are the lockfiles of Python whose packages may come out of a directory.
var pythonLocks = []string{"pyproject.toml", "setup.py", "setup.cfg"}

func isPython(lock string) bool {
	return slices.Contains(pythonLocks, filepath.Base(lock)) || strings.HasSuffix(lock, ".txt")
}

// python copies what there is of packages of Python: of the user's directories of them, and of what pip
// and uv keep what requirements files name.
func (c Caches) python(project string, locks []string, dir string, s *seed) (err error) {
	to := filepath.Join(dir, "wheels")
	if s.wheels, err = c.wheels(to); err != nil {
		return err
	}
	var named []*pin
	for _, l := range locks {
		if !strings.HasSuffix(l, ".txt") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(project, l))
		if err != nil {
			return err
		}
		named = append(named, pins(string(text))...)
	}
	ofPip, err := c.pipPackages(named, to)
	if err != nil {
		return err
	}
	ofUv, err := c.uvPins(named, filepath.Join(dir, "uv"))
	s.wheels, s.uv = s.wheels || ofPip, s.uv || ofUv
	return err
}

// wheels copies the packages that lie in the user's directories of them, and no other
// file; of those with one name the first.
func (c Caches) wheels(to string) (some bool, err error) {
	for _, dir := range c.Wheels {
		list, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // as pip does
		}
		if err != nil {
			return false, err
		}
		for _, e := range list {
			name := e.Name()
			if !strings.HasSuffix(name, ".whl") && !strings.HasSuffix(name, ".tar.gz") && !strings.HasSuffix(name, ".zip") {
				continue
			}
			switch err := copyInto(filepath.Join(dir, name), filepath.Join(to, name)); {
			case errors.Is(err, fs.ErrNotExist): // a link, or something that is no file
			case err != nil:
				return false, err
			default:
				some = true
			}
		}
	}
	return some, nil
}

// wheelsDir is where a command finds them.
const wheelsDir = seedDir + "/wheels"

// links are the variables that say so.
func (s seed) links() []string {
	if !s.wheels {
		return nil
	}
	return []string{"PIP_FIND_LINKS=" + wheelsDir, "UV_FIND_LINKS=" + wheelsDir}
}
