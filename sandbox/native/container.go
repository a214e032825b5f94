package native

import (
	"context"
	"crypto/rand"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"cookoff/sandbox"
	"cookoff/sandbox/plan"
	"cookoff/sandbox/wire"
)

// lingerTime is how long a container may take to end by itself, once its guest
// has lost its host, before it is killed.
const lingerTime = 2 * time.Second

// newContainer makes the backend that has podman or docker build the world
// from an image, one container a world. image is that of worlds which name
// none.
func newContainer(o Options, image string) sandbox.Backend {
	b := &backend{opt: o, foreign: runtime.GOOS != "linux"}
	b.builder = &container{image: image, b: b}
	return b
}

// container starts guests in containers, by the command line of podman or
// docker. What it finds out about them is kept by its backend.
type container struct {
	image string // of worlds that name none
	b     *backend
}

// engine is a container program that works here.
type engine struct {
	program, name string   // podman, docker
	path          []string // where the image has its programs
	flags         []string // what this machine needs
	rootless      bool
	arch          string // of its kernel, as Go names it
}

func (*container) facts() facts { return facts{images: true, patience: engineTime} }

func (c *container) start(w *world, p *plan.Plan, _ []*os.File) (*started, error) {
	image := p.Image
	if image == "" {
		image = c.image
	}
	if image == "" {
		return nil, errors.New("the container backend needs an image\nhint: one with bash and what the tasks use, which is here: image: under Sandbox or in the task, [sandbox] image in cookoff.toml, or --image of cookoff sandbox")
	}
	if strings.HasPrefix(image, "-") {
		return nil, fmt.Errorf("%q is no name of an image", image)
	}
	e, err := c.b.engine(image)
	if err != nil {
		return nil, err
	}
	program, err := c.b.program(e.arch)
	if err != nil {
		return nil, err
	}
	guest, err := c.b.guestFiles(program)
	if err != nil {
		return nil, err
	}
	p.Loader, w.path = guest.loader, e.path
	if program != plan.SelfProgram {
		p.Wire = plan.Shapes()
	}
	args, err := e.run(w, *p, guest)
	if err != nil {
		return nil, err
	}
	name := "cookoff-" + strings.ToLower(rand.Text()[:16])
	s := &started{cmd: exec.Command(e.program, slices.Concat(e.global(), []string{"run", "--name", name}, args,
		guest.entry(image))...)}
	s.cmd.Env, s.cmd.Dir, s.cmd.Stderr = e.env(), "/", w.errOut
	s.cmd.SysProcAttr = childAttr()
	conn, theirs, err := pipes()
	if err != nil {
		return nil, err
	}
	s.conn, s.given = conn, theirs
	s.cmd.Stdin, s.cmd.Stdout = theirs[0], theirs[1]
	s.running = func() (func(), error) { return func() { e.end(w, conn, name) }, nil }
	return s, nil
}

// end ends a container: its guest ends when the host is gone, and with it
// everything in the container; else it is killed.
func (e engine) end(w *world, conn io.Closer, name string) {
	conn.Close()
	select {
	case <-w.gone:
		return
	case <-time.After(lingerTime):
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	_ = e.command(ctx, "kill", "--signal", "KILL", name).Run() // it may have ended meanwhile
}

// command is a call of the engine beside the containers.
func (e engine) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, e.program, slices.Concat(e.global(), args)...)
	cmd.Env, cmd.Dir = e.env(), "/"
	return cmd
}

// env is what an engine needs to find its images, and no key of the harness.
func (engine) env() []string {
	var env []string
	for _, k := range []string{"PATH", "HOME", "USER", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMPDIR",
		"DOCKER_HOST", "DOCKER_CONFIG", "DOCKER_CONTEXT", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY",
		"CONTAINER_HOST", "CONTAINER_CONNECTION", "CONTAINER_SSHKEY", "CONTAINERS_MACHINE_PROVIDER"} {
		if v, ok := os.LookupEnv(k); ok {
			env = append(env, k+"="+v)
		}
	}
	return env
}

// global are the arguments before the verb.
func (e engine) global() []string {
	if i := slices.Index(e.flags, "--runtime"); i >= 0 && e.name == "podman" {
		return e.flags[i : i+2]
	}
	return nil
}

// run gives the arguments that make the container what a world must be.
func (e engine) run(w *world, p plan.Plan, g guestProgram) ([]string, error) {
	network := "none"
	if p.Network {
		network = "host"
	}
	tmp := strconv.FormatInt(p.Limits.Tmp, 10)
	args := []string{
		"--rm", "--interactive", "--pull", "never", "--network", network, "--read-only",
		"--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--ipc", "private",
		"--user", fmt.Sprintf("%d:%d", w.uid, w.gid()), "--workdir", "/",
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
	case e.rootless && w.b.foreign: // whatever the number of its user in the virtual machine is
		args = append(args, "--userns", fmt.Sprintf("keep-id:uid=%d,gid=%d", w.uid, w.gid()))
	case e.rootless:
		args = append(args, "--userns", "keep-id")
	}
	etc, err := w.containerEtc()
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
		args = append(args, "--mount", bindMount(filepath.Join(w.dir, t.Upper), t.at, t.ReadOnly))
	}
	args = append(args, "--mount", bindMount(g.dir, plan.GuestDir, true))
	for i, m := range p.Mounts {
		source, err := w.reachable(m.Path, i)
		if err != nil {
			return nil, fmt.Errorf("showing %s: %w", m.Path, err)
		}
		args = append(args, "--mount", bindMount(source, m.Target, true))
	}
	return append(args, e.limits(p)...), nil
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

