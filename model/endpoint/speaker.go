package endpoint

import (
	"context"
	"slices"
	"strconv"

	"cookoff/model"
	"cookoff/model/wire"
)

// Config says which model is asked, and how.
type Config struct {
	Endpoint Endpoint
	Dialects []wire.Dialect // that the provider speaks
	Traits   model.Traits   // what is known of the model
}

// Speaker is what chats of the newer dialects are alike in. None of these has a seed.
type Speaker struct {
	At  *Endpoint
	cfg Config
}

// NewSpeaker makes one that asks in a dialect. It sends nothing.
func NewSpeaker(cfg Config, in wire.Dialect) *Speaker {
	at := cfg.Endpoint
	at.Dialect = in
	if !slices.Contains(cfg.Traits.Omit, "seed") {
		cfg.Traits.Omit = append(slices.Clone(cfg.Traits.Omit), "seed")
	}
	return &Speaker{&at, cfg}
}

// Traits says what is known of the model.
func (s *Speaker) Traits() model.Traits { return s.cfg.Traits }

// Upstream says where the model is asked, for an agent that asks it itself.
func (s *Speaker) Upstream() wire.Upstream { return s.At.Upstream(s.cfg.Dialects) }

// Models asks the endpoint which models it has.
func (s *Speaker) Models(ctx context.Context) ([]string, error) { return s.At.Models(ctx) }

// Asked is one request, as it is put to an endpoint.
type Asked struct {
	Path string // below the endpoint's base
	Body func() ([]byte, error)
	Try  int // from 2 on it has another body, and another name
}

// Assembly makes a reply of what comes.
type Assembly interface {
	Taker
	Reply() (*model.Reply, error)
}

// Ask makes one request, and gives its reply as one that can be answered.
func (s *Speaker) Ask(ctx context.Context, req *model.Request, q Asked, a Assembly) (*model.Reply, error) {
	body, err := q.Body()
	if err != nil {
		return nil, s.At.Fault("encoding the request: %v", err)
	}
	key := req.Key
	if key != "" && q.Try > 1 {
		key += "-" + strconv.Itoa(q.Try)
	}
	if err := s.At.Post(ctx, q.Path, body, key, a); err != nil {
		return nil, err
	}
	reply, err := a.Reply()
	if err != nil {
		return nil, err
	}
	Mend(reply, req)
	return reply, nil
}
