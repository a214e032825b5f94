package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/model"
	"cookoff/tools"
	"cookoff/trial"
)

// Names in dates.
const (
	days   = `Mon|Tue|Wed|Thu|Fri|Sat|Sun`
	months = `Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec`
)

// volatile is what differs each time that the same command runs in the same
// world, and the word that stands for it. The order matters: what is longer comes
// first. Nothing changes it.
var volatile = []struct {
	is   *pattern.Pattern
	word string
}{
	{pattern.New(`\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?([.,]\d+)?)?( ?(Z|[+-]\d\d:?\d\d))?`), "TIME"},
	{pattern.New(`((` + days + `),? +)?(\d{1,2} )?(` + months + `)( +\d{1,2})?(,? +\d{1,2}:\d\d(:\d\d)?)?` +
		`( +[A-Z]{3,4})?( +\d{4})?( +\d\d:\d\d:\d\d)?( [+-]\d{4})?`), "TIME"},
	{pattern.New(`\b\d{1,3}:\d\d(:\d\d)?([.,]\d+)?( ?[AP]M)?\b`), "TIME"},
	{pattern.New(`\b1[5-9]\d{8}(\d{3}|\d{6}|\d{9})?([.]\d+)?\b`), "TIME"},
	{pattern.New(`\b\d+m\d+([.,]\d+)?s\b`), "SPAN"},
	{pattern.New(`\b\d+([.,]\d+)? ?(ns|µs|us|ms|s|m|h|secs?|seconds?|mins?|minutes?|milliseconds?)\b`), "SPAN"},
	{pattern.New(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "ID"},
	{pattern.New(`\b0x[0-9a-f]+\b`), "ID"},
	{pattern.New(`/tmp/[^\s:'"\])},;]+`), "TEMP"},
	{pattern.New(`\b(go-build|pytest-|tmp[._-]?)[0-9A-Za-z_]+`), "TEMP"},
	{pattern.New(`(?i)\b(pid|process|ppid|tid|thread)([ =:#]+)\d+`), "PID"},
	{pattern.New(`(?m)^\[\d+\] +\d+$`), "PID"},
	{pattern.New(`(localhost|127\.0\.0\.1|\[::1?\]|0\.0\.0\.0):(3[2-9]\d{3}|[4-6]\d{4})\b`), "PORT"},
}

// hashes are names of commits and the like, which hold the time.
var (
	hashes  = pattern.New(`\b[0-9a-f]{7,64}\b`)
	numbers = pattern.New(`\d+([.,:]\d+)*`)
	pidList = pattern.New(`(?m)^.*\bPID\b.*$`)
	spaces  = pattern.New(`[ \t]+`)
)

// sameOutput reports whether two outputs say the same, but for times, numbers of
// processes, temporary names and the order of lines.
func sameOutput(a, b string) bool {
	if a == b {
		return true
	}
	a, b = lasting(a), lasting(b)
	return a == b || slices.Equal(slices.Sorted(strings.Lines(a+"\n")), slices.Sorted(strings.Lines(b+"\n")))
}

// lasting is an output with words in the place of what passes.
func lasting(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if pidList.MatchString(s) {
		s = numbers.ReplaceAllString(s, "N")
	}
	for _, v := range volatile {
		s = v.is.ReplaceAllString(s, v.word)
	}
	s = hashes.ReplaceAllStringFunc(s, func(h string) string {
		if strings.ContainsAny(h, "0123456789") && strings.ContainsAny(h, "abcdef") {
			return "ID"
		}
		return h
	})
	return spaces.ReplaceAllString(s, " ")
}

// jobTool is the tool that looks at what runs in the background.
const jobTool = "bash_job"

// Differs says in what the result of a call differs from the one before, where
// that matters; "": it does not.
func Differs(tool string, was *trial.Returned, is tools.Result) string {
	now := is.Text
	if tool == jobTool { // how far a job is depends on the machine: only its end counts
		before := jobState(was.Text)
		if after := jobState(now); after != before {
			return fmt.Sprintf("the job %q, and before %q", after, before)
		}
		return ""
	}
	if is.Failed != was.Failed {
		return fmt.Sprintf("it gave %s, and before %s", end(is.Failed, now), end(was.Failed, was.Text))
	}
	if sameOutput(now, was.Text) {
		return ""
	}
	a, b := strings.Split(lasting(now), "\n"), strings.Split(lasting(was.Text), "\n")
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	line := func(l []string) string {
		if i >= len(l) {
			return "nothing"
		}
		return fmt.Sprintf("%q", excerpt(l[i]))
	}
	return fmt.Sprintf("line %d is %s, and before %s", i+1, line(a), line(b))
}

func end(failed bool, text string) string {
	word := "a result"
	if failed {
		word = "an error"
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return fmt.Sprintf("%s, %q", word, excerpt(lines[len(lines)-1]))
}

// excerpt cuts a line for a message.
func excerpt(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}

// jobState is what the last lines of a look at a job say of it.
func jobState(text string) string {
	if at := strings.LastIndex(text, "\n[job "); at >= 0 {
		text = text[at+1:]
	}
	return text
}

// ampersand is one that puts a command into the background.
var ampersand = pattern.New(`(^|[^&>|<])&($|[^&>])`)

// startsJob reports whether a call may leave something that runs on.
func startsJob(c model.Call) bool {
	var args struct {
		Background bool   `json:"background"`
		Command    string `json:"command"`
	}
	if json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return false
	}
	return args.Background || ampersand.MatchString(args.Command) || strings.Contains(args.Command, "setsid") ||
		strings.Contains(args.Command, "nohup")
}
