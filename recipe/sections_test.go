package recipe

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// TestEverySection holds what is read of each section, and where each value
// was found, to a golden: what the file says, as JSON, then the places.
func TestEverySection(t *testing.T) {
	content, err := os.ReadFile("../testdata/recipes/good/everything.recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ParseContent(content)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(content), "\n")
	origins := allPlaces(r)
	for _, key := range slices.Sorted(maps.Keys(origins)) {
		p := origins[key]
		out.WriteString(p.String() + " " + key + " = " + source.FirstLine(lines[p.Line-1][p.Col-1:], 30) + "\n")
	}
	golden(t, "../testdata/recipes/good/everything.want", out.String())

	for _, s := range sectionTable() {
		if !r.HasSection(strings.ToLower(s.name)) {
			t.Errorf("the file that has every section lacks %q", s.name)
		}
	}
	// Every field of the recipe is set by it, so that none can be forgotten.
	v := reflect.ValueOf(*r)
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && v.Field(i).IsZero() {
			t.Errorf("nothing in the file sets %s", f.Name)
		}
	}
	back, err := ParseContent([]byte(r.MarshalMarkdown()))
	if err != nil {
		t.Fatal(err)
	}
	if d := equal(r, back); d != "" {
		t.Error(d)
	}
}

// allPlaces gives where every value of a recipe was written.
func allPlaces(r *Recipe) map[string]problem.Pos {
	out := map[string]problem.Pos{}
	for section, p := range r.origins {
		p.Each(func(key string, off int) {
			if source.FirstKey(key) == section {
				out[key] = p.Pos(off)
			}
		})
	}
	return out
}

func TestEveryFieldBelongsToASection(t *testing.T) {
	sections := fieldSections()
	for f := range reflect.TypeFor[Recipe]().Fields() {
		if _, ok := sections[f.Name]; !ok && f.IsExported() && f.Name != "Version" && f.Name != "Name" &&
			f.Name != "SectionsPresent" {
			t.Errorf("field %s belongs to no section: it would be lost when recipes are layered", f.Name)
		}
	}
	names := slices.Sorted(maps.Values(sections))
	var table []string
	for _, s := range sectionTable() {
		table = append(table, strings.ToLower(s.name))
	}
	slices.Sort(table)
	same(t, "sections", slices.Compact(names), table)
}

// TestACommentBehindAValueIsAComment: docs/decisions say why "max_steps: 3 #
// cap" is three steps. What counts is that it is never "unlimited".
func TestACommentBehindAValueIsAComment(t *testing.T) {
	same(t, "max_steps", mustParse(t, "## Constraints\nmax_steps: 3 # cap\n").Constraints.MaxSteps, 3)
	for text, want := range map[string]string{
		`a # b`:            "a",
		`a#b`:              "a#b",
		`"a # b"`:          "a # b",
		`'a # b' # c`:      "a # b",
		`"# a"`:            "# a",
		`echo "a # b"`:     `echo "a # b"`,
		`echo "a # b" # c`: `echo "a # b"`,
		`don't # c'`:       "don't",
		`"a" and "b"`:      `"a" and "b"`,
		`"tab\there"`:      "tab\there",
		`'no \n escape'`:   `no \n escape`,
		`"  blanks  "`:     "  blanks  ",
		`a <!-- b --> c`:   "a  c",
		"`<!-- b -->`":     "`<!-- b -->`",
		`"<!-- b -->"`:     "",
	} {
		same(t, text, mustParse(t, "## Metadata\nauthor: "+text+"\n").Metadata.Author, want)
	}
	for _, cap := range []string{"3 cap", "3; cap", "3#cap", "# 3", "three", "3.0", "-3", "", "0x3", "3 <!-- -->4"} {
		problemsOf(t, "## Constraints\nmax_steps: "+cap+"\n")
	}
}

func TestNothingFailsOpen(t *testing.T) {
	for _, section := range []string{
		"## Tools\n- bash()\n", "## Tools\n- bash( )\n", "## Tools\n- bash(\"\")\n", "## Tools\n- bash(go test,)\n",
		"## Tools\n- bash (go test\n",
		"## Tools\n- repair\n", "## Tools\n- repair()\n", "## Tools\n- probe\n", "## Tools\n- probe()\n",
		"## Tools\n- probe(a, a)\n", "## Tools\n- probe(*): text\n", "## Tools\n- bash, read_file\n",
		"## Sandbox\nfilesystem: readonly\n", "## Sandbox\nnetwork: None\n", "## Sandbox\nnetwork: allow\n",
		"## Sandbox\nallow_hosts: a\n",
		"## Constraints\nmax_cost: $1\n", "## Constraints\nallow_classes: privileged\n",
		"## Constraints\ntimeout: 1e3\n",
		"## Tasks\n### A\nx\n```sh guard\n```\n", "## Success Criteria\n- run(timeout=0): x\n",
	} {
		if got := problemsOf(t, section); !strings.Contains(got, ":4:") && !strings.Contains(got, ":5:") &&
			!strings.Contains(got, ":6:") {
			t.Errorf("%q is reported elsewhere: %s", section, got)
		}
	}
	r := mustParse(t, "## Tools\n")
	if r.Tools == nil || r.Tools.Allowlist == nil || len(r.Tools.Allowlist) != 0 {
		t.Errorf("an empty section offers %+v, not no tools at all", r.Tools)
	}
	if r := mustParse(t, "## Models\n- a/b\n"); r.Tools != nil {
		t.Errorf("no section offers %+v, not every tool", r.Tools)
	}
}

