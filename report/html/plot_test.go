package html

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cookoff/report"
	"cookoff/report/stat"
)

// contestant is a model that passed some of a hundred trials at a cost each;
// a negative cost is unknown.
func contestant(name string, pass int, cost float64) report.Model {
	m := report.Model{Name: name, Pass: pass, Fail: 100 - pass, Rate: float64(pass) / 100,
		Interval: stat.Wilson(pass, 100, 0.95)}
	if cost >= 0 {
		m.CostUSD = new(100 * cost)
	}
	return m
}

func figure(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// A dozen models of like rate and cost: every name can be read and stands in
// the picture.
func TestLabelsCoverNoOther(t *testing.T) {
	r := &report.Report{}
	for i := range 12 {
		r.Models = append(r.Models, contestant(fmt.Sprintf("provider/model-name-%02d", i), 50+3*(i%4),
			0.01*math.Pow(1.35, float64(i))))
	}
	r.Models = append(r.Models, contestant("baseline/noop", 0, 0), contestant("baseline/oracle", 100, 0))
	p := newPlot(r)
	var boxes []box
	for _, q := range p.Points {
		if strings.Contains(q.Name, "/") {
			t.Errorf("%s: providers are not needed to tell the models apart", q.Name)
		}
		x, y, w := figure(t, q.LabelX), figure(t, q.LabelY)-4, glyphW*float64(len(q.Name))
		if q.Anchor == "end" {
			x -= w
		}
		b := box{x0: x, y0: y - labelH/2 + 0.2, x1: x + w, y1: y + labelH/2 - 0.2}
		if b.x0 < plotLeft-1 || b.x1 > plotW+1 || b.y0 < 0 || b.y1 > plotH-plotBottom+5 {
			t.Errorf("%s leaves the picture: %v", q.Name, b)
		}
		for i, other := range boxes {
			if b.meets(other) {
				t.Errorf("%s covers %s", q.Name, p.Points[i].Name)
			}
		}
		boxes = append(boxes, b)
	}
}

func TestPlotPlaces(t *testing.T) {
	r := &report.Report{Models: []report.Model{
		contestant("a/free", 20, 0), contestant("b/cheap", 40, 0.001), contestant("c/dear", 90, 1),
		contestant("d/unknown", 95, -1), {Name: "e/none", Rate: math.NaN()},
	}}
	r.Models[2].Pareto, r.Models[1].Pareto = new(true), new(true)
	p := newPlot(r)
	x := func(i int) float64 { return figure(t, p.Points[i].X) }
	if !(plotLeft < x(0) && x(0) < x(1) && x(1) < x(2) && x(2) < plotW-plotRight) {
		t.Errorf("places by cost: %v, %v, %v", x(0), x(1), x(2))
	}
	if y := figure(t, p.Points[2].Y); !(figure(t, p.Points[2].Hi) < y && y < figure(t, p.Points[2].Lo) &&
		y < figure(t, p.Points[0].Y)) {
		t.Errorf("the whisker of %v is %v to %v", y, p.Points[2].Lo, p.Points[2].Hi)
	}
	if !slices.Equal(p.Apart, []string{"d/unknown (cost unknown)", "e/none (nothing judged)"}) {
		t.Errorf("apart: %q", p.Apart)
	}
	if want := fmt.Sprintf("M%s %sH%sV%sH696.0", p.Points[1].X, p.Points[1].Y, p.Points[2].X,
		p.Points[2].Y); p.Front != want {
		t.Errorf("the front is %s, want %s", p.Front, want)
	}
	var at []string
	for _, tick := range p.X {
		at = append(at, tick.Text)
	}
	if got := strings.Join(at, " "); got != "$0 $0.001 $0.01 $0.10 $1.00" {
		t.Errorf("ticks: %s", got)
	}
	if p := newPlot(&report.Report{Models: r.Models[3:]}); p != nil {
		t.Errorf("nothing can be drawn, got %+v", p)
	}
}

// Providers are left out only where no two models would be called the same.
func TestShortNames(t *testing.T) {
	check := func(want string, names ...string) {
		t.Helper()
		var ms []report.Model
		for _, n := range names {
			ms = append(ms, report.Model{Name: n})
		}
		short := shortNames(ms)
		var got []string
		for _, n := range names {
			got = append(got, short[n])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q are called %q, want %s", names, got, want)
		}
	}
	check("gpt noop", "openai/gpt", "baseline/noop")
	check("a/gpt b/gpt", "a/gpt", "b/gpt")
	check("plain x/ a/b", "plain", "x/", "provider/a/b")
}
