package recipe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/text"
)

// large is a recipe of tasks tasks, about half a KiB each.
func large(tasks int) []byte {
	var b strings.Builder
	b.WriteString("# Large\n\nversion: 1\n\n## Models\n\n- a/b\n\n## Tasks\n")
	for i := range tasks {
		fmt.Fprintf(&b, `
### Task %d

Since the clean-up the tool of step %d says the wrong version. The file `+"`.tool-versions`"+` names
the release that this project needs. Make the plain name be that release again, *and* leave the rest alone.

`+"```sh setup\nset -eu\nmkdir -p ~/bin\necho 'tool %d' > .tool-versions\n```\n```sh before\n! grep -q x .tool-versions\n```\n```sh after\ngrep -q x .tool-versions\n```\n```toml verify\ncommand = \"tool --version\"\npattern = \"{version}\"\nversion = \"1.2.3\"\n```\n"+`protect: .nvmrc, test/**
timeout: 3m
`, i, i, i)
	}
	return []byte(b.String())
}

// BenchmarkParse parses a recipe of 1 MiB beside goldmark's own parse of the
// same bytes; ns/byte must be the same at each size. The aim is a ratio below
// 3. It was 4.4 when this was written, on one core, of which the TOML decoder
// takes 1.2 for one verify block a task.
func BenchmarkParse(b *testing.B) {
	for _, n := range []int{250, 2000} {
		content := large(n)
		b.Run(fmt.Sprintf("recipe-%d-tasks", n), func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				if r, err := ParseContent(content); err != nil || len(r.Tasks) != n {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("goldmark-%d-tasks", n), func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				goldmark.DefaultParser().Parse(text.NewReader(content))
			}
		})
	}
}

func BenchmarkMarshal(b *testing.B) {
	r := Default()
	for b.Loop() {
		r.MarshalMarkdown()
	}
}

// BenchmarkHostile parses what makes careless parsers take the square of the
// time: ns/byte must be the same at both sizes.
func BenchmarkHostile(b *testing.B) {
	prompt, metadata := "\n## System Prompt\n\n", "\n## Metadata\n"
	for name, in := range map[string][2]string{
		"comments":     {prompt, "a <!-- b --> "},
		"open-comment": {prompt, "<!-- "},
		"tags":         {prompt, "<a "},
		"ticks":        {prompt, "`` ` "},
		"fences":       {prompt, "```\na\n```\n"},
		"quotes":       {metadata + "author: ", "\" ' "},
		"list":         {metadata + "tags: ", "x, "},
		"keys":         {metadata, "nam: x\n"},
		"braces":       {"\n## Output Processing\n### bash\ntruncation_message: ", "{a"},
		"models":       {"\n## Models\n", "- a/b\n"},
		"tools":        {"\n## Tools\n", "- a\n"},
		"items":        {"\n## Tasks\n- ", "a\n  - b\n"},
		"blocks":       {"\n## Tasks\n", "### \nx: y\n\n"},
		"sections":     {"", "\n## Toolz\n"},
		"toml":         {"\n## Verify\n ```toml\n", "[[verify]]\ncommand='x'\n"},
		"quotations":   {prompt, strings.Repeat(">", 99) + "\n"},
	} {
		for _, size := range []int{1 << 16, 1 << 18} {
			content := []byte("version: 1\n" + in[0] + strings.Repeat(in[1], size/len(in[1])))
			b.Run(fmt.Sprintf("%s-%dKiB", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(content)))
				for b.Loop() {
					if r, _ := ParseContent(content); r == nil {
						b.Fatal("no recipe")
					}
				}
			})
		}
	}
}