func TestMarkdownIsMarkdown(t *testing.T) {
	check := func(what, prompt, want string) {
		t.Helper()
		r := mustParse(t, "## System Prompt\n"+prompt+"\n\n## Comparison\ntrials: 3\n")
		same(t, what, r.SystemPrompt, want)
		same(t, what+": the section behind it", r.Comparison.Trials, 3)
	}
	check("a section in a fence", "```\n## Tools\n```", "```\n## Tools\n```")
	check("a section in tildes", "~~~~\n```\n## Tools\n~~~~", "~~~~\n```\n## Tools\n~~~~")
	check("a section in an indented block", "a\n\n    ## Tools", "a\n\n    ## Tools")
	check("a section in a list", "- a\n  ## Tools\n- b", "- a\n  ## Tools\n- b")
	check("a section in a quotation", "> ## Tools", "> ## Tools")
	check("a section in a comment", "a\n\n<!--\n## Tools\n-->\n\nb", "a\n\n\nb")
	check("a section in HTML", "<pre>\n## Tools\n</pre>", "<pre>\n## Tools\n</pre>")
	check("an underlined heading", "Role\n-----\n\na", "Role\n-----\n\na")
	check("a link definition", "[a]: /b", "[a]: /b")
	check("a title", "# Role\n\na", "# Role\n\na")
	check("a comment in a line", "a <!-- b --> c <!-- d -->", "a  c")
	check("a comment over lines", "a <!-- b\nc --> d", "a  d")
	check("a comment in code", "`<!-- a -->` <!-- b -->", "`<!-- a -->`")
	check("a verbatim fence", "<!-- why -->\n````text verbatim\n  ```\n## Tools <!-- a -->\n\n````\n",
		"  ```\n## Tools <!-- a -->\n")
	check("rules", "a\n\n---\n\nb", "a\n\n---\n\nb")
}

func TestHeadingsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"Do it.\n\n##Tools\n- bash\n":        `recipe.md:7:1: "##Tools" is no heading`,
		"Do it.\n##Tools\n":                  `recipe.md:6:1: "##Tools" is no heading`,
		"Do it.\n\nTools\n-----\n\n- bash\n": "recipe.md:7:1: an underlined heading is text here",
	} {
		if got := problemsOf(t, "## System Prompt\n\n"+text); !strings.HasPrefix(got, want) {
			t.Errorf("%q gives %s", text, got)
		}
	}
	mustParse(t, "## System Prompt\n\n##1 is the first\n\nTitle\n---\n\n    ##Tools\n")
}

func TestLineEndsAndMarksAreHarmless(t *testing.T) {
	content, err := os.ReadFile("../testdata/recipes/good/everything.recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	want, err := ParseContent(content)
	if err != nil {
		t.Fatal(err)
	}
	crlf := strings.ReplaceAll(string(content), "\n", "\r\n")
	for name, text := range map[string]string{"CRLF": crlf, "BOM": "\ufeff" + string(content),
		"no last line end": strings.TrimRight(string(content), "\n"), "both": "\ufeff" + crlf} {
		got, err := ParseContent([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := equal(want, got); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
		same(t, name+": places", allPlaces(got), allPlaces(want))
	}
}

func TestTasks(t *testing.T) {
	r := mustParse(t,
		"## Tasks\n- `a: b`\n- two\n  lines\n\n  and a paragraph\n\n      code\n- \"- quoted\"\n\n###\nNo title.\n\n"+
			"### T\nnote: this is no key\n\n### U\n- name: x\n- file: y\n\n### V\n\nPrompt.\n\n- protect:\n"+
			"  - a\n  - b\n")
	same(t, "prompts", []string{r.Tasks[0].Prompt, r.Tasks[1].Prompt, r.Tasks[2].Prompt, r.Tasks[3].Prompt,
		r.Tasks[4].Prompt, r.Tasks[5].Prompt, r.Tasks[6].Prompt},
		[]string{"`a: b`", "two\nlines\n\nand a paragraph\n\n    code", "- quoted", "No title.", "note: this is no key",
			"- name: x\n- file: y", "Prompt."})
	same(t, "keys from a list", r.Tasks[6].Protect, []string{"a", "b"})
	same(t, "name of a task without a title", r.Tasks[3].Name(), "No title.")

	r = mustParse(t, "## Tasks\n### A\nPrompt.\n\ntimeout: 3m\n\n```sh setup\na\n\n b\n```\n\npath: ~/bin\n")
	same(t, "keys before and behind a fence", r.Tasks[0], Task{Title: "A", Prompt: "Prompt.", Timeout: 3 * time.Minute,
		Setup: "a\n\n b", Path: []string{"~/bin"}})
}

func TestEveryNameMaySlip(t *testing.T) {
	for section, hint := range map[string]string{
		"## Sucess Criteria\n":                              `did you mean "Success Criteria"?`,
		"## Constraints\nmax_setps: 1\n":                    `did you mean "max_steps"?`,
		"## Sandbox\nnetwork: alow\n":                       `did you mean "allow"?`,
		"## Success Criteria\n- file_exist: a\n":            `did you mean "file_exists"?`,
		"## Tasks\n### A\nx\n```sh solutoin\na\n```\n":      `did you mean "sh solution"?`,
		"## Hooks\n### a\nevent: pretool_use\ncommand: x\n": `did you mean "pre_tool_use"?`,
		"## Hooks\n### a\nevent: Stop\ncommand: x\n":        `write event: pre_verify`,
	} {
		if got := problemsOf(t, section); !strings.Contains(got, hint) {
			t.Errorf("%q gives no %s:\n%s", section, hint, got)
		}
	}
}
