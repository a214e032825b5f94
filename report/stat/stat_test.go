package stat

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: got %.17g, want %.17g", what, got, want)
	}
}

// A few values of the reference file, restated, so that the formulas are held
// where the file is not there.
func TestReferenceValues(t *testing.T) {
	w := Wilson(2, 17, 0.90)
	near(t, "Wilson lo", w.Lo, 0.03972757626962139)
	near(t, "Wilson hi", w.Hi, 0.3005595855493943)
	w = Wilson(0, 1, 0.90)
	near(t, "Wilson 0/1 lo", w.Lo, 0)
	exact, mid := McNemar(24, 14)
	near(t, "McNemar", exact, 0.14330665429588407)
	near(t, "McNemar mid-p", mid, 0.10812902140605729)
	near(t, "SignFlip", SignFlip([]float64{1, 2, -2, -5, -5, -3}, 1), 0.21875)
	near(t, "PassAtK", PassAtK(6, 13, 3), 0.8776223776223776)
	near(t, "PassHatK", PassHatK(6, 13, 3), 0.06993006993006994)
	adj := Holm([]float64{0.2756, 0.0118, 0.176, 0.0009, 0.0677})
	for i, want := range []float64{0.352, 0.0472, 0.352, 0.0045, 0.2031} {
		near(t, "Holm", adj[i], want)
	}
	mean, se := Clustered([]Cluster{{3, 5}, {0, 3}})
	near(t, "clustered mean", mean, 0.375)
	near(t, "clustered error", se, 0.28125)
}

func TestUndefinedIsNotZero(t *testing.T) {
	if Wilson(0, 0, 0.95).Defined() || ClusteredInterval([]Cluster{{0, 0}}, 0.95).Defined() ||
		PairedInterval([]float64{1}, 0.95).Defined() {
		t.Error("an interval of nothing must be undefined")
	}
	for what, x := range map[string]float64{
		"pass@0": PassAtK(1, 2, 0), "pass@3 of 2": PassAtK(1, 2, 3), "pass^3 of 2": PassHatK(2, 2, 3),
		"median of nothing": Quantile(nil, 0.5), "mean of nothing": Mean(nil), "no tasks": SignFlip(nil, 1),
		"Holm": Holm([]float64{math.NaN(), 0.5})[0],
	} {
		if !math.IsNaN(x) {
			t.Errorf("%s = %v, want NaN", what, x)
		}
	}
	near(t, "Holm does not count what is undefined", Holm([]float64{math.NaN(), 0.5})[1], 0.5)
	if _, ok := SmallestDifference(5, 1, 0.05); ok {
		t.Error("five tasks can't show a difference at 5 %")
	}
	near(t, "no task differs", SignFlip([]float64{0, 0}, 1), 1)
}

// With one trial a task the permutation test is the exact test of McNemar.
func TestSignFlipAgreesWithMcNemar(t *testing.T) {
	for a := range 10 {
		for b := range 10 {
			var d []float64
			for range a {
				d = append(d, 1)
			}
			for range b {
				d = append(d, -1)
			}
			if want, _ := McNemar(a, b); a+b > 0 {
				near(t, "sign flip", SignFlip(d, 1), want)
			}
		}
	}
}

// Tried equally often, the trials of two models are exchanged by a sign.
func TestPairedTestIsSignFlipOfEquals(t *testing.T) {
	a := []Cluster{{3, 3}, {2, 3}, {5, 5}, {0, 0}, {1, 1}, {3, 3}, {2, 2}, {4, 4}}
	b := []Cluster{{0, 3}, {1, 3}, {1, 5}, {2, 2}, {1, 1}, {1, 3}, {0, 2}, {1, 4}}
	diffs := []float64{1, 1.0 / 3, 4.0 / 5, 0, 2.0 / 3, 1, 3.0 / 4}
	near(t, "equally often", PairedTest(a, b, 1), SignFlip(diffs, 1))
	near(t, "the other way", PairedTest(b, a, 1), SignFlip(diffs, 1))
	if p := PairedTest([]Cluster{{1, 1}, {0, 0}}, []Cluster{{0, 0}, {1, 1}}, 1); !math.IsNaN(p) {
		t.Errorf("no task in common: %v", p)
	}
	// Five tasks can't be significant, tried unequally often or not.
	five, none := make([]Cluster, 5), make([]Cluster, 5)
	for i := range five {
		five[i], none[i] = Cluster{3, 3}, Cluster{0, 10}
	}
	near(t, "five tasks", PairedTest(five, none, 1), 1.0/16)
	six, zero := append(five, Cluster{3, 3}), append(none, Cluster{0, 10})
	if p := PairedTest(six, zero, 1); p > 0.05 {
		t.Errorf("always against never on six tasks: p %v", p)
	}
	if p := PairedTest(six, six, 1); p != 1 {
		t.Errorf("the same: p %v", p)
	}
}

