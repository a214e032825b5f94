// Package endpointtest plays an endpoint to the tests of those who ask one.
package endpointtest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Serve plays an endpoint that gives these answers, one a request and the last for
// ever: "STATUS body", or a stream. check looks at each request. It gives the server's
// address, and the bodies of what was asked.
func Serve(t *testing.T, check func(*http.Request) bool, answers ...string) (url string, bodies *[]string) {
	t.Helper()
	bodies = new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*bodies = append(*bodies, string(body))
		if !check(r) {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
		answer := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		if status := 0; answer[0] >= '2' && answer[0] <= '5' {
			fmt.Sscan(answer, &status)
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			io.WriteString(w, answer[4:])
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL, bodies
}
