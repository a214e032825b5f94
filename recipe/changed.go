package recipe

import (
	"fmt"
	"slices"
	"strings"
)

// Changed names what two recipes, written by MarshalMarkdown, say differently: sections,
// and of ## Tasks each task. Texts that can't be read have no names. What makes no other
// comparison of two runs is left out: labels, and how a comparison is made.
func Changed(was, now string) []string {
	a, err := ParseContent([]byte(was))
	b, also := ParseContent([]byte(now))
	if err != nil || also != nil {
		return nil
	}
	var names []string
	for _, s := range sectionTable() {
		switch s.name {
		case "Comparison", "Metadata":
		case "Tasks":
			names = append(names, changedTasks(a, b)...)
		default:
			if sectionText(a, s) != sectionText(b, s) {
				names = append(names, "## "+s.name)
			}
		}
	}
	return names
}

func sectionText(r *Recipe, s sectionSpec) string {
	w := &writing{r: r}
	if !w.has(s.name) {
		return "absent"
	}
	s.write(w)
	return w.String()
}

// changedTasks names tasks that are others now, are gone or are new.
func changedTasks(was, now *Recipe) (names []string) {
	of := func(r *Recipe) map[string]string {
		texts := map[string]string{}
		for _, t := range r.Tasks {
			texts[t.Title] = t.text()
		}
		return texts
	}
	before, after := of(was), of(now)
	for _, t := range was.Tasks {
		if text, there := after[t.Title]; !there {
			names = append(names, fmt.Sprintf("the task %q (gone)", t.Title))
		} else if text != before[t.Title] {
			names = append(names, fmt.Sprintf("the task %q", t.Title))
		}
	}
	for _, t := range now.Tasks {
		if _, there := before[t.Title]; !there {
			names = append(names, fmt.Sprintf("the task %q (new)", t.Title))
		}
	}
	return names
}

// text is a task as MarshalMarkdown writes it.
func (t *Task) text() string {
	w := &writing{r: &Recipe{Tasks: []Task{*t}}}
	w.tasks()
	return w.String()
}

// Declared is how the recipe says the set, with the seed that faults are drawn from.
func (s Planted) Declared(seed int64) string {
	t := s.Task
	t.Seed = seed
	return t.text()
}

// ChangedLines gives the lines of one text that the other lacks, and the other way round.
func ChangedLines(was, now string) (gone, added []string) {
	a, b := strings.Split(was, "\n"), strings.Split(now, "\n")
	lacks := func(lines []string, of []string) (out []string) {
		for _, l := range lines {
			if strings.TrimSpace(l) != "" && !slices.Contains(of, l) {
				out = append(out, l)
			}
		}
		return out
	}
	return lacks(a, b), lacks(b, a)
}
