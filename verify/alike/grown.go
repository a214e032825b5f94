package alike

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// documents are how files are called in which people tell others of their work.
var documents = pattern.New(`(?i)^(readme|changelog|changes|history|news|contributing|todo|notes)` +
	`(\.(md|rst|txt|adoc|markdown))?$|\.(md|rst|adoc|markdown)$`)

// told are documents that agents obey.
var told = pattern.New(`(?i)^(agents|claude|gemini|skill|copilot.*)\.md$|\.(prompt|instructions)\.md$`)

// isText reports whether a file is one that only people read.
func isText(p string) bool {
	name := path.Base(p)
	switch {
	case told.MatchString(name) || name == "CMakeLists.txt" || strings.HasPrefix(p, ".") || strings.Contains(p, "/."):
		return false
	case path.Ext(name) == ".txt" && inDocs(p):
		return true
	}
	return documents.MatchString(name)
}

func inDocs(p string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(d string) bool { return d == "doc" || d == "docs" })
}

// isIgnore reports whether a file says what tools leave out.
func isIgnore(name string) bool {
	return slices.Contains([]string{".gitignore", ".dockerignore", ".npmignore", ".prettierignore", ".eslintignore"},
		name)
}

// IsIgnore reports whether a file says what git leaves out.
func IsIgnore(p string) bool {
	return path.Base(p) == ".gitignore" || strings.HasSuffix("/"+p, "/.git/info/exclude")
}

// workshop are patterns of files that editors, systems and other tools of one person leave, by which nothing of a
// project is left out.
var workshop = pattern.New(`^/?(\.?\*?\.sw[a-z]|\.?\*\.sw[a-z]|\*~|\.#\*|\.(idea|vscode|vs|fleet|zed|DS_Store|direnv)|` +
	`Thumbs\.db|Desktop\.ini|TAGS|tags|\*\.(orig|rej|bak))/?$`)

// IgnoresTools reports whether a list of what git leaves out has all it had, in its order, and more only of what tools
// leave of which the task (about) does not speak.
func IgnoresTools(p string, was, is []byte, about string) bool {
	if !IsIgnore(p) {
		return false
	}
	before := strings.Split(strings.TrimRight(string(was), "\n"), "\n")
	for line := range strings.Lines(string(is)) {
		line = strings.TrimRight(line, "\n")
		if len(before) > 0 && line == before[0] {
			before = before[1:]
			continue
		}
		mark := strings.Trim(line, "/*.")
		if plain := strings.TrimSpace(line); plain != "" && !strings.HasPrefix(plain, "#") &&
			(!workshop.MatchString(plain) || strings.Contains(about, mark)) {
			return false
		}
	}
	return len(before) == 0 || len(before) == 1 && before[0] == ""
}

// growers compare two texts of files that may hold more than they did, by how they are
// called.
var growers = []struct {
	is    func(name string) bool
	grown func(was, is []byte) bool
}{
	{named("package-lock.json", "npm-shrinkwrap.json"), moreLocked},
	{named("Cargo.lock", "poetry.lock", "uv.lock"), morePackages},
	{named("pnpm-lock.yaml"), moreYAML},
	{named("yarn.lock"), moreParagraphs},
	{named("pyproject.toml"), moreSettings},
	{named("Makefile", "makefile"), moreTargets},
	{func(name string) bool { ok, _ := path.Match("*requirements*.txt", name); return ok }, moreRequired},
	{ending(".snap"), moreParagraphs},
	{ending(".ambr"), moreParagraphs},
}

func grower(p string) func(was, is []byte) bool {
	for _, g := range growers {
		if g.is(path.Base(p)) {
			return g.grown
		}
	}
	return nil
}

// Runs reports whether programs run what a file says, or obey it, of those that Grown
// compares.
func Runs(p string) bool {
	return IsTest(p) || named("Makefile", "makefile", "pyproject.toml")(path.Base(p))
}

// Grown reports whether a text of documentation, of what is left out, of what is needed, or
// of tests has all it had, in its order, and only more. Tests that were there must go on
// running as they did, as far as that can be read.
func Grown(p string, was, is []byte) bool {
	if more := grower(p); more != nil {
		return more(was, is)
	}
	if !isText(p) && !isIgnore(path.Base(p)) && !IsIgnore(p) && !IsTest(p) {
		return false
	}
	if IsTest(p) {
		return grownTest(p, was, is)
	}
	chunks, ok := inserted(lines(was), lines(is))
	if isIgnore(path.Base(p)) || IsIgnore(p) {
		return ok && !slices.ContainsFunc(slices.Concat(chunks...), ofAll.MatchString)
	}
	return ok
}

// ofAll are patterns that leave out everything, or take in what others leave out.
var ofAll = pattern.New(`^(!.*|([/*.?]|\[[^\]]*\])+)$`)

// Edited reports whether documentation has most of its lines still, in their order, three
// of four at the least, and no fewer than it had.
func Edited(p string, was, is []byte) bool {
	if !isText(p) {
		return false
	}
	a, b := written(was), written(is)
	return len(b) >= len(a) && len(a)-common(a, b) <= len(a)/4
}

// written are the lines that say something.
func written(text []byte) []string {
	return slices.DeleteFunc(lines(text), func(l string) bool { return strings.TrimSpace(l) == "" })
}

// maxEdited bounds the lines of documentation that are compared.
const maxEdited = 2000

// common counts the lines of a that b has in the same order.
func common(a, b []string) int {
	if len(a) > maxEdited || len(b) > maxEdited {
		return 0
	}
	row := make([]int, len(b)+1)
	for _, x := range a {
		last := 0
		for j, y := range b {
			up := row[j+1]
			if x == y {
				row[j+1] = last + 1
			} else {
				row[j+1] = max(up, row[j])
			}
			last = up
		}
	}
	return row[len(b)]
}

func lines(text []byte) []string {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
}

// inserted gives what stands between the lines that were there; not ok: not all of them
// are.
func inserted(was, is []string) (list [][]string, ok bool) {
	chunks, ok := insertions(was, is)
	for _, c := range chunks {
		list = append(list, c.lines)
	}
	return list, ok
}

// A chunk is lines that were put before a line of a text, by its number.
type chunk struct {
	before int
	lines  []string
}

// insertions are what stands between the lines that were there, as late as it may; not ok:
// not all of them are there.
func insertions(was, is []string) (chunks []chunk, ok bool) {
	c := chunk{}
	for _, line := range is {
		if c.before < len(was) && strings.TrimRight(line, " \t") == strings.TrimRight(was[c.before], " \t") {
			if c.lines != nil {
				chunks = append(chunks, c)
			}
			c = chunk{before: c.before + 1}
			continue
		}
		c.lines = append(c.lines, line)
	}
	if c.lines != nil {
		chunks = append(chunks, c)
	}
	return chunks, c.before == len(was)
}
