package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"cookoff/trial"
)

// servePages serves one page until a driver posts, then the next; who has it
// already gets 304. Each page is driven by act.
func servePages(t testing.TB, act string, pages ...folded) *httptest.Server {
	t.Helper()
	var at atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			at.Add(1)
			return
		}
		page := pages[at.Load()]
		tag := fmt.Sprintf(`"%d"`, at.Load())
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", tag)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		d := document{Options: Options{Live: true}, style: style(),
			script: script() + "(() => {" + driver + act + "})();\n"}
		if _, err := write(w, page.report, page.said, d); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// A page that is served takes in what is new: what the reader chose, typed and
// opened stays, and after the end of the run it asks no more.
func TestBrowserFollowsARun(t *testing.T) {
	chrome := browser(t)
	events := bigRun(2, 3, 2, 600)
	var ends []int
	for i, e := range events {
		if e.Kind == trial.TrialFinished {
			ends = append(ends, i+1)
		}
	}
	s := servePages(t, `
drive(async () => {
  const swapped = async () => {
    const before = find(".head");
    while (before.isConnected) await settle();
  };
  const news = async () => {
    await fetch(location.pathname, { method: "POST" });
    await swapped();
  };
  const rows = () => shown(".trials tbody tr").length;
  const open = () => all(".trials .out.open").length;
  report.begun = rows() + " " + open() + " " + document.documentElement.hasAttribute("data-live");
  await swapped(); // the first answer is the page itself
  find("#search").focus();
  await choose("#search", "task 00");
  find("#search").setSelectionRange(2, 3);
  await news();
  report.news = rows() + " " + open();
  report.typing = document.activeElement.id + " " + find("#search").value + " " + find("#search").selectionStart;
  location.hash = "#t=t0001";
  await settle();
  find("#transcript .entry details").open = false;
  all("#transcript .entry")[1].focus();
  await news();
  report.ended = document.documentElement.hasAttribute("data-live") + " " + find(".badge").textContent;
  report.kept = find("#transcript .entry details").open + " " +
    all("#transcript .entry").indexOf(document.activeElement);
  report.lost = document.documentElement.hasAttribute("data-lost");
  report.scripts = document.scripts.length;
});`, emitted(t, events[:ends[0]]), emitted(t, events[:ends[3]]), emitted(t, events))
	got := reported(t, chrome, []string{"--user-data-dir=" + filepath.Join(t.TempDir(), "profile"), s.URL + "/x/"})
	equal(t, got, map[string]any{"begun": "6 5 true", "news": "2 2", "typing": "search task 00 2",
		"ended": "false finished",
		"kept":  "false 1", "lost": false, "scripts": 2, "violations": "[]"})
}

// BenchmarkFirstPaint says how long a browser takes to show the page of a
// thousand trials, in milliseconds since it asked for it.
func BenchmarkFirstPaint(b *testing.B) {
	chrome := browser(b)
	events := bigRun(20, 50, 12, 2000)
	f := emitted(b, events)
	var page bytes.Buffer
	act := `
new PerformanceObserver((list) => list.getEntries().forEach((e) => {
  if (e.name === "first-contentful-paint") fetch("/paint", { method: "POST", body: JSON.stringify(e.startTime) });
})).observe({ type: "paint", buffered: true });`
	if _, err := write(&page, f.report, f.said,
		document{Options: Options{Live: true}, style: style(),
			script: script() + "(() => {" + act + "})();\n"}); err != nil {
		b.Fatal(err)
	}
	painted := make(chan float64, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			var ms float64
			body, _ := io.ReadAll(r.Body)
			if err := json.Unmarshal(body, &ms); err != nil {
				b.Error(err)
			}
			painted <- ms
		case strings.HasSuffix(r.URL.Path, "/"):
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(page.Bytes()) // a browser that is gone paints nothing
		}
	}))
	defer s.Close()
	total := 0.0
	for b.Loop() {
		cmd := command(b.Context(), chrome, []string{"--remote-debugging-port=0",
			"--user-data-dir=" + filepath.Join(b.TempDir(), "profile"), s.URL + "/"})
		var said bytes.Buffer // all that it starts writes here, so that Wait waits for all: they write to its profile
		cmd.Stderr, cmd.SysProcAttr = &said, &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		select {
		case ms := <-painted:
			total += ms
		case <-b.Context().Done():
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it was started to paint once
		_ = cmd.Wait()
	}
	b.ReportMetric(total/float64(b.N), "paint-ms")
	b.ReportMetric(float64(page.Len())/1e6, "MB")
}
