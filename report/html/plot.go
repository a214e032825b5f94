package html

import (
	"cmp"
	"cookoff/report/number"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"cookoff/report"
)

// The picture's size and margins, in its own units.
const (
	plotW, plotH = 720.0, 380.0
	plotLeft     = 52.0
	plotRight    = 24.0
	plotTop      = 16.0
	plotBottom   = 52.0
	glyphW       = 6.9 // about the width of a letter of a label
	labelH       = 14.0
)

// plot is rate against cost a trial, which is drawn on a logarithmic scale
// with a place of its own for what costs nothing. Models of unknown rate or
// cost are only listed.
type plot struct {
	W, H, Left, Right, Top, Bottom, Label string
	X, Y                                  []tick
	Front                                 string // path
	Points                                []point
	Apart                                 []string
}

type tick struct{ At, Text string }

type point struct {
	X, Y, Lo, Hi, CapL, CapR string
	Name, Title              string
	LabelX, LabelY, Anchor   string
	Leader                   string // path from the point to a label that stands off
	Front                    bool

	x, y, lo, hi float64 // lo and hi: the ends of the whisker
	cost         float64
}

// newPlot gives nil where no model has both a rate and a cost.
func newPlot(r *report.Report) *plot {
	p := &plot{W: fixed(plotW), H: fixed(plotH), Left: fixed(plotLeft), Right: fixed(plotW - plotRight),
		Top: fixed(plotTop), Bottom: fixed(plotH - plotBottom)}
	var ms []report.Model
	var costs []float64
	for _, m := range r.Models {
		if c := m.CostPerTrial(); c != nil && !math.IsNaN(m.Rate) && *c >= 0 {
			ms, costs = append(ms, m), append(costs, *c)
			continue
		}
		why := "cost unknown"
		if m.Judged() == 0 {
			why = "nothing judged"
		}
		p.Apart = append(p.Apart, visibleLine(m.Name)+" ("+why+")")
	}
	if len(ms) == 0 {
		return nil
	}
	x, short := newScale(costs), shortNames(r.Models)
	for i, m := range ms {
		p.Points = append(p.Points, newPoint(m, short[m.Name], point{x: x.at(costs[i]), cost: costs[i]}))
	}
	p.X = x.ticks()
	for _, v := range []float64{0, 0.25, 0.5, 0.75, 1} {
		p.Y = append(p.Y, tick{fixed(rateAt(v)), number.Percent(v)})
	}
	p.Front = front(p.Points)
	place(p.Points)
	p.Label = fmt.Sprintf("Rate against cost a trial of %d models", len(ms))
	return p
}

func rateAt(rate float64) float64 { return plotTop + (1-rate)*(plotH-plotTop-plotBottom) }

// newPoint fills in a point whose place by cost is known.
func newPoint(m report.Model, name string, q point) point {
	q.y = rateAt(m.Rate)
	q.lo, q.hi = q.y, q.y
	q.X, q.Y, q.CapL, q.CapR = fixed(q.x), fixed(q.y), fixed(q.x-4), fixed(q.x+4)
	q.Name, q.Front = shorten(name, 36), onFront(m)
	q.Title = fmt.Sprintf("%s: %s fixed, %s a trial", visibleLine(m.Name), number.Percent(m.Rate),
		number.Money(&q.cost))
	if m.Interval.Defined() {
		q.lo, q.hi = rateAt(m.Interval.Lo), rateAt(m.Interval.Hi)
		q.Lo, q.Hi = fixed(q.lo), fixed(q.hi)
	}
	return q
}

func shorten(s string, max int) string {
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	rs := []rune(s)
	return string(rs[:max/2]) + "…" + string(rs[len(rs)-max/2+1:])
}

// scale maps a cost to a place: free at the left where anything is free, what
// costs money by its logarithm.
type scale struct {
	free   bool
	paid   bool
	lo, hi float64 // decadic logarithms
	from   float64 // where lo is drawn
}

func newScale(costs []float64) scale {
	s := scale{lo: math.Inf(1), hi: math.Inf(-1), from: plotLeft + 28}
	for _, c := range costs {
		if c == 0 {
			s.free = true
			continue
		}
		s.paid = true
		s.lo, s.hi = min(s.lo, math.Log10(c)), max(s.hi, math.Log10(c))
	}
	if s.paid {
		margin := max(0.1*(s.hi-s.lo), 0.2)
		s.lo, s.hi = s.lo-margin, s.hi+margin
	}
	if s.free {
		s.from += 70
	}
	return s
}

