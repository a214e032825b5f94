package recipe

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"cookoff/recipe/dialect"
	"cookoff/recipe/source"
)

// MarshalMarkdown writes the recipe as a recipe.md that ParseContent reads
// back as an equal recipe: all sections that it declares or that hold
// anything, and no others. Text that would mean something else in the open is
// put into a fence or quotes. Lines of a text end in LF alone.
func (r *Recipe) MarshalMarkdown() string {
	w := &writing{r: r}
	if r.Name != "" {
		w.line("# " + dialect.QuoteUnless(r.Name, dialect.PlainName(r.Name)))
		w.line("")
	}
	w.line(fmt.Sprintf("version: %d", max(r.Version, 1)))
	for _, s := range sectionTable() {
		if w.has(s.name) {
			w.line("\n## " + s.name + "\n")
			s.write(w)
		}
	}
	out := strings.ReplaceAll(w.String(), "\x00", "\ufffd")
	return source.UnixLines(strings.ToValidUTF8(out, "\ufffd"))
}

// writing is one recipe being written.
type writing struct {
	strings.Builder
	r *Recipe
}

func (w *writing) line(s string) {
	w.WriteString(s)
	w.WriteByte('\n')
}

// has tells whether a section must be written.
func (w *writing) has(title string) bool {
	name := strings.ToLower(title)
	if name == "sub-agent" {
		return w.r.SectionsPresent[name] || w.r.SubAgent != SubAgentConfig{MaxDepth: -1}
	}
	if name == "models" && len(w.r.Models) == 0 {
		return w.r.SectionsPresent[name] && len(w.r.Contestants) > 0 // else it would leave nothing to run
	}
	v := reflect.ValueOf(w.r).Elem()
	for field, section := range fieldSections() {
		if f := v.FieldByName(field); section == name && !f.IsZero() && (f.Kind() != reflect.Map &&
			f.Kind() != reflect.Slice || f.Len() > 0) {
			return true
		}
	}
	return w.r.SectionsPresent[name]
}

// settings writes a map: a bullet for each key that is set. prefix is the key of
// the section; "": that of a block.
func (w *writing) settings(keys []dialect.Key, prefix string) {
	for _, k := range keys {
		s := k.Show()
		if s == "" && prefix != "" {
			s = w.zero(prefix + "." + k.Name)
		}
		if s != "" {
			w.line("- " + k.Name + ": " + s)
		}
	}
}

// zero gives the zero that a file sets at key; "" where none does.
func (w *writing) zero(key string) string {
	if _, set := w.r.written(key); !set {
		return ""
	}
	for _, v := range w.r.Values() {
		if v.Key == key && slices.Contains([]string{"0", "0s", "false"}, v.Text) {
			return v.Text
		}
	}
	return ""
}

// where names the surroundings of a piece of prose, to find out whether it
// can stand there in the open.
type where struct {
	before, after string
	get           func(*Recipe) string // what was read of the text
}

// prose writes text as it is where it reads back as itself, else in a
// verbatim fence.
func (w *writing) prose(text string, at where) {
	text = source.UnixLines(text)
	if text == "" {
		return
	}
	if text == strings.Trim(text, " \t\r\n") {
		r, err := ParseContent([]byte("version: 1\n" + at.before + text + "\n\n" + at.after))
		if err == nil && at.get(r) == text {
			w.line(text)
			return
		}
	}
	w.fence(dialect.Verbatim, text)
}

