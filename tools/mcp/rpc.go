package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"
)

// Revisions of MCP. A server is asked for the last one that has a handshake, and
// may answer with an older one: listing and calling tools is the same in each. A
// server that has no handshake is spoken to as the first revision without one.
const (
	withHandshake    = mcp.ProtocolVersion20251125
	withoutHandshake = mcp.ProtocolVersion20260728
)

// wire carries requests to one server. It is safe for concurrent use.
type wire interface {
	// request sends a request and waits for its response. An error is
	// errClosed when the server is gone, or says why there is no response.
	request(ctx context.Context, method string, params any) (response, error)
	// notify sends a message that has no response.
	notify(ctx context.Context, method string) error
	// speak says which revision of the protocol is spoken from now on.
	speak(version string)
	// close ends the connection. Requests that wait get errClosed.
	close()
}

// errClosed says that a server is gone.
var errClosed = errors.New("the server closed the connection")

// response is what of a JSON-RPC response does not belong to its request.
type response struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  *rpcError       `json:"error,omitempty"`
}

// rpcError is the error that a server answers with.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("the server answered with the error %d", e.Code)
	}
	return e.Message
}

// message is any message of JSON-RPC 2.0.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	response
}

const rpcVersion = "2.0"

func request(id int64, method string, params any) message {
	return message{Version: rpcVersion, ID: fmt.Append(nil, id), Method: method, Params: params}
}

// refusal answers a request of a server: there is no sampling, no roots and no
// elicitation. A ping has an answer.
func refusal(m message) message {
	if m.Method == string(mcp.MethodPing) {
		return message{Version: rpcVersion, ID: m.ID, response: response{Result: json.RawMessage(`{}`)}}
	}
	return message{Version: rpcVersion, ID: m.ID,
		response: response{Error: &rpcError{mcp.METHOD_NOT_FOUND, "this client has no method " + m.Method}}}
}

// hasID reports whether a message has an identifier: only requests and
// responses have one.
func (m message) hasID() bool { return len(m.ID) > 0 && string(m.ID) != "null" }

// peer is a server that is spoken to over a wire.
type peer struct {
	wire
	stateless bool // each request says who asks, and in which revision
}

var clientInfo = map[string]string{"name": "cookoff", "version": "1"}

// ask sends a request and reads the result into out.
func (p *peer) ask(ctx context.Context, method string, params map[string]any, out any) error {
	if p.stateless {
		params = maps.Clone(params)
		params["_meta"] = map[string]any{
			mcp.MetaKeyProtocolVersion:    withoutHandshake,
			mcp.MetaKeyClientInfo:         clientInfo,
			mcp.MetaKeyClientCapabilities: struct{}{},
		}
	}
	resp, err := p.request(ctx, method, params)
	switch {
	case err != nil:
		return err
	case resp.Error != nil:
		return resp.Error
	}
	if err := json.Unmarshal(resp.Result, out); err != nil {
		return fmt.Errorf("the answer to %s can't be read: %w", method, err)
	}
	return nil
}

// begin begins the conversation.
func (p *peer) begin(ctx context.Context) error {
	var got struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	params := map[string]any{"protocolVersion": withHandshake, "capabilities": struct{}{}, "clientInfo": clientInfo}
	err := p.ask(ctx, string(mcp.MethodInitialize), params, &got)
	if refused, ok := errors.AsType[*rpcError](err); ok {
		if p.beginStateless(ctx) == nil {
			return nil
		}
		return refused
	}
	if err != nil {
		return err
	}
	if !mcp.IsValidProtocolVersion(got.ProtocolVersion) {
		return fmt.Errorf("it speaks version %q of the protocol, want %s or an older one", got.ProtocolVersion,
			withHandshake)
	}
	p.speak(got.ProtocolVersion)
	return p.notify(ctx, "notifications/initialized")
}

// beginStateless speaks to a server that knows no handshake.
func (p *peer) beginStateless(ctx context.Context) error {
	p.stateless = true
	p.speak(withoutHandshake)
	return p.ask(ctx, string(mcp.MethodServerDiscover), map[string]any{}, &struct{}{})
}
