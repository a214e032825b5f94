package inspect

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/interop/imported"
	"cookoff/trial"
)

// Is reports whether path is a log, or a directory of logs.
func Is(path string) bool {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return false
	case st.IsDir():
		return len(logsIn(path)) > 0
	}
	return strings.HasSuffix(path, ".eval") || isJSON(path)
}

// logsIn gives the logs that lie in a directory.
func logsIn(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".eval") {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

// Read reads a log, or the logs of a directory as one run, and gives it as events.
func Read(path string, each func(trial.Event) error) error {
	files := []string{path}
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		files = logsIn(path)
	}
	run := imported.Run{Source: path}
	seen, tasks, digests := map[string]int{}, map[string]bool{}, map[string]bool{}
	var logs []*content
	for _, file := range files {
		l, err := readLog(file)
		if err != nil {
			return fmt.Errorf("reading %s: %w", file, err)
		}
		logs = append(logs, l)
		tasks[l.Eval.Task] = true
		digest, _ := l.Eval.Metadata["recipe_digest"].(string) // "" where it is none
		digests[digest] = true
	}
	slices.SortStableFunc(logs, func(a, b *content) int { return cmp.Compare(a.Eval.Created, b.Eval.Created) })
	again(logs)
	end := &trial.End{}
	for _, l := range logs {
		run.ID = cmp.Or(run.ID, l.Eval.Run, l.Eval.ID)
		began, ended := imported.Time(cmp.Or(l.Stats.Started, l.Eval.Created)), imported.Time(l.Stats.Completed)
		if run.Started.IsZero() || began.Before(run.Started) {
			run.Started = began
		}
		end = l.ended(end, ended.Sub(run.Started).Seconds())
		trials, err := l.trials(len(tasks) > 1, seen)
		if err != nil {
			return fmt.Errorf("reading %s: %w", l.file, err)
		}
		run.Trials = append(run.Trials, trials...)
	}
	if len(run.Trials) == 0 {
		return fmt.Errorf("reading %s: it holds no samples", path)
	}
	run.Recipe, run.Ended = strings.Join(slices.Sorted(maps.Keys(tasks)), ", "), end
	renumber(run.Trials)
	run.Warnings = imported.Warnings(seen)
	if len(digests) == 1 {
		run.Digest = slices.Collect(maps.Keys(digests))[0]
	}
	return run.Emit(each)
}

// content is what is read of a log.
type content struct {
	file    string
	Status  string   `json:"status"`
	Eval    spec     `json:"eval"`
	Results *results `json:"results"`
	Stats   stats    `json:"stats"`
	Error   *fault   `json:"error"`
	samples []sampleRecord
}

// sampleRecord is what is read of a sample, or of its summary.
type sampleRecord struct {
	ID        any              `json:"id"`
	UUID      string           `json:"uuid"`
	Epoch     int              `json:"epoch"`
	Metadata  map[string]any   `json:"metadata"`
	Scores    map[string]score `json:"scores"`
	Usage     map[string]usage `json:"model_usage"`
	Error     json.RawMessage  `json:"error"` // a text, or an object with a message
	Limit     json.RawMessage  `json:"limit"` // a text, or an object with a type
	Started   string           `json:"started_at"`
	Working   float64          `json:"working_time"`
	Total     float64          `json:"total_time"`
	Turns     int              `json:"turn_count"`
	Completed *bool            `json:"completed"`
}

// ended is the end of the run so far and of this log; nil where one had none.
func (l *content) ended(end *trial.End, seconds float64) *trial.End {
	if end == nil || l.Status == "started" || l.Status == "" {
		return nil
	}
	end.Seconds = max(end.Seconds, seconds, 0)
	if l.Status == "cancelled" {
		end.Interrupted = true
	}
	if l.Error != nil {
		end.Error = cmp.Or(l.Error.Message, "an error")
	}
	return end
}

// trials makes a trial of each sample; of several logs of several tasks with the name
// of the task.
func (l *content) trials(several bool, seen map[string]int) ([]imported.Trial, error) {
	name, err := l.scorer()
	if err != nil {
		return nil, err
	}
	var out []imported.Trial
	for _, s := range l.samples {
		task := fmt.Sprint(s.ID)
		if f, ok := s.ID.(float64); ok {
			task = fmt.Sprintf("%.0f", f)
		}
		if original, ok := s.Metadata["task"].(string); ok && l.ours() {
			task = original
		}
		if several {
			task = l.Eval.Task + "/" + task
		}
		o, err := l.outcome(s, name, seen)
		if err != nil {
			return nil, fmt.Errorf("sample %q: %w", task, err)
		}
		out = append(out, imported.Trial{Model: cmp.Or(l.Eval.Model, "model"), Task: task, N: max(s.Epoch, 1),
			Started: imported.Time(s.Started), Asked: true, Outcome: o})
	}
	return out, nil
}

// ours reports whether cookoff wrote the log.
func (l *content) ours() bool { return l.Eval.Packages["cookoff"] != nil }

// scorer is the score that counts: the headline's, else the first, else the only one.
func (l *content) scorer() (string, error) {
	if r := l.Results; r != nil {
		if r.Headline != nil && r.Headline.Score != "" {
			return r.Headline.Score, nil
		}
		if len(r.Scores) > 0 {
			return cmp.Or(r.Scores[0].Name, r.Scores[0].Scorer), nil
		}
	}
	names := map[string]bool{}
	for _, s := range l.samples {
		for name := range s.Scores {
			names[name] = true
		}
	}
	if len(names) > 1 {
		return "", fmt.Errorf("it has several scores (%s), and none is its headline",
			strings.Join(slices.Sorted(maps.Keys(names)), ", "))
	}
	return strings.Join(slices.Collect(maps.Keys(names)), ""), nil
}

