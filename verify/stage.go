package verify

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/distrust/git"
	"cookoff/verify/footprint"
	"cookoff/verify/needs"
	"cookoff/verify/printed"
	"cookoff/verify/substitutes"
	"cookoff/verify/tree"
	"cookoff/verify/versions"
	"cookoff/verify/witness"
)

// Start is the staged, broken state of one trial: what its final state is
// compared with.
type Start struct {
	footprint.Start
	Versions map[string]string    // block -> version asked for
	missing  []string             // tools of the checks that were not there
	repos    map[string]*git.Repo // directory -> the repository there, where checks ask git
	kept     substitutes.Kept     // for the referee, to be put back
	goTests  []sandbox.Item       // Go tests beside those of the judge
	own      map[string]bool      // directories with files before a check ran; nil: not looked for
	born     map[string]bool      // files that were not there before a check ran
}

// Manifest describes every file of the staged state.
func (s *Start) Manifest() sandbox.Manifest { return s.Files }

// StagingError says that a task's fixture is broken: nobody could have solved
// it, so the trial is void.
type StagingError struct {
	Phase  string // setup, before, guard, verify[0].version_command, …
	Detail string

	Evidence *trial.Evidence // of what was run; nil: nothing was
}

func (e *StagingError) Error() string { return "staging: " + e.Phase + ": " + e.Detail }

// As makes files what they were in an earlier staging, once the broken state is proven (programs may run that
// wrote down what they are), and gives those that it wrote.
type As func(context.Context, *Start) (put []string, err error)

// Stage makes and proves the broken state in the trial's own world: setup,
// before, guard, the commands that say which versions are asked for; then it
// records every file. A *StagingError says that the fixture is broken; any
// other error is the sandbox's.
func (c *Case) Stage(ctx context.Context, sb sandbox.Sandbox, as ...As) (*Start, error) {
	s := &Start{Versions: map[string]string{}, Start: footprint.Start{Of: c.starts}}
	var err error
	if s.Path, err = PathOf(ctx, sb); err != nil {
		return nil, err
	}
	if err := needed(ctx, sb, c.Needs); err != nil {
		return nil, err
	}
	if c.Setup != "" {
		// What it compiles lies where it would without build caches: beside the source.
		if err := mustHold(ctx, sb, sandbox.Cmd{Script: c.Setup, Timeout: c.Limits.Setup,
			Env: []string{"PYTHONPYCACHEPREFIX="}}, "setup", ""); err != nil {
			return nil, err
		}
	}
	if err := served(c.Serves).start(ctx, sb); err != nil {
		return nil, err
	}
	if err := s.findOwn(ctx, sb); err != nil {
		return nil, err
	}
	if len(c.judgeFiles) == 0 { // else admission has shown it, in a world with the judge's files
		if err := c.demandStart(ctx, sb); err != nil {
			return nil, err
		}
	}
	for _, as := range as {
		put, err := as(ctx, s)
		if err != nil {
			return nil, err
		}
		s.owns(put)
	}
	if err := c.versions(ctx, sb, s); err != nil {
		return nil, err
	}
	if len(c.Solutions) == 0 {
		if s.missing, err = needs.Missing(ctx, sb, c.Tools(), nil); err != nil {
			return nil, err
		}
	}
	if s.Files, err = sb.FS().Manifest(ctx, nil); err != nil {
		return nil, err
	}
	s.Files = c.starts.Files(s.Files)
	s.missing = slices.DeleteFunc(s.missing, func(n string) bool { return needs.HasFile(s.Files, n) })
	s.born = bornIn(s.Files, s.born)
	if s.goTests, err = c.judgeFiles.testsBeside(ctx, sb, s.Files); err != nil {
		return nil, err
	}
	if s.kept, err = c.substitutes().Keep(ctx, sb, s.Files, s.born); err != nil {
		return nil, err
	}
	if s.Held, err = c.starts.Holds(ctx, sb, s.Files); err != nil {
		return nil, err
	}
	if s.Texts, err = c.starts.Texts(ctx, sb, s.Files); err != nil {
		return nil, err
	}
	if s.Modes, err = footprint.RootModes(ctx, sb); err != nil {
		return nil, err
	}
	if c.foot != nil && c.foot.Rewrites {
		if s.Histories, err = footprint.ReadHistories(ctx, sb, &s.Start); err != nil {
			return nil, err
		}
	}
	list, err := footprint.Processes(ctx, sb, trustedEnv(s.Path))
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		s.Running = append(s.Running, p.Name)
	}
	if c.AsksLive() {
		waiting, err := footprint.Listeners(ctx, sb, trustedEnv(s.Path))
		if err != nil {
			return nil, err
		}
		for _, l := range waiting {
			s.Waiting = append(s.Waiting, l.Key())
		}
	}
	s.repos, err = c.git.describe(ctx, sb, s.Files)
	return s, err
}

// PathOf gives the PATH that commands have in a world.
func PathOf(ctx context.Context, sb sandbox.Sandbox) (string, error) {
	res, err := sb.Exec(ctx, sandbox.Cmd{Script: `printf %s "$PATH"`})
	return string(res.Stdout), err
}

// mustHold runs one script of the fixture.
func mustHold(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Cmd, phase, prefix string) error {
	cmd.Timeout = cmp.Or(cmd.Timeout, checks.DefaultTimeout)
	res, err := sb.Exec(ctx, cmd)
	if err != nil {
		return err
	}
	if !res.OK() {
		return &StagingError{phase, prefix + printed.Ended(res), witness.Evidence(cmd.Script, res)}
	}
	return nil
}

// versions runs the version commands on the staged state, before the contestant
// can touch what they read.
func (c *Case) versions(ctx context.Context, sb sandbox.Sandbox, s *Start) error {
	for _, b := range c.Blocks {
		v := b.Version
		if b.VersionCommand != "" {
			phase := b.Name + ".version_command"
			res, err := sb.Exec(ctx, sandbox.Cmd{Script: b.VersionCommand, Env: c.told, Timeout: b.Timeout})
			if err != nil {
				return err
			}
			if !res.OK() {
				return &StagingError{phase, printed.Ended(res), witness.Evidence(b.VersionCommand, res)}
			}
			v = strings.TrimSpace(string(res.Stdout))
			if err := versions.ValidateVersion(v); err != nil {
				return &StagingError{Phase: phase, Detail: err.Error()}
			}
		}
		s.Versions[b.Name] = v
	}
	return nil
}

// needed demands the programs without which a task is not tried.
func needed(ctx context.Context, sb sandbox.Sandbox, programs []string) error {
	lacks, err := needs.Missing(ctx, sb, programs, nil)
	if err != nil || len(lacks) == 0 {
		return err
	}
	return &StagingError{Phase: "needs", Detail: "this machine lacks " + strings.Join(lacks, ", ")}
}

// Lasting gives the files of a state at the start that make it what it is: not those that tools and checks
// write beside their work.
func (s *Start) Lasting(m sandbox.Manifest) sandbox.Manifest {
	born := s.born
	if s.Files == nil { // it is being staged
		born = bornIn(m, s.born)
	}
	return slices.DeleteFunc(slices.Clone(m), func(f sandbox.File) bool {
		return tree.Untracked(f.Path) || born[f.Path] || s.Made(f.Path) != ""
	})
}

// Drawn gives those of its files that not every start of the task had, the same: what its setup draws by
// chance, or dates.
func (s *Start) Drawn() sandbox.Manifest { return s.Lasting(s.Of.Drawn(s.Files)) }
