// Package leaks finds what in a task's world gives its answer away: commits that come
// later, and lines that only a solution adds.
package leaks

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"cookoff/sandbox"
	"cookoff/verify"
	"cookoff/verify/lint"
)

// searchTime bounds each part of a search.
const searchTime = 90 * time.Second

// shown is how many places a finding names.
const shown = 5

// Find looks in the world of a task as its model meets it, and in the texts that it is
// given, by what they are called. What can't be looked through in time is said, as a
// warning. Keys are relative to the task. An error is the sandbox's.
func Find(ctx context.Context, c *verify.Case, open verify.Opening, texts map[string]string) ([]lint.Finding, error) {
	s := &search{c: c, open: open}
	world, start, err := s.staged(ctx)
	if err != nil {
		return unfit(err)
	}
	s.world, s.start = world, start
	if err = s.all(ctx); err == nil {
		err = s.canary(ctx)
		s.told(texts)
	}
	return s.found.List, errors.Join(err, world.Close())
}

// unfit says why a task can't be staged, unless the sandbox is at fault.
func unfit(err error) ([]lint.Finding, error) {
	if bad, ok := errors.AsType[*verify.StagingError](err); ok {
		return []lint.Finding{{Key: strings.Fields(bad.Phase)[0], Msg: "not fit to be run: " + bad.Detail}}, nil
	}
	return nil, err
}

// search is the search in one world.
type search struct {
	c     *verify.Case
	open  verify.Opening
	world sandbox.Sandbox
	start *verify.Start
	lines []line // of the solutions
	found lint.Findings
}

func (s *search) staged(ctx context.Context) (sandbox.Sandbox, *verify.Start, error) {
	w, err := s.open(ctx, nil, sandbox.Agent)
	if err != nil {
		return nil, nil, err
	}
	start, err := s.c.Stage(ctx, w)
	if err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	return w, start, nil
}

func (s *search) all(ctx context.Context) error {
	if err := s.added(ctx); err != nil {
		return err
	}
	for _, dir := range s.repositories() {
		if err := s.repository(ctx, dir); err != nil {
			return err
		}
	}
	if len(s.lines) == 0 {
		return nil
	}
	if err := s.files(ctx); err != nil {
		return err
	}
	return s.archives(ctx)
}

// repositories gives the git directories of project and home.
func (s *search) repositories() (dirs []string) {
	is := map[string]bool{}
	for _, f := range s.start.Files {
		is[f.Path] = true
	}
	for _, f := range s.start.Files {
		if dir := path.Dir(f.Path); path.Base(f.Path) == "HEAD" && is[path.Join(dir, "objects")] {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// run runs a script in the world; cut: its time was not enough.
func (s *search) run(ctx context.Context, script string, in string, args ...string) (out string, cut bool, err error) {
	env := []string{"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1"}
	for i, a := range args {
		env = append(env, fmt.Sprintf("LOOK_%d=%s", i+1, a))
	}
	res, err := s.world.Exec(ctx, sandbox.Cmd{Script: script, Stdin: []byte(in), Env: env, Timeout: searchTime})
	return string(res.Stdout), res.Reason != "", err
}

// slow says what was not looked through in time.
func (s *search) slow(what string) {
	s.found.Warn("leaks", "the rest was not looked at", "looking through %s took longer than %v", what, searchTime)
}

// at shows a path of the world: those of the project as the recipe would write them.
func at(p string) string {
	if rest, ok := strings.CutPrefix(p, sandbox.WorkDir+"/"); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(p, sandbox.HomeDir+"/"); ok {
		return "~/" + rest
	}
	return p
}

// list names the first of several places.
func list(places []string) string {
	if len(places) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(places[:shown], ", "), len(places)-shown)
	}
	return strings.Join(places, ", ")
}
