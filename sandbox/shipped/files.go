package shipped

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
	"cookoff/sandbox/scratch"
)

// Program is a directory with this program, and how it is started in a world that may
// have no libraries, or others.
type Program struct {
	Dir    string   // on the host; a world has it at plan.GuestDir
	Loader []string // what stands before the program's own path
}

// Command starts the program inside, where it finds its world built.
func (p Program) Command() []string {
	return append(slices.Clone(p.Loader), plan.GuestDir+"/guest", plan.InsideName, plan.OverStdio)
}

// LayOut makes the directory of a program, once a process.
func (ps *Programs) LayOut(program string) (Program, error) {
	dir, err := ps.Space.Dir()
	if err != nil {
		return Program{}, err
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.dir != dir { // what was made in another went with it
		ps.dir, ps.made = dir, map[string]Program{}
	}
	if p, ok := ps.made[program]; ok {
		return p, nil
	}
	p := Program{Dir: filepath.Join(dir, scratch.SharedBegin+strconv.Itoa(len(ps.made)))}
	if err := os.Mkdir(p.Dir, 0o755); err != nil {
		return p, err
	}
	if err := copyExecutable(program, filepath.Join(p.Dir, "guest")); err != nil {
		return p, fmt.Errorf("copying this program for containers: %w", err)
	}
	loader, libs, err := Needed(program)
	if err != nil {
		return p, err
	}
	for _, l := range libs {
		if err := copyExecutable(l, filepath.Join(p.Dir, filepath.Base(l))); err != nil {
			return p, fmt.Errorf("copying a library for containers: %w", err)
		}
	}
	if loader != "" {
		p.Loader = []string{plan.GuestDir + "/" + filepath.Base(loader), "--library-path", plan.GuestDir}
	}
	ps.made[program] = p
	return p, nil
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

// Needed finds the loader and the libraries of a program; a static one has
// none.
func Needed(program string) (loader string, libs []string, err error) {
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
			return "", nil, fmt.Errorf("this program needs the library %s, which was not found\n"+
				"hint: build cookoff with CGO_ENABLED=0: it then needs none", n)
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