func TestManyTasksAreDrawnNearTheExactP(t *testing.T) {
	var d []float64
	for i := range 40 {
		d = append(d, 1)
		if i%3 == 0 {
			d[i] = -1
		}
	}
	want, _ := McNemar(26, 14)
	got := SignFlip(d, 7)
	if math.Abs(got-want) > 0.02 {
		t.Errorf("drawn p %v, exact %v", got, want)
	}
	if got != SignFlip(d, 7) {
		t.Error("the same seed must give the same p")
	}
	if got == SignFlip(d, 8) {
		t.Error("another seed should draw other signs")
	}
}

func TestPairedInterval(t *testing.T) {
	d := []float64{1, 0, 0, 1, -1, 1, 0, 1, 0, 1, 1, 0}
	i := PairedInterval(d, 0.95)
	const half = 2.200985160082949 * 0.668558 / 3.4641016151377544 // t of 11 degrees of freedom, by R
	if math.Abs(i.Lo-(5.0/12-half)) > 1e-6 || math.Abs(i.Hi-(5.0/12+half)) > 1e-6 {
		t.Errorf("interval %v, want %v around %v", i, half, 5.0/12)
	}
	for _, same := range [][]float64{{0, 0, 0}, {1, 1}, {-1.0 / 3, -1.0 / 3, -1.0 / 3, -1.0 / 3}} {
		i := PairedInterval(same, 0.95)
		if m := Mean(same); !(i.Lo <= m && m <= i.Hi && i.Hi-i.Lo > 0.2) || i.Lo < -1 || i.Hi > 1 {
			t.Errorf("%v: nothing tells how far they spread, %v is too sure", same, i)
		}
	}
}

func TestSmallestDifferenceIsTheFirstSignificant(t *testing.T) {
	for _, tasks := range []int{6, 12, 30} {
		diff, ok := SmallestDifference(tasks, 1, 0.05)
		if !ok {
			t.Fatalf("%d tasks can show a difference", tasks)
		}
		b := int(math.Round(diff * float64(tasks)))
		if p, _ := McNemar(b, 0); p > 0.05 {
			t.Errorf("%d tasks one way: p %v", b, p)
		}
		if p, _ := McNemar(b-1, 0); p <= 0.05 {
			t.Errorf("%d tasks one way would already do: p %v", b-1, p)
		}
	}
}

func TestQuantile(t *testing.T) {
	near(t, "median of two", Quantile([]float64{4, 1}, 0.5), 2.5)
	near(t, "p90 of ten", Quantile([]float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 0.9), 9.1)
	near(t, "one", Quantile([]float64{3}, 0.9), 3)
}

func TestClusteredIntervalIsNoNarrowerThanTheTasksAllow(t *testing.T) {
	same := ClusteredInterval([]Cluster{{5, 5}, {5, 5}, {0, 5}, {0, 5}}, 0.95)
	alone := Wilson(10, 20, 0.95)
	if !(same.Lo < alone.Lo && same.Hi > alone.Hi) {
		t.Errorf("trials of a task that all end alike say less than independent ones: %v, Wilson %v", same, alone)
	}
	for _, c := range []struct {
		what  string
		tasks []Cluster
		want  Interval
	}{
		{"three tasks always fixed say as much as tried once", []Cluster{{3, 3}, {3, 3}, {3, 3}}, Wilson(3, 3, 0.95)},
		{"three tasks never fixed", []Cluster{{0, 9}, {0, 9}, {0, 9}}, Wilson(0, 3, 0.95)},
		{"two tasks, always and never", []Cluster{{9, 9}, {0, 9}}, Wilson(1, 2, 0.95)},
		{"tried once", []Cluster{{1, 1}, {0, 1}, {0, 0}, {1, 1}}, Wilson(2, 3, 0.95)},
		{"one task is about itself", []Cluster{{7, 10}}, Wilson(7, 10, 0.95)},
	} {
		got := ClusteredInterval(c.tasks, 0.95)
		near(t, c.what+", low", got.Lo, c.want.Lo)
		near(t, c.what+", high", got.Hi, c.want.Hi)
	}
}

