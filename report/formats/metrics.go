package formats

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/report"
)

// metric is one family of numbers, a value or more for each model.
type metric struct {
	name, help string
	values     func(m report.Model) []metricValue
}

type metricValue struct {
	labels string // further ones, as they stand: status="pass"
	value  float64
}

func metrics() []metric {
	one := func(f func(report.Model) float64) func(report.Model) []metricValue {
		return func(m report.Model) []metricValue { return []metricValue{{"", f(m)}} }
	}
	usd := func(x *float64) float64 {
		if x == nil {
			return math.NaN()
		}
		return *x
	}
	return []metric{
		{"cookoff_trials", "Trials by what became of them.", func(m report.Model) []metricValue {
			return []metricValue{{`status="pass"`, float64(m.Pass)}, {`status="fail"`, float64(m.Fail)},
				{`status="void"`, float64(m.Void)}, {`status="open"`, float64(m.Pending)}}
		}},
		{"cookoff_fixed_ratio", "Share of the judged trials that fixed their task.",
			one(func(m report.Model) float64 { return m.Rate })},
		{"cookoff_fixed_ratio_low", "Lower end of the interval of the share.",
			one(func(m report.Model) float64 { return m.Interval.Lo })},
		{"cookoff_fixed_ratio_high", "Upper end of the interval of the share.",
			one(func(m report.Model) float64 { return m.Interval.Hi })},
		{"cookoff_time_to_fix_seconds", "Median agent time of the trials that fixed their task.",
			one(func(m report.Model) float64 { return m.Seconds.Median })},
		{"cookoff_steps", "Steps of the judged trials.", one(func(m report.Model) float64 { return float64(m.Steps) })},
		{"cookoff_tokens", "Tokens of the judged trials.", func(m report.Model) []metricValue {
			if !m.Usage.Known {
				return nil
			}
			return []metricValue{{`direction="in"`, float64(m.Usage.Input)},
				{`direction="out"`, float64(m.Usage.Output)}}
		}},
		{"cookoff_cost_usd", "Cost of the judged trials in USD.", one(func(m report.Model) float64 {
			return usd(m.CostUSD)
		})},
		{"cookoff_spent_usd", "Cost of the whole run in USD, with trials that do not count.",
			one(func(m report.Model) float64 { return usd(m.SpentUSD) })},
		{"cookoff_cost_per_fix_usd", "Cost divided by fixes in USD.",
			one(func(m report.Model) float64 { return usd(m.CostPerFixUSD) })},
	}
}

// Metrics writes the numbers of the main table as OpenMetrics text, one sample a
// model, for what compares them from one pipeline to the next (GitLab's
// metrics.txt). What is unknown is left out: it is not zero.
func Metrics(w io.Writer, r *report.Report) error {
	var b bytes.Buffer
	for _, x := range metrics() {
		fmt.Fprintf(&b, "# TYPE %s gauge\n# HELP %s %s\n", x.name, x.name, x.help)
		for _, m := range r.Models {
			for _, v := range x.values(m) {
				value := finite(v.value)
				if value == nil {
					continue
				}
				labels := "model=" + metricLabel(m.Name)
				if v.labels != "" {
					labels += "," + v.labels
				}
				fmt.Fprintf(&b, "%s{%s} %s\n", x.name, labels, strconv.FormatFloat(*value, 'f', -1, 64))
			}
		}
	}
	b.WriteString("# EOF\n")
	_, err := w.Write(b.Bytes())
	return err
}

// metricLabel quotes a value as OpenMetrics has it.
func metricLabel(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text.Visible(s)) + `"`
}
