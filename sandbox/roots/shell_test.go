package roots

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"
	"testing"
)

// program is the head of a program for a processor, which a loader starts.
func program(t *testing.T, m elf.Machine, loader string) string {
	t.Helper()
	var b bytes.Buffer
	head := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(m), Version: 1, Phoff: 64, Ehsize: 64,
		Phentsize: 56, Phnum: 1}
	copy(head.Ident[:], elf.ELFMAG+"\x02\x01\x01")
	text := loader + "\x00"
	starts := elf.Prog64{Type: uint32(elf.PT_INTERP), Off: 120, Filesz: uint64(len(text))}
	for _, part := range []any{head, starts, []byte(text)} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// A shell that can't be started is said before a world is opened.
func TestShell(t *testing.T) {
	own, other := machines[processor], elf.EM_SPARCV9
	loader := entry{"usr/lib64/ld.so", tar.TypeReg, "x", 0o755}
	for _, c := range []struct {
		name    string
		entries []entry
		want    string
	}{
		{"a loader behind links", []entry{loader, {"lib64", tar.TypeSymlink, "usr/lib64", 0},
			{"lib64/ld-2.so", tar.TypeSymlink, "./ld.so", 0}, {"bin/bash", tar.TypeReg, program(t, own, "/lib64/ld-2.so"), 0o755}}, ""},
		{"no loader", []entry{{"bin/bash", tar.TypeReg, program(t, own, "/lib64/ld-2.so"), 0o755}},
			"its /bin/bash needs the loader /lib64/ld-2.so, which it lacks"},
		{"a link to nothing", []entry{{"lib64/ld-2.so", tar.TypeSymlink, "gone", 0},
			{"bin/bash", tar.TypeReg, program(t, own, "/lib64/ld-2.so"), 0o755}}, "which it lacks"},
		{"another processor", []entry{loader, {"bin/bash", tar.TypeReg, program(t, other, "/usr/lib64/ld.so"), 0o755}},
			"its /bin/bash is a program for sparcv9, and this machine is " + processor},
		{"a script", []entry{bash()}, ""},
	} {
		r, err := store(t).Open(t.Context(), archive(t, layerOf(t, c.entries...)))
		switch {
		case c.want == "" && err == nil:
			held(t, r)
		case c.want == "" || err == nil || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
