package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"cookoff/model"
)

// Models asks the endpoint which models it has: GET base_url/models, which costs
// nothing. Errors are those of Generate; a *model.NotFoundError says that it has no
// such list. The names are the server's own words.
func (c *Chat) Models(ctx context.Context) ([]string, error) {
	if c.cfg.KeyEnv != "" && c.cfg.Key == "" && !c.cfg.NoKey {
		return nil, c.auth("the variable %s is not set", c.cfg.KeyEnv)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(c.cfg.BaseURL, "/")+"/models", nil)
	if err != nil {
		return nil, c.fault("%v", err)
	}
	req.Header.Set("User-Agent", "cookoff")
	if c.cfg.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.cfg.Key)
	}
	for k, v := range c.cfg.Headers {
		req.Header.Set(k, v)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, c.transport(&exchange{chat: c}, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, c.transport(&exchange{chat: c}, err)
	case len(body) > maxBody:
		return nil, c.retry(0, "the list of models is larger than %d MiB, which an answer may have at most", maxBody>>20)
	case resp.StatusCode == http.StatusMethodNotAllowed, resp.StatusCode == http.StatusNotImplemented:
		return nil, &model.NotFoundError{Err: c.fault("status %d: it has no list of its models", resp.StatusCode)}
	case resp.StatusCode != http.StatusOK:
		return nil, c.byStatus(resp.StatusCode, resp.Header, body[:min(len(body), kept)])
	}
	return c.listed(body)
}

// listed reads the forms in which servers list their models.
func (c *Chat) listed(body []byte) ([]string, error) {
	type entry struct{ ID, Name string }
	var list struct{ Data, Models []entry }
	var bare []entry
	if json.Unmarshal(body, &list) != nil && json.Unmarshal(body, &bare) != nil {
		return nil, &model.NotFoundError{Err: c.fault("the answer is no list of models: it began %s", c.quote(body))}
	}
	var names []string
	for _, e := range append(append(list.Data, list.Models...), bare...) {
		for _, name := range []string{e.ID, e.Name} {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, &model.NotFoundError{Err: fmt.Errorf("asking %s: the list of its models is empty", c.id())}
	}
	return names, nil
}