// fence writes a fence that is longer than any within its content.
func (w *writing) fence(info, content string) {
	longest, run := 2, 0
	for _, c := range []byte(content) {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	mark := strings.Repeat("`", longest+1)
	w.line(mark + info)
	w.line(content)
	w.line(mark)
}

func (w *writing) sectionProse(title, text string) {
	name := strings.ToLower(title)
	w.prose(text, where{"\n## " + title + "\n\n", "## Comparison\n\n- trials: 7\n", func(r *Recipe) string {
		if r.Comparison.Trials != 7 {
			return ""
		}
		texts := map[string]string{"system prompt": r.SystemPrompt, "tool guidance": r.ToolGuidance,
			"context summarization prompt": r.SummarizationPrompt}
		return texts[name]
	}})
}

func (w *writing) proseBlocks(texts map[string]string) {
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		w.heading(i, name)
		w.prose(texts[name], where{"\n## Tool Descriptions\n\n### a\n\n", "### b\n\nc\n", func(r *Recipe) string {
			if r.ToolDescriptions["b"] != "c" {
				return ""
			}
			return r.ToolDescriptions["a"]
		}})
	}
}

// heading writes the i-th "### name" of a section.
func (w *writing) heading(i int, name string) {
	if i > 0 {
		w.line("")
	}
	w.line(strings.TrimRight("### "+dialect.QuoteUnless(name, dialect.PlainName(name)), " "))
	w.line("")
}

func (w *writing) models() {
	for _, m := range w.r.Models {
		w.line("- " + dialect.QuoteUnless(m, dialect.PlainItem(m)))
	}
}

func (w *writing) tools() {
	t := w.r.Tools
	if t == nil {
		return
	}
	for _, name := range t.Allowlist {
		line := "- " + name
		if name == "bash" && len(t.BashPrefixes) > 0 {
			line += "(" + dialect.QuoteList(t.BashPrefixes) + ")"
		}
		if text, ok := t.Guidance[name]; ok {
			line += ":"
			if text != "" {
				line += " " + quotedIfNeeded(text)
			}
		}
		w.line(line)
	}
	if len(t.Repairs) > 0 {
		w.line("- repair(" + dialect.QuoteList(t.Repairs) + ")")
	}
	if len(t.Probes) > 0 {
		w.line("- probe(" + dialect.QuoteList(t.Probes) + ")")
	}
}

func (w *writing) mcpServers() {
	for _, s := range w.r.MCPServers {
		w.line("- " + s.Name + ": " + quotedIfNeeded(s.Command))
	}
}

func (w *writing) reminders() {
	for i, c := range w.r.SystemReminders {
		w.heading(i, c.Name)
		trigger := "trigger: " + dialect.QuoteUnless(c.Trigger, dialect.PlainValue(c.Trigger))
		w.line(trigger + "\n")
		w.prose(c.Content, where{"\n## System Reminders\n\n### a\n\ntrigger: x\n\n", "### b\n\ntrigger: x\n\nc\n",
			func(r *Recipe) string {
				if len(r.SystemReminders) != 2 {
					return ""
				}
				return r.SystemReminders[0].Content
			}})
	}
}

func (w *writing) hooks() {
	for i, c := range w.r.Hooks {
		w.heading(i, c.Name)
		w.settings(hookKeys(&c), "")
	}
}

func (w *writing) outputProcessing() {
	for i, name := range slices.Sorted(maps.Keys(w.r.OutputProcessing)) {
		w.heading(i, name)
		c := w.r.OutputProcessing[name]
		w.settings(outputKeys(&c), "")
	}
}

func (w *writing) modelProfiles() {
	for i, name := range slices.Sorted(maps.Keys(w.r.ModelProfiles)) {
		w.heading(i, name)
		c := w.r.ModelProfiles[name]
		w.settings(profileKeys(&c), "")
	}
}

// quotedIfNeeded gives a text that may end a line, in quotes where it would be read as another.
func quotedIfNeeded(s string) string {
	return dialect.QuoteUnless(s, dialect.OneLine(s) && dialect.UnquotedAs(s))
}

// bullet gives the line of a task that is a bullet, "" where it can't be one.
func bullet(t Task) string {
	if t.Repair != "" {
		return "- repair: " + quotedIfNeeded(t.Repair)
	}
	if t.Harbor != "" {
		return "- harbor: " + quotedIfNeeded(t.Harbor)
	}
	if reflect.DeepEqual(t, Task{Prompt: t.Prompt}) && dialect.PlainItem(t.Prompt) &&
		!strings.HasPrefix(t.Prompt, "repair:") && !strings.HasPrefix(t.Prompt, "harbor:") {
		return "- " + t.Prompt
	}
	return ""
}

