package alike

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

var (
	// names are lines that give values to new names.
	names = pattern.New(`^\s*(?:(?:export|pub|public|private|protected|static|final|const|let|var|readonly|local|` +
		`declare|type)\s+)*` +
		`(?:[A-Za-z_][\w<>\[\].]*[\s*&]+)?([A-Za-z_]\w*)(?:\[\w*\])*(?:\s*:\s*[\w\[\]., |]+)?\s*=(?:[^=~>]|$)`)
	exported = pattern.New(`^(?:module\.)?exports\.(\w+)\s*=[^=]`)
	prefixes = pattern.New(`^\s*(?:#\s*include\s*[<"]|import\b|from\b.*\bimport\b|use\s|using\s|export\s|package\b|` +
		`typedef\s|extern\s|template\s*<|namespace\s)`)
	// runsAlone are declarations by which something runs as soon as a program is loaded.
	runsAlone = pattern.New(`^func (init|main)\(|^\s*static\s*\{|__attribute__|\bconstructor\s*\(\s*\)\s*\)|` +
		`^\s*def __(getattr|class_getitem|init_subclass|missing)__|` +
		`\b(atexit|monkeypatch|setattr|globals\(\)|prototype|defineProperty|__proto__)\b|` +
		`^(test|it|describe)\(|` +
		`^\s*import\s+\*|\bimport\s+\*|^\s*(import|export)\s+["']`)
	// preprocesses are lines that say what the compiler of C takes for what.
	preprocesses = pattern.New(`^\s*#\s*(define|undef|if|else|elif|endif|pragma|line|error|include\s*")`)
	// method is one of Go, and unasked are those that others call by their names.
	method  = pattern.New(`^func \(\w*\s*\*?(\w+)[^)]*\) (\w+)`)
	unasked = pattern.New(`^(String|GoString|Error|Format|Is|As|Unwrap|(Un)?[mM]arshal\w*|Scan|Value|ServeHTTP|Write|` +
		`Read|Close)$`)
	// listing is a line that lists names, around them.
	listing = pattern.New(`^(\s*(?:module\.exports\s*=\s*\{|export\s*(?:type\s*)?\{|__all__\s*=\s*[\[(]|` +
		`import\s*(?:type\s*)?\{|(?:const|let|var)\s*\{|from\s+[\w.]+\s+import\s*\(?|(?:pub )?use\s+[\w:]+::\{))` +
		`\s*([^{}()\[\]]*?)\s*,?\s*([}\])]?(?:\s*from\s*["'][^"']+["']|\s*=\s*require\(["'][^"']+["']\))?\s*;?)$`)
	oneName = pattern.New(`^\s*["']?(\w+)["']?(?:\s*:\s*\w+)?,?$`)
)

// Declared reports whether a program has all its lines, in their order, and others that only
// declare what it did not have: functions, types, names of values and modules. A line that lists
// what a module gives or takes may list more.
func Declared(p string, was, is []byte) bool {
	if IsTest(p) || Foreign(p) {
		return false
	}
	at := slices.IndexFunc(dialects, func(d dialect) bool { return d.is(path.Base(p), string(was)) })
	if at < 0 || dialects[at].rules == nil {
		return false
	}
	g := growth{dialects[at], lines(was), strings.Join(lines(was), "\n")}
	if isBraced(path.Base(p)) && slices.ContainsFunc(fresh(g.old, lines(is)), preprocesses.MatchString) {
		return false
	}
	now, ok := g.narrowed(lines(is))
	if !ok {
		return false
	}
	chunks, ok := insertions(g.old, now)
	least := 0
	for _, c := range chunks {
		ok = ok && g.declares(c, least)
		least = c.before
	}
	return ok
}

// fresh are the lines of a text that an older one does not have.
func fresh(old, now []string) []string {
	return slices.DeleteFunc(slices.Clone(now), func(l string) bool { return slices.Contains(old, l) })
}

// narrowed gives lines that list names as they were, where they list more; not ok: of what they
// take from elsewhere one has a name that the text knows.
func (g growth) narrowed(now []string) (out []string, ok bool) {
	at := 0
	for _, line := range now {
		if at < len(g.old) {
			old := g.old[at]
			switch {
			case strings.TrimRight(line, " \t") == strings.TrimRight(old, " \t"):
				at++
			case g.lists(old, line) || oneName.MatchString(old) && line == old+",", rewords(old, line):
				line = old
				at++
			}
		}
		out = append(out, line)
	}
	return out, true
}

