package export

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cookoff/recipe"
	"cookoff/verify/checks"
	"cookoff/verify/versions"
)

// blocks are the verify blocks that judge a task, its own and those of the recipe.
func blocks(r *recipe.Recipe, t recipe.Task) (out []checks.Block) {
	for _, b := range slices.Concat(t.Verify, r.Verify) {
		out = append(out, checks.CompileBlock("verify", b, true))
	}
	return out
}

// blocked says what of the verify blocks no script can say.
func blocked(r *recipe.Recipe, t recipe.Task) (why []string) {
	for _, b := range blocks(r, t) {
		if b.VersionCommand != "" {
			if _, known := cutting(b.Format); !known {
				why = append(why, "verify: version_command with version_format "+b.Format+": write the version into version")
			}
		} else if _, err := versionOf(b); err != nil {
			why = append(why, "verify: "+err.Error())
		}
	}
	return why
}

// versionOf is the version that a block looks for; "": it looks for none.
func versionOf(b checks.Block) (string, error) {
	if b.Version == "" {
		return "", nil
	}
	return versions.Transform(b.Format, b.Version)
}

// block is a verify block as a script: PATH has its program, and its commands end and print as
// they must. A version that its command told is in the file told.
func block(b checks.Block, told string) string {
	version, _ := versionOf(b) // Refused looked at it
	var s strings.Builder
	if b.Binary != "" {
		fmt.Fprintf(&s, "p=$(type -P -- %s) && [ -f \"$p\" ] && [ -x \"$p\" ] || exit 1\n", quote(b.Binary))
	}
	if b.VersionCommand != "" {
		version = toldVersion
		fmt.Fprintf(&s, "version=$(sed 's/[.+]/\\\\&/g' %s) && [ -n \"$version\" ] || exit 1\n", quote(told))
	}
	s.WriteString("d=$(mktemp -d) || exit 1\n")
	for _, c := range b.Commands {
		fmt.Fprintf(&s, "timeout %g bash -c %s > \"$d/stdout\" 2> \"$d/stderr\"\n[ $? = %d ] || exit 1\n",
			b.Timeout.Seconds(), quote(c.Text), c.Exit)
		printed := `cat "$d/` + c.Stream + `"`
		if c.Stream == "both" {
			printed = `cat "$d/stdout"; echo; cat "$d/stderr"`
		}
		if len(c.Patterns) > 0 {
			fmt.Fprintf(&s, "text=$(%s; echo x)\ntext=${text%%x}\n", printed)
		}
		for _, pattern := range c.Patterns {
			if version != "" && strings.Contains(pattern, versions.Placeholder) {
				re := strings.ReplaceAll(quote(whole(pattern, version)), toldVersion, `'"$version"'`)
				fmt.Fprintf(&s, "re=%s\n[[ $text =~ $re ]] || exit 1\n", re)
			} else {
				fmt.Fprintf(&s, "[[ $text == *%s* ]] || exit 1\n", quote(pattern))
			}
		}
	}
	return s.String()
}

// toldVersion stands in an expression for a version that a command tells.
const toldVersion = "\x00"

