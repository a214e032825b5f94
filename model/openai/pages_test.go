package openai

import (
	"testing"

	"cookoff/model/openai/openaitest"
)

// TestPages: a page for people is no reply, whatever it is called, and is told from one that is
// broken; JSON is none.
func TestPages(t *testing.T) {
	raw := openaitest.Raw
	both(t, func(t *testing.T, stream bool) {
		for _, step := range []openaitest.Step{
			raw("text/html; charset=utf-8", "<html><head><title>Sign in\x1b[31m &amp; go</title></head>log in</html>"),
			raw("text/html", ""), raw("application/json", "<!DOCTYPE html><title>Sign in &amp; go</title>"),
			raw("text/plain", "\n <html><title>Sign in</title>")} {
			_, cfg := serve(t, step)
			cfg.Stream = stream
			fails(t, cfg, "page", "a web page")
		}
		_, cfg := serve(t, raw("text/html", "<html><title>\nSign in\x1b[31m &amp; go\n</title>"))
		cfg.Stream = stream
		fails(t, cfg, "page", `titled “Sign in`)
		_, cfg = serve(t, raw("text/html", `{"error":{"message":"it is full"}}`))
		cfg.Stream = stream
		fails(t, cfg, "retry", "it is full")
	})
}