// rewords reports whether a line is a comment that says most of what an older one does.
func rewords(old, now string) bool {
	remark := func(l string) bool {
		l = strings.TrimSpace(l)
		return isRemark(l) && !strings.HasPrefix(l, "#include") || strings.HasPrefix(l, "/*") && strings.HasSuffix(l, "*/")
	}
	return remark(old) && remark(now) && Indent(old) == Indent(now) && reworded(old, now) && !orders.MatchString(now)
}

// lists reports whether a line lists what an older one does, and more.
func (g growth) lists(old, now string) bool {
	a, b := listing.FindStringSubmatch(old), listing.FindStringSubmatch(now)
	if a == nil || b == nil || a[1] != b[1] || a[3] != b[3] {
		return false
	}
	gives := strings.Contains(a[1], "export") || strings.Contains(a[1], "__all__")
	had := members(a[2])
	for _, m := range members(b[2]) {
		if len(had) > 0 && m == had[0] {
			had = had[1:]
			continue
		}
		name := m[strings.LastIndexAny(m, " :")+1:]
		if !gives && g.has(name) {
			return false
		}
	}
	return len(had) == 0
}

func members(list string) (out []string) {
	for m := range strings.SplitSeq(list, ",") {
		if m = strings.TrimSpace(m); m != "" {
			out = append(out, m)
		}
	}
	return out
}

// declares reports whether lines do nothing but declare.
func (g growth) declares(c chunk, least int) bool {
	for {
		if g.onlyDeclares(c) {
			return true
		}
		last := len(c.lines) - 1
		if c.before <= least || strings.TrimRight(g.old[c.before-1], " \t") != strings.TrimRight(c.lines[last], " \t") {
			return false
		}
		c = chunk{c.before - 1, append([]string{g.old[c.before-1]}, c.lines[:last]...)}
	}
}

// onlyDeclares reports whether lines that were added do no more than declare: functions,
// classes and constants of new names, at a place where they change nothing that was there.
func (g growth) onlyDeclares(c chunk) bool {
	before := ""
	for i := c.before - 1; i >= 0 && before == ""; i-- {
		before = strings.TrimSpace(g.old[i])
	}
	if !g.whole(c.lines) || !g.over(before) || g.takesOver(c) {
		return false
	}
	depth, headed := -1, false
	for _, line := range c.lines {
		t := strings.TrimSpace(line)
		if t == "" || isRemark(t) {
			continue
		}
		if runsAlone.MatchString(line) {
			return false
		}
		in := Indent(line)
		if depth < 0 || in <= depth {
			if depth = in; !closes.MatchString(t) && !(t == "{" && headed) && !g.declaration(line, t) {
				return false
			}
		}
		headed = strings.HasSuffix(t, ")")
	}
	return true
}

// declaration reports whether a line begins one, of a name that the text does not have.
func (g growth) declaration(line, t string) bool {
	if m := method.FindStringSubmatch(t); m != nil {
		return !g.has(m[1]) || !unasked.MatchString(m[2]) && !strings.Contains(g.text, ") "+m[2]+"(")
	}
	if g.redeclares(t) {
		return false
	}
	if m := exported.FindStringSubmatch(t); m != nil {
		return !strings.Contains(g.text, "exports."+m[1])
	}
	if m := names.FindStringSubmatch(line); m != nil {
		return !g.has(m[1])
	}
	return g.begins.MatchString(line) || prefixes.MatchString(line) || isDocstring(pythonText(t)) ||
		oneName.MatchString(line) && g.has("exports")
}

// pythonText is a docstring as a reader of Python gives it.
func pythonText(t string) string { return strings.ReplaceAll(t, "'", `"`) }

// takesOver reports whether what follows the lines would come to stand in what they declare.
func (g growth) takesOver(c chunk) bool {
	first := slices.IndexFunc(c.lines, func(l string) bool {
		t := strings.TrimSpace(l)
		return t != "" && !isRemark(t)
	})
	if first < 0 {
		return false
	}
	for _, line := range g.old[c.before:] {
		if strings.TrimSpace(line) != "" {
			return Indent(line) > Indent(c.lines[first])
		}
	}
	return false
}
