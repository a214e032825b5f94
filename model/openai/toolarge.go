package openai

import (
	"fmt"

	"cookoff/model"
)

// Where an answer meets maxBody, it counts as the model's own where it wrote this
// much. A stream has hundreds of bytes around each token.
const (
	wroteInStream = 64 << 10
	wroteInWhole  = maxBody / 2
	longestToken  = 512 // bytes; who writes more for each token of max_tokens is no model
)

// quoted counts the bytes in the strings of JSON, as they come.
type quoted struct {
	n             int
	in, backslash bool
}

func (q *quoted) add(p []byte) {
	for _, b := range p {
		switch {
		case !q.in:
			q.in = b == '"'
			continue
		case q.backslash:
			q.backslash = false
		case b == '\\':
			q.backslash = true
		case b == '"':
			q.in = false
			continue
		}
		q.n++
	}
}

// tooLarge says whose doing an answer is that is larger than maxBody: the model's,
// which wrote it, or the provider's, which filled it with something else.
func (c *Chat) tooLarge(x *exchange, limit *int) (*model.Reply, error) {
	wrote, enough := x.strings.n, wroteInWhole
	if x.events {
		wrote, enough = x.arrived, wroteInStream
	}
	most := maxBody
	if limit != nil {
		most = *limit * longestToken
	}
	if wrote >= enough && wrote <= most {
		return unfit(model.FinishLength, fmt.Sprintf("the reply was left out: with %d bytes of the model's text "+
			"it is larger than %d MiB, which an answer may have at most", wrote, maxBody>>20)), nil
	}
	why := fmt.Sprintf("the model wrote %d bytes of it", wrote)
	if wrote > most {
		why = fmt.Sprintf("the %d bytes of text in it are more than max_tokens: %d allows", wrote, *limit)
	}
	return nil, c.at.Retry(0, "the answer is larger than %d MiB, which an answer may have at most, and %s", maxBody>>20,
		why)
}
