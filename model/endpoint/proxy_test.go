package endpoint

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"cookoff/model"
)

// TestProxies: a proxy that is not there, or refuses, is no fault of the provider's address, and no
// error has its password.
func TestProxies(t *testing.T) {
	const password = "s3cret-of-a-proxy"
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	defer refuses.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, c := range []struct {
		proxy, base string
		want        model.Trouble
		says        string
	}{
		{refuses.URL, "https://lab.example", model.ProxyRefuses, "opens no connection: 407 Proxy Authentication Required"},
		{refuses.URL, "http://lab.example", model.ProxyRefuses, "status 407: "},
		{gone.URL, "https://lab.example", model.NoProxy, "connection refused"},
		{gone.URL, "http://lab.example", model.NoProxy, "connection refused"},
		{"http://unknown.invalid:1", "https://lab.example", model.NoProxy, "unknown.invalid"},
	} {
		u, err := url.Parse(c.proxy)
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword("user", password)
		transport := NewTransport()
		transport.Proxy = http.ProxyURL(u)
		client := NewClient(&http.Client{Transport: transport})
		e := Endpoint{Name: "lab", Model: "m", BaseURL: c.base, Client: client}
		resp, err := client.Get(c.base)
		if err != nil {
			err = e.Broken(err, nil)
		} else {
			resp.Body.Close()
			err = e.ByStatus(resp.StatusCode, resp.Header, nil)
		}
		retry, ok := errors.AsType[*model.RetryError](err)
		if !ok || !retry.Down || retry.Trouble != c.want || !strings.Contains(err.Error(), c.says) ||
			strings.Contains(err.Error(), password) {
			t.Errorf("%s by %s: %#v, want %q with %q", c.base, c.proxy, err, c.want, c.says)
		}
	}
}
