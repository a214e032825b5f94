package recipe

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/text"
)

// large is a recipe of tasks tasks, about half a KiB each.
func large(tasks int) string {
	var b strings.Builder
	b.WriteString("# Large\n\nversion: 1\n\n## Models\n\n- a/b\n\n## Tasks\n")
	for i := range tasks {
		fmt.Fprintf(&b, `
### Task %d

Since the clean-up the tool of step %d says the wrong version. The file `+"`.tool-versions`"+` names
the release that this project needs. Make the plain name be that release again, *and* leave the rest alone.

`+"```sh setup\nset -eu\nmkdir -p ~/bin\necho 'tool %d' > .tool-versions\n```\n```sh before\n"+
			"! grep -q x .tool-versions\n```\n```sh after\ngrep -q x .tool-versions\n```\n```toml verify\n"+
			"command = \"tool --version\"\npattern = \"{version}\"\nversion = \"1.2.3\"\n```\n"+
			`protect: .nvmrc, test/**
timeout: 3m
`, i, i, i)
	}
	return b.String()
}

// BenchmarkParse reads a recipe of 1 MiB from its file and resolves it, side by
// side with goldmark's own parse of the same bytes. The aim is a ratio
// (x-goldmark, the median over all turns) below 3, and the same time for a
// byte at each size.
func BenchmarkParse(b *testing.B) {
	const comment, table = "version: 1\n<!-- a note -->\n", "toml verify\n[[verify]]\n"
	for name, content := range map[string]string{
		"250-tasks":            large(250),
		"2000-tasks":           large(2000),
		"2000-tasks-commented": strings.Replace(large(2000), "version: 1\n", comment, 1),
		"2000-tasks-tables":    strings.ReplaceAll(large(2000), "toml verify\n", table),
	} {
		b.Run(name, func(b *testing.B) {
			f := world(b, files("recipe.md", content))
			b.ReportAllocs()
			var ours, theirs, ratios []float64
			for b.Loop() {
				start := time.Now()
				r, err := f.Discover("recipe.md")
				middle := time.Now()
				if err != nil || len(r.Tasks) < 250 {
					b.Fatal(err)
				}
				goldmark.DefaultParser().Parse(text.NewReader([]byte(content)))
				us, them := float64(middle.Sub(start)), float64(time.Since(middle))
				ours, theirs, ratios = append(ours, us), append(theirs, them), append(ratios, us/them)
			}
			size := float64(len(content))
			b.ReportMetric(0, "ns/op") // of both together: says nothing
			b.ReportMetric(median(ours)/size, "ns/byte")
			b.ReportMetric(median(theirs)/size, "goldmark-ns/byte")
			b.ReportMetric(median(ratios), "x-goldmark")
		})
	}
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
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
	prompt, metadata := "\n## System Prompt\n\n<!-- so that comments are looked for -->\n\n", "\n## Metadata\n"
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
