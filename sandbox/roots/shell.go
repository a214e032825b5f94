package roots

import (
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// machines are the processors of programs, by the names that Go has for them.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64, "386": elf.EM_386,
	"arm": elf.EM_ARM, "riscv64": elf.EM_RISCV, "ppc64le": elf.EM_PPC64, "s390x": elf.EM_S390}

// runs wants a shell that this machine can start: a program for its processor, whose loader is there. What is
// no program of that form (a script) is asked for nothing.
func runs(root *os.Root, a *applier, at string) error {
	f, err := root.Open(at)
	if err != nil {
		return nil //nolint:nilerr // who may not read it may start it
	}
	defer f.Close()
	prog, err := elf.NewFile(f)
	if err != nil {
		return nil //nolint:nilerr // it is of another form
	}
	if m, known := machines[processor]; known && prog.Machine != m {
		return fmt.Errorf("its /%s is a program for %s, and this machine is %s\n"+
			"hint: take the image for linux/%s (docker pull --platform linux/%s, then docker save)",
			at, strings.ToLower(strings.TrimPrefix(prog.Machine.String(), "EM_")), processor, processor, processor)
	}
	loader := loaderOf(prog)
	if loader == "" || there(root, a, loader) {
		return nil
	}
	return fmt.Errorf("its /%s needs the loader %s, which it lacks: no command could be run\n"+
		"hint: take a whole image (debian, ubuntu); what is copied out of one needs its libraries, too", at, loader)
}

// loaderOf is what starts a program; "": nothing does.
func loaderOf(prog *elf.File) string {
	for _, p := range prog.Progs {
		if p.Type != elf.PT_INTERP || p.Filesz > 4096 {
			continue
		}
		text, err := io.ReadAll(p.Open())
		if err == nil {
			return strings.TrimRight(string(text), "\x00")
		}
	}
	return ""
}

// there reports whether a path of a root leads to a file of it, by whatever links.
func there(root *os.Root, a *applier, name string) bool {
	name, err := clean(name)
	for range mostLinks {
		if err != nil {
			return false
		}
		dir, base, err2 := a.parent(name)
		if err2 != nil {
			return false
		}
		at := path.Join(dir, base)
		st, err2 := root.Lstat(at)
		if err2 != nil || st.Mode().IsRegular() {
			return err2 == nil
		}
		target, err2 := root.Readlink(at)
		if err2 != nil {
			return false
		}
		if !path.IsAbs(target) {
			target = path.Join(dir, target)
		}
		name, err = clean(target)
	}
	return false
}
