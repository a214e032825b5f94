package shootout

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/live/board"
	"cookoff/internal/ui/live/draw"
	"cookoff/internal/ui/text"
)

func freshPanes() map[int]draw.Pane { return map[int]draw.Pane{} }

// Hidden reports whether the names of the last turn are hidden: until it is
// judged.
func Hidden(s *session.Session) bool {
	t, ok := s.Turn()
	return ok && t.Blind && t.Choice == ""
}

// order is the order in which the models of a turn are shown. With hidden names
// it is one of its own, the same whenever it is looked at: the recipe's would
// tell who is who.
func order(t session.Turn) []string {
	models := slices.Clone(t.Models)
	if !t.Blind || len(t.Runs) == 0 {
		return models
	}
	h := fnv.New64a()
	h.Write([]byte(t.Runs[0]))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	r.Shuffle(len(models), func(i, j int) { models[i], models[j] = models[j], models[i] })
	return models
}

// shuffled puts the models of a board into the order in which they are shown.
func shuffled(s *session.Session, v board.View) board.View {
	t, ok := s.Turn()
	if !ok || !t.Blind {
		return v
	}
	names := order(t)
	v.Models = slices.Clone(v.Models)
	slices.SortStableFunc(v.Models, func(a, b board.Model) int {
		at := func(m board.Model) int {
			if len(m.Lanes) == 0 {
				return len(names)
			}
			return slices.Index(names, m.Lanes[0].Model)
		}
		return at(a) - at(b)
	})
	return v
}

// Alias is what a model of the last turn is called: nothing that tells who it
// is, while names are hidden.
func Alias(s *session.Session, model string) string {
	t, ok := s.Turn()
	if ok && Hidden(s) {
		if i := slices.Index(order(t), model); i >= 0 {
			return hiddenName(i)
		}
	}
	return text.Line(model)
}

// hiddenName is what the model shown as the i-th is called while names are hidden.
func hiddenName(i int) string { return fmt.Sprintf("model %c", 'A'+rune(i%26)) }
