package shootout

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cookoff/internal/nearest"
	"cookoff/internal/shootout/session"
	"cookoff/internal/ui/live/draw"
	"cookoff/internal/ui/screen"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/recipe/problem"
)

// settings shows and changes what the session's recipe says.
type settings struct {
	*front
	parse  func(markdown string) (*recipe.Recipe, error) // reads the text of a recipe
	editor []string                                      // the user's, with its arguments; none: nobody knows it
}

func inProject(project, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(project, path)
}

// config shows what the recipe says, sets one value, or has it all edited.
func (c *settings) config(arg string) error {
	if arg != "" && c.s.Running() {
		return errors.New("a task is under way: the recipe stays as it is")
	}
	key, value, _ := strings.Cut(arg, " ")
	switch {
	case arg == "":
		c.over = c.configPage()
		return nil
	case arg == "edit":
		return c.edit()
	case value == "":
		return c.showValue(key)
	}
	r, err := Set(c.s.Recipe(), key, strings.TrimSpace(value), c.parse)
	if err != nil {
		return err
	}
	c.s.SetRecipe(r)
	c.status = fmt.Sprintf("%s is %s in this session; /save keeps it", key, strings.TrimSpace(value))
	return nil
}

func (c *settings) configPage() *overlay {
	r := c.s.Recipe()
	o := painted("recipe: "+text.Line(r.Source()), func(s screen.Stream, width int) []string {
		var out []string
		for _, v := range r.Values() {
			words, _, more := strings.Cut(v.Text, "\n")
			if more {
				words += " …"
			}
			from := v.Pos.String()
			if v.Pos == (problem.Pos{}) {
				from = "this session"
			}
			from = text.Cut(text.Line(from), width/3)
			room := max(width-34-text.Width(from)-3, 4)
			out = append(out, " "+s.Paint(screen.Bold, text.Fit(text.Line(v.Key), 32))+" "+text.Fit(text.Line(words),
				room)+" "+s.Paint(screen.Dim, from))
		}
		return out
	})
	o.keys = []draw.Key{{Key: "/config KEY VALUE", Does: "sets"}, {Key: "/config edit", Does: "edits"}}
	return o
}

func (c *settings) showValue(key string) error {
	var keys []string
	for _, v := range c.s.Recipe().Values() {
		if keys = append(keys, v.Key); v.Key == key {
			c.over = message(key+", from "+v.Pos.String(), v.Text)
			return nil
		}
	}
	hint := "/config lists what the recipe says"
	if n := nearest.Name(key, keys); n != "" {
		hint = "did you mean " + n + "?"
	}
	return fmt.Errorf("the recipe says nothing of %q\n%s\n/config %s VALUE would set it", key, hint, key)
}

// settable are the sections whose values stand one a line.
func settable() map[string]string {
	return map[string]string{"constraints": "Constraints", "context": "Context", "model_parameters": "Model Parameters",
		"sandbox": "Sandbox", "sub_agent": "Sub-Agent", "comparison": "Comparison", "metadata": "Metadata"}
}

// Set gives a recipe that says value at key, and else the same. The value is
// read as a recipe's file would be, with the same complaints.
func Set(r *recipe.Recipe, key, value string, parse func(markdown string) (*recipe.Recipe, error)) (*recipe.Recipe,
	error) {
	section, name, _ := strings.Cut(key, ".")
	if key == "system_prompt" {
		over := &recipe.Recipe{SystemPrompt: value}
		return over.Over(r), nil
	}
	title, ok := settable()[section]
	if !ok || name == "" || strings.ContainsAny(name, ".[") {
		var known []string
		for s := range settable() {
			known = append(known, s+".…")
		}
		slices.Sort(known)
		return nil, fmt.Errorf("%q can't be set by itself: only %s and system_prompt can; /config edit has it all", key,
			strings.Join(known, ", "))
	}
	over, err := parse(fmt.Sprintf("# x\nversion: 1\n\n## %s\n%s: %s\n", title, name, value))
	var ps problem.List
	switch {
	case errors.As(err, &ps):
		return nil, unplaced(ps)
	case err != nil:
		return nil, err
	}
	over.SectionsPresent, over.Name, over.Version = nil, "", 0
	out := over.Over(r)
	if out.MarshalMarkdown() == r.MarshalMarkdown() {
		return nil, fmt.Errorf("%s: %s changes nothing: it is so already, or stands for what is not set\n"+
			"/config edit can take a line out", key, value)
	}
	return out, nil
}

