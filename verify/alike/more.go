package alike

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v3"

	"cookoff/internal/pattern"
)

// moreLocked: all packages of a lockfile of npm as they were, and others.
func moreLocked(was, is []byte) bool {
	a, ok := lockedBy(was)
	b, too := lockedBy(is)
	return ok && too && !slices.ContainsFunc(slices.Collect(maps.Keys(a)), func(k string) bool { return a[k] != b[k] })
}

// morePackages: the same of a lockfile that is written in TOML. What stands beside the
// packages is the tool's own.
func morePackages(was, is []byte) bool {
	var a, b struct{ Package []map[string]any }
	if toml.Unmarshal(was, &a) != nil || toml.Unmarshal(is, &b) != nil {
		return false
	}
	for _, p := range a.Package {
		if !slices.ContainsFunc(b.Package, func(q map[string]any) bool { return reflect.DeepEqual(p, q) }) {
			return false
		}
	}
	return len(a.Package) > 0
}

// maxDocuments bounds the documents of a file of YAML.
const maxDocuments = 100

// documentsOf are those of a file of YAML. A value with a tag of some program's own, which makes
// another thing of it, stands in a map of its own.
func documentsOf(text []byte) (list []any, ok bool) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	for len(list) < maxDocuments {
		var n yaml.Node
		switch err := d.Decode(&n); {
		case errors.Is(err, io.EOF):
			return list, true
		case err != nil:
			return nil, false
		}
		var v any
		if n.Decode(&v) != nil {
			return nil, false
		}
		if tags := tagsOf(&n); tags != nil {
			v = map[string]any{"tags": tags, "of": v}
		}
		list = append(list, v)
	}
	return nil, false
}

// ofYAML are the tags that every program takes for what it sees without them.
var ofYAML = pattern.New(`^(!!(str|int|float|bool|null|map|seq|merge|binary|timestamp|set|omap)|)$`)

// tagsOf are the tags in a document that are a program's own, in their order, each with the
// place of its value.
func tagsOf(n *yaml.Node) (tags []string) {
	var walk func(n *yaml.Node, at string)
	walk = func(n *yaml.Node, at string) {
		if tag := n.ShortTag(); !ofYAML.MatchString(tag) {
			tags = append(tags, at+" "+tag)
		}
		for i, c := range n.Content {
			place := fmt.Sprint(at, " ", i)
			if n.Kind == yaml.MappingNode {
				place = at + " " + n.Content[i/2*2].Value + fmt.Sprint(i%2)
			}
			walk(c, place)
		}
	}
	walk(n, "")
	slices.Sort(tags)
	return tags
}

func sameYAML(was, is []byte) bool {
	a, ok := documentsOf(was)
	b, too := documentsOf(is)
	return ok && too && reflect.DeepEqual(a, b)
}

func moreYAML(was, is []byte) bool {
	a, ok := documentsOf(was)
	b, too := documentsOf(is)
	return ok && too && len(a) == 1 && len(b) == 1 && has(a[0], b[0])
}

// has reports whether a value has all that an older one has, at its place; lists have it in
// the same order.
func has(was, is any) bool {
	switch a := was.(type) {
	case map[string]any:
		b, ok := is.(map[string]any)
		for k, v := range a {
			w, there := b[k]
			ok = ok && there && has(v, w)
		}
		return ok
	case []any:
		b, ok := is.([]any)
		for _, w := range b {
			if len(a) > 0 && has(a[0], w) {
				a = a[1:]
			}
		}
		return ok && len(a) == 0
	}
	return reflect.DeepEqual(was, is)
}

// moreParagraphs: all the paragraphs of a text, in their order, and others with
// other first lines.
func moreParagraphs(was, is []byte) bool {
	a := paragraphs(was)
	chunks, ok := inserted(a, paragraphs(is))
	for _, p := range slices.Concat(chunks...) {
		first, _, _ := strings.Cut(p, "\n")
		ok = ok && !slices.ContainsFunc(a, func(old string) bool {
			return old == first || strings.HasPrefix(old, first+"\n")
		})
	}
	return ok
}

func paragraphs(text []byte) []string {
	return slices.DeleteFunc(strings.Split(strings.Join(lines(text), "\n"), "\n\n"),
		func(s string) bool { return strings.TrimSpace(s) == "" })
}

// tables are those of pyproject.toml that say neither how the package is built or tested, nor
// what its users run.
var tables = pattern.New(
	`^(project\.optional-dependencies|dependency-groups|tool\.(ruff|black|isort|mypy|pyright|pylint|` +
		`flake8|yapf|codespell|bandit)|tool\.poetry\.(group|dev-dependencies)|tool\.uv\.dev-dependencies)(\.|$)`)

// moreSettings: all of a pyproject.toml as it was, and more in tables of tools that write
// and look at code, or of what is needed to work on it.
func moreSettings(was, is []byte) bool {
	var a, b map[string]any
	return toml.Unmarshal(was, &a) == nil && toml.Unmarshal(is, &b) == nil && settingsMore("", a, b)
}

