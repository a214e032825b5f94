package shootout

import (
	"hash/fnv"
	"math/rand/v2"

	"cookoff/cmd/cookoff/internal/shootout/board"
	"cookoff/cmd/cookoff/internal/shootout/draw"
	"cookoff/cmd/cookoff/internal/shootout/session"
)

func freshPanes() map[int]draw.Pane { return map[int]draw.Pane{} }

// hidden reports whether the names of the last turn are hidden: until it is
// judged.
func hidden(s *session.Session) bool {
	t, ok := s.Turn()
	return ok && t.Blind && t.Choice == ""
}

// shuffled puts the models of a turn with hidden names into an order of its
// own, which is the same whenever it is looked at: the recipe's would tell who
// is who.
func shuffled(s *session.Session, v board.View) board.View {
	t, ok := s.Turn()
	if !ok || !t.Blind || len(t.Runs) == 0 {
		return v
	}
	h := fnv.New64a()
	h.Write([]byte(t.Runs[0]))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	models := append([]board.Model{}, v.Models...)
	r.Shuffle(len(models), func(i, j int) { models[i], models[j] = models[j], models[i] })
	v.Models = models
	return v
}
