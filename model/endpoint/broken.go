package endpoint

import (
	"encoding/json"
	"errors"
	"io"
	"net/url"

	"cookoff/model"
)

// ErrCut is an answer that ended before it was whole.
var ErrCut = errors.New("the reply ended before it was finished")

// Broken names what broke on the way, or in the form of the answer, which began
// with start.
func (e *Endpoint) Broken(err error, start []byte) error {
	var (
		syntax *json.SyntaxError
		shape  *json.UnmarshalTypeError
		sent   *url.Error
	)
	if errors.As(err, &sent) { // nothing came back at all
		return &model.RetryError{Down: true, Trouble: troubleOf(sent.Err),
			Err: e.Fault("%s", e.Words(sent.Err.Error()))}
	}
	switch {
	case IsPage(nil, start):
		return e.Page(start)
	case errors.Is(err, ErrCut), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		if len(start) == 0 {
			return e.Retry(0, "%v: nothing of it came", ErrCut)
		}
		return e.Retry(0, "%v: it began %s", ErrCut, e.Quote(start))
	case errors.As(err, &syntax):
		return e.Retry(0, "the answer is broken JSON: it began %s", e.Quote(start))
	case errors.As(err, &shape):
		return e.Retry(0, "the answer is no %s: it began %s", e.form(), e.Quote(start))
	}
	return e.Retry(0, "%s", e.Words(err.Error()))
}

// form is what a reply is called in a dialect.
func (e *Endpoint) form() string {
	switch e.Dialect {
	case "responses":
		return "response"
	case "messages":
		return "message"
	}
	return "chat completion"
}
