package native

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"cookoff/sandbox/plan"
)

// guestProgram is a directory with this program for containers, and what it
// needs to start in an image that may have no libraries, or others.
type guestProgram struct {
	dir    string
	loader []string
}

func (g guestProgram) entry(image string) []string {
	all := append(slices.Clone(g.loader), plan.GuestDir+"/guest", plan.InsideName, plan.OverStdio)
	return append([]string{"--entrypoint", all[0], image}, all[1:]...)
}

// guestFiles makes the directory of a program, once a process.
func (b *backend) guestFiles(program string) (guestProgram, error) {
	place, err := b.place()
	if err != nil {
		return guestProgram{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if g, ok := b.host.guests[program]; ok {
		return g, nil
	}
	g := guestProgram{dir: filepath.Join(place, "guest"+strconv.Itoa(len(b.host.guests)))}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return g, err
	}
	if err := copyExecutable(program, filepath.Join(g.dir, "guest")); err != nil {
		return g, fmt.Errorf("copying this program for containers: %w", err)
	}
	loader, libs, err := needed(program)
	if err != nil {
		return g, err
	}
	for _, l := range libs {
		if err := copyExecutable(l, filepath.Join(g.dir, filepath.Base(l))); err != nil {
			return g, fmt.Errorf("copying a library for containers: %w", err)
		}
	}
	if loader != "" {
		g.loader = []string{plan.GuestDir + "/" + filepath.Base(loader), "--library-path", plan.GuestDir}
	}
	if b.host.guests == nil {
		b.host.guests = map[string]guestProgram{}
	}
	b.host.guests[program] = g
	return g, nil
}

func copyExecutable(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// needed finds the loader and the libraries of a program; a static one has
// none.
func needed(program string) (loader string, libs []string, err error) {
	f, err := elf.Open(program)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			b, err := io.ReadAll(p.Open())
			if err != nil {
				return "", nil, err
			}
			loader = string(bytes.TrimRight(b, "\x00"))
		}
	}
	if loader == "" {
		return "", nil, nil
	}
	names, err := f.ImportedLibraries()
	if err != nil {
		return "", nil, err
	}
	libs = []string{loader}
	for _, n := range names {
		if n == filepath.Base(loader) {
			continue
		}
		i := slices.IndexFunc(libraryDirs(loader),
			func(d string) bool { _, err := os.Stat(filepath.Join(d, n)); return err == nil })
		if i < 0 {
			return "", nil, fmt.Errorf("this program needs the library %s, which was not found\nhint: build cookoff with CGO_ENABLED=0: it then needs none", n)
		}
		libs = append(libs, filepath.Join(libraryDirs(loader)[i], n))
	}
	return loader, libs, nil
}

// libraryDirs are where the libraries of a loader usually are.
func libraryDirs(loader string) []string {
	real, err := filepath.EvalSymlinks(loader)
	if err != nil {
		real = loader
	}
	return []string{filepath.Dir(real), filepath.Dir(loader), "/lib64", "/usr/lib64", "/lib", "/usr/lib"}
}
