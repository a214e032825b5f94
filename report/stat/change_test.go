package stat

import (
	"math"
	"testing"
)

// TestChanged: the change is found where it was, over the tasks of both sides, and pays
// for each time that was looked at.
func TestChanged(t *testing.T) {
	tasks := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	run := func(pass int, names []string) map[string]Cluster {
		out := map[string]Cluster{}
		for _, n := range names {
			out[n] = Cluster{Pass: pass, N: 1}
		}
		return out
	}
	got := Changed([]map[string]Cluster{run(1, tasks), run(1, tasks[1:]), run(0, tasks[1:]), run(0, tasks)}, 1)
	want := PairedTest(clusters(2, 2, 8, 1), clusters(0, 2, 8, 1), 1) * 3
	if got.At != 2 || got.Tasks != 9 || got.Diff != -1 || math.Abs(got.P-want) > 1e-9 {
		t.Errorf("%+v, want p=%v at 2", got, want)
	}
	if got := Changed([]map[string]Cluster{run(1, tasks[:4]), run(0, tasks[4:])}, 1); !math.IsInf(got.P, 1) {
		t.Errorf("runs of no common task: %+v", got)
	}
	if got := Changed(nil, 1); !math.IsInf(got.P, 1) {
		t.Errorf("no runs: %+v", got)
	}
}

// clusters are n tasks of so many trials, and one that was tried once.
func clusters(pass, trials, n, once int) []Cluster {
	out := []Cluster{{Pass: min(pass, 1), N: once}}
	if pass > 0 {
		out[0].Pass = 1
	}
	for range n {
		out = append(out, Cluster{Pass: pass, N: trials})
	}
	return out
}

func TestFlake(t *testing.T) {
	for _, c := range []struct {
		by    []Cluster
		score float64
		pairs int
	}{
		{nil, 0, 0}, {[]Cluster{{1, 1}, {0, 1}}, 0, 0}, {[]Cluster{{1, 2}}, 1, 1}, {[]Cluster{{2, 2}, {0, 3}}, 0, 4},
		{[]Cluster{{1, 2}, {3, 3}}, 0.25, 4},
	} {
		if score, pairs := Flake(c.by); score != c.score || pairs != c.pairs {
			t.Errorf("%v: %v of %d pairs, want %v of %d", c.by, score, pairs, c.score, c.pairs)
		}
	}
}
