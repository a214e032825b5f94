package endpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"cookoff/model"
	"cookoff/model/wire"
)

// Models asks which models there are: GET base_url/models, which costs nothing.
// Errors are those of Generate; a *model.NotFoundError says that there is no such
// list. The names are the server's own words.
func (e *Endpoint) Models(ctx context.Context) ([]string, error) {
	if err := e.Keyless(); err != nil {
		return nil, err
	}
	address := e.url("/models")
	if e.Dialect == wire.Messages {
		address += "?limit=1000" // else it gives the first 20
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, e.Fault("%v", err)
	}
	e.headers(req.Header)
	resp, err := e.Client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, e.Broken(err, nil)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxBody+1))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, e.Broken(err, body[:min(len(body), Kept)])
	case len(body) > MaxBody:
		return nil, e.Retry(0, "the list of models is larger than %d MiB, which an answer may have at most",
			MaxBody>>20)
	case resp.StatusCode == http.StatusMethodNotAllowed, resp.StatusCode == http.StatusNotImplemented:
		return nil, &model.NotFoundError{Err: e.Fault("status %d: it has no list of its models", resp.StatusCode)}
	case resp.StatusCode != http.StatusOK:
		return nil, e.ByStatus(resp.StatusCode, resp.Header, body[:min(len(body), Kept)])
	}
	return e.listed(body)
}

// listed reads the forms in which servers list their models.
func (e *Endpoint) listed(body []byte) ([]string, error) {
	type entry struct{ ID, Name string }
	var list struct{ Data, Models []entry }
	var bare []entry
	if json.Unmarshal(body, &list) != nil && json.Unmarshal(body, &bare) != nil {
		if IsPage(nil, body) {
			return nil, &model.NotFoundError{Err: e.Page(body[:min(len(body), Kept)])}
		}
		return nil, &model.NotFoundError{Err: e.Fault("the answer is no list of models: it began %s", e.Quote(body))}
	}
	var names []string
	for _, one := range append(append(list.Data, list.Models...), bare...) {
		for _, name := range []string{one.ID, one.Name} {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, &model.NotFoundError{Err: fmt.Errorf("asking %s: the list of its models is empty", e.ID())}
	}
	return names, nil
}
