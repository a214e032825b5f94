package decide

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// played is a comparison of which every outcome is known: fixed says whether a
// model fixes a task at a trial.
type played struct {
	question string
	delta    float64
	models   []string
	tasks    int
	trials   int
	fixed    func(model, task, n int) bool
}

// until plays it in the order of the plan, without the models that are dropped,
// until the question is not open, and says how and after how many trials.
func (p played) until(t *testing.T) (Verdict, int) {
	t.Helper()
	q, err := Parse(p.question, p.models[0], p.models)
	if err != nil {
		t.Fatal(err)
	}
	q.Delta = p.delta
	plan := Plan{Models: p.models, Trials: p.trials}
	for i := range p.tasks {
		plan.Tasks = append(plan.Tasks, fmt.Sprint("task ", i))
	}
	e := New(q, plan)
	var v Verdict
	tried := 0
	for n := 1; n <= max(p.trials, 1); n++ {
		for i, task := range plan.Tasks {
			for m, model := range p.models {
				if slices.Contains(v.Dropped, model) {
					continue
				}
				tried++
				if p.fixed(m, i, n) {
					e.Passed(model, task, n)
				} else {
					e.Failed(model, task, n)
				}
				if v = e.Look(); v.State != Open {
					return v, tried
				}
			}
		}
	}
	return v, tried
}

func (p played) check(t *testing.T, want State, text string, most int) {
	t.Helper()
	v, n := p.until(t)
	if v.State != want || !strings.Contains(v.Text, text) || n > most {
		t.Errorf("%s after %d trials: %q; want %s, %q, at most %d", v.State, n, v.Text, want, text, most)
	}
}

func TestDecided(t *testing.T) {
	// One fixes four of five, the other one of five.
	better := func(m, i, _ int) bool { return m == 0 && i%5 != 0 || m == 1 && i%5 == 0 }
	two := []string{"lab/a", "lab/b"}
	played{question: "best", models: two, tasks: 100, fixed: better}.check(t, Decided,
		"lab/a is better than each other model", 60)
	played{question: "lab/b vs lab/a", models: two, tasks: 100, fixed: better}.check(t, Decided,
		"lab/a is better than lab/b", 60)
	played{question: "ranking", models: two, tasks: 100, trials: 3, fixed: better}.check(t, Decided,
		"lab/a is better than lab/b", 100)
	// Tried several times, tasks that differ tell in later rounds too.
	played{question: "best", models: two, tasks: 40, trials: 5,
		fixed: func(m, _, n int) bool { return m == 0 && n > 1 }}.
		check(t, Decided, "lab/a is better", 160)
}

func TestEquivalent(t *testing.T) {
	same := func(_, i, _ int) bool { return i%2 == 0 }
	played{question: "best", delta: 0.2, models: []string{"lab/a", "lab/b"}, tasks: 200, fixed: same}.
		check(t, Equivalent, "lab/a and lab/b are best, less than 20 points apart", 399)
	// Without a difference that matters equals are told apart by nothing, which a
	// short run knows before its end.
	played{question: "best", models: []string{"lab/a", "lab/b"}, tasks: 20, fixed: same}.
		check(t, Futile, "no outcome of what is left can tell lab/a from lab/b", 30)
}

// Who is beaten is tried no more where the best is asked for; in a ranking all go on.
func TestDropped(t *testing.T) {
	models := []string{"lab/a", "lab/b", "lab/c"}
	worst := func(m, i, _ int) bool { return m == 0 || m == 1 && i%4 != 0 }
	best := played{question: "best", models: models, tasks: 80, fixed: worst}
	v, n := best.until(t)
	if v.State != Decided || !slices.Contains(v.Dropped, "lab/c") || n >= 3*80 {
		t.Errorf("%s after %d trials, dropped %q: %s", v.State, n, v.Dropped, v.Text)
	}
	ranking := best
	ranking.question = "ranking"
	ranking.check(t, Decided, "lab/a is better than lab/b; lab/a is better than lab/c; lab/b is better than lab/c", 240)
	// Against the baseline the others are no pair.
	played{question: "baseline", models: models, tasks: 80, fixed: worst}.check(t, Decided,
		"lab/a is better than lab/b; lab/a is better than lab/c", 240)
}

// Who is quick is not looked at first: evidence counts up to the first task of the
// plan that both have not been tried on.
func TestOrderOfThePlan(t *testing.T) {
	q, err := Parse("best", "", []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	p := Plan{Models: []string{"a", "b"}, Trials: 1}
	for i := range 30 {
		p.Tasks = append(p.Tasks, fmt.Sprint(i))
	}
	e := New(q, p)
	for _, task := range p.Tasks[1:] {
		e.Passed("a", task, 1)
		e.Failed("b", task, 1)
	}
	if v := e.Look(); v.State != Open {
		t.Fatalf("%s before the first task has ended: %s", v.State, v.Text)
	}
	e.Void("a", "0", 1) // says nothing, and holds up nobody
	e.Passed("b", "0", 1)
	e.Passed("b", "no such task", 1)
	e.Passed("b", "0", 7)
	if v := e.Look(); v.State != Decided {
		t.Errorf("%s when all have ended: %s", v.State, v.Text)
	}
}

func TestParse(t *testing.T) {
	models := []string{"lab/a", "lab/b"}
	bad := func(text string, models []string, want string) {
		t.Helper()
		if _, err := Parse(text, models[0], models); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	bad("bset", models, `"bset" is no question: allowed are best, ranking, baseline, or "MODEL vs MODEL"`)
	bad("best", models[:1], "needs two models")
	bad("lab/a vs lab/x", models, `"lab/x", which is none of the models: lab/a, lab/b`)
	bad("lab/a vs lab/a", models, "one model twice")
	if q, err := Parse("better than baseline", "lab/b", models); err != nil || q.A != "lab/b" {
		t.Errorf("%+v %v", q, err)
	}
}
