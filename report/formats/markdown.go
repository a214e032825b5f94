package formats

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/report"
	"cookoff/report/number"
	"cookoff/trial"
)

// Markdown writes the tables and notes in GitHub's flavour, for a job summary or
// a comment. Names from a recipe stand in code spans; other foreign text is
// escaped, so that it can't link, mention, embed or break a table.
func Markdown(w io.Writer, r *report.Report) error {
	for _, s := range sections(r) {
		if _, err := w.Write(s.text); err != nil {
			return err
		}
	}
	return nil
}

// Summary is Markdown within a limit of bytes: where that is too small, whole
// sections are left out, the matrix first, and the text says so.
func Summary(r *report.Report, limit int) (text []byte, left []string) {
	ss := sections(r)
	for {
		text = nil
		for _, s := range ss {
			text = append(text, s.text...)
		}
		if len(left) > 0 {
			text = fmt.Appendf(text, "\n_Left out, for want of room: %s._\n", strings.Join(left, ", "))
		}
		if len(text) <= limit {
			return text, left
		}
		if len(ss) == 0 {
			return nil, left
		}
		least := slices.MinFunc(ss, func(a, b section) int { return cmp.Compare(a.weight, b.weight) })
		left = append(left, least.name)
		ss = slices.DeleteFunc(ss, func(s section) bool { return s.name == least.name })
	}
}

// section is a part of the document that can be left out as a whole, the one of
// least weight first.
type section struct {
	name   string
	weight int
	text   []byte
}

func sections(r *report.Report) []section {
	part := func(name string, weight int, write func(*bytes.Buffer, *report.Report)) section {
		var b bytes.Buffer
		write(&b, r)
		return section{name, weight, b.Bytes()}
	}
	ss := []section{part("the title", 4, mdTitle)}
	if len(r.Models) > 0 {
		ss = append(ss, part("the table of models", 3, mdMain))
	}
	if len(r.Run.Contestants) > 0 {
		ss = append(ss, part("the contestants", 2, mdContestants))
	}
	if len(r.Models) > 0 && len(r.Tasks) > 0 {
		ss = append(ss, part("the tasks", 1, mdMatrix))
	}
	ss = append(ss, part("the notes", 2, mdNotes))
	if len(r.Trials) > 0 {
		ss = append(ss, part("the trials", 0, mdTrials))
	}
	return ss
}

func mdTitle(b *bytes.Buffer, r *report.Report) {
	name := r.Run.Recipe
	if name == "" {
		name = "comparison"
	}
	b.WriteString("## " + mdText(name) + "\n\n")
	b.WriteString(mdText(r.Answer) + "\n\n")
	b.WriteString(text.Count(len(r.Models), "model") + ", " + text.Count(len(r.Tasks), "task") + ", " +
		text.Count(r.Repeats(), "trial") + " each")
	if r.Run.ID != "" {
		b.WriteString(" · run " + code(r.Run.ID))
	}
	b.WriteString("\n\n")
	if about := report.About(r); about != "" {
		b.WriteString(mdText(about) + "\n\n")
	}
	if r.State != report.Finished {
		b.WriteString("**" + mdText(r.Warnings[0]) + "**\n\n")
	}
}

func mdMain(b *bytes.Buffer, r *report.Report) {
	cs := columns(r)
	var head, rule []string
	for _, c := range cs {
		head = append(head, mdText(c.head))
		if c.left {
			rule = append(rule, "---")
		} else {
			rule = append(rule, "--:")
		}
	}
	mdRow(b, head)
	mdRow(b, rule)
	for _, m := range report.Ranked(r.Models) {
		row := []string{inTable(code(m.Name))}
		for _, c := range cs[1:] {
			row = append(row, mdText(c.cell(r, m)))
		}
		mdRow(b, row)
	}
	b.WriteByte('\n')
}

func mdMatrix(b *bytes.Buffer, r *report.Report) {
	head, rule := []string{"task"}, []string{"---"}
	for _, m := range r.Models {
		head, rule = append(head, inTable(code(m.Name))), append(rule, "---")
	}
	mdRow(b, head)
	mdRow(b, rule)
	cells := report.Matrix(r)
	for _, task := range r.Tasks {
		row := []string{inTable(code(task))}
		for _, m := range r.Models {
			c, ok := cells[[2]string{task, m.Name}]
			if !ok {
				c = report.Cell{Text: number.Dash}
			}
			row = append(row, mdText(c.Text))
		}
		mdRow(b, row)
	}
	b.WriteByte('\n')
}

func mdNotes(b *bytes.Buffer, r *report.Report) {
	for _, line := range report.Legend(r) {
		b.WriteString(mdText(line) + "\n\n")
	}
	for i, text := range r.Warnings {
		if i > 0 || r.State == report.Finished {
			b.WriteString("- ⚠ " + mdText(text) + "\n")
		}
	}
	for _, g := range r.Gates {
		mark, word := report.MarkPass, "holds"
		if !g.Held {
			mark, word = report.MarkFail, "does not hold"
		}
		b.WriteString("- " + mark + " " + mdText(gateText(g, word)) + "\n")
	}
}

// mdTrials lists the trials, folded.
func mdTrials(b *bytes.Buffer, r *report.Report) {
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n", text.Count(len(r.Trials), "trial"))
	mdRow(b, []string{"trial", "model", "task", "outcome", "steps", "time", "cost", "files changed"})
	mdRow(b, []string{"---", "---", "---", "---", "--:", "--:", "--:", "--:"})
	for _, t := range r.Trials {
		o := t.Outcome
		mark := map[trial.Status]string{trial.Pass: report.MarkPass, trial.Fail: report.MarkFail}[o.Status]
		task := inTable(code(t.Task))
		if t.N > 1 {
			task += fmt.Sprintf(" (%d)", t.N)
		}
		why := report.Marked(cmp.Or(mark, report.MarkVoid), string(o.Cause))
		mdRow(b, []string{mdText(t.ID), inTable(code(t.Model)), task, mdText(why), strconv.Itoa(o.Steps),
			number.Seconds(o.Seconds.Agent), mdText(number.Money(o.CostUSD)), changesCell(o, number.Dash)})
	}
	b.WriteString("\n</details>\n")
}

// changesCell is how many files a trial changed, or none where that is unknown.
func changesCell(o trial.Outcome, none string) string {
	if o.State == nil {
		return none
	}
	return strconv.Itoa(o.State.Changes)
}

func mdRow(b *bytes.Buffer, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// mdText escapes what Markdown or GitHub would act on within a line. An empty
// comment after "@" and "#" keeps names and numbers from being looked up.
func mdText(s string) string {
	var b strings.Builder
	for _, r := range text.Visible(s) {
		switch {
		case r == '@' || r == '#':
			b.WriteString(`\` + string(r) + "<!-- -->")
		case strings.ContainsRune("\\`*_[]<>|~&$", r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return strings.NewReplacer("://", `\://`, "www.", `www\.`).Replace(b.String())
}

// code makes s a code span, whatever backticks it holds.
func code(s string) string {
	s = text.Visible(s)
	if strings.TrimSpace(s) == "" {
		return number.Dash
	}
	longest, run := 0, 0
	for _, r := range s {
		run++
		if r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// inTable escapes the bars of a code span in a cell: GitHub splits cells first.
func inTable(span string) string { return strings.ReplaceAll(span, "|", `\|`) }
