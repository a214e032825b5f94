package plant

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cookoff/internal/mine/commands"
	"cookoff/internal/mine/outcome"
	"cookoff/internal/mutants"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/verify/testrun"
)

// Options say what faults are planted, and how.
type Options struct {
	Dir      string // host directory that holds the project's files, which are only read
	Base     string // the commit that they are of; "": as they lie there
	Test     string
	Prepared string // of the sandbox, see sandbox.Spec
	Seed     int64
	Tasks    int // wanted
	Faults   int // of each task
	Paths    []string
	Timeout  time.Duration // of one run of the tests
	Path     []string
	Env      []string
	Git      bool // worlds have a repository, whose history would tell the faults
	// Each is told of every fault what became of it, and what of all before it; nil: of none.
	Each func(fault, became string, all Tried)
	// Note is told in a line of what is left out; nil: nobody is.
	Note func(line string)
}

// Task is a task of planted faults.
type Task struct {
	Recipe recipe.Task `json:"recipe"`
	Edits  []string    `json:"faults"`
	Tests  []string    `json:"tests"` // that fail
}

// Tried counts what became of the faults that were tried.
type Tried struct {
	Planted  int `json:"planted"`
	Killed   int `json:"noticed"`
	Survived int `json:"survived"`
	Unbuilt  int `json:"unbuilt"`
	Endless  int `json:"endless"`
	Refused  int `json:"refused"` // by the referee
	Many     int `json:"everywhere"`
	Differ   int `json:"differing"` // their tests fail otherwise from run to run, or where faults are planted together
}

// Prove has the referee try a task; why is "" where it is fit to be run.
type Prove func(ctx context.Context, t recipe.Task) (why string, err error)

// sower plants faults in one world.
type sower struct {
	Options
	sb    sandbox.Sandbox
	files []string
	texts map[string]string // of sources
	whole bool              // the whole command judges
	green map[string]*testrun.Outcome
	sure  bool // the test command is known to end as its tests do
	Tried
}

// Bounds of planting.
const (
	mostFiles  = 400
	mostSize   = 256 << 10
	quickTests = 20 * time.Second // so long the whole command judges
	mostTries  = 30               // faults, for each that is wanted
	leastTime  = 10 * time.Second // that tests get with a fault planted
	slowness   = 3                // times what they take without one: what hangs is no task, and many a fault does
)

// Sow makes tasks: faults drawn from the seed, each of which the tests notice by name.
// open gives a world of the project. done is told of each task. An error says why there
// can be none, or is the sandbox's.
func Sow(ctx context.Context, o Options, open Open, prove Prove,
	done func(Task)) (list []Task, tried Tried, err error) {
	s := &sower{Options: o, green: map[string]*testrun.Outcome{}}
	if err := s.read(); err != nil {
		return nil, tried, err
	}
	s.sb, err = open(ctx, sandbox.Spec{Project: o.Dir, Prepared: o.Prepared, Network: sandbox.NoNetwork, Path: o.Path,
		Env:    o.Env,
		Hidden: []string{".cookoff", "**/.env", "**/.env.*"},
		Limits: sandbox.Limits{Call: o.Timeout, Output: 8 << 20, Processes: 1024}})
	if err != nil {
		return nil, tried, err
	}
	defer func() { err = errors.Join(err, s.sb.Close()) }()
	if err := s.uncopied(ctx); err != nil {
		return nil, tried, err
	}
	if err := s.begin(ctx); err != nil {
		return nil, tried, err
	}
	list, err = s.sow(ctx, prove, done)
	return list, s.Tried, err
}

// since says what became of the fault that was tried since.
func (t Tried) since(before Tried) string {
	switch {
	case t.Survived > before.Survived:
		return "survived"
	case t.Endless > before.Endless:
		return "endless"
	case t.Differ > before.Differ:
		return "differing"
	case t.Many > before.Many:
		return "everywhere"
	case t.Killed > before.Killed:
		return "noticed"
	}
	return "unbuilt"
}

// read finds the sources.
func (s *sower) read() error {
	s.texts = map[string]string{}
	err := filepath.WalkDir(s.Dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what can't be read is no source
		}
		rel, err := filepath.Rel(s.Dir, p)
		if rel = filepath.ToSlash(rel); err != nil || rel == "." {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor" {
				return fs.SkipDir
			}
			return nil
		}
		s.files = append(s.files, rel)
		info, err := d.Info()
		if err == nil && d.Type().IsRegular() && mutants.Source(rel) && s.asked(rel) && info.Size() <= mostSize &&
			len(s.texts) < mostFiles {
			if text, err := os.ReadFile(p); err == nil && len(mutants.Of(rel, string(text))) > 0 {
				s.texts[rel] = string(text)
			}
		}
		return nil
	})
	if err == nil && len(s.texts) == 0 {
		err = errors.New("there is no source here that faults can be planted in: " +
			"no code that is not tests, generated or a document")
	}
	return err
}

