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
		if b.Live {
			why = append(why, liveCheck)
		}
		if b.VersionCommand != "" {
			why = append(why, "verify: version_command asks the start, which Harbor's verifier does not have")
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
// they must.
func block(b checks.Block) string {
	version, _ := versionOf(b) // Refused looked at it
	var s strings.Builder
	if b.Binary != "" {
		fmt.Fprintf(&s, "p=$(type -P -- %s) && [ -f \"$p\" ] && [ -x \"$p\" ] || exit 1\n", quote(b.Binary))
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
				fmt.Fprintf(&s, "re=%s\n[[ $text =~ $re ]] || exit 1\n", quote(whole(pattern, version)))
			} else {
				fmt.Fprintf(&s, "[[ $text == *%s* ]] || exit 1\n", quote(pattern))
			}
		}
	}
	return s.String()
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
