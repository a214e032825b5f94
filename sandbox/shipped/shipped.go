// Package shipped is this very program as worlds get it that can't start the running
// one as it is: containers, other kernels, and roots of their own with other libraries.
package shipped

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"cookoff/sandbox/plan"
	"cookoff/sandbox/scratch"
	"cookoff/sandbox/wire"
)

// Programs finds this program for worlds and lays it out for them. It is safe for
// concurrent use.
type Programs struct {
	// Guest is this program for the kernel of containers, where the running one
	// is for another system or processor; "": it is looked for.
	Guest string
	// ReadBuild is builds.Read, for such programs; nil: none is taken.
	ReadBuild func(path string) (map[string]string, error)
	// Foreign says that containers run on another kernel than this program.
	Foreign bool
	// Space is where it is laid out.
	Space *scratch.Space

	mu   sync.Mutex
	dir  string             // of Space, when those were made
	made map[string]Program // by the file that they are of
}

// Find finds this program for containers, whose kernel is Linux on arch: the
// running one where it can run there, else one that the user has made.
func (ps *Programs) Find(arch string) (string, error) {
	if p := ps.Guest; p != "" {
		if err := ps.fits(p, arch); err != nil {
			hint := ps.howToBuild(arch) + ", and drop guest from [sandbox]"
			if !ps.Foreign && arch == runtime.GOARCH {
				hint = "hint: drop guest from [sandbox]: on Linux cookoff starts itself in containers"
			}
			return "", fmt.Errorf("[sandbox] guest: %s %w\n%s", p, err, hint)
		}
		return p, nil
	}
	if !ps.Foreign {
		return plan.SelfProgram, nil
	}
	var problems []string
	for _, p := range guestPlaces(arch) {
		err := ps.fits(p, arch)
		if err == nil {
			return p, nil
		}
		problems = append(problems, p+" "+err.Error())
	}
	return "", fmt.Errorf("containers run linux/%s here and this program is for %s/%s: they need one for theirs\n"+
		"  %s\n%s",
		arch, runtime.GOOS, runtime.GOARCH, strings.Join(problems, "\n  "), ps.howToBuild(arch))
}

// guestPlaces are where this program for Linux is looked for: beside the running
// one, then in the user's cache.
func guestPlaces(arch string) []string {
	name := "cookoff-linux-" + arch
	var places []string
	if exe, err := os.Executable(); err == nil {
		places = append(places, filepath.Join(filepath.Dir(exe), name))
		if real, err := filepath.EvalSymlinks(exe); err == nil && filepath.Dir(real) != filepath.Dir(exe) {
			places = append(places, filepath.Join(filepath.Dir(real), name))
		}
	}
	if cache, err := os.UserCacheDir(); err == nil {
		places = append(places, filepath.Join(cache, "cookoff", name))
	}
	return places
}

// howToBuild is the next step where no program fits: one where it is found.
func (ps *Programs) howToBuild(arch string) string {
	path := "cookoff-linux-" + arch
	if places := guestPlaces(arch); len(places) > 0 {
		path = places[len(places)-1]
	}
	source := "in cookoff's source"
	if own := ps.ownBuild()["revision"]; own != "" {
		source += " at " + own
	}
	return fmt.Sprintf("hint: %s: GOOS=linux GOARCH=%s CGO_ENABLED=0 go build -o '%s' ./cmd/cookoff",
		source, arch, path)
}

// ownBuild says how this program was built: nothing where that is not known.
// Then only what the two programs say to each other tells them apart.
func (ps *Programs) ownBuild() map[string]string {
	if ps.ReadBuild == nil {
		return nil
	}
	own, err := ps.ReadBuild("")
	if err != nil {
		return nil
	}
	return own
}

// fits wants a program of the same build as this one that runs on Linux, on
// arch, without libraries. Its errors go on behind its path.
func (ps *Programs) fits(path, arch string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return errors.New("is not there")
	}
	if ps.ReadBuild == nil {
		return errors.New("can't be used: how it was built can't be read here")
	}
	its, err := ps.ReadBuild(path)
	if err != nil {
		return fmt.Errorf("can't be used: %w", errors.Unwrap(err))
	}
	own := ps.ownBuild()
	revision := its["revision"]
	switch {
	case own != nil && its["module"] != own["module"]:
		return fmt.Errorf("is not cookoff but %s", wire.Clean(its["package"]))
	case its["GOOS"] != "linux" || its["GOARCH"] != arch:
		return fmt.Errorf("is for %s/%s, and containers run linux/%s here", wire.Clean(its["GOOS"]),
			wire.Clean(its["GOARCH"]), arch)
	case revision != "" && own["revision"] != "" && revision != own["revision"]:
		return fmt.Errorf("is of %s, and this program of %s", wire.Clean(revision), own["revision"])
	}
	loader, _, err := Needed(path)
	if err != nil || loader != "" {
		return errors.New("needs the libraries of a system, which an image may not have")
	}
	return nil
}
