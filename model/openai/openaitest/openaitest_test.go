package openaitest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"cookoff/internal/oneline"
)

func post(t *testing.T, url, body string) (status int, text string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestIsLoudAboutWhatItDidNotExpect(t *testing.T) {
	s := New(Text("hi"), Text("never asked for"))
	defer s.Close()
	if status, text := post(t, s.URL+"/chat/completions",
		`{"model":"m","messages":[{"role":"user","content":"hello"}]}`); status != 200 ||
		!strings.Contains(text, `"hi"`) {
		t.Errorf("status %d: %s", status, text)
	}
	if err := s.Check(); err == nil || err.Error() != "1 steps are left" {
		t.Errorf("check says %v", err)
	}
	for path, body := range map[string]string{"/completions": `{}`, "/chat/completions": `not json`} {
		if status, _ := post(t, s.URL+path, body); status != 400 {
			t.Errorf("%s %s: status %d", path, body, status)
		}
	}
	post(t, s.URL+"/chat/completions", `{"n":"beyond the script"}`)
	err := s.Check()
	for _, want := range []string{"asks for POST /v1/completions", "is no JSON",
		"request 4 was not expected:\n{\"n\":\"beyond the script\"}"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("check says %v, want %q", err, want)
		}
	}
}

func TestAnswersFollowFromTheRequest(t *testing.T) {
	s := NewFunc(func(n int, r *Request) Step {
		return Text(r.Text("user") + " to " + r.Model + " with " + r.Tools[0].Function.Name)
	})
	defer s.Close()
	_, text := post(t, s.URL+"/chat/completions",
		oneline.Of(`{"model":"m",
			"messages":[{"role":"user","content":"old"},{"role":"user","content":"hello"}],
			"tools":[{"function":{"name":"bash"}}]}`))
	if !strings.Contains(text, "hello to m with bash") {
		t.Error(text)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// TestWhoLeavesAsksNothing: a client that goes away before all of its request is sent breaks no script.
func TestWhoLeavesAsksNothing(t *testing.T) {
	s := New()
	defer s.Close()
	conn, err := net.Dial("tcp", strings.Split(strings.TrimPrefix(s.URL, "http://"), "/")[0])
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Length: 99\r\n\r\n{")
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); err != nil { // until the server has ended it
		t.Fatal(err)
	}
	conn.Close()
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}