// containerEtc makes the files of /etc that name the agent. An image has its
// own of the others.
func (w *world) containerEtc() (map[string]string, error) {
	id := fmt.Sprintf("%d:%d", w.uid, w.gid())
	files := map[string]string{
		"passwd": "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nagent:x:" + id +
			":agent:/home/agent:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
		"group": fmt.Sprintf("root:x:0:\nagent:x:%d:\nnogroup:x:65534:\n", w.gid()),
	}
	out := map[string]string{}
	for name, text := range files {
		out[name] = filepath.Join(w.dir, name)
		if err := os.WriteFile(out[name], []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// explain adds what the engine said.
func (c *container) explain(err error, said string) error {
	if said = strings.TrimSpace(wire.Printable(said)); said == "" {
		return err
	}
	return fmt.Errorf("%w\n%s", err, said)
}

// engine finds a container program that can run image here, once.
func (b *backend) engine(image string) (engine, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.host.engines[image]; ok {
		return e, nil
	}
	var problems []string
	for _, name := range []string{"podman", "docker"} {
		path, err := exec.LookPath(name)
		if err != nil {
			problems = append(problems, name+" is not installed")
			continue
		}
		e := engine{program: path, name: name, arch: runtime.GOARCH, rootless: name == "podman" && os.Geteuid() != 0}
		if b.foreign || b.opt.Guest != "" {
			err = e.look()
		}
		if err == nil {
			err = e.tune(image)
		}
		if err != nil {
			problems = append(problems, name+": "+err.Error())
			continue
		}
		if b.host.engines == nil {
			b.host.engines = map[string]engine{}
		}
		b.host.engines[image] = e
		return e, nil
	}
	return engine{}, fmt.Errorf("no container program works here: %s\nhint: %s, and have the image: podman pull IMAGE",
		strings.Join(problems, "; "), howToInstall)
}

// Images lists the container images that are here, by podman, else docker. An
// error says what is missing.
func Images(ctx context.Context) ([]string, error) {
	var problems []error
	for _, name := range []string{"podman", "docker"} {
		path, lerr := exec.LookPath(name)
		if lerr != nil {
			continue
		}
		e := engine{program: path, name: name}
		out, lerr := e.command(ctx, "images", "--format", "{{.Repository}}:{{.Tag}}").Output()
		if lerr != nil {
			problems = append(problems, fmt.Errorf("%s does not answer: %s", name, lastLine(lerr)))
			continue
		}
		all := slices.DeleteFunc(strings.Fields(string(out)), func(s string) bool { return strings.Contains(s, "<none>") })
		if len(all) > 0 {
			return all, nil
		}
		problems = append(problems, fmt.Errorf("%s works, and has no image\nhint: %s pull debian:stable-slim", name, name))
	}
	if len(problems) == 0 {
		problems = append(problems, errors.New("neither podman nor docker is installed\nhint: "+howToInstall))
	}
	return nil, errors.Join(problems...)
}

// lastLine is the last that a failed command said, or how it failed.
func lastLine(err error) string {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		return wire.Clean(lines[len(lines)-1])
	}
	return err.Error()
}

// look asks an engine whose kernel is not this program's what that one is.
func (e *engine) look() error {
	ctx, cancel := context.WithTimeout(context.Background(), engineTime)
	defer cancel()
	format := "{{.OSType}} {{.Architecture}} false"
	if e.name == "podman" {
		format = "{{.Host.OS}} {{.Host.Arch}} {{.Host.Security.Rootless}}"
	}
	out, err := e.command(ctx, "info", "--format", format).Output()
	if err != nil {
		return fmt.Errorf("it does not answer: %s (%s)", lastLine(err), howToStart)
	}
	var system string
	if n, _ := fmt.Sscan(string(out), &system, &e.arch, &e.rootless); n != 3 {
		return fmt.Errorf("it says of its kernel: %q", wire.Clean(string(out)))
	}
	switch e.arch { // docker has the kernel's names
	case "x86_64":
		e.arch = "amd64"
	case "aarch64":
		e.arch = "arm64"
	}
	if system != "linux" {
		return fmt.Errorf("its containers run %s, and a world is one of Linux", wire.Clean(system))
	}
	return nil
}

// tune finds out what this machine needs for a container to start: where
// control groups are mixed or not delegated, an engine can't limit by them,
// and its usual runtime may not start at all.
func (e *engine) tune(image string) error {
	ctx, cancel := context.WithTimeout(context.Background(), engineTime)
	defer cancel()
	if err := e.said(e.command(ctx, "image", "inspect", "--format", "{{.Id}}", image)); err != nil {
		return fmt.Errorf("the image %q is not here: %w", image, err)
	}
	ways := [][]string{{cgroupLimits}, {}}
	if e.name == "podman" {
		ways = append(ways, []string{"--runtime", "runc", cgroupLimits}, []string{"--runtime", "runc"},
			[]string{"--runtime", "crun"})
	}
	var first error
	for _, way := range ways {
		e.flags = way
		args := []string{"run", "--rm", "--pull", "never", "--network", "none", "--read-only", "--entrypoint", "/bin/sh"}
		args = append(args, e.limits(plan.Plan{})...)
		err := e.said(e.command(ctx, append(args, image, "-c", "exit 0")...))
		if err == nil {
			e.path = e.imagePath(ctx, image)
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// said runs a command and makes an error of the last line that it said.
func (e *engine) said(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return fmt.Errorf("%s (%w)", wire.Clean(lines[len(lines)-1]), err)
}

// imagePath gives the directories that an image has its programs in.
func (e engine) imagePath(ctx context.Context, image string) []string {
	out, err := e.command(ctx, "image", "inspect", "--format", "{{json .Config.Env}}", image).Output()
	var env []string
	if err != nil || json.Unmarshal(out, &env) != nil {
		return nil
	}
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			return filepath.SplitList(v)
		}
	}
	return nil
}
