// Package prepare gets what a project's worlds need and its repository does not have:
// a command runs once a lockfile, in a sandbox with a network, outside of any trial, and
// what it writes is kept and lies, read-only, under every world.
package prepare

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cookoff/internal/hint"
	"cookoff/internal/temporary"
	"cookoff/sandbox"
	"cookoff/sandbox/trees"
	"cookoff/verify/printed"
)

// Time is how long a command may take that does not say.
const Time = 10 * time.Minute

// kept is how long something prepared is kept that nobody uses.
const kept = 30 * 24 * time.Hour

// Store is where on the host results are kept, and what commands get.
type Store struct {
	Dir     string       // "": nothing can be prepared
	Env     []string     // K=V that say where registries are; no secrets
	Caches  Caches       // of this machine: they are asked before the network
	Trusted Certificates // whom a command believes on the network
	Network bool         // the user lets recipes use it for this
	Closed  []Closed     // registries that no command gets
	// Say is told what takes long, and whether it has a network; nil: nobody.
	Say func(doing string, network bool)
	// Kept is told which files of the project the command changed, and worlds have as the project has them.
	Kept func(command string, files []string)
}

// Work is one command for one project.
type Work struct {
	Command        string
	Timeout        time.Duration          // 0: Time
	Project        string                 // host directory whose files its worlds start with; "": with none
	From           string                 // where the project lies: nothing is shared with another one's
	Sum            func() (string, error) // of its files
	Spec           sandbox.Spec           // of its world; Network, Project and Prepared are set here
	Tools          string                 // what says that programs are the same
	SharedByStates bool                   // without a lockfile: what was made for one state of the project serves others
}

// Ready gives the host directory of what was prepared before; "": it has to be Made.
func (s Store) Ready(w Work) (string, error) {
	for _, own := range []bool{false, true} {
		key, err := w.key(own)
		if err != nil {
			return "", err
		}
		dir := filepath.Join(s.Dir, key)
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			continue
		}
		fit, err := fits(dir, w.Project)
		if err != nil {
			return "", err
		}
		if fit {
			now := time.Now()
			_ = os.Chtimes(dir, now, now) // it only says that it is used
			return dir, nil
		}
	}
	return "", nil
}

// Make runs the command, where that was not done before, and gives the host directory
// of what it wrote. An error wraps sandbox.ErrUnavailable, is ctx's, or says why the
// command did not do its work.
func (s Store) Make(ctx context.Context, b sandbox.Backend, w Work) (string, error) {
	if dir, err := s.Ready(w); dir != "" || err != nil {
		return dir, err
	}
	if s.Dir == "" {
		return "", errors.New("this user has no cache directory to keep it in")
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return "", err
	}
	Clear(s.Dir)
	tmp, err := temporary.Dir(s.Dir, Unfinished+"*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	out := filepath.Join(tmp, "made")
	if err := os.Mkdir(out, 0o755); err != nil {
		return "", err
	}
	m, err := s.run(ctx, b, w, tmp, out)
	if err != nil {
		return "", err
	}
	if s.Kept != nil && len(m.Own) > 0 {
		s.Kept(w.Command, m.Own)
	}
	return s.keep(w, out, m)
}

// Unfinished begins the names of directories that are not whole yet.
const Unfinished = "new-"

// keep gives what was made its name: that of the lockfiles alone, unless it was made of the project's own files, or
// another project with the same ones has it already, over which it does not fit.
func (s Store) keep(w Work, out string, m made) (string, error) {
	for _, own := range []bool{false, true} {
		if m.Sources && !own {
			continue
		}
		key, err := w.key(own)
		if err != nil {
			return "", err
		}
		dir := filepath.Join(s.Dir, key)
		err = os.Rename(out, dir)
		if err == nil {
			return dir, os.Chmod(dir, 0o755)
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		if fit, err := fits(dir, w.Project); fit && err == nil {
			return dir, nil // another run was first
		}
	}
	return "", errors.New("what was prepared can't be kept")
}

// Clear removes from a directory of things that are kept what nobody uses any more.
func Clear(dir string) {
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		info, err := e.Info()
		if err != nil {
			continue
		}
		age := time.Since(info.ModTime())
		if age <= kept || strings.HasPrefix(e.Name(), Unfinished) {
			continue
		}
		at, away := filepath.Join(dir, e.Name()), filepath.Join(dir, Unfinished+"gone-"+rand.Text())
		temporary.Note(away)
		if os.Rename(at, away) == nil { // so that half of it is never found under its name
			_ = trees.Remove(away)
		}
	}
}

// key names what a command makes of a project: by its lockfiles, or all its files.
func (w Work) key(own bool) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "4 %q %q %q %q %q %q %q %q %q\n",
		w.From, w.Spec.User, w.Command, w.Tools, w.Spec.Image, w.Spec.Root.Dir,
		fmt.Sprint(w.Spec.Mounts), w.Spec.Env, w.Spec.ToolPaths)
	locks, err := Lockfiles(w.Project)
	if err != nil {
		return "", err
	}
	for _, l := range locks {
		text, err := os.ReadFile(filepath.Join(w.Project, l))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%q %x\n", l, sha256.Sum256(relevant(w.Command, l, text, locks)))
	}
	if own || len(locks) == 0 && !w.SharedByStates {
		sum, err := w.Sum()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s", sum)
	}
	return hex.EncodeToString(h.Sum(nil)[:12]), nil
}