// outcome is nil for a sample that had not ended.
func (l *content) outcome(s sampleRecord, scorer string, seen map[string]int) (*trial.Outcome, error) {
	var o trial.Outcome
	limit := word(s.Limit, "type")
	x, ok := s.Scores[scorer]
	switch {
	case len(s.Scores) > 0 && !ok && len(s.Error) == 0:
		return nil, fmt.Errorf("it has no score %q (but %s): it can't be told what counts as fixed", scorer,
			strings.Join(slices.Sorted(maps.Keys(s.Scores)), ", "))
	case ok:
		v, err := number(x.Value)
		if err != nil {
			return nil, fmt.Errorf("score %q: %w", scorer, err)
		}
		if v > 0 && v < 1 {
			seen["scores between I and C, which count as not fixed"]++
		}
		o = imported.Rewarded(v)
		if o.Status == trial.Fail && limit != "" {
			o.Cause, o.Detail = trial.CauseLimit, "limit: "+limit
		}
	case s.Completed != nil && !*s.Completed && len(s.Error) == 0:
		return nil, nil
	default:
		seen["samples without a score, which are void"]++
		o = trial.Outcome{Status: trial.Void, Cause: trial.CauseInternal, Stop: trial.StopBroken,
			Detail: cmp.Or(word(s.Error, "message"), "no score, and no error that says why")}
	}
	o.Steps, o.Seconds.Agent = s.Turns, cmp.Or(s.Working, s.Total)
	spent(&o, s.Usage)
	imported.DropImplausible(&o, seen)
	if l.ours() {
		ours(&o, s)
	} else {
		seen["samples of another program, which does not tell why one was not fixed "+
			"(wrong_fix stands for all but limits), nor on what its score rests"]++
	}
	return &o, nil
}

// ours takes from a sample that cookoff wrote what Inspect has no word for.
func ours(o *trial.Outcome, s sampleRecord) {
	if is, ok := s.Metadata["outcome"].(string); !ok || is != string(o.Status) {
		return
	}
	text := func(key string) string { x, _ := s.Metadata[key].(string); return x } // "" where it is none
	o.Cause = trial.Cause(text("cause"))
	if stop := text("stop"); stop != "" {
		o.Stop, o.Detail = trial.Stop(stop), text("detail")
	}
}

// spent adds the tokens and the cost of every model that a sample used.
func spent(o *trial.Outcome, all map[string]usage) {
	if len(all) == 0 {
		return
	}
	known, usd := true, 0.0
	for _, u := range all {
		o.Usage.Input += u.Input + count(u.CacheRead) + count(u.CacheMade)
		o.Usage.Cached += count(u.CacheRead)
		o.Usage.Output += u.Output
		o.Usage.Reasoning += count(u.Reasoning)
		if u.USD == nil {
			known = false
		} else {
			usd += *u.USD
		}
	}
	if o.Usage.Known = true; known {
		o.CostUSD = &usd
	}
}

func count(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// number is what a score counts: 1 is a fix.
func number(value any) (float64, error) {
	switch v := value.(type) {
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case float64:
		if v < 0 || v > 1 || math.IsNaN(v) {
			return 0, fmt.Errorf("%v is not from 0 to 1: it can't be told what counts as fixed", v)
		}
		return v, nil
	case string:
		if x, ok := map[string]float64{"C": 1, "I": 0, "P": 0.5, "N": 0}[v]; ok {
			return x, nil
		}
		return 0, fmt.Errorf("%.40q is neither C, I, P nor N: it can't be told what counts as fixed", v)
	}
	return 0, errors.New("it is neither a letter nor a number: it can't be told what counts as fixed")
}

// word is a text, or the one that an object has below key.
func word(raw json.RawMessage, key string) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var object map[string]any
	if json.Unmarshal(raw, &object) != nil {
		return ""
	}
	s, _ = object[key].(string) // "" where it is none
	return s
}

// renumber makes repeats of samples that several logs of one contestant have.
func renumber(trials []imported.Trial) {
	taken := map[string]bool{}
	for i := range trials {
		t := &trials[i]
		for key := ""; ; t.N++ {
			if key = fmt.Sprint(t.Model, "\x00", t.Task, "\x00", t.N); !taken[key] {
				taken[key] = true
				break
			}
		}
	}
}

// again drops what stands in a later log once more: a log that another one goes on with
// is left beside it, and its samples are in both. logs are in the order of their making.
func again(logs []*content) {
	had, ended := map[string]bool{}, map[string]bool{}
	for _, l := range slices.Backward(logs) {
		place := func(s sampleRecord) string {
			return fmt.Sprintf("%s %s %v %d", l.Eval.TaskID, l.Eval.Model, s.ID, s.Epoch)
		}
		l.samples = slices.DeleteFunc(l.samples, func(s sampleRecord) bool {
			same := s.UUID != "" && had[s.UUID]
			redone := l.Eval.TaskID != "" && len(s.Error) > 0 && ended[place(s)]
			had[s.UUID] = true
			return same || redone
		})
		for _, s := range l.samples {
			ended[place(s)] = true
		}
	}
}
