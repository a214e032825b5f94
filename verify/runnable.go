package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/checks"
	"cookoff/verify/lint"
	"cookoff/verify/needs"
	"cookoff/verify/verdict"
)

// Runnable demands of a task that no solution proves that what its checks need
// is there on the broken state, and that none ends for want of something.
func (a *Admission) Runnable(ctx context.Context, w sandbox.Sandbox, s *Start) error {
	if len(a.Solutions) > 0 {
		return nil
	}
	list, err := needs.Lacking(ctx, w, a.Texts(), s.Files)
	if err != nil {
		return err
	}
	if len(list) > 0 {
		return &BrokenStep{Phase: "checks", Why: "can't hold here: " + needs.Unmet(list, s.Files)}
	}
	return nil
}

// Startable is runnable of what the checks said on the broken state.
func (a *Admission) Startable(ctx context.Context, out Sealed) error {
	if len(a.Solutions) > 0 {
		return nil
	}
	for _, v := range out.Verdicts {
		output := needs.FailureText(v.Evidence)
		if output == "" || v.Status == trial.Held {
			continue
		}
		if needs.Unfetched.MatchString(output) {
			if get := needs.Fetching(out.start.Files, output); get != "" {
				return &BrokenStep{Phase: verdict.Phase(&v), Evidence: v.Evidence,
					Why: fmt.Sprintf("can't hold here: no module cache: %s; %s", verdict.Sentence(&v),
						get)}
			}
		}
		name, module := needs.MissedIn(output, out.start.Files)
		if name == "" {
			continue
		}
		there, err := a.has(ctx, name, module)
		if err != nil {
			return err
		}
		if !there {
			return &BrokenStep{Phase: verdict.Phase(&v), Evidence: v.Evidence,
				Why: fmt.Sprintf("can't hold here: there is no %q: %s; %s", name, verdict.Sentence(&v),
					needs.RemedyFor(out.start.Files, name, output, a.Texts()...))}
		}
	}
	return nil
}

// has reports whether the task's clean start has a program, or Python a module, of a name.
func (a *Admission) has(ctx context.Context, name string, module bool) (there bool, err error) {
	w, err := a.Open(ctx, nil, sandbox.Agent)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	return needs.Has(ctx, w, name, module, a.Texts()...)
}

// Lacking says what the checks and services of a task need and the sandbox does not have, by
// looking: no command of the task is run. What setup or the solution speak of
// may be made there.
func (c *Case) Lacking(ctx context.Context, open Opening) (list []lint.Finding, err error) {
	w, err := open(ctx, nil, sandbox.Agent)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	files, err := w.FS().Manifest(ctx, nil)
	if err != nil {
		return nil, err
	}
	var fs lint.Findings
	if err := unknownTools(ctx, c.Needs, w, &fs); err != nil {
		return nil, err
	}
	asked := slices.Clone(c.Named())
	for i, s := range c.Serves {
		if !s.Down { // else what it lacks may be the task
			key := fmt.Sprintf("services[%d]", i)
			asked = append(asked, checks.Script{Name: key, Text: s.Command}, checks.Script{Name: key + ".ready", Text: s.Ready})
		}
	}
	for _, s := range asked {
		lacks, err := needs.Lacking(ctx, w, []string{s.Text}, files)
		if err != nil {
			return nil, err
		}
		lacks = slices.DeleteFunc(lacks, func(n needs.Need) bool {
			return strings.Contains(c.Setup+" "+strings.Join(c.Solutions,
				" "), n.Name)
		})
		if len(lacks) > 0 {
			fs.Warn(Key(s.Name), needs.RemedyFor(files, lacks[0].Name, lacks[0].Message, s.Text), "the sandbox has %s",
				lacks[0].What)
		}
	}
	return fs.List, nil
}

// Key is where a check stands in its task.
func Key(name string) string {
	if name == "after" || name == "guard" {
		return name + "[0]"
	}
	return name
}

// unknownTools says which programs that a task needs its world does not have: it is left out here.
func unknownTools(ctx context.Context, tools []string, w sandbox.Sandbox, fs *lint.Findings) error {
	lacks, err := needs.Missing(ctx, w, tools, nil)
	if err != nil || len(lacks) == 0 {
		return err
	}
	for i, n := range tools {
		if !slices.Contains(lacks, n) {
			continue
		}
		fs.Lacks(i, n)
	}
	return nil
}
