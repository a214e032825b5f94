package footprint

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"cookoff/verify/traps"
	"cookoff/verify/tree"
)

// What was done to a file that nobody misses as it was.
const (
	MadeAgain = "made by builds"                         // the project says that it is, and git leaves it out
	Startable = "may be started"                         // a script, by those who could read it
	Output    = "written by checks"                      // in a directory that is there for that
	Expired   = "lines that git itself throws away soon" // of a reflog
)

// outputs are directories that builds write, and files.
var outputs = []string{
	"build", "_build", "dist", "out", "target", "bin", "obj", "coverage", "htmlcov", ".next", ".nuxt",
	".output", ".turbo", "*.egg-info", "*.o", "*.a", "*.so", "*.class", "coverage.out", "cover.out", "coverage.xml",
}

// builds are the outputs that the .gitignore of the project leaves out, those that checks
// or prompt name aside: "dist" at any depth, "/dist" at the top.
func (o *observer) builds() (list []string) {
	for line := range strings.Lines(string(o.texts.was[".gitignore"].Data)) {
		line = strings.TrimSpace(line)
		name := strings.TrimPrefix(strings.TrimSuffix(line, "/"), "/")
		if slices.Contains(outputs, name) && !o.bounds.speaksOf(name) {
			list = append(list, strings.TrimSuffix(line, "/"))
		}
	}
	return list
}

// speaksOf reports whether prompt or checks name what a build writes: a directory or a file by a whole word, and files
// of a kind ("*.o") by one that ends so.
func (b Bounds) speaksOf(output string) bool {
	if ending, of := strings.CutPrefix(output, "*"); of {
		return regexp.MustCompile(`\w` + regexp.QuoteMeta(ending) + `\b|` + regexp.QuoteMeta(output)).MatchString(b.About)
	}
	return b.names(output)
}

// MarkOutputs says of changes that they are of what checks write.
func MarkOutputs(list []Difference, isOutput func(path string) bool) {
	for i, d := range list {
		if d.Kind == changed && !d.Deceives() && isOutput(d.Path) {
			list[i].What = Output
		}
	}
}

// isBuilt reports whether a path is of what builds write.
func (o *observer) isBuilt(p string) bool {
	if strings.HasPrefix(p, "~/") || slices.Contains(o.dirs, path.Dir(p)) || strings.Contains("/"+p, "/node_modules/") {
		return false
	}
	parts := strings.Split(p, "/")
	return slices.ContainsFunc(o.built, func(g string) bool {
		if top, anchored := strings.CutPrefix(g, "/"); anchored {
			ok, _ := path.Match(top, parts[0])
			return ok
		}
		return slices.ContainsFunc(parts, func(part string) bool { ok, _ := path.Match(g, part); return ok })
	})
}

// startable reports whether all that was done to a file's mode is that a script of its own
// may be started by those who could read it.
func (o *observer) startable(d tree.Difference) bool {
	was, is := d.Was.Mode, d.Is.Mode
	return is.IsRegular() && was&^is == 0 && (is&^was)&^0o111 == 0 && (is&0o111)&^((is&0o444)>>2) == 0 &&
		bytes.HasPrefix(o.to.held[d.Path].Data, []byte("#!")) && traps.For(o.tools, d.Path) == nil
}

// mayStart reports whether a file has come to be one that may be started.
func mayStart(d tree.Difference) bool {
	return d.Was != nil && d.Is != nil && d.Is.Mode.IsRegular() && d.Is.Mode&^d.Was.Mode&fs.FileMode(0o111) != 0
}

// Ages at which "git gc" may drop a line of a reflog, where nothing is configured, and at
// which it drops every one.
const (
	mayExpire  = 30 * 24 * time.Hour
	hasExpired = 90 * 24 * time.Hour
)

// expired reports whether a reflog lacks nothing but lines that "git gc" drops by its own
// rules, which nobody changed, and may have more.
func (o *observer) expired(dir string, d tree.Difference) bool {
	was, held := o.from.held[d.Path]
	if d.Was == nil || d.Is == nil || !held || strings.HasSuffix(d.Path, "/logs/refs/stash") {
		return false
	}
	for _, f := range []string{dir + "/config", "~/.gitconfig", "~/.config/git/config"} {
		settings, ok := traps.GitSettings(string(o.from.held[f].Data))
		for name := range settings {
			ok = ok && !(strings.HasPrefix(name, "gc.") && strings.Contains(name, "reflogexpire"))
		}
		if !ok {
			return false
		}
	}
	left := strings.SplitAfter(string(o.to.held[d.Path].Data), "\n")
	bare := func(line string) string { return strings.TrimRight(line, "\t\n") } // git ends one without a message otherwise
	for line := range strings.Lines(string(was.Data)) {
		age := time.Since(noted(line))
		kept := bare(left[0]) == bare(line) && len(left) > 1
		if kept && age > hasExpired || !kept && age < mayExpire {
			return false
		}
		if kept {
			left = left[1:]
		}
	}
	return true
}

// noted is when a line of a reflog says that it was written; a line that says nothing was
// written now.
func noted(line string) time.Time {
	who, _, _ := strings.Cut(line, "\t")
	words := strings.Fields(who)
	if n := len(words); n > 2 {
		if sec, err := strconv.ParseInt(words[n-2], 10, 64); err == nil {
			return time.Unix(sec, 0)
		}
	}
	return time.Now()
}