func (w *writing) tasks() {
	bullets := true
	for i, t := range w.r.Tasks {
		// Bullets stand before the first block; one that comes later is
		// written as a block without a title.
		if line := bullet(t); line != "" && bullets {
			w.line(line)
			continue
		}
		bullets = false
		w.heading(i, t.Title)
		w.prose(t.Prompt, where{"\n## Tasks\n\n### a\n\n", "### b\n\nc\n", func(r *Recipe) string {
			if len(r.Tasks) != 2 || !reflect.DeepEqual(r.Tasks[0], Task{Title: "a", Prompt: r.Tasks[0].Prompt}) {
				return ""
			}
			return r.Tasks[0].Prompt
		}})
		w.fixture(t)
	}
}

// fixture writes the fences and keys of a task.
func (w *writing) fixture(t Task) {
	w.line("")
	script := func(role string, c Check) {
		if c.Script != "" {
			w.fence(c.info(role), c.Script)
		}
	}
	script("setup", Check{Script: t.Setup, Timeout: t.Limits.Setup})
	w.services(t.Services)
	script("before", Check{Script: t.Before, Timeout: t.Limits.Before})
	for _, c := range t.After {
		script("after", c)
	}
	for _, c := range t.Guard {
		script("guard", c)
	}
	for _, b := range t.Verify {
		w.fence("toml verify", tomlBlock(b, false))
	}
	for _, text := range append([]string{t.Solution}, t.Others...) {
		script("solution", Check{Script: text, Timeout: t.Limits.Solution})
	}
	for _, text := range t.Shortcuts {
		script("shortcut", Check{Script: text})
	}
	for _, k := range taskKeys(&t) {
		if s := k.Show(); s != "" {
			w.line(k.Name + ": " + s)
		}
	}
}

func (w *writing) criteria() {
	for _, c := range w.r.SuccessCriteria {
		text := quotedIfNeeded(c.Text)
		line := "- " + c.Kind
		switch c.Kind {
		case "no_errors", "has_writes":
		case "files_written":
			line += " >= " + dialect.FormatFloat(c.Limit)
		case "max_tool_calls", "max_cost", "max_latency":
			line += ": " + dialect.FormatFloat(c.Limit)
		case "file_contains":
			path := dialect.QuoteUnless(c.Path, dialect.OneLine(c.Path) && !strings.ContainsAny(c.Path, `:"'`))
			line += ": " + path + ": " + text
		case "run":
			if c.Timeout != 0 {
				line += "(timeout=" + dialect.FormatDuration(c.Timeout) + ")"
			}
			line += ": " + text
		default:
			line += ": " + text
		}
		w.line(line)
	}
}

func (w *writing) verify() {
	for _, b := range w.r.Verify {
		w.fence("toml", tomlBlock(b, true))
	}
}

// tomlBlock writes a verify block, under a [verify] header where asked for or
// where there would be nothing else.
func tomlBlock(b VerifyBlock, header bool) string {
	v := reflect.ValueOf(b)
	var out strings.Builder
	prefix := ""
	if header || v.IsZero() {
		out.WriteString("[verify]\n")
		prefix = "verify."
	}
	tomlFields(&out, v)
	for _, extra := range b.Additional {
		out.WriteString("[[" + prefix + "additional]]\n")
		tomlFields(&out, reflect.ValueOf(extra))
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func tomlFields(out *strings.Builder, v reflect.Value) {
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("toml")
		if v.Field(i).IsZero() {
			continue
		}
		value := v.Field(i).Interface()
		switch value.(type) {
		case []VerifyExtra:
			continue
		default:
			fmt.Fprintf(out, "%s = %s\n", name, dialect.Literal(value))
		}
	}
}
