package alike

import (
	"bytes"
	"errors"
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

// documentsOf are those of a file of YAML.
func documentsOf(text []byte) (list []any, ok bool) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	for len(list) < maxDocuments {
		var v any
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF):
			return list, true
		case err != nil:
			return nil, false
		}
		list = append(list, v)
	}
	return nil, false
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
			if had && !has(old, v) {
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

var (
	target   = pattern.New(`^([A-Za-z][\w./-]*):( *[\w./ -]*)?( *#.*)?$`)
	phony    = pattern.New(`^\.PHONY:[\w./ -]*$`)
	required = pattern.New(`^([A-Za-z0-9][\w.-]*)(\[[\w, -]*\])? *([=<>!~]=?=?[\w.*, <>=!~]*)?( *;[^@]*)?( *#.*)?$`)
)

// moreTargets: all the lines of a Makefile, and behind them others of targets that it did
// not have.
func moreTargets(was, is []byte) bool {
	a, b := lines(was), lines(is)
	if len(a) > len(b) || !slices.Equal(a, b[:len(a)]) || strings.HasSuffix(a[len(a)-1], `\`) ||
		!slices.ContainsFunc(a, target.MatchString) {
		return false
	}
	begun := false
	for _, line := range b[len(a):] {
		m := target.FindStringSubmatch(line)
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") || phony.MatchString(line):
		case m != nil && !slices.ContainsFunc(a, func(l string) bool { return heads(l, m[1]) }):
			begun = true
		case !begun || !strings.HasPrefix(line, "\t"):
			return false
		}
	}
	return true
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
