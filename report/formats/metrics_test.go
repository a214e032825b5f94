package formats

import (
	"regexp"
	"strings"
	"testing"

	"cookoff/report"
	"cookoff/report/reporttest"
)

// The grammar of a gauge in OpenMetrics 1.0: a family has its type and help
// first, its samples together, and the text ends in EOF.
func TestMetricsAreOpenMetrics(t *testing.T) {
	for _, r := range []*report.Report{reporttest.Fold(t, "mixed"), reporttest.Fold(t, "repeats"),
		reporttest.Fold(t, "interrupted"), hostileReport(t), report.New().Report()} {
		text := write(t, "metrics", r, Options{})
		lines := strings.Split(text, "\n")
		if n := len(lines); n < 2 || lines[n-1] != "" || lines[n-2] != "# EOF" {
			t.Fatalf("does not end in EOF: %q", lines[max(0, len(lines)-2):])
		}
		family, done, seen := "", map[string]bool{}, map[string]bool{}
		sample := regexp.MustCompile(
			`^([a-z_]+)(\{[a-z]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z]+="[a-z]+")*\}) (-?[0-9.]+)$`)
		for _, l := range lines[:len(lines)-2] {
			switch f := strings.Fields(l); {
			case strings.HasPrefix(l, "# TYPE "):
				if done[f[2]] || f[3] != "gauge" {
					t.Errorf("%s again, or no gauge: %q", f[2], l)
				}
				family, done[f[2]] = f[2], true
			case strings.HasPrefix(l, "# HELP "):
				if f[2] != family {
					t.Errorf("%q within %s", l, family)
				}
			default:
				m := sample.FindStringSubmatch(l)
				if m == nil || m[1] != family || seen[m[1]+m[2]] {
					t.Errorf("no sample of %s, or one again: %q", family, l)
				} else {
					seen[m[1]+m[2]] = true
				}
			}
		}
	}
}

func TestUnknownIsNoMetric(t *testing.T) {
	text := write(t, "metrics", reporttest.Fold(t, "mixed"), Options{})
	if strings.Contains(text, `cookoff_cost_usd{model="lab/模型-大"}`) || !strings.Contains(text,
		`cookoff_cost_usd{model="baseline/noop"} 0`+"\n") {
		t.Error(text)
	}
}

func TestACommentFitsAndIsFoundAgain(t *testing.T) {
	first := func(r *report.Report) string {
		line, _, _ := strings.Cut(write(t, "pr-comment", r, Options{}), "\n")
		return line
	}
	r, other := reporttest.Fold(t, "mixed"), reporttest.Fold(t, "repeats")
	again := reporttest.Fold(t, "mixed")
	again.Run.ID, again.Run.Seed = "another", 9
	if m := first(r); m != first(again) || m == first(other) ||
		!regexp.MustCompile(`^<!-- cookoff report [0-9a-f]{12} -->$`).MatchString(m) {
		t.Errorf("%q, again %q, of another recipe %q", m, first(again), first(other))
	}
	r.Run.Recipe = "--><script>"
	for range 20 {
		r.Tasks = append(r.Tasks, r.Tasks...)
		if len(r.Tasks) > 5000 {
			break
		}
	}
	text := write(t, "pr-comment", r, Options{})
	if len(text) > maxComment || !strings.Contains(text, "Left out, for want of room: the trials, the tasks") {
		t.Errorf("%d bytes: %.300s", len(text), text)
	}
}
