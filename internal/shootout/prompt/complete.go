package prompt

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// maxFiles bounds how many files of a project are offered.
const maxFiles = 20_000

// Command is what can be typed behind a slash.
type Command struct {
	Name string // without the slash
	Args string // what follows it
	Does string
}

// Choice is a completion.
type Choice struct{ Text, Does string }

// complete gives what the word before the cursor may become, and how many
// bytes of it stand there already. A command is completed at the beginning
// only, a file behind an @ anywhere.
func (p *Prompt) complete(before string) (choices []Choice, typed int) {
	word := before[strings.LastIndexAny(before, " \n\t")+1:]
	switch {
	case strings.HasPrefix(before, "/") && !strings.ContainsAny(before, " \n"):
		for _, c := range p.o.Commands {
			if strings.HasPrefix(c.Name, before[1:]) {
				choices = append(choices, Choice{"/" + c.Name, strings.TrimSpace(c.Args + "  " + c.Does)})
			}
		}
		return choices, len(before)
	case strings.HasPrefix(before, "/") && !strings.Contains(before, "\n") && p.o.Args != nil:
		name, _, _ := strings.Cut(before[1:], " ")
		for _, a := range p.o.Args(name) {
			if strings.HasPrefix(a.Text, word) {
				choices = append(choices, a)
			}
		}
		return choices, len(word)
	case strings.HasPrefix(word, "@"):
		for _, f := range Match(p.files(), word[1:], 50) {
			choices = append(choices, Choice{Text: "@" + f})
		}
		return choices, len(word)
	}
	return nil, 0
}

// files gives the project's files, looked for once.
func (p *Prompt) files() []string {
	if !p.listed && p.o.Project != "" {
		p.listed, p.list = true, Files(p.o.Project)
	}
	return p.list
}

// Files lists the files of a project, in order; what tools keep is left out.
func Files(dir string) []string {
	var out []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what can't be read is not offered
		}
		if d.IsDir() && slices.Contains([]string{".git", ".cookoff", "node_modules", ".venv", "__pycache__"},
			d.Name()) {
			return fs.SkipDir
		}
		if rel, err := filepath.Rel(dir, path); err == nil && !d.IsDir() {
			out = append(out, filepath.ToSlash(rel))
		}
		if len(out) >= maxFiles {
			return fs.SkipAll
		}
		return nil
	})
	return out
}

// Match gives at most n of the paths that have the letters of text in their
// order, the best first: where they stand together, and in the name.
func Match(paths []string, text string, n int) []string {
	type hit struct {
		path string
		rank int
	}
	text = strings.ToLower(text)
	var hits []hit
	for _, path := range paths {
		low := strings.ToLower(path)
		name := low[strings.LastIndexByte(low, '/')+1:]
		switch {
		case strings.HasPrefix(name, text):
			hits = append(hits, hit{path, 0})
		case strings.HasPrefix(low, text):
			hits = append(hits, hit{path, 1})
		case strings.Contains(low, text):
			hits = append(hits, hit{path, 2})
		case within(low, text):
			hits = append(hits, hit{path, 3})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		if a.rank != b.rank {
			return a.rank - b.rank
		}
		return len(a.path) - len(b.path)
	})
	var out []string
	for _, h := range hits[:min(n, len(hits))] {
		out = append(out, h.path)
	}
	return out
}

// within reports whether the letters of text stand in s in their order.
func within(s, text string) bool {
	for _, r := range text {
		i := strings.IndexRune(s, r)
		if i < 0 {
			return false
		}
		s = s[i+1:]
	}
	return true
}