// unplaced says what is wrong without where: the text was never in a file.
func unplaced(ps problem.List) error {
	var lines []string
	for _, p := range ps.Errors() {
		if lines = append(lines, p.Msg); p.Hint != "" {
			lines = append(lines, "  hint: "+p.Hint)
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

// edited is what came out of an editor.
type edited struct {
	path string
	err  error
}

// edit opens the recipe in the user's editor.
func (c *settings) edit() error {
	if len(c.editor) == 0 {
		return errors.New("no editor is known: set VISUAL or EDITOR, or /save the recipe, edit it " +
			"elsewhere and /load it")
	}
	f, err := os.CreateTemp("", "cookoff-*.recipe.md")
	if err != nil {
		return err
	}
	_, err = f.WriteString(c.s.Recipe().MarshalMarkdown())
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	cmd := exec.CommandContext(c.ctx, c.editor[0], append(slices.Clone(c.editor[1:]), f.Name())...)
	c.next = tea.ExecProcess(cmd, func(err error) tea.Msg { return edited{f.Name(), err} })
	return nil
}

// takeEdited makes what came out of the editor the session's recipe.
func (c *settings) takeEdited(e edited) {
	text, err := os.ReadFile(e.path)
	if err := errors.Join(e.err, err); err != nil {
		c.over = message("the recipe stays as it was", err.Error())
		return
	}
	if string(text) == c.s.Recipe().MarshalMarkdown() {
		c.status = "the recipe is the same"
		_ = os.Remove(e.path) // in the directory of temporary files
		return
	}
	r, err := c.parse(string(text))
	if err != nil {
		c.over = message("the recipe stays as it was",
			err.Error()+"\n\nWhat you wrote is in "+e.path+"\n/load "+e.path+" takes it once it is mended.")
		return
	}
	_ = os.Remove(e.path)
	c.s.SetRecipe(r.InPlaceOf(c.s.Recipe()))
	c.status = "the recipe is changed for this session; /save keeps it"
}

// costLines is a row a model, each of at most width columns, and their sum.
func costLines(sums []session.Cost, width int) []string {
	const rest = "  %5s %7s %7s %10s"
	name := len("model")
	for _, c := range sums {
		name = max(name, text.Width(text.Line(c.Model)))
	}
	name = max(8, min(name, width-2-len(fmt.Sprintf(rest, "", "", "", ""))))
	row := func(model string, cells ...any) string {
		return text.Cut("  "+text.Fit(model, name)+fmt.Sprintf(rest, cells...), width)
	}
	out := []string{row("model", "tasks", "in", "out", "cost")}
	total, known := 0.0, 0
	for _, c := range sums {
		cost, in, reply := "-", "-", "-"
		if c.Priced {
			cost = fmt.Sprintf("$%.4f", c.USD)
			total += c.USD
			known++
		}
		if c.Counted {
			in, reply = draw.Tokens(c.Input), draw.Tokens(c.Output)
		}
		out = append(out, row(text.Line(c.Model), fmt.Sprint(c.Trials), in, reply, cost))
	}
	sum := "the price of no model is known"
	switch {
	case known > 0 && known == len(sums):
		sum = fmt.Sprintf("all together: $%.4f", total)
	case known > 0:
		sum = fmt.Sprintf("all with a known price: $%.4f", total)
	}
	return append(out, "", text.Cut("  "+sum, width))
}
