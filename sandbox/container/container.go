// Package container has podman or docker build worlds from images, one container a
// world. Project and home are copies.
package container

import (
	"cmp"
	"crypto/rand"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"cookoff/sandbox/launch"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/shipped"
	"cookoff/sandbox/users"
	"cookoff/sandbox/wire"
)

// Builder starts guests in containers, by the command line of podman or docker.
type Builder struct {
	Image    string // of worlds that name none
	Programs *shipped.Programs

	mu      sync.Mutex
	engines map[string]engine // by image
}

// Facts of worlds that are containers.
func (*Builder) Facts() launch.Facts { return launch.Facts{Images: true, Patience: launch.EngineTime} }

// Prepare readies the engine's command.
func (b *Builder) Prepare(o launch.Order) (*launch.Prepared, error) {
	image := cmp.Or(o.Plan.Image, b.Image)
	if image == "" {
		return nil, errors.New("the container backend needs an image\nhint: one with bash and what the tasks use, which is here: image: under Sandbox or in the task, [sandbox] image in cookoff.toml, or --image of cookoff sandbox")
	}
	if strings.HasPrefix(image, "-") {
		return nil, fmt.Errorf("%q is no name of an image", image)
	}
	e, err := b.engine(image)
	if err != nil {
		return nil, err
	}
	program, err := b.Programs.Find(e.arch)
	if err != nil {
		return nil, err
	}
	guest, err := b.Programs.LayOut(program)
	if err != nil {
		return nil, err
	}
	o.Plan.Loader = guest.Loader
	if program != plan.SelfProgram {
		o.Plan.Wire = plan.Shapes()
	}
	args, err := e.run(o, guest.Dir, b.Programs.Foreign)
	if err != nil {
		return nil, err
	}
	name, inside := "cookoff-"+strings.ToLower(rand.Text()[:16]), guest.Command()
	made := &launch.Prepared{Path: e.path, Cmd: exec.Command(e.program, slices.Concat(e.global(), []string{"run", "--name", name},
		args, []string{"--entrypoint", inside[0], image}, inside[1:])...)}
	made.Cmd.Env, made.Cmd.Dir, made.Cmd.Stderr = e.env(), "/", o.Said
	made.Cmd.SysProcAttr = launch.ChildAttr()
	conn, theirs, err := launch.Pipes()
	if err != nil {
		return nil, err
	}
	made.Conn, made.Given = conn, theirs
	made.Cmd.Stdin, made.Cmd.Stdout = theirs[0], theirs[1]
	made.Running = func() (func(), error) { return func() { e.end(conn, name, o.Gone) }, nil }
	return made, nil
}

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
	etc, err := writeEtc(p.Dir, o.Agent)
	if err != nil {
		return nil, err
	}
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
	return append(args, e.limits(*p)...), nil
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
		"passwd": fmt.Sprintf("root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nagent:x:%d:%d:agent:/home/agent:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
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
