package jobs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cookoff/interop/atif"
	"cookoff/interop/transcript"
	"cookoff/report"
	"cookoff/trial"
)

// Writer writes one job: each trial as it is given, the job at the end.
type Writer struct {
	dir, name, version string
	r                  *report.Report
	exceptions         map[string][]string            // model to its voided trials
	rewards            map[string]map[string][]string // model, reward, trials
	locks              []lock
}

// NewWriter writes the job of a run into dir, which is there and empty. The job is
// called name; version is that of cookoff.
func NewWriter(dir, name, version string, r *report.Report) *Writer {
	return &Writer{dir: dir, name: name, version: version, r: r, exceptions: map[string][]string{},
		rewards: map[string]map[string][]string{}}
}

// Trial writes the directory of one trial.
func (w *Writer) Trial(t transcript.Trial) error {
	name := trialName(w.r.Run.ID, t.Trial)
	dir := filepath.Join(w.dir, name)
	for _, sub := range []string{"agent", "verifier"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	res := w.result(name, t)
	l := w.lock(res)
	w.locks = append(w.locks, l)
	files := map[string]any{resultFile: res, configFile: res.Config, lockFile: l}
	if tr, ok := atif.Of(w.r.Run.ID, w.version, t); ok {
		files["agent/trajectory.json"] = tr
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if err := writeJSON(filepath.Join(dir, file), files[file]); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "verifier/test-stdout.txt"), verdictText(t), 0o644); err != nil {
		return err
	}
	if res.Verifier == nil {
		w.exceptions[t.Model] = append(w.exceptions[t.Model], name)
		return nil
	}
	reward := fmt.Sprintf("%.1f", res.Verifier.Rewards["reward"])
	if w.rewards[t.Model] == nil {
		w.rewards[t.Model] = map[string][]string{}
	}
	w.rewards[t.Model][reward] = append(w.rewards[t.Model][reward], name)
	return os.WriteFile(filepath.Join(dir, "verifier/reward.txt"), []byte(reward+"\n"), 0o644)
}

// verdictText is what the checks said, for people.
func verdictText(t transcript.Trial) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n", strings.TrimRight(strings.Join([]string{string(t.Outcome.Status), string(t.Outcome.Cause),
		t.Outcome.Detail}, " "), " "))
	for _, v := range t.Verdicts {
		fmt.Fprintf(&b, "\n%s: %s %s\n", v.Check, v.Status, v.Detail)
		if v.Evidence != nil {
			fmt.Fprintf(&b, "$ %s\n%s%s", v.Evidence.Command, v.Evidence.Tail, v.Evidence.Stderr)
		}
	}
	return b.Bytes()
}

// result gives a trial in the form of a result.json of Harbor.
func (w *Writer) result(name string, t transcript.Trial) result {
	o, id := t.Outcome, identifier(w.r.Run.ID, t.ID)
	slug := slug(t.Task, 80)
	res := result{
		ID: id, Task: t.Task, Name: name, URI: "cookoff:" + w.r.Run.ID + "/" + t.ID,
		TaskID: taskID{Path: "cookoff/" + slug}, Source: w.dataset(), Checksum: w.checksum(t.Task),
		Config: config{Task: taskRef{"cookoff/" + slug, w.dataset()}, Name: name, TrialsDir: w.name,
			Agent: agentRef{"cookoff", t.Model}, JobID: identifier(w.r.Run.ID, "")},
		Agent:   agentInfo{"cookoff", w.version, split(t.Model)},
		Started: stamp(t.Started), Finished: stamp(t.Finished),
		// What was left is judged in worlds of their own: separate, in Harbor's word.
		VerifierMode: "separate",
		Context: &context{USD: o.CostUSD, Metadata: map[string]any{"status": o.Status, "cause": o.Cause, "stop": o.Stop,
			"detail": o.Detail,
			"steps":  o.Steps, "seconds": o.Seconds, "repeat": t.N, "attempt": t.Attempt, "recipe": w.r.Run.Recipe,
			"recipe_digest": w.r.Run.Digest}},
	}
	if u := o.Usage; u.Known {
		res.Context.Input, res.Context.Cached, res.Context.Output = &u.Input, &u.Cached, &u.Output
	}
	if !t.Judging.IsZero() {
		res.Execution = &timing{stamp(t.Started), stamp(t.Judging)}
		res.Verifying = &timing{stamp(t.Judging), stamp(t.Finished)}
	}
	switch o.Status {
	case trial.Void:
		res.Exception = &exception{"CookoffVoid", strings.TrimRight(string(o.Cause)+": "+o.Detail, ": "), "",
			stamp(t.Finished)}
	case trial.Pass:
		res.Verifier = &verifier{map[string]float64{"reward": 1}}
	default:
		res.Verifier = &verifier{map[string]float64{"reward": 0}}
	}
	return res
}

