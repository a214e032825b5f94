package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// TestWires: whatever bytes stand on the wire, at most one request of them goes out, to the
// provider, with the user's key and nothing that the agent said of itself.
func TestWires(t *testing.T) {
	const body = `{"model":"m","messages":[]}`
	post := func(target, headers, body string) string {
		return "POST " + target + " HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer " + token +
			"\r\n" + headers +
			"\r\n" + body
	}
	chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n", len(body), body)
	length := fmt.Sprintf("Content-Length: %d\r\n", len(body))
	second := post("/v1/chat/completions", length, body)
	const chat = "/v1/chat/completions"
	for _, c := range []struct {
		name, wire string
		out        int // requests that go out
		answer     string
	}{
		{"chunked with trailers", post(chat, "Transfer-Encoding: chunked\r\nTrailer: Authorization, X-Api-Key\r\n",
			chunked+"Authorization: Bearer sk-other\r\nX-Api-Key: sk-other\r\n\r\n"), 1, "200 OK"},
		{"length and chunks", post(chat, "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", chunked+"\r\n"), 1, ""},
		{"two lengths", post(chat, length+"Content-Length: 0\r\n", body), 0, "400 Bad Request"},
		{"chunks in disguise", post(chat, "Transfer-Encoding : chunked\r\n"+length, body), 0, "400 Bad Request"},
		{"unknown coding", post(chat, "Transfer-Encoding: xchunked\r\n", body), 0, "501 "},
		{"a request within a body", post(chat, fmt.Sprintf("Content-Length: %d\r\n", len(second)), second), 0, "400 "},
		{"absolute address", post("http://169.254.169.254/latest"+chat, length, body), 1, "200 OK"},
		{"a tunnel", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\nAuthorization: Bearer " + token +
			"\r\n\r\n", 0, "404 "},
		{"a websocket", "GET /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nAuthorization: Bearer " +
			token +
			"\r\n\r\n", 0, "404 "},
		{"HTTP/2 from the start", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 0, ""},
		{"HTTP/2 by an upgrade",
			post(chat, "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"+
				length, body), 1, "200 OK"},
		{"a path that climbs", post("/v1/../../secret/..%2f..%2fv1"+chat, length, body), 1, "200 OK"},
		{"two keys",
			post(chat, "Authorization: Bearer sk-other\r\nX-Api-Key: sk-other\r\nX-Goog-Api-Key: k\r\nCookie: a=b\r\n"+
				"X-Forwarded-For: 10.0.0.1\r\nOpenAI-Organization: other\r\nOpenAI-Project: other\r\n"+length, body), 1,
			"200 OK"},
		{"a query that pays elsewhere", post(chat+"?key=k&api-version=1&alt=sse&project=other", length, body), 1,
			"200 OK"},
		{"folded header", post(chat, "X-App: a\r\n Authorization: Bearer sk-folded\r\n"+length, body), 1, ""},
		{"headers without end", post(chat, strings.Repeat("X-Stainless-A: "+strings.Repeat("a", 90)+"\r\n", 200)+length,
			body), 0,
			"431 "},
		{"other verb", strings.Replace(second, "POST", "post", 1), 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, says(200, jsonType, `{"choices":[{"finish_reason":"stop"}]}`))
			conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(20 * time.Second)) // a hang is a failure
			if _, err := io.WriteString(conn, c.wire); err != nil {
				t.Fatal(err)
			}
			answer, err := bufio.NewReader(conn).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(answer, "HTTP/1.1 "+c.answer) && c.answer != "" {
				t.Errorf("answered %.60q", answer)
			}
			r.g.Close()
			if len(r.asked) != c.out {
				t.Fatalf("%d requests went out, want %d; answered %.200q", len(r.asked), c.out, answer)
			}
			for _, a := range r.asked {
				said := fmt.Sprint(a.header)
				if a.header.Get("Authorization") != "Bearer "+key || strings.Contains(said, "other") ||
					strings.Contains(said, token) || strings.Contains(said, "10.0.0.1") ||
					a.header.Get("Cookie") != "" ||
					!strings.HasPrefix(a.path, "/v1/chat/completions") || strings.Contains(a.path, "key") {
					t.Errorf("%s went out with %s", a.path, said)
				}
			}
		})
	}
}
