package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

func within(t *testing.T, what string, got, want, far float64) {
	t.Helper()
	if !(math.Abs(got-want) <= far) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestBradleyTerryOfJournals: the citations among four statistics journals
// (Stigler 1994; Agresti 2002, p. 448), whose fit is published with standard
// errors: relative to Biometrika.
func TestBradleyTerryOfJournals(t *testing.T) {
	const biometrika, communications, jasa, jrssb = 0, 1, 2, 3
	s, ok := BradleyTerry(4, []Contest{
		{biometrika, communications, 730, 33, 0}, {biometrika, jasa, 498, 320, 0}, {biometrika, jrssb, 221, 284, 0},
		{communications, jasa, 68, 813, 0}, {communications, jrssb, 17, 276, 0}, {jasa, jrssb, 142, 325, 0},
	}, 0)
	if !ok || s.Tie != 0 {
		t.Fatalf("%+v", s)
	}
	for i, want := range map[int][2]float64{communications: {-2.94907, 0.10255}, jasa: {-0.47957, 0.06059},
		jrssb: {0.26895, 0.07083}} {
		diff, se := s.Difference(i, biometrika)
		within(t, "the difference", diff, want[0], 1e-5)
		within(t, "its standard error", se, want[1], 1e-5)
	}
	within(t, "the mean", Mean(s.Log), 0, 1e-12)
}

// TestTiesOfTwo has a closed form: the strengths' ratio is that of the wins,
// and the tie parameter is ties over the root of their product.
func TestTiesOfTwo(t *testing.T) {
	s, ok := BradleyTerry(2, []Contest{{0, 1, 20, 5, 10}}, 0)
	if !ok {
		t.Fatal("no fit")
	}
	diff, _ := s.Difference(0, 1)
	within(t, "the difference", diff, math.Log(4), 1e-9)
	within(t, "the tie parameter", s.Tie, 1, 1e-9)
}

// TestDavidsonsEquations: at the maximum every contestant has as many points,
// half a point a tie, as the model expects, and there are as many ties.
func TestDavidsonsEquations(t *testing.T) {
	contests := []Contest{{0, 1, 3, 5, 2}, {0, 2, 8, 1, 1}, {1, 2, 4, 4, 6}, {2, 3, 7, 2, 0}, {0, 3, 2, 2, 3}}
	s, ok := BradleyTerry(4, contests, 0)
	if !ok {
		t.Fatal("no fit")
	}
	points, expected := make([]float64, 4), make([]float64, 4)
	var ties, expectedTies float64
	for _, c := range contests {
		n := c.Wins + c.Loss + c.Ties
		a, b := math.Exp(s.Log[c.A]), math.Exp(s.Log[c.B])
		tie := s.Tie * math.Sqrt(a*b)
		all := a + b + tie
		points[c.A] += c.Wins + c.Ties/2
		points[c.B] += c.Loss + c.Ties/2
		expected[c.A] += n * (a + tie/2) / all
		expected[c.B] += n * (b + tie/2) / all
		ties += c.Ties
		expectedTies += n * tie / all
	}
	for i := range points {
		within(t, "points", expected[i], points[i], 1e-6)
	}
	within(t, "ties", expectedTies, ties, 1e-6)
}

// TestWhoNeverLost has no finite strength, but with a prior.
func TestWhoNeverLost(t *testing.T) {
	sweep := []Contest{{0, 1, 5, 0, 0}}
	if s, ok := BradleyTerry(2, sweep, 0); ok {
		t.Errorf("%+v", s)
	}
	s, ok := BradleyTerry(2, sweep, 1)
	if !ok || s.Log[0] <= 0 || s.Log[0] > 5 {
		t.Errorf("%+v", s)
	}
	if i := s.Interval(0, 0.95); !(i.Lo < s.Log[0] && s.Log[0] < i.Hi) {
		t.Errorf("%+v", i)
	}
	// One choice tells nobody apart.
	s, _ = BradleyTerry(2, []Contest{{0, 1, 1, 0, 0}}, 1)
	if a, b := s.Interval(0, 0.95), s.Interval(1, 0.95); a.Hi < b.Lo || b.Hi < a.Lo {
		t.Error("one choice makes a winner")
	}
	// Nothing is known of who took no part.
	if s, ok := BradleyTerry(3, sweep, 1); !ok || s.Interval(2, 0.95).Lo > -2 {
		t.Errorf("%+v", s)
	}
	if _, ok := BradleyTerry(3, sweep, 0); ok {
		t.Error("a contestant without contests has a strength")
	}
}

// TestTiesAlone make all equal.
func TestTiesAlone(t *testing.T) {
	s, ok := BradleyTerry(2, []Contest{{0, 1, 0, 0, 7}}, 1)
	if !ok || s.Log[0] != 0 || s.Log[1] != 0 {
		t.Errorf("%+v", s)
	}
}

// luce draws choices among all of n models, as shoot-outs are counted.
func luce(rng *rand.Rand, log []float64, choices int) []Contest {
	var out []Contest
	for range choices {
		sum := 0.0
		for _, x := range log {
			sum += math.Exp(x)
		}
		won, at := 0, rng.Float64()*sum
		for at -= math.Exp(log[0]); at > 0 && won+1 < len(log); at -= math.Exp(log[won]) {
			won++
		}
		for i := range log {
			if i != won {
				out = append(out, Contest{won, i, 2 / float64(len(log)), 0, 0})
			}
		}
	}
	return out
}

// Of few choices, where some never lost, and of many: intervals hold the
// strengths, and equals are rarely told apart.
func TestStrengthsHoldTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, n := range []int{2, 6} {
		for _, choices := range []int{3, 10, 60} {
			var c covered
			alarms := 0
			const runs = 250
			for range runs {
				log := make([]float64, n)
				for i := range log {
					log[i] = rng.NormFloat64()
				}
				mean := Mean(log)
				s, _ := BradleyTerry(n, luce(rng, log, choices), 1)
				equal, _ := BradleyTerry(n, luce(rng, make([]float64, n), choices), 1)
				alarm := false
				for i := range log {
					c.count(s.Interval(i, 0.95), log[i]-mean)
					for j := range log {
						alarm = alarm || equal.Stronger(i, j, 0.95)
					}
				}
				if alarm {
					alarms++
				}
			}
			if p := c.perCent(); p < 94 {
				t.Errorf("%d models, %d choices: a 95 %% interval holds the strength in %.1f %%", n, choices, p)
			}
			if f := float64(alarms) / runs; f > 0.08 { // 5 %, and two errors of the simulation
				t.Errorf("%d equals, %d choices: some are told apart in %.1f %%", n, choices, 100*f)
			}
		}
	}
}

// What is plain is told apart.
func TestStronger(t *testing.T) {
	s, _ := BradleyTerry(3, []Contest{{0, 1, 20, 5, 0}, {0, 2, 18, 6, 0}, {1, 2, 10, 12, 0}}, 1)
	if !s.Stronger(0, 1, 0.95) || s.Stronger(1, 0, 0.95) || s.Stronger(1, 2, 0.95) || s.Stronger(2, 1, 0.95) {
		t.Errorf("%+v", s)
	}
}
