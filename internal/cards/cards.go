// Package cards says of each task of a recipe what it is about, for people who quote
// a result: made from the task itself, without what would give its solution away.
package cards

import (
	"fmt"
	"slices"
	"strings"

	"cookoff/internal/ui/text"
	"cookoff/recipe"

	"mvdan.cc/sh/v3/syntax"
)

// Markdown gives the cards of a recipe's tasks, below a table of how many there are of
// each group that tags name (kind:git, level:hard).
func Markdown(r *recipe.Recipe) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Tasks of %s\n\n", text.Line(r.Source()))
	fmt.Fprintf(&b, "Made by `cookoff show --format cards %s`.\n", text.Line(r.Source()))
	groups(&b, r.Tasks)
	known := measured(r)
	levels(&b, r.Tasks, known)
	for _, t := range r.Tasks {
		card(&b, t)
		if m, is := known[t.Name()]; is {
			m.write(&b)
		}
	}
	return b.String()
}

// measured is what is known of a recipe's tasks: of those of builtin:bench only.
func measured(r *recipe.Recipe) Record {
	if r.Source() != "builtin:bench" {
		return nil
	}
	known, err := ParseRecord(recordText)
	if err != nil {
		panic("internal/cards/record.tsv: " + err.Error())
	}
	return known
}

// levels says what tasks of each level need, in medians: that levels mean something can
// be seen.
func levels(b *strings.Builder, tasks []recipe.Task, known Record) {
	if len(known) == 0 {
		return
	}
	columns := []struct {
		name string
		of   func(recipe.Task) int
	}{
		{"files there", func(t recipe.Task) int { return known[t.Name()].Files }},
		{"files a solution touches", func(t recipe.Task) int { return known[t.Name()].Touched }},
		{"commands of a solution", func(t recipe.Task) int { return commands(t.Solution) }},
		{"commands of a check", func(t recipe.Task) int { return checked(t) }},
		{"wrong repairs that suggest themselves", func(t recipe.Task) int { return len(t.Shortcuts) }},
	}
	b.WriteString("\nMedians, and the most:\n\n| level |")
	for _, c := range columns {
		b.WriteString(" " + c.name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, level := range order {
		fmt.Fprintf(b, "| %s |", level)
		for _, c := range columns {
			var of []int
			for _, t := range tasks {
				if _, is := known[t.Name()]; is && Tag(t, "level") == level {
					of = append(of, c.of(t))
				}
			}
			if slices.Sort(of); of == nil {
				b.WriteString(" - |")
				continue
			}
			fmt.Fprintf(b, " %d, %d |", of[len(of)/2], of[len(of)-1])
		}
		b.WriteString("\n")
	}
}

// commands counts the commands that stand in a script: each is a step of somebody who
// knows what to do.
func commands(script string) (n int) {
	f, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	if err != nil {
		return 0
	}
	syntax.Walk(f, func(node syntax.Node) bool {
		if c, is := node.(*syntax.CallExpr); is && len(c.Args) > 0 {
			n++
		}
		return true
	})
	return n
}

// checked counts the commands of all checks of a task.
func checked(t recipe.Task) (n int) {
	for _, c := range t.After {
		n += commands(c.Script)
	}
	return n
}

// groups counts tasks by kind and level.
func groups(b *strings.Builder, tasks []recipe.Task) {
	var kinds, levels []string
	n := map[[2]string]int{}
	for _, t := range tasks {
		kind, level := Tag(t, "kind"), Tag(t, "level")
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		if !slices.Contains(levels, level) {
			levels = append(levels, level)
		}
		n[[2]string{kind, level}]++
	}
	slices.SortFunc(levels, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	row := func(name string, count func(level string) int) {
		all := 0
		fmt.Fprintf(b, "| %s |", name)
		for _, l := range levels {
			c := count(l)
			all += c
			fmt.Fprintf(b, " %d |", c)
		}
		fmt.Fprintf(b, " %d |\n", all)
	}
	fmt.Fprintf(b, "\n| kind | %s | all |\n|---|%s---|\n", strings.Join(levels, " | "),
		strings.Repeat("---|", len(levels)))
	for _, k := range kinds {
		row(k, func(l string) int { return n[[2]string{k, l}] })
	}
	row("all", func(l string) (sum int) {
		for _, k := range kinds {
			sum += n[[2]string{k, l}]
		}
		return sum
	})
}

// order is how levels follow one another.
var order = []string{"easy", "medium", "hard"}

// Tag gives what stands behind the colon in the tag of a group, "-" where a task has
// none of it.
func Tag(t recipe.Task, group string) string {
	for _, tag := range t.Tags {
		if value, is := strings.CutPrefix(tag, group+":"); is {
			return text.Line(value)
		}
	}
	return "-"
}

// card writes what there is to be known of a task.
func card(b *strings.Builder, t recipe.Task) {
	fmt.Fprintf(b, "\n## %s\n\n", text.Line(t.Name()))
	fmt.Fprintf(b, "%s, %s", Tag(t, "kind"), Tag(t, "level"))
	if len(t.Needs) > 0 {
		fmt.Fprintf(b, "; needs %s", text.Line(strings.Join(t.Needs, ", ")))
	}
	b.WriteString("\n\n- Judged by " + judged(t) + "\n")
	if n := len(t.Others); t.Solution != "" && n > 0 {
		fmt.Fprintf(b, "- Known ways to mend it: %d\n", n+1)
	}
	for _, mock := range standIns(t.Setup) {
		fmt.Fprintf(b, "- A script stands for %s\n", text.Line(mock))
	}
	if len(t.Shortcuts) > 0 {
		b.WriteString("- Wrong repairs that are rejected:\n")
	}
	for _, s := range t.Shortcuts {
		line, _, _ := strings.Cut(s, "\n")
		why, is := strings.CutPrefix(line, "#")
		if !is {
			why = "one without a reason"
		}
		fmt.Fprintf(b, "  - %s\n", text.Line(strings.TrimSpace(why)))
	}
	if len(t.Vary) > 0 {
		var names []string
		for _, v := range t.Vary {
			name, _, _ := strings.Cut(v, "=")
			names = append(names, text.Line(name))
		}
		fmt.Fprintf(b, "- Drawn from the seed: %s\n", strings.Join(names, ", "))
	}
}

// standIns gives what scripts of a setup stand for, and why, as their comments say it:
// "# stands for WHAT, since WHY", what follows a colon left out.
func standIns(setup string) (out []string) {
	for line := range strings.Lines(setup) {
		if mock, is := strings.CutPrefix(strings.TrimSpace(line), "# stands for "); is {
			said, _, _ := strings.Cut(mock, ":")
			out = append(out, said)
		}
	}
	return out
}

// judged names what a task is judged by.
func judged(t recipe.Task) string {
	var out []string
	count := func(n int, one, more string) {
		switch {
		case n == 1:
			out = append(out, one)
		case n > 1:
			out = append(out, fmt.Sprintf(more, n))
		}
	}
	live := 0
	for _, c := range t.After {
		if c.Live {
			live++
		}
	}
	count(len(t.After)-live, "a script", "%d scripts")
	count(live, "a script in the trial's own world", "%d scripts in the trial's own world")
	count(len(t.Verify), "a verify block", "%d verify blocks")
	count(len(t.Guard), "a guard", "%d guards")
	if t.Solution != "" {
		out = append(out, "what no solution touches")
	}
	if out == nil {
		return "the criteria of the recipe"
	}
	said := strings.Join(out, ", ")
	if t.VerifyEnv != "" {
		said += "; by two witnesses"
	}
	return said
}