// cutting is what makes of $v, a version, the part that a format asks for (package versions says
// which): false: bash has no words for it.
func cutting(format string) (script string, known bool) {
	const core = `[0-9]+\.[0-9]+\.[0-9]+`
	const more = `(%s[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?`
	found := func(re string) string { return "re='" + re + "'\n[[ $v =~ $re ]] || exit 1\n" }
	switch format {
	case "", "raw":
		return "", true
	case "semver":
		return found(core) + "v=${BASH_REMATCH[0]}\n", true
	case "semver_full":
		return found(core+fmt.Sprintf(more, "-")+fmt.Sprintf(more, `\+`)) +
			"all=$v v=${BASH_REMATCH[0]}\n[[ $v != *[-+]* || ${all#*\"$v\"} != _* ]] || exit 1\n", true
	case "calver":
		return found("(^|[^0-9.]|(^|[^0-9])[.])(([0-9]{4}|[0-9]{2})[.](0?[1-9]|1[0-2])([.][0-9]+)?)([^0-9]|$)") +
			"v=${BASH_REMATCH[3]}\n", true
	case "strip_v":
		return "[[ $v != [vV][0-9]* ]] || v=${v:1}\n", true
	}
	if text, ok := strings.CutPrefix(format, "strip_prefix:"); ok {
		return fmt.Sprintf("[[ $v == %s?* ]] || exit 1\nv=${v#%[1]s}\n", quote(text)), true
	}
	expr, _ := strings.CutPrefix(format, "regex:")
	re, err := regexp.CompilePOSIX(expr)
	if err != nil || strings.ContainsAny(expr, "|'") { // of several, bash takes the longest
		return "", false
	}
	return found(expr) + fmt.Sprintf("v=${BASH_REMATCH[%d]}\n", min(re.NumSubexp(), 1)), true
}

// telling is the script that writes the version that a block's command tells of the start into a
// file: the image is built with it, before anybody works.
func telling(b checks.Block, file string) string {
	cut, _ := cutting(b.Format)
	return "export LC_ALL=C; shopt -s extglob\n" +
		fmt.Sprintf("v=$(unset LC_ALL; timeout %g bash -c %s) || exit 1\n", b.Timeout.Seconds(), quote(b.VersionCommand)) +
		"v=${v##+([[:space:]])}; v=${v%%+([[:space:]])}\n" +
		"re='^[[:alnum:]._+@/][[:alnum:]._+@/-]{0,127}$'\n" +
		"[[ $v =~ $re && $v != *..* ]] || { echo \"version_command told no version: $v\" >&2; exit 1; }\n" +
		cut + "[ -n \"$v\" ] && printf '%s\\n' \"$v\" > " + quote(file) + "\n"
}

// separators are what may stand within a version.
const separators = ".+_-"

// whole is an extended regular expression for a pattern in which a version stands by itself: no
// longer one is taken for it (package versions says what is one).
func whole(pattern, version string) string {
	head, _, _ := strings.Cut(pattern, versions.Placeholder)
	tail := pattern[strings.LastIndex(pattern, versions.Placeholder)+len(versions.Placeholder):]
	re := regexp.QuoteMeta(versions.Expand(pattern, version).Text)
	if strings.Trim(head, "vV"+separators) == "" {
		const name = "[[:alpha:]][[:alnum:]]*"
		before := "[vV]?"
		if strings.IndexAny(head, separators) == 0 { // of the pattern itself, behind a name
			before = "(" + name + ")?"
		}
		re = "(^|[^[:alnum:]" + separators + "])(" + name + "[-+_])*" + before + re
	}
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	last, _ := utf8.DecodeLastRuneInString(tail)
	switch {
	case tail == "":
		return re + "([^[:alnum:]" + separators + "]|[" + separators + "]([^[:alnum:]]|$)|$)"
	case strings.Trim(tail, separators) == "":
		if len(tail) == 1 {
			re += "([^[:alnum:]]|$)"
		}
		return re
	case strings.ContainsFunc(tail, func(r rune) bool { return !letter(r) && !strings.ContainsRune(separators, r) }):
		return re // the version ends inside the pattern
	case letter(last):
		return re + "([^[:alnum:].]|[.]([^0-9]|$)|$)"
	}
	return re + "([^.]|[.]([^0-9]|$)|$)"
}

// search is PATH with the directories of the task's own before what the image has; "": it has none.
func search(t recipe.Task, at string) string {
	var dirs []string
	for _, dir := range t.Path {
		switch {
		case dir == "~":
			dir = home
		case strings.HasPrefix(dir, "~/"):
			dir = path.Join(home, dir[2:])
		case !path.IsAbs(dir):
			dir = path.Join(at, dir)
		}
		dirs = append(dirs, dir)
	}
	return strings.Join(dirs, ":")
}
