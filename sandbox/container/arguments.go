package container

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/launch"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/users"
	"cookoff/sandbox/wire"
)

// run gives the arguments that make the container what a world must be. A foreign
// engine sees of this machine only what lies in the directory of the world and in guest.
func (e engine) run(o launch.Order, guest string, foreign bool) ([]string, error) {
	p, id := o.Plan, fmt.Sprintf("%d:%d", o.Agent.UID, o.Agent.GID)
	network := "none"
	if p.Network {
		network = "host"
	}
	tmp := strconv.FormatInt(p.Limits.Tmp, 10)
	args := []string{
		"--rm", "--interactive", "--pull", "never", "--network", network, "--read-only",
		"--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--ipc", "private",
		"--user", id, "--workdir", "/",
		"--shm-size", tmp, "--mount", "type=tmpfs,destination=/sys,tmpfs-mode=0555,ro=true",
	}
	if e.name == "podman" {
		args = append(args, "--read-only-tmpfs=false") // those below have a size
	}
	if !p.Network {
		args = append(args, "--hostname", p.Hostname)
	}
	for _, d := range []string{"/tmp", "/var/tmp", "/run"} {
		mount := "type=tmpfs,destination=" + d + ",tmpfs-mode=1777,tmpfs-size=" + tmp
		if e.name == "podman" {
			mount += ",notmpcopyup" // else it has the content and mode of the image's
		}
		args = append(args, "--mount", mount)
	}
	switch {
	case e.rootless && foreign: // whatever the number of its user in the virtual machine is
		args = append(args, "--userns", fmt.Sprintf("keep-id:uid=%d,gid=%d", o.Agent.UID, o.Agent.GID))
	case e.rootless:
		args = append(args, "--userns", "keep-id")
	}
	mounts, err := bindMounts(o, guest, foreign)
	if err != nil {
		return nil, err
	}
	return slices.Concat(args, mounts, e.limits(*p)), nil
}

// bindMounts shows the world's files, those of /etc that name the agent, the guest's
// program, and what is shown read-only.
func bindMounts(o launch.Order, guest string, foreign bool) ([]string, error) {
	p := o.Plan
	etc, err := writeEtc(p.Dir, o.Agent)
	if err != nil {
		return nil, err
	}
	var args []string
	for name, path := range etc {
		args = append(args, "--mount", bindMount(path, "/etc/"+name, true))
	}
	for _, t := range []struct {
		plan.Tree
		at string
	}{{p.Work, "/work"}, {p.Home, "/home/agent"}} {
		args = append(args, "--mount", bindMount(filepath.Join(p.Dir, t.Upper), t.at, t.ReadOnly))
	}
	args = append(args, "--mount", bindMount(guest, plan.GuestDir, true))
	shown := o.Reachable
	if foreign {
		shown = o.CopyOf
	}
	for i, m := range p.Mounts {
		source, err := shown(m.Path, i)
		if err != nil {
			return nil, fmt.Errorf("showing %s: %w", m.Path, err)
		}
		args = append(args, "--mount", bindMount(source, m.Target, true))
	}
	return args, nil
}

// bindMount shows source at target. Unlike a volume it is refused where the
// engine does not see source: nothing is made in its stead.
func bindMount(source, target string, readOnly bool) string {
	fields := []string{"type=bind", "source=" + source, "destination=" + target}
	if readOnly {
		fields = append(fields, "readonly")
	}
	var line strings.Builder
	out := csv.NewWriter(&line)
	_ = out.Write(fields) // a builder takes everything
	out.Flush()
	return strings.TrimSuffix(line.String(), "\n")
}

// limits are those that the engine can keep; the guest keeps all of them.
func (e engine) limits(p plan.Plan) []string {
	at := func(what int, n uint64) string {
		n = hardLimit(what, n)
		return fmt.Sprintf("%d:%d", n, n)
	}
	args := []string{"--ulimit", "nofile=" + at(unix.RLIMIT_NOFILE, 1024), "--ulimit",
		"nproc=" + at(unix.RLIMIT_NPROC, uint64(p.Limits.Processes+plan.SpareProcesses)), "--ulimit", "core=0:0"}
	if slices.Contains(e.flags, cgroupLimits) {
		// Above what the guest enforces: it says why a call ended.
		memory := strconv.FormatInt(p.Limits.Memory+p.Limits.Memory/4+4*p.Limits.Tmp+64<<20, 10)
		args = append(args, "--memory", memory, "--memory-swap", memory, "--pids-limit",
			strconv.Itoa(p.Limits.Processes+plan.SpareProcesses))
	}
	return args
}

// cgroupLimits among an engine's flags says that it can bound memory and
// processes of a container as a whole.
const cgroupLimits = "cgroup-limits"

// writeEtc makes the files of /etc that name the agent. An image has its
// own of the others. It gives where they are, by name.
func writeEtc(dir string, agent users.Agent) (map[string]string, error) {
	files := map[string]string{
		"passwd": fmt.Sprintf("root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n"+
			"agent:x:%d:%d:agent:/home/agent:/bin/bash\n"+
			"nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
			agent.UID, agent.GID),
		"group": fmt.Sprintf("root:x:0:\nagent:x:%d:\nnogroup:x:65534:\n", agent.GID),
	}
	out := map[string]string{}
	for name, text := range files {
		out[name] = filepath.Join(dir, name)
		if err := os.WriteFile(out[name], []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Explain adds what the engine said.
func (*Builder) Explain(err error, said string) error {
	if said = strings.TrimSpace(wire.Printable(said)); said == "" {
		return err
	}
	return fmt.Errorf("%w\n%s", err, said)
}
