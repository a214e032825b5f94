package jobs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/interop/imported"
	"cookoff/model"
	"cookoff/trial"
)

// Is reports whether path is the directory of a job.
func Is(path string) bool {
	if _, err := os.Lstat(filepath.Join(path, trial.JournalFile)); err == nil {
		return false
	}
	for _, file := range []string{resultFile, configFile} {
		if st, err := os.Lstat(filepath.Join(path, file)); err == nil && st.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// Read reads a job directory and gives it as events. Symbolic links are not followed.
func Read(dir string, each func(trial.Event) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	r := reader{root: root, dir: dir, seen: map[string]int{}}
	run, err := r.run()
	if err != nil {
		return fmt.Errorf("reading the job %s: %w", dir, err)
	}
	return run.Emit(each)
}

// reader reads one job. seen counts what can't be told, by a sentence with a number.
type reader struct {
	root *os.Root
	dir  string
	seen map[string]int
}

// whole is what is read of a job's result.json; that of a trial has a name.
type whole struct {
	ID       string `json:"id"`
	Trial    string `json:"trial_name"`
	Started  string `json:"started_at"`
	Finished string `json:"finished_at"`
}

// run reads a directory of Harbor as a run: its tasks, its contestants and how each trial
// ended.
func (r *reader) run() (imported.Run, error) {
	var j whole
	if err := imported.JSON(r.root, resultFile, &j); err != nil && !imported.Missing(err) {
		return imported.Run{}, err
	}
	if j.Trial != "" {
		return imported.Run{}, errors.New("it is one trial\n  hint: name the directory of its job, the one above")
	}
	run := imported.Run{ID: cmp.Or(j.ID, filepath.Base(r.dir)), Source: r.dir, Started: imported.Time(j.Started)}
	results, err := r.results()
	if err != nil {
		return run, err
	}
	if len(results) == 0 {
		return run, errors.New("it holds no trials")
	}
	slices.SortStableFunc(results, func(a, b result) int {
		return cmp.Or(imported.Time(a.Started).Compare(imported.Time(b.Started)), cmp.Compare(a.Name, b.Name))
	})
	nameTasks(results)
	sources, digests := map[string]bool{}, map[string]bool{}
	for _, res := range results {
		recipe, digest := recipeOf(res)
		sources[cmp.Or(recipe, res.Source, res.Config.Task.Source, "adhoc")] = true
		digests[digest] = true
		run.Trials = append(run.Trials, r.trial(res))
	}
	run.Recipe = strings.Join(slices.Sorted(maps.Keys(sources)), ", ")
	if len(digests) == 1 {
		run.Digest = slices.Collect(maps.Keys(digests))[0]
	}
	if end := imported.Time(j.Finished); !end.IsZero() {
		run.Ended = &trial.End{Seconds: end.Sub(run.Started).Seconds()}
	}
	run.Warnings = imported.Warnings(r.seen)
	return run, nil
}

// recipeOf is the recipe of a trial that cookoff wrote, and its digest.
func recipeOf(res result) (name, digest string) {
	if res.Agent.Name != "cookoff" || res.Context == nil {
		return "", ""
	}
	name, _ = res.Context.Metadata["recipe"].(string)          // "" where it is none
	digest, _ = res.Context.Metadata["recipe_digest"].(string) // the same
	return name, digest
}

// results reads every trial of the job.
func (r *reader) results() ([]result, error) {
	entries, err := fs.ReadDir(r.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var out []result
	for _, e := range entries {
		if !e.IsDir() { // a link to a directory is none
			continue
		}
		var res result
		err := imported.JSON(r.root, filepath.Join(e.Name(), resultFile), &res)
		if imported.Missing(err) { // under way, or no trial
			if err = imported.JSON(r.root, filepath.Join(e.Name(), configFile), &res.Config); imported.Missing(err) {
				continue
			}
			res.Name, res.Task = e.Name(), filepath.Base(res.Config.Task.Path)
			res.Agent.Name = res.Config.Agent.Name
			if m := res.Config.Agent.Model; m != "" {
				res.Agent.Model = split(m)
			}
			res.pending = true
		}
		if err != nil {
			return nil, err
		}
		if out = append(out, res); len(out) > imported.Most {
			return nil, fmt.Errorf("it holds more than %d trials", imported.Most)
		}
	}
	return out, nil
}

// trial gives one result of Harbor as a trial of ours: what it cost and used, and how it
// ended.
func (r *reader) trial(res result) imported.Trial {
	t := imported.Trial{Model: contestant(res), Task: res.Task, Started: imported.Time(res.Started),
		Asked: res.Agent.Model != nil}
	if res.pending {
		return t
	}
	o := r.outcome(res)
	if c := res.Context; c != nil {
		o.CostUSD = c.USD
		if c.Input != nil && c.Output != nil {
			o.Usage = model.Usage{Input: *c.Input, Output: *c.Output, Known: true}
			if c.Cached != nil {
				o.Usage.Cached = *c.Cached
			}
		}
	}
	if e := res.Execution; e != nil {
		if began, ended := imported.Time(e.Started), imported.Time(e.Finished); !began.IsZero() && ended.After(began) {
			o.Seconds.Agent = ended.Sub(began).Seconds()
		}
	}
	if res.Agent.Name == "cookoff" {
		ours(&o, &t, res)
	} else {
		r.seen["trials of another program, which does not tell steps, "+
			"nor why one was not fixed (wrong_fix stands for all but limits)"]++
	}
	imported.DropImplausible(&o, r.seen)
	t.Outcome = &o
	return t
}

// ours takes from a trial that cookoff wrote what Harbor has no word for.
func ours(o *trial.Outcome, t *imported.Trial, res result) {
	if res.Context == nil {
		return
	}
	m := res.Context.Metadata
	if is, ok := m["status"].(string); !ok || is != string(o.Status) {
		return
	}
	text := func(key string) string { s, _ := m[key].(string); return s } // "" where it is none
	number := func(key string) int { x, _ := m[key].(float64); return int(min(max(x, 0), 1e9)) }
	o.Cause, o.Stop, o.Detail, o.Steps = trial.Cause(text("cause")), trial.Stop(text("stop")), text("detail"),
		number("steps")
	t.N = number("repeat")
	if s, ok := m["seconds"].(map[string]any); ok {
		if x, ok := s["agent"].(float64); ok && x >= 0 {
			o.Seconds.Agent = x
		}
	}
}

// outcome is what became of a trial: its reward, or the error that kept it from one.
func (r *reader) outcome(res result) trial.Outcome {
	if res.Verifier == nil || len(res.Verifier.Rewards) == 0 {
		o := trial.Outcome{Status: trial.Void, Cause: trial.CauseInternal, Stop: trial.StopBroken,
			Detail: "no reward, and no error that says why"}
		if x := res.Exception; x != nil {
			o.Cause, o.Detail = cause(x.Type), x.Type+": "+first(x.Message)
		}
		r.seen["trials that ended by an error, which are void here, where Harbor counts 0"]++
		return o
	}
	if res.VerifierMode != "separate" {
		r.seen["trials verified where the contestant had been, so that it could have written its own reward"]++
	}
	x := reward(res.Verifier.Rewards)
	if x > 0 && x < 1 {
		r.seen["rewards between 0 and 1, which count as not fixed"]++
	}
	o := imported.Rewarded(x)
	if e := res.Exception; e != nil && o.Status == trial.Fail && strings.Contains(e.Type, "AgentTimeout") {
		o.Cause, o.Stop = trial.CauseLimit, trial.StopTimeout
	}
	return o
}

// reward is the one called so, else the least of all.
func reward(rewards map[string]float64) float64 {
	if x, ok := rewards["reward"]; ok {
		return x
	}
	least := 1.0
	for _, x := range rewards {
		least = min(least, x)
	}
	return least
}

// cause says whose fault an error was, as far as its name tells.
func cause(kind string) trial.Cause {
	for _, x := range []struct {
		part  string
		cause trial.Cause
	}{
		{"Verifier", trial.CauseVerifier}, {"Reward", trial.CauseVerifier}, {"Environment", trial.CauseSandbox},
		{"Docker", trial.CauseSandbox},
		{"Setup", trial.CauseStaging}, {"Api", trial.CauseProvider}, {"Authentication", trial.CauseProvider},
		{"ModelNotFound", trial.CauseProvider},
		{"RateLimit", trial.CauseProvider}, {"Cancel", trial.CauseCancelled},
	} {
		if strings.Contains(kind, x.part) {
			return x.cause
		}
	}
	return trial.CauseInternal
}

func first(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line[:min(len(line), 400)]
}

// contestant is the agent and its model; one that cookoff wrote is the model alone.
func contestant(res result) string {
	name := res.Config.Agent.Model
	if name == "" && res.Agent.Model != nil {
		name = strings.TrimPrefix(res.Agent.Model.Provider+"/"+res.Agent.Model.Name, "/")
	}
	switch agent := cmp.Or(res.Agent.Name, res.Config.Agent.Name, "agent"); {
	case name == "":
		return agent
	case agent == "cookoff":
		return name
	default:
		return agent + "/" + name
	}
}
