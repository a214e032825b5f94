package formats

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/number"
	"cookoff/trial"
)

// The elements and attributes are those that both Jenkins and Surefire know.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string           `xml:"name,attr"`
	Tests      int              `xml:"tests,attr"`
	Failures   int              `xml:"failures,attr"`
	Errors     int              `xml:"errors,attr"`
	Skipped    int              `xml:"skipped,attr"`
	Time       string           `xml:"time,attr"`
	Timestamp  string           `xml:"timestamp,attr,omitempty"`
	Properties *junitProperties `xml:"properties"`
	Cases      []junitCase      `xml:"testcase"`
	seconds    float64
}

type junitProperties struct {
	List []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int           `xml:"line,attr,omitempty"`
	Time    string        `xml:"time,attr"`
	Failure *junitProblem `xml:"failure"`
	Error   *junitProblem `xml:"error"`
	Skipped *junitSkipped `xml:"skipped"`
	Out     *junitOut     `xml:"system-out"`
}

type junitOut struct {
	Text string `xml:",cdata"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",cdata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// JUnit writes one test suite a model and one test case a trial: not fixed is a
// failure whose type is the cause, void an error, a task that was not admitted
// and a trial without an outcome are skipped.
func JUnit(w io.Writer, r *report.Report) error {
	all := junitSuites{Name: text.Visible(r.Run.Recipe)}
	total := 0.0
	for _, m := range r.Models {
		s := newSuite(r, m)
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
		total += s.seconds
		all.Suites = append(all.Suites, s)
	}
	all.Time = junitTime(total)
	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return fmt.Errorf("writing the JUnit report: %w", err)
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

func newSuite(r *report.Report, m report.Model) junitSuite {
	s := junitSuite{Name: text.Visible(m.Name), Timestamp: junitDate(r.Started), Properties: suiteProperties(r, m)}
	tried := map[string]bool{}
	for _, t := range r.Trials {
		if t.Model == m.Name {
			s.add(newCase(r, t), t.Outcome.Seconds.Agent)
			tried[t.Task] = true
		}
	}
	for _, t := range r.Pending {
		if t.Model == m.Name {
			c := newCase(r, t)
			c.Skipped = &junitSkipped{"not finished"}
			s.add(c, 0)
			tried[t.Task] = true
		}
	}
	for _, x := range r.Excluded {
		if !tried[x.Task] {
			s.add(junitCase{
				Name: text.Visible(x.Task), Class: text.Visible(m.Name), Time: junitTime(0),
				File: fileOf(r, x.Task), Line: r.Run.Places[x.Task].Line,
				Skipped: &junitSkipped{text.Visible(fmt.Sprintf("not admitted, at %s: %s", x.Phase, x.Why))},
			}, 0)
		}
	}
	s.Time = junitTime(s.seconds)
	return s
}

func (s *junitSuite) add(c junitCase, seconds float64) {
	s.Tests++
	s.seconds += seconds
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// newCase gives a trial as a test case of JUnit: a failure where it was judged not fixed,
// an error where it is void, skipped where its task was not admitted.
func newCase(r *report.Report, t report.Trial) junitCase {
	name := text.Visible(t.Task)
	if r.Repeats() > 1 {
		name += fmt.Sprintf(" [trial %d]", t.N)
	}
	c := junitCase{Name: name, Class: text.Visible(t.Model), File: fileOf(r, t.Task), Line: r.Run.Places[t.Task].Line,
		Time: junitTime(t.Outcome.Seconds.Agent)}
	p := &junitProblem{Message: problemMessage(t.Outcome), Type: text.Visible(number.OrDash(string(t.Outcome.Cause))),
		Text: evidence(t)}
	switch t.Outcome.Status {
	case trial.Pass:
		if s := t.Outcome.SideEffects; s != nil {
			c.Out = &junitOut{text.Visible("left beside the repair: " + report.SomeOf(s))}
		}
	case trial.Fail:
		c.Failure = p
	case trial.Void:
		if t.Outcome.Cause == trial.CauseAdmission {
			c.Skipped = &junitSkipped{p.Message}
		} else {
			c.Error = p
		}
	}
	return c
}

func problemMessage(o trial.Outcome) string {
	if o.Detail != "" {
		return text.Visible(o.Detail)
	}
	return text.Visible(strings.TrimSpace(string(o.Cause) + " " + string(o.Stop)))
}

// evidence lists the checks that did not hold and the earlier attempts, one a
// line, with the end of what the commands printed.
func evidence(t report.Trial) string {
	var b strings.Builder
	for _, v := range t.Outcome.Verdicts {
		if v.Status == trial.Held {
			continue
		}
		fmt.Fprintf(&b, "\n%s: %s", text.Visible(v.Check), text.Visible(number.OrDash(v.Detail)))
		if e := v.Evidence; e != nil {
			if e.Command != "" {
				fmt.Fprintf(&b, "\n  $ %s", text.Visible(e.Command))
			}
			for _, stream := range []string{e.Tail, e.Stderr} {
				for line := range strings.Lines(stream) {
					fmt.Fprintf(&b, "\n  %s", text.Visible(strings.TrimRight(line, "\r\n")))
				}
			}
		}
	}
	for _, a := range t.Earlier {
		fmt.Fprintf(&b, "\nattempt %d: %s %s: %s", a.N, a.Outcome.Status, text.Visible(string(a.Outcome.Cause)),
			text.Visible(number.OrDash(a.Outcome.Detail)))
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

func suiteProperties(r *report.Report, m report.Model) *junitProperties {
	ps := []junitProperty{
		{"run", text.Visible(r.Run.ID)},
		{"recipe", text.Visible(r.Run.Source)},
		{"recipe.digest", text.Visible(r.Run.Digest)},
		{"answer", text.Visible(r.Answer)},
		{"seed", strconv.FormatInt(r.Run.Seed, 10)},
		{"fixed", fmt.Sprintf("%d/%d", m.Pass, m.Judged())},
	}
	ps = append(ps, contestantProperties(r, m.Name)...)
	if m.Usage.Known {
		ps = append(ps, junitProperty{"tokens.in", strconv.Itoa(m.Usage.Input)},
			junitProperty{"tokens.out", strconv.Itoa(m.Usage.Output)})
	}
	if m.CostUSD != nil {
		ps = append(ps, junitProperty{"cost.usd", csvNumber(m.CostUSD)})
	}
	if m.SpentUSD != nil {
		ps = append(ps, junitProperty{"spent.usd", csvNumber(m.SpentUSD)})
	}
	if note := report.SpentNote(r); note != "" {
		ps = append(ps, junitProperty{"spent.note", note})
	}
	return &junitProperties{ps}
}

// file is where a task is written: its own file, or else the recipe's.
func fileOf(r *report.Report, task string) string {
	if p, ok := r.Run.Places[task]; ok {
		return text.Visible(p.File)
	}
	if strings.HasPrefix(r.Run.Source, "builtin:") {
		return ""
	}
	return text.Visible(r.Run.Source)
}

// junitDate is a time as xs:dateTime without a zone, which Surefire's and
// Jenkins' readers take for UTC.
func junitDate(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05")
}

func junitTime(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		x = 0
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}
