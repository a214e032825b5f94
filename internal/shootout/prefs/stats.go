package prefs

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"cookoff/internal/ui/text"
	"cookoff/report/stat"
)

// prior is the weight of a tie of each model with an average one.
const prior = 1

// confidence of the intervals of ratings.
const confidence = 0.95

// average is the rating of an average model, in points as they are usual in
// chess: 400 of them are odds of 10 to 1.
const average = 1000

// Filter says which choices count; zero values let all through.
type Filter struct {
	Recipe string // name or source
	Tag    string
	Since  time.Time
	Blind  bool // only choices with hidden names
}

// Keep gives the choices that a filter lets through.
func (f Filter) Keep(ps []Preference) []Preference {
	return slices.DeleteFunc(slices.Clone(ps), func(p Preference) bool {
		return f.Recipe != "" && f.Recipe != p.Recipe && f.Recipe != p.Source || f.Tag != "" && !slices.Contains(p.Tags,
			f.Tag) ||
			p.At.Before(f.Since) || f.Blind && !p.Blind
	})
}

// Stats are what choices say of models.
type Stats struct {
	Choices int      `json:"choices"`
	Blind   int      `json:"blind"` // of them
	Ties    int      `json:"ties"`
	AllBad  int      `json:"all_bad"`
	Models  []Rating `json:"models"` // the highest rating first
	// Tie is the parameter of ties in Davidson's model; 0: there were none.
	Tie float64 `json:"tie,omitempty"`
}

// Rating is what choices say of a model. Rank counts the models that are
// stronger by more than chance explains, and one; 0: there is no rating.
type Rating struct {
	Model   string     `json:"model"`
	Shown   int        `json:"shown"` // choices that it took part in
	Wins    int        `json:"wins"`
	Blind   int        `json:"blind_wins"` // with its name hidden
	Ties    int        `json:"ties"`
	Losses  int        `json:"losses"`
	AllBad  int        `json:"all_bad"`
	Rating  *float64   `json:"rating"` // points; nil: no choice between two says anything
	Between [2]float64 `json:"interval"`
	Rank    int        `json:"rank"`
}

// Tally counts choices and rates the models in them. A choice among k models is
// k-1 wins of the winner; so that it says no more than it can, each has a
// weight of 2/k, and each of the ties among k models 4/k².
func Tally(ps []Preference) Stats {
	s := Stats{}
	at := map[string]int{}
	for _, p := range ps {
		for _, m := range p.Models {
			if _, ok := at[m]; !ok {
				at[m] = len(s.Models)
				s.Models = append(s.Models, Rating{Model: m})
			}
		}
	}
	var contests []stat.Contest
	for _, p := range ps {
		s.Choices++
		if p.Blind {
			s.Blind++
		}
		switch p.Choice {
		case "tie":
			s.Ties++
		case "all_bad":
			s.AllBad++
		}
		contests = append(contests, s.count(p, at)...)
	}
	s.rate(contests)
	slices.SortStableFunc(s.Models, func(a, b Rating) int {
		switch {
		case a.Rating != nil && b.Rating != nil && *a.Rating != *b.Rating:
			return int(math.Copysign(1, *b.Rating-*a.Rating))
		case (a.Rating == nil) != (b.Rating == nil):
			return map[bool]int{true: 1, false: -1}[a.Rating == nil]
		}
		return strings.Compare(a.Model, b.Model)
	})
	return s
}

// count takes a choice in and gives the contests that it holds.
func (s *Stats) count(p Preference, at map[string]int) (contests []stat.Contest) {
	k := float64(len(p.Models))
	for i, m := range p.Models {
		r := &s.Models[at[m]]
		r.Shown++
		switch {
		case p.Choice == "tie":
			r.Ties++
		case p.Choice == "all_bad":
			r.AllBad++
		case m == p.Winner:
			r.Wins++
			if p.Blind {
				r.Blind++
			}
		default:
			r.Losses++
			contests = append(contests, stat.Contest{A: at[p.Winner], B: at[m], Wins: 2 / k})
		}
		if p.Choice == "tie" {
			for _, other := range p.Models[i+1:] {
				contests = append(contests, stat.Contest{A: at[m], B: at[other], Ties: 4 / (k * k)})
			}
		}
	}
	return contests
}

// rate fits ratings, and ranks models that the choices tell apart.
func (s *Stats) rate(contests []stat.Contest) {
	if len(contests) == 0 {
		return
	}
	fit, ok := stat.BradleyTerry(len(s.Models), contests, prior)
	if !ok {
		return
	}
	s.Tie = fit.Tie
	points := func(log float64) float64 { return average + 400*log/math.Ln10 }
	for i := range s.Models {
		r := &s.Models[i]
		if r.Wins+r.Losses+r.Ties == 0 {
			continue
		}
		rating, between := points(fit.Log[i]), fit.Interval(i, confidence)
		r.Rating, r.Between = &rating, [2]float64{points(between.Lo), points(between.Hi)}
	}
	for i := range s.Models {
		if s.Models[i].Rating == nil {
			continue
		}
		s.Models[i].Rank = 1
		for j := range s.Models {
			if i != j && s.Models[j].Rating != nil && fit.Stronger(j, i, confidence) {
				s.Models[i].Rank++
			}
		}
	}
}

// Text writes statistics for people. strange is how many lines of the file
// were passed over.
func Text(s Stats, strange int) string {
	var b strings.Builder
	if s.Choices == 0 {
		b.WriteString("No choices yet: pick a winner in a shoot-out, and it is counted here.\n")
	} else {
		width := len("model")
		for _, m := range s.Models {
			width = max(width, text.Width(text.Line(m.Model)))
		}
		ties := "ties"
		if s.Ties == 1 {
			ties = "tie"
		}
		fmt.Fprintf(&b, "%s: %d with a winner, %d %s, %d all bad; %d with names hidden\n\n",
			text.Count(s.Choices, "choice"), s.Choices-s.Ties-s.AllBad, s.Ties, ties, s.AllBad, s.Blind)
		fmt.Fprintf(&b, "rank  %-*s  %5s %5s %5s %5s %5s  %s\n", width, "model", "shown", "won", "blind",
			"tied", "lost", "rating [95% interval]")
		for _, m := range s.Models {
			rank, rating := "-", "-"
			if m.Rating != nil {
				rank, rating = fmt.Sprint(m.Rank), fmt.Sprintf("%.0f [%.0f, %.0f]", *m.Rating,
					m.Between[0], m.Between[1])
			}
			fmt.Fprintf(&b, "%4s  %s  %5d %5d %5d %5d %5d  %s\n", rank, text.Fit(text.Line(m.Model), width),
				m.Shown, m.Wins, m.Blind, m.Ties, m.Losses, rating)
		}
		b.WriteString("\nrating: Bradley-Terry with ties (Davidson), 1000 is an average model,\n" +
			"400 points are odds of 10 to 1. Models of the same rank are not told apart,\n" +
			"at 95% for all pairs together. blind: won with names hidden. Models that were\n" +
			"stopped or void do not count.\n")
	}
	if strange > 0 {
		fmt.Fprintf(&b, "! passed over, as no preferences that this version knows: %s of the file\n",
			text.Count(strange, "line"))
	}
	return b.String()
}
