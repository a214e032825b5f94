package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cookoff/internal/oneline"
)

// answers is how often a slow model answers in a trial.
const answers = 5

// slow is a model that takes its time: some commands, and an end.
type slow struct{ thinks time.Duration }

// ServeHTTP answers as a model that takes its time: it calls bash until it has answered
// often enough, then says that it is done.
func (s slow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/models") {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"slow","object":"model"}]}`)
		return
	}
	var asked struct {
		Messages []struct {
			Role string `json:"role"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	said := 0
	for _, m := range asked.Messages {
		if m.Role == "assistant" {
			said++
		}
	}
	time.Sleep(s.thinks)
	message, finish := `{"role":"assistant","content":"It is done."}`, "stop"
	if said < answers-1 {
		message = fmt.Sprintf(
			oneline.Of(`{"role":"assistant","content":null,"tool_calls":[
				{"id":"c%d","type":"function","function":{"name":"bash",
					"arguments":"{\"command\":\"touch done%d; touch done\"}"}}]}`), said, said)
		finish = "tool_calls"
	}
	fmt.Fprintf(w,
		oneline.Of(`{"id":"x","object":"chat.completion","model":"slow",
			"choices":[{"index":0,"message":%s,"finish_reason":%q}],
			"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}}`), message, finish)
}

const slowRecipe = "# Slow\nversion: 1\n\n## Models\n- slow/slow\n\n" +
	"## Tools\n- bash\n\n## Comparison\ntrials: %d\n\n## Tasks\n### Make a file\nMake a file called done.\n\n" +
	"```sh before\n! test -e done\n```\n```sh after\ntest -e done\n```\n```sh solution\ntouch done\n```\n"

// scale measures trials of a slow model, all under way at once, beside the time that
// one of them takes to get its answers.
func scale(b *bench) error {
	trials, err := b.number(0, 64)
	if err != nil {
		return err
	}
	seconds, err := b.number(1, 2)
	if err != nil {
		return err
	}
	server := httptest.NewServer(slow{time.Duration(seconds) * time.Second})
	defer server.Close()
	conf := fmt.Sprintf("[providers.slow]\nbase_url = %q\nconcurrency = %d\n", server.URL+"/v1", trials)
	project := filepath.Join(b.dir, "p")
	if err := os.Mkdir(project, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{"cookoff.toml": conf, "p/recipe.md": fmt.Sprintf(slowRecipe, trials)} {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	args := []string{"run", "--parallel", fmt.Sprint(trials), "--config", filepath.Join(b.dir, "cookoff.toml"), "--yes"}
	one, err := command(project, b.cookoff,
		append(args, "--trials", "1")...).took() // the task is admitted, the disk is warm
	if err != nil {
		return err
	}
	c := command(project, b.cookoff, args...)
	stop := watchMemory()
	all, err := c.took()
	least := stop()
	if err != nil {
		return err
	}
	waits := time.Duration(answers*seconds) * time.Second
	fmt.Printf("%d trials of %d answers, %d s each\n"+
		"one trial    %v\nall          %v\nall, beside the %v of one trial's answers: %.2f×\n",
		trials, answers, seconds, one, all, waits, float64(all.wall)/float64(waits))
	fmt.Printf("memory       %s, at most %.2f MiB a trial\n", least, float64(least.taken)/float64(trials)/(1<<20))
	return nil
}