func TestLargeCountsDoNotOverflow(t *testing.T) {
	near(t, "pass@100 of 400", PassAtK(1, 400, 100), 0.25)
	near(t, "pass^2 of 400", PassHatK(200, 400, 2), 200.0*199/(400*399))
}

type facts struct {
	Wilson []struct {
		Pass, N    int
		Confidence float64
		Interval   [2]float64
	}
	McNemar []struct {
		OnlyA int     `json:"only_a"`
		OnlyB int     `json:"only_b"`
		P     float64 `json:"exact_two_sided_p"`
		Mid   float64 `json:"mid_p"`
	}
	Holm []struct{ P, Adjusted []float64 }
	At   []kFact `json:"pass_at_k"`
	Hat  []kFact `json:"pass_hat_k"`
	Flip []struct {
		D []float64 `json:"per_task_differences"`
		P float64   `json:"exact_two_sided_p"`
	} `json:"sign_flip"`
	Clustered []struct {
		Trials [][]int `json:"trials_by_task"`
		Mean   float64
		SE     float64 `json:"standard_error"`
	}
}

type kFact struct {
	N, Pass, K int
	Want       *float64
}

func (f kFact) want() float64 {
	if f.Want == nil {
		return math.NaN()
	}
	return *f.Want
}

// TestFacts holds every formula to the reference values, which were computed
// with exact rational arithmetic.
func TestFacts(t *testing.T) {
	dir := os.Getenv("COOKOFF_FACTS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "facts")
	}
	data, err := os.ReadFile(filepath.Join(dir, "statistics.json"))
	if err != nil {
		t.Skipf("no reference values here: %v (COOKOFF_FACTS names their directory)", err)
	}
	var f facts
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Wilson)*len(f.McNemar)*len(f.Holm)*len(f.At)*len(f.Hat)*len(f.Flip)*len(f.Clustered) == 0 {
		t.Fatal("a part of the reference values is missing")
	}
	for _, c := range f.Wilson {
		i := Wilson(c.Pass, c.N, c.Confidence)
		near(t, "Wilson lo", i.Lo, c.Interval[0])
		near(t, "Wilson hi", i.Hi, c.Interval[1])
	}
	for _, c := range f.McNemar {
		p, mid := McNemar(c.OnlyA, c.OnlyB)
		near(t, "McNemar", p, c.P)
		near(t, "McNemar mid-p", mid, c.Mid)
	}
	for _, c := range f.Holm {
		for i, p := range Holm(c.P) {
			near(t, "Holm", p, c.Adjusted[i])
		}
	}
	for _, c := range f.At {
		near(t, "PassAtK", PassAtK(c.Pass, c.N, c.K), c.want())
	}
	for _, c := range f.Hat {
		near(t, "PassHatK", PassHatK(c.Pass, c.N, c.K), c.want())
	}
	for _, c := range f.Flip {
		near(t, "SignFlip", SignFlip(c.D, 1), c.P)
	}
	for _, c := range f.Clustered {
		var tasks []Cluster
		for _, xs := range c.Trials {
			cl := Cluster{N: len(xs)}
			for _, x := range xs {
				cl.Pass += x
			}
			tasks = append(tasks, cl)
		}
		mean, se := Clustered(tasks)
		near(t, "clustered mean", mean, c.Mean)
		near(t, "clustered error", se, c.SE)
	}
}

// TestTasksToTellAreEnough: with as many tasks, a difference like that is seen in
// about four of five runs.
func TestTasksToTellAreEnough(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, c := range []struct{ onlyA, onlyB float64 }{{1, 0}, {0.5, 0}, {0.4, 0.1}, {0.3, 0.15}} {
		n := TasksToTell(c.onlyA-c.onlyB, c.onlyA+c.onlyB, 0.05)
		seen := 0
		const runs = 2000
		for range runs {
			a, b := 0, 0
			for range int(n) {
				switch x := rng.Float64(); {
				case x < c.onlyA:
					a++
				case x < c.onlyA+c.onlyB:
					b++
				}
			}
			if p, _ := McNemar(a, b); p <= 0.05 && a > b {
				seen++
			}
		}
		if share := float64(seen) / runs; share < 0.6 || n > 6 && share > 0.95 && c.onlyB > 0 {
			t.Errorf("%+v: of %v tasks the difference is seen in %.0f %% of runs", c, n, 100*share)
		}
	}
	if n := TasksToTell(1, 1, 0.05); n != 6 {
		t.Errorf("all against none: %v tasks, want 6", n)
	}
	if n := TasksToTell(0, 0.5, 0.05); !math.IsInf(n, 1) {
		t.Errorf("equals: %v tasks", n)
	}
}
