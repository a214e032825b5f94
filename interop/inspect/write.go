package inspect

import (
	"archive/zip"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cookoff/interop/transcript"
	"cookoff/report"
)

// Writer writes the logs of a run, one a contestant.
type Writer struct {
	r    *report.Report
	logs []*log
	ids  *sampleIDs
}

// log is a log that is being written.
type log struct {
	model     report.Model
	spec      spec
	file      *os.File
	zip       *zip.Writer
	summaries []summary
	values    map[string][]float64 // of a task's judged trials
	errors    int
}

// NewWriter begins the logs of a run in dir, which is there and empty; cookoff is the
// version of the program. Close must be called, whatever happens.
func NewWriter(dir, cookoff string, r *report.Report) (*Writer, error) {
	w := &Writer{r: r, ids: newSampleIDs(r.Tasks)}
	for i, m := range r.Models {
		id := fmt.Sprintf("%s-%d", letters(r.Run.ID, 60), i+1)
		l := &log{model: m, spec: w.spec(m, id, cookoff), values: map[string][]float64{}}
		created := strings.ReplaceAll(l.spec.Created, ":", "-")
		name := fmt.Sprintf("%s_%s_%s.eval", created, letters(r.Run.Recipe, 60)+"-"+letters(m.Name, 60), id)
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return nil, errors.Join(err, w.abandon())
		}
		l.file, l.zip = f, zip.NewWriter(f)
		w.logs = append(w.logs, l)
		if err := l.put("_journal/start.json",
			map[string]any{"version": version, "eval": l.spec, "plan": plan()}); err != nil {
			return nil, errors.Join(err, w.abandon())
		}
	}
	return w, nil
}

func plan() planOf { return planOf{Name: "plan", Steps: []any{}} }

func (w *Writer) spec(m report.Model, id, cookoff string) spec {
	created := w.r.Started
	if created.IsZero() {
		created = time.Unix(0, 0)
	}
	s := spec{ID: id, Set: w.r.Run.ID, Run: w.r.Run.ID, Created: created.UTC().Format("2006-01-02T15:04:05+00:00"),
		Task: cmp.Or(w.r.Run.Recipe, "cookoff"), TaskID: letters(w.r.Run.Digest, 64), Model: m.Name,
		Dataset: dataset{Name: w.r.Run.Recipe, Samples: len(w.r.Tasks)}, Config: evalConfig{Epochs: w.r.Repeats()},
		Packages: map[string]any{"cookoff": cookoff},
		Scorers: []scorerSpec{{Name: scorer, Metrics: []metricSpec{{Name: "accuracy"}, {Name: "stderr"},
			{Name: "lower"}, {Name: "upper"}}, Meta: map[string]any{}}},
		Metadata: map[string]any{"cookoff_run": w.r.Run.ID, "recipe_digest": w.r.Run.Digest,
			"baseline": w.r.Run.Baseline, "confidence": w.r.Run.Confidence}}
	for _, task := range w.r.Tasks {
		s.Dataset.IDs = append(s.Dataset.IDs, w.ids.of[task])
	}
	return s
}

// Trial writes the sample of a trial.
func (w *Writer) Trial(t transcript.Trial) error {
	for _, l := range w.logs {
		if l.model.Name == t.Model {
			return l.trial(w.ids.of[t.Task], w.r.Run.ID, t)
		}
	}
	return nil // of a model that the run does not name
}

func (l *log) trial(id, run string, t transcript.Trial) error {
	s := sampleOf(id, run, t)
	if t.Judged() {
		l.values[t.Task] = append(l.values[t.Task], value(t))
	} else {
		l.errors++
	}
	l.summaries = append(l.summaries, s.summary())
	return l.put(fmt.Sprintf("samples/%s_epoch_%d.json", id, t.N), s)
}

// Close writes what is known of the logs as a whole.
func (w *Writer) Close() error {
	var errs []error
	for _, l := range w.logs {
		errs = append(errs, l.close(w.r, w.ids))
	}
	return errors.Join(errs...)
}

func (w *Writer) abandon() error {
	var errs []error
	for _, l := range w.logs {
		errs = append(errs, l.file.Close())
	}
	return errors.Join(errs...)
}

// close writes what stands behind the samples of a log: results over all of them,
// summaries, and the header.
func (l *log) close(r *report.Report, ids *sampleIDs) error {
	defer l.file.Close() // what matters was said by then
	red := reduced{Scorer: scorer, Reducer: "mean", Samples: []reduce{}}
	var means []float64
	for _, task := range r.Tasks {
		if v := l.values[task]; len(v) > 0 {
			means = append(means, mean(v))
			red.Samples = append(red.Samples, reduce{mean(v), ids.of[task]})
		}
	}
	h := header{Version: version, Status: status(r), Eval: l.spec, Plan: plan(),
		Results: l.results(means, len(r.Tasks)*r.Repeats()),
		Stats:   stats{Started: l.spec.Created, Completed: l.spec.Created, Usage: map[string]usage{}}, Tags: []string{},
		Meta: map[string]any{}}
	if r.Error != "" {
		h.Error = &fault{Message: r.Error}
	}
	if !math.IsNaN(r.Seconds) {
		h.Stats.Completed = stamp(r.Started.Add(time.Duration(r.Seconds * float64(time.Second))))
	}
	if l.model.Usage.Known {
		h.Stats.Usage[l.model.Name] = usageOf(l.model.Usage, l.model.CostUSD)
	}
	return errors.Join(l.put("_journal/summaries/1.json", l.summaries), l.put("summaries.json", l.summaries),
		l.put("reductions.json", []reduced{red}), l.put("header.json", h), l.zip.Close(), l.file.Close())
}

// results are the accuracy of the means of tasks, as Inspect works it out, and the
// ends of the report's interval.
func (l *log) results(means []float64, total int) *results {
	out := &results{Total: total, Completed: l.model.Judged(), Headline: &headline{scorer, scorer, "accuracy"},
		Scores: []scores{{Name: scorer, Scorer: scorer, Reducer: "mean", Scored: len(means), Unscored: l.errors,
			Metrics: map[string]metric{}}}}
	ms := out.Scores[0].Metrics
	put := func(name string, value float64) {
		if !math.IsNaN(value) {
			ms[name] = metric{Name: name, Value: value}
		}
	}
	put("accuracy", mean(means))
	put("stderr", stderr(means))
	put("lower", l.model.Interval.Lo)
	put("upper", l.model.Interval.Hi)
	return out
}

func status(r *report.Report) string {
	switch r.State {
	case report.Finished:
		return "success"
	case report.Broken, report.Spent:
		return "error"
	case report.Interrupted:
		return "cancelled"
	}
	return "started"
}

func (l *log) put(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	h := &zip.FileHeader{Name: name, Method: zip.Deflate}
	to, err := l.zip.CreateHeader(h)
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return err
}

// mean is NaN of nothing.
func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// stderr is the standard error of the mean, 0 of one value, NaN of none.
func stderr(xs []float64) float64 {
	if len(xs) == 1 {
		return 0
	}
	m, sum := mean(xs), 0.0
	for _, x := range xs {
		sum += (x - m) * (x - m)
	}
	n := float64(len(xs))
	return math.Sqrt(sum/(n-1)) / math.Sqrt(n)
}