// dataset is the name of the recipe.
func (w *Writer) dataset() string { return slug(w.r.Run.Recipe, 80) }

// checksum is the same for the same task of the same recipe.
func (w *Writer) checksum(task string) string {
	sum := sha256.Sum256([]byte(w.r.Run.Digest + "\x00" + task))
	return hex.EncodeToString(sum[:])
}

// Close writes what is known of the job as a whole.
func (w *Writer) Close() error {
	begun := w.r.Started
	j := job{ID: identifier(w.r.Run.ID, ""), Started: stamp(begun), Total: len(w.r.Trials) + len(w.r.Pending),
		Stats: statistics{
			Completed: len(w.r.Trials), Pending: len(w.r.Pending), Evals: map[string]*eval{}}}
	if j.Started == "" {
		j.Started = stamp(time.Unix(0, 0))
	}
	if s := w.r.Seconds; !math.IsNaN(s) && !begun.IsZero() {
		j.Finished = new(stamp(begun.Add(time.Duration(s * float64(time.Second)))))
		j.Updated = *j.Finished
	}
	for _, m := range w.r.Models {
		j.Stats.Errored += m.Void
		j.Stats.Evals["cookoff__"+m.Name+"__"+w.dataset()] = w.eval(m)
	}
	j.Stats.spent(w.r.Models)
	for file, v := range map[string]any{
		resultFile: j,
		configFile: map[string]any{"job_name": w.name, "jobs_dir": ".", "agents": w.agents(), "datasets": []any{}},
		lockFile: map[string]any{"schema_version": 3, "created_at": j.Started, "harbor": map[string]any{},
			"n_concurrent_trials": max(w.r.Run.Parallel, 1),
			"retry":               map[string]any{}, "trials": w.locks},
	} {
		if err := writeJSON(filepath.Join(w.dir, file), v); err != nil {
			return err
		}
	}
	return nil
}

// eval is a model's part of the job: its rate without voids, and the interval.
func (w *Writer) eval(m report.Model) *eval {
	e := &eval{Trials: m.Judged(), Errors: m.Void, Metrics: []map[string]float64{}, PassAtK: map[int]float64{},
		Rewards: map[string]map[string][]string{}, Exceptions: map[string][]string{}}
	if m.Judged() > 0 {
		metric := map[string]float64{"mean": m.Rate}
		if m.Interval.Defined() {
			metric["lower"], metric["upper"] = m.Interval.Lo, m.Interval.Hi
		}
		e.Metrics = append(e.Metrics, metric)
	}
	for i, p := range m.PassAtK {
		if i > 0 && !math.IsNaN(p) {
			e.PassAtK[i+1] = p
		}
	}
	if trials := w.rewards[m.Name]; trials != nil {
		e.Rewards["reward"] = trials
	}
	if trials := w.exceptions[m.Name]; trials != nil {
		e.Exceptions["CookoffVoid"] = trials
	}
	return e
}

// spent sums what is known of every model.
func (s *statistics) spent(models []report.Model) {
	input, cached, output, usd := 0, 0, 0, 0.0
	tokens, money := len(models) > 0, len(models) > 0
	for _, m := range models {
		input, cached, output = input+m.Usage.Input, cached+m.Usage.Cached, output+m.Usage.Output
		tokens = tokens && m.Usage.Known
		if m.CostUSD == nil {
			money = false
			continue
		}
		usd += *m.CostUSD
	}
	if tokens {
		s.Input, s.Cached, s.Output = &input, &cached, &output
	}
	if money {
		s.USD = &usd
	}
}

func (w *Writer) agents() []agentRef {
	out := []agentRef{}
	for _, m := range w.r.Models {
		out = append(out, agentRef{"cookoff", m.Name})
	}
	return out
}

// lock is the lock.json of a trial: enough to say what was run.
type lock struct {
	Schema   int          `json:"schema_version"`
	Task     lockedTask   `json:"task"`
	Agent    agentRef     `json:"agent"`
	Env      struct{}     `json:"environment"`
	Verifier lockedVerify `json:"verifier"`
}

type lockedTask struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Digest string `json:"digest"`
	Source string `json:"source,omitempty"`
	Path   string `json:"path,omitempty"`
}

type lockedVerify struct {
	Mode string `json:"environment_mode"`
}

func (w *Writer) lock(r result) lock {
	return lock{Schema: 2, Task: lockedTask{r.Task, "local", "sha256:" + r.Checksum, r.Source, r.TaskID.Path},
		Agent:    r.Config.Agent,
		Verifier: lockedVerify{r.VerifierMode}}
}

func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Base(path), err)
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
