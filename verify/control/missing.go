package control

import (
	"slices"
	"strings"

	"cookoff/verify/lessons"
)

// missing gives the tests that must pass and did not. moved are new files of tests to which others may have been
// moved.
func (r *testRun) missing(k *lessons.Tests, moved []string) []string {
	if k == nil {
		return nil
	}
	var out []string
	for _, name := range k.Required {
		if !r.results.Tests[name].OK() {
			out = append(out, name)
		}
	}
	var passed []string
	for name, t := range r.results.Tests {
		if t.OK() {
			passed = append(passed, name)
		}
	}
	return inMoved(unmoved(out, k.Required, passed), passed, moved)
}

// inMoved are the missing tests but for those of programs' own files that passed, called as they were, in a file
// to which tests were moved.
func inMoved(missing, passed, moved []string) (out []string) {
	for _, name := range missing {
		file, rest := byFile(name)
		if rest == "" || ownTest.MatchString(file) || !slices.ContainsFunc(passed, func(is string) bool {
			in, same := byFile(is)
			return same == rest && slices.Contains(moved, in)
		}) {
			out = append(out, name)
		}
	}
	return out
}

// byFile takes the name of a test that begins with its file apart, as "src/money.ts > sums"; rest "": it does not.
func byFile(name string) (file, rest string) {
	for _, between := range []string{"::", " > "} {
		if file, rest, found := strings.Cut(name, between); found && strings.Contains(file, ".") {
			return file, rest
		}
	}
	return "", ""
}

// unmoved are the missing tests but for examples in documentation of Python that passed elsewhere: a function
// has another name, or is in another module. What they demand is held by the footprint.
func unmoved(missing, required, passed []string) (out []string) {
	var fresh []string
	for _, name := range passed {
		if example(name) != "" && !slices.Contains(required, name) {
			fresh = append(fresh, name)
		}
	}
	slices.Sort(fresh)
	for _, name := range missing {
		of := example(name)
		at := -1
		if of != "" {
			at = slices.IndexFunc(fresh, func(is string) bool { return akin(of, example(is)) })
		}
		if at < 0 {
			out = append(out, name)
			continue
		}
		fresh = slices.Delete(fresh, at, at+1)
	}
	return out
}

// example is what an example of a module documents, with the module, as in "src/shop/money.py::shop.money.half";
// "": it is another test.
func example(name string) string {
	file, of, found := strings.Cut(name, "::")
	file, isPython := strings.CutSuffix(file, ".py")
	if !found || !isPython || strings.ContainsAny(of, ":[ ") {
		return ""
	}
	module := strings.TrimSuffix(strings.ReplaceAll(file, "/", "."), ".__init__")
	for {
		if of == module || strings.HasPrefix(of, module+".") {
			return of
		}
		_, rest, more := strings.Cut(module, ".")
		if !more {
			return ""
		}
		module = rest
	}
}

// akin reports whether two examples are of one name in two modules, or of two names in one.
func akin(a, b string) bool {
	i, j := strings.LastIndexByte(a, '.'), strings.LastIndexByte(b, '.')
	return i >= 0 && j >= 0 && (a[i:] == b[j:] || a[:i] == b[:j])
}
