package openai

import (
	"errors"
	"fmt"

	goopenai "github.com/sashabaranov/go-openai"

	"cookoff/model"
	"cookoff/model/endpoint"
)

// noChoiceError is an answer that looks like a reply but holds none.
type noChoiceError struct{ body []byte }

func (e *noChoiceError) Error() string { return "the reply holds no choice" }

// kind says what an error means for the caller. Whatever is not known to be
// final is the way there and back, and may go well another time. gaveUp: it took too long.
func (c *Chat) kind(gaveUp error, x *exchange, err error) error {
	if err = c.sorted(x, err); gaveUp != nil {
		err = gaveUp
	}
	if retry, ok := errors.AsType[*model.RetryError](err); ok && !retry.Busy {
		retry.Partial, retry.Arrived = x.started, x.arrived
	}
	return err
}

// sorted makes what went wrong an error of package model: by the status, by the problem
// that the server names, or else as a reply that broke off.
func (c *Chat) sorted(x *exchange, err error) error {
	var (
		status   *statusError
		noChoice *noChoiceError
		api      *goopenai.APIError
		refused  *model.RefusedError
	)
	switch {
	case errors.As(err, &refused):
		refused.Reason = c.at.Words(refused.Reason)
		return refused
	case errors.As(err, &status):
		return c.at.ByStatus(status.status, status.header, status.body)
	case errors.As(err, &noChoice):
		return c.at.InReply(noChoice.body)
	case errors.As(err, &api):
		code, _ := api.Code.(int)
		return c.at.ByProblem(code, nil, endpoint.Problem{Code: fmt.Sprint(api.Code), Kind: api.Type,
			Param: param(api.Param), Text: api.Message})
	}
	return c.at.Broken(err, x.start.Bytes())
}

func param(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}