func (s *sower) asked(rel string) bool {
	return len(s.Paths) == 0 || slices.ContainsFunc(s.Paths, func(p string) bool {
		p = strings.TrimSuffix(filepath.ToSlash(filepath.Clean(p)), "/")
		return rel == p || p == "." || strings.HasPrefix(rel, p+"/")
	})
}

func (s *sower) test(ctx context.Context, command string, limit time.Duration) (*testrun.Outcome, error) {
	return testrun.ByName(ctx, s.sb, sandbox.Cmd{Script: command, Timeout: limit})
}

// limit bounds tests with a fault planted, by how long they take without one.
func (o Options) limit(took time.Duration) time.Duration {
	return min(o.Timeout, max(leastTime, slowness*took))
}

// tell tells of a fault what became of it.
func (o Options) tell(e mutants.Edit, became string, all Tried) {
	if o.Each != nil {
		o.Each(e.String(), became, all)
	}
}

// fault is an edit that the tests notice.
type fault struct {
	mutants.Edit
	failed []string
}

// sow tries faults, in an order that the seed draws, until there are tasks enough.
func (s *sower) sow(ctx context.Context, prove Prove, done func(Task)) (out []Task, err error) {
	order := drawn(s.Seed, slices.Sorted(maps.Keys(s.texts)), func(f string) []mutants.Edit {
		return mutants.Of(f, s.texts[f])
	})
	var held []fault // of the task that is being put together
	for _, e := range order {
		if len(out) == s.Tasks || s.Faults*s.Tasks*mostTries <= s.Planted {
			break
		}
		if slices.ContainsFunc(held, func(f fault) bool { return f.Meets(e) }) {
			continue
		}
		before := s.Tried
		failed, err := s.notices(ctx, []mutants.Edit{e})
		if err != nil {
			return out, err
		}
		s.tell(e, s.since(before), s.Tried)
		if failed == nil {
			continue
		}
		if err := s.endsBadly(ctx, e, failed.Failed); err != nil {
			return out, err
		}
		if held = append(held, fault{e, failed.Failed}); len(held) < s.Faults {
			continue
		}
		t, err := s.task(ctx, held, failed, len(out)+1)
		if held = nil; err != nil {
			return out, err
		}
		if t == nil {
			s.Differ++
			s.tell(e, "differing", s.Tried)
			continue
		}
		why, err := prove(ctx, t.Recipe)
		if err != nil {
			return out, err
		}
		if why != "" {
			s.Refused++
			s.tell(e, "refused", s.Tried)
			continue
		}
		out = append(out, *t)
		done(*t)
	}
	return out, nil
}

// command is the test command that judges faults.
func (s *sower) command(edits []mutants.Edit) string {
	if s.whole {
		return s.Test
	}
	var sources []string
	for _, e := range edits {
		sources = append(sources, e.File)
	}
	return commands.OfSources(s.Test, sources, s.files)
}

// notices runs the tests with faults planted; nil: no test that passes without them
// fails, or not as a fault would have it.
func (s *sower) notices(ctx context.Context, edits []mutants.Edit) (*testrun.Outcome, error) {
	command := s.command(edits)
	green := s.green[command]
	if green == nil {
		var err error
		if green, err = s.test(ctx, command, s.Timeout); err != nil {
			return nil, err
		}
		s.green[command] = green
	}
	s.Planted++
	if !green.OK() {
		s.Unbuilt++
		return nil, nil
	}
	if err := s.write(ctx, edits); err != nil {
		return nil, err
	}
	red, err := s.test(ctx, command, s.limit(green.Duration))
	if err == nil {
		err = s.write(ctx, nil, files(edits)...)
	}
	if err != nil {
		return nil, err
	}
	red.Failed = slices.DeleteFunc(red.Failed, func(n string) bool { return !slices.Contains(green.Passed, n) })
	switch {
	case red.OK():
		s.Survived++
	case red.Reason == "timeout":
		s.Endless++
	case outcome.Of(red).Unbuilt() || len(red.Failed) == 0:
		s.Unbuilt++
	case len(green.Passed) > 3 && 2*len(red.Failed) > len(green.Passed): // so many tell where it is
		s.Many++
	default:
		s.Killed++
		return red, nil
	}
	return nil, nil
}

func files(edits []mutants.Edit) (out []string) {
	for _, e := range edits {
		if !slices.Contains(out, e.File) {
			out = append(out, e.File)
		}
	}
	return out
}

// write writes files with faults, and others without any.
func (s *sower) write(ctx context.Context, edits []mutants.Edit, clean ...string) error {
	for _, f := range append(files(edits), clean...) {
		mine := slices.DeleteFunc(slices.Clone(edits), func(e mutants.Edit) bool { return e.File != f })
		if err := sandbox.Overwrite(ctx, s.sb, f, []byte(mutants.Apply(s.texts[f], mine))); err != nil {
			return err
		}
	}
	return nil
}