// run runs the command in a world of its own, first without a network, with what the
// caches of the machine have of it, where they have all.
func (s Store) run(ctx context.Context, b sandbox.Backend, w Work, tmp, out string) (m made, err error) {
	seed, whole, err := s.Caches.Gather(w.Project, filepath.Join(tmp, "seed"))
	if err != nil {
		return m, err
	}
	var offline error
	if whole && !(s.Network && seed.lacks(w.Command)) {
		s.say(w.Command, false)
		m, offline = w.try(ctx, b, out, seed.offline())
		if offline == nil || ctx.Err() != nil || errors.Is(offline, sandbox.ErrUnavailable) || errors.Is(offline,
			errEndless) {
			return m, offline
		}
		if err := empty(out); err != nil {
			return m, err
		}
	}
	if !s.Network {
		if offline != nil {
			return m, offline
		}
		return m, hint.New("cookoff run asks whether the recipe may; or fill the caches of this machine by "+
			"running it yourself",
			"the caches of this machine lack something of what the lockfile names, and a network needs your permission")
	}
	trusted, err := s.Trusted.gather(filepath.Join(tmp, "seed"))
	if err != nil {
		return m, hint.New("name a file of certificates, or unset the variable", "%w", err)
	}
	if len(trusted) > 0 {
		seed.dir = filepath.Join(tmp, "seed")
	}
	s.say(w.Command, true)
	m, err = w.try(ctx, b, out, seed.online(slices.Concat(s.Env, trusted)))
	return m, s.sayClosed(w.Command, err)
}

func (s Store) say(doing string, network bool) {
	if s.Say != nil {
		s.Say(doing, network)
	}
}

func empty(dir string) error {
	if err := trees.Remove(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o755)
}

// errEndless is a command that took too long.
var errEndless = errors.New("the command did not end")

// terms are what a command gets beside its project.
type terms struct {
	network sandbox.Network
	mounts  []sandbox.Mount
	env     []string
	before  string // what its script begins with
}

// failed says how a command ended; of one that printed more than a line, the last of them.
func failed(res sandbox.Result) string {
	said := printed.LastLines(printed.Tail(append(slices.Clone(res.Stdout), res.Stderr...)))
	if !strings.Contains(said, "\n") {
		return printed.Ended(res)
	}
	return printed.Ended(res) + "\nit printed:\n  " + strings.ReplaceAll(said, "\n", "\n  ")
}

// try runs the command once.
func (w Work) try(ctx context.Context, b sandbox.Backend, out string, t terms) (m made, err error) {
	spec := w.Spec
	spec.Project, spec.Network, spec.Gate, spec.Prepared, spec.State = w.Project, t.network, nil, "", nil
	spec.ReadOnly = append(spec.ReadOnly, t.mounts...)
	spec.Profile = sandbox.Agent
	sb, err := b.Open(ctx, spec)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, sb.Close()) }()
	limit := w.Timeout
	if limit == 0 {
		limit = Time
	}
	res, err := sb.Exec(ctx, sandbox.Cmd{Script: t.before + w.Command, Env: t.env, Timeout: limit})
	if err != nil {
		return m, err
	}
	if res.Reason == "timeout" {
		return m, hint.New("prepare_timeout: under Sandbox gives it more", "%w within %v", errEndless, limit)
	}
	if !res.OK() {
		return m, hint.New("every world of the task would lack what it gets; nothing was paid for",
			"the command failed: %s", failed(res))
	}
	st, err := sb.Seal(ctx)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, st.Release()) }()
	e, can := st.(sandbox.Exporter)
	if !can {
		return m, errors.New("this sandbox can't keep what was prepared")
	}
	gone, err := e.Export(out)
	if err != nil {
		return m, err
	}
	return settle(out, w.Project, gone)
}
