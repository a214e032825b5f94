package users

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// Spanned finds the users that a world with several users can have here. An error says what is missing for them, and
// what to do.
func Spanned() (Span, error) {
	if IsRoot() {
		if err := mapped(SeveralFirst, Several); err != nil {
			return Span{}, err
		}
		return Span{Root: SeveralFirst, RootGroup: SeveralFirst, First: SeveralFirst + 1, FirstGroup: SeveralFirst + 1},
			nil
	}
	s := Span{Root: os.Getuid(), RootGroup: os.Getgid(), Mapped: true}
	var err error
	for _, program := range []string{"newuidmap", "newgidmap"} {
		if err == nil {
			_, err = exec.LookPath(program)
		}
	}
	if err == nil {
		s.First, err = subordinates("/etc/subuid", Several-1)
	}
	if err == nil {
		s.FirstGroup, err = subordinates("/etc/subgid", Several-1)
	}
	if err != nil {
		return Span{}, fmt.Errorf("a world with several users can't be had: %w\n"+
			"hint: apt install uidmap, and as root: usermod --add-subuids 200000-265535 --add-subgids 200000-265535 %s",
			err, Name())
	}
	return s, nil
}

// mapped gives an error unless the namespace of this process has the users and groups.
func mapped(first, count int64) error {
	for _, name := range []string{"uid_map", "gid_map"} {
		f, err := os.Open("/proc/self/" + name)
		if err != nil {
			return err
		}
		ok := mapsUsers(f, first, count)
		f.Close()
		if !ok {
			return fmt.Errorf("a world with several users can't be had: %s of this namespace lacks %d to %d\n"+
				"hint: start cookoff as an ordinary user with a range in /etc/subuid, or outside of the container",
				name, first, first+count-1)
		}
	}
	return nil
}

// Mappings tell the kernel which user or group of the host each one of the world is.
func (s Span) Mappings() (uids, gids []syscall.SysProcIDMap) {
	line := func(root, first int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: 0, HostID: root, Size: 1},
			{ContainerID: 1, HostID: first, Size: Several - 1}}
	}
	return line(s.Root, s.First), line(s.RootGroup, s.FirstGroup)
}

// Map gives these mappings to the namespace of a process that runs, where newuidmap and newgidmap have to.
func (s Span) Map(pid int) error {
	if !s.Mapped {
		return nil
	}
	uids, gids := s.Mappings()
	for _, m := range []struct {
		program string
		ids     []syscall.SysProcIDMap
	}{{"newuidmap", uids}, {"newgidmap", gids}} {
		args := []string{strconv.Itoa(pid)}
		for _, id := range m.ids {
			args = append(args, strconv.Itoa(id.ContainerID), strconv.Itoa(id.HostID), strconv.Itoa(id.Size))
		}
		cmd := exec.Command(m.program, args...)
		cmd.Env, cmd.Dir = []string{}, "/"
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("a world with several users can't be had: %[1]s: %.500[2]q (%[3]w)\n"+
				"hint: %[1]s must be set-uid root, and not be started under no_new_privs",
				m.program, strings.TrimSpace(string(out)), err)
		}
	}
	return nil
}