func (s scale) at(cost float64) float64 {
	if cost == 0 {
		return plotLeft + 28
	}
	return s.from + (math.Log10(cost)-s.lo)/(s.hi-s.lo)*(plotW-plotRight-s.from)
}

// ticks stand at 1, 2 and 5 of each decade; over many decades at each, or at
// every second or third.
func (s scale) ticks() []tick {
	var out []tick
	if s.free {
		out = append(out, tick{fixed(s.at(0)), "$0"})
	}
	if !s.paid {
		return out
	}
	steps, every := []float64{1, 2, 5}, 1
	if s.hi-s.lo > 2 {
		steps, every = []float64{1}, 1+int((s.hi-s.lo)/8)
	}
	for d := int(math.Floor(s.lo)); d <= int(math.Ceil(s.hi)); d += every {
		for _, k := range steps {
			v := k * math.Pow10(d)
			if l := math.Log10(v); l >= s.lo && l <= s.hi {
				out = append(out, tick{fixed(s.at(v)), number.Money(&v)})
			}
		}
	}
	return out
}

// front is the line along the models that no other beats in both, as steps.
func front(points []point) string {
	var ps []point
	for _, p := range points {
		if p.Front {
			ps = append(ps, p)
		}
	}
	slices.SortStableFunc(ps, func(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(b.y, a.y)) })
	var b strings.Builder
	for i, p := range ps {
		if i == 0 {
			fmt.Fprintf(&b, "M%s %s", p.X, p.Y)
		} else {
			fmt.Fprintf(&b, "H%sV%s", p.X, p.Y)
		}
	}
	if len(ps) > 0 {
		fmt.Fprintf(&b, "H%s", fixed(plotW-plotRight))
	}
	return b.String()
}

// box is a rectangle in the picture that something takes; weight says how bad
// it is to cover it.
type box struct{ x0, y0, x1, y1, weight float64 }

func (a box) meets(b box) bool { return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 }

// What a label may cover, and how far off it may stand rather than do so.
const (
	coversLabel = 20
	coversPoint = 10
	coversLine  = 2
	eachLineOff = 1
	linesOff    = 7
)

// place puts the labels where they cover as little as there is room for, each
// as near to its point as that allows.
func place(points []point) {
	taken := drawn(points)
	frame := box{x0: plotLeft, x1: plotW, y1: plotH - plotBottom + 4}
	for i := range points {
		p := &points[i]
		w := glyphW * float64(utf8.RuneCountInString(p.Name))
		var best box
		least := math.Inf(1)
		for off := -linesOff; off <= linesOff; off++ {
			y := p.y + float64(off)*labelH
			for _, x := range []float64{p.x + 11, p.x - 11 - w} {
				b := box{x, y - labelH/2, x + w, y + labelH/2, coversLabel}
				if n := badness(b, taken, frame) + eachLineOff*math.Abs(float64(off)); n < least {
					least, best = n, b
				}
			}
		}
		taken = append(taken, best)
		p.label(best)
	}
}

// label writes the name of a point into a box, and joins them where they stand
// apart.
func (p *point) label(b box) {
	y := (b.y0 + b.y1) / 2
	x := b.x0
	p.Anchor = "start"
	if b.x0 < p.x {
		x, p.Anchor = b.x1, "end"
	}
	p.LabelX, p.LabelY = fixed(x), fixed(y+4)
	if math.Abs(y-p.y) > 1.5*labelH {
		p.Leader = fmt.Sprintf("M%s %sL%s %s", p.X, p.Y, fixed(x), fixed(y))
	}
}

// drawn is where points, their whiskers and the front are.
func drawn(points []point) []box {
	var out []box
	for _, p := range points {
		out = append(out, box{p.x - 6, p.y - 6, p.x + 6, p.y + 6, coversPoint},
			box{p.x - 4, p.hi, p.x + 4, p.lo, coversLine})
		if !p.Front {
			continue
		}
		end := plotW
		for _, q := range points {
			if q.Front && q.x > p.x {
				end = min(end, q.x)
			}
		}
		out = append(out, box{p.x, p.y - 2, end, p.y + 2, coversLine})
	}
	return out
}

// badness adds up what a label covers; to leave the frame is worst.
func badness(b box, taken []box, frame box) float64 {
	n := 0.0
	for _, t := range taken {
		if b.meets(t) {
			n += t.weight
		}
	}
	outside := max(0, frame.x0-b.x0) + max(0, b.x1-frame.x1) + max(0, frame.y0-b.y0) + max(0, b.y1-frame.y1)
	return n + coversLabel*outside
}