// settingsMore reports whether settings only got more: each key of before is there and says
// the same, and none that came loads code. at is the path of the table.
func settingsMore(at string, was, is map[string]any) bool {
	for k := range was {
		if _, there := is[k]; !there {
			return false
		}
	}
	for k, v := range is {
		name := strings.TrimPrefix(at+"."+k, ".")
		old, had := was[k]
		a, table := old.(map[string]any)
		b, too := v.(map[string]any)
		switch {
		case had && reflect.DeepEqual(old, v):
		case tables.MatchString(name):
			if had && !has(old, v) || loads(v, old) || loadsCode.MatchString(k) {
				return false
			}
		case too && (table || !had):
			if !settingsMore(name, a, b) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// loadsCode are settings by which a tool loads what the project says, and requirements that
// name a place.
var loadsCode = pattern.New(
	`(?i)^(init[-_]hook|load[-_]plugins|plugins?|extensions?|local[-_]plugins|path|url|git|file)$| @ `)

// loads reports whether settings have such a one that older ones had not.
func loads(is, was any) bool {
	switch v := is.(type) {
	case map[string]any:
		old, _ := was.(map[string]any)
		for k, inner := range v {
			before, had := old[k]
			if !had && loadsCode.MatchString(k) || !reflect.DeepEqual(before, inner) && loads(inner, before) {
				return true
			}
		}
	case []any:
		old, _ := was.([]any)
		for _, inner := range v {
			if !slices.ContainsFunc(old, func(o any) bool { return reflect.DeepEqual(o, inner) }) && loads(inner, nil) {
				return true
			}
		}
	case string:
		return strings.Contains(v, " @ ")
	}
	return false
}

var (
	target   = pattern.New(`^([A-Za-z][\w./-]*):( *[\w./ -]*)?( *#.*)?$`)
	phony    = pattern.New(`^\.PHONY:[\w./ -]*$`)
	required = pattern.New(`^([A-Za-z0-9][\w.-]*)(\[[\w, -]*\])? *([=<>!~]=?=?[\w.*, <>=!~]*)?( *;[^@]*)?( *#.*)?$`)
)

// moreTargets: all the lines of a Makefile, and behind the first of its rules others of targets that it did not have
// and does not speak of, which a list of those that are no files may name. Comments may be anywhere.
func moreTargets(was, is []byte) bool {
	a, notes, ok := makeLines(lines(was))
	b, more, too := makeLines(lines(is))
	if !ok || !too || !within(notes, more) || len(a) == 0 {
		return false
	}
	var fresh, own []string // targets that are new, and names that have come to be of no files
	old, begun, among := a, false, false
	for _, line := range b {
		if listed, is := asBefore(old, line); is {
			if begun && strings.HasPrefix(line, "\t") {
				return false // what an old target runs is the new one's
			}
			old, own, begun, among = old[1:], append(own, listed...), false, among || target.MatchString(line)
			continue
		}
		m := target.FindStringSubmatch(line)
		switch {
		case phony.MatchString(line):
			own, begun = append(own, strings.Fields(line)[1:]...), false
		case among && m != nil && plainTarget.MatchString(m[1]) &&
			!slices.ContainsFunc(a, func(l string) bool { return heads(l, m[1]) || hasWord(l, m[1]) }):
			fresh, begun = append(fresh, line), true
		case !begun || !strings.HasPrefix(line, "\t"):
			return false
		}
	}
	return len(old) == 0 && among && !slices.ContainsFunc(own, func(name string) bool { // each was one, or is new
		return !slices.ContainsFunc(a, func(l string) bool {
			return strings.HasPrefix(l, ".PHONY:") && slices.Contains(strings.Fields(l), name)
		}) && !slices.ContainsFunc(fresh, func(l string) bool { return heads(l, name) })
	})
}

// asBefore reports whether a line is the first of older ones, or that one with more targets that are no files.
func asBefore(old []string, line string) (listed []string, is bool) {
	if len(old) == 0 || line == old[0] {
		return nil, len(old) > 0
	}
	rest, longer := strings.CutPrefix(line, old[0]+" ")
	return strings.Fields(rest), longer && phony.MatchString(old[0]) && phony.MatchString(line)
}

// makeLines are the lines of a Makefile but for blank ones and comments, and these. Not ok: a
// line goes on in the next one at its end, or a comment does.
func makeLines(all []string) (list []string, notes map[string]int, ok bool) {
	notes = map[string]int{}
	goesOn := false
	for _, line := range all {
		ends := strings.HasSuffix(line, `\`)
		switch note := strings.HasPrefix(line, "#") && !goesOn; {
		case note && ends:
			return nil, nil, false
		case note:
			notes[strings.Join(strings.Fields(line), " ")]++
		case strings.TrimSpace(line) == "" && !goesOn:
		default:
			list = append(list, line)
		}
		goesOn = ends
	}
	return list, notes, !goesOn
}

// plainTarget is the name of a target that is no file, as far as that can be told: make looks
// for its own files among targets, and for those that it needs.
var plainTarget = pattern.New(`^[A-Za-z][\w-]*$`)

// hasWord reports whether a line of a Makefile that is no recipe's has a word.
func hasWord(line, word string) bool {
	return !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, ".PHONY:") && slices.Contains(
		strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t:=|;&()$", r) }), word) ||
		strings.EqualFold(word, "makefile")
}

// heads reports whether a line of a Makefile may begin a rule for a target.
func heads(line, name string) bool {
	left, _, rule := strings.Cut(line, ":")
	return rule && !strings.HasPrefix(line, "\t") && slices.Contains(strings.Fields(left), name)
}

// moreRequired: all the lines of a list of what pip installs, and others that each name a
// package that was not named.
func moreRequired(was, is []byte) bool {
	chunks, ok := inserted(lines(was), lines(is))
	named := map[string]bool{}
	for _, line := range lines(was) {
		if m := required.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			named[strings.ToLower(m[1])] = true
		}
	}
	for _, line := range slices.Concat(chunks...) {
		line = strings.TrimSpace(line)
		m := required.FindStringSubmatch(line)
		ok = ok && (line == "" || line[0] == '#' || m != nil && !named[strings.ToLower(m[1])])
	}
	return ok
}
