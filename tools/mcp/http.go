package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// httpTap is the way to a server that is asked from the host, or to what
// answers in its place.
type httpTap struct {
	*transport.StreamableHTTP
	tap    *tap
	server Server
}

// response is what of a JSON-RPC response does not belong to its request.
type response struct {
	Result json.RawMessage          `json:"result,omitempty"`
	Error  *mcp.JSONRPCErrorDetails `json:"error,omitempty"`
}

func (h *httpTap) Start(ctx context.Context) error {
	if h.server.Offline {
		return nil
	}
	return h.StreamableHTTP.Start(ctx)
}

func (h *httpTap) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	if h.server.Offline {
		return nil
	}
	return h.StreamableHTTP.SendNotification(ctx, n)
}

func (h *httpTap) Close() error {
	if h.server.Offline {
		return nil
	}
	return h.StreamableHTTP.Close()
}

func (h *httpTap) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	var resp *transport.JSONRPCResponse
	var err error
	if h.server.Via == nil {
		resp, err = h.ask(ctx, r)
	} else {
		resp, err = h.turn(ctx, r)
	}
	h.tap.see(r.Method, resp)
	return resp, err
}

// ask makes a request. A server that is not there is said to be so, without
// the steps that led to nothing.
func (h *httpTap) ask(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	resp, err := h.StreamableHTTP.SendRequest(ctx, r)
	if far, ok := errors.AsType[*url.Error](err); ok {
		err = fmt.Errorf("the server could not be reached: %w", far.Err)
	}
	return resp, err
}

// plain gives an error without the library's word before it.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "transport error: ") }

// turn makes a request by way of what stands before the server.
func (h *httpTap) turn(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	params, err := json.Marshal(r.Params)
	if err != nil {
		return nil, err
	}
	direct := func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
		if h.server.Offline {
			return nil, errors.New("nothing is sent in a replay")
		}
		resp, err := h.ask(ctx, r)
		if err != nil {
			return nil, err
		}
		return json.Marshal(response{resp.Result, resp.Error})
	}
	raw, err := h.server.Via(direct)(ctx, r.Method, params)
	if err != nil {
		return nil, err
	}
	var got response
	if err := json.Unmarshal(raw, &got); err != nil {
		return nil, err
	}
	return &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: r.ID, Result: got.Result, Error: got.Error}, nil
}

// httpClient follows no redirect, which could lead to another host, and takes
// answers of a bounded size.
func httpClient() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     bounded{http.DefaultTransport},
	}
}

type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxFrame), resp.Body}
	}
	return resp, err
}
