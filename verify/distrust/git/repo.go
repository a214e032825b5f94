package git

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// maxRepos bounds the repositories of a state that are looked at, those
// nearest to the project's root first.
const maxRepos = 20

// Repo is what a git repository says of itself.
type Repo struct {
	config map[string]string // its own settings, the last value of each
	flags  map[string]string // path -> tag of "git ls-files -v", of the files that git is told not to look at
	rooted bool              // its files are where it lies
	cut    bool              // there is more to it than can be told
}

var (
	gitWord   = pattern.New(`\bgit\b`)
	flagsWord = pattern.New(`\bls-files\b.* -\w*[vtf]`) // shows the flags of an index
)

// Asked reports whether one of the scripts asks git.
func Asked(scripts []string) bool { return slices.ContainsFunc(scripts, gitWord.MatchString) }

// FlagsAsked reports whether one of the scripts looks at the flags of an index.
func FlagsAsked(scripts []string) bool {
	return slices.ContainsFunc(scripts, flagsWord.MatchString)
}

// In reports whether a state holds a repository.
func In(m sandbox.Manifest) bool { return len(reposIn(m)) > 0 }

// reposIn gives the directories of a state that hold a .git.
func reposIn(m sandbox.Manifest) []string {
	var dirs []string
	for _, f := range m {
		if path.Base(f.Path) == ".git" {
			dirs = append(dirs, path.Dir(f.Path))
		}
	}
	slices.SortStableFunc(dirs,
		func(a, b string) int { return cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")) })
	return dirs[:min(len(dirs), maxRepos)]
}

// gitEnv is for the judge's own questions: no hook and no monitor runs.
func gitEnv(settings map[string]string) []string {
	all := map[string]string{"core.hookspath": "/dev/null"}
	maps.Copy(all, settings)
	return append(env(all), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0",
		"GIT_LITERAL_PATHSPECS=1", "LC_ALL=C")
}

// askGit asks git in a directory; "" where it has no answer.
func askGit(ctx context.Context, sb sandbox.Sandbox, dir, script string, env []string) (string, error) {
	res, err := sb.Exec(ctx, sandbox.Cmd{Script: script, Dir: tree.Inside(dir), Env: env})
	if err != nil || !res.OK() {
		return "", err
	}
	if res.Cut > 0 {
		return cutShort, nil
	}
	return string(res.Stdout), nil
}

// cutShort is what askGit gives for an answer that is too long.
const cutShort = "\x00cut\x00"

// describe asks a repository about itself. What it can't say is left out.
// Errors are the sandbox's.
func describe(ctx context.Context, sb sandbox.Sandbox, dir string) (*Repo, error) {
	r := &Repo{config: map[string]string{}, flags: map[string]string{}}
	var answers [3]string
	for i, script := range []string{"git config --list --includes -z", rootOf, "git ls-files -v -z | grep -zv '^H '"} {
		var err error
		if answers[i], err = askGit(ctx, sb, dir, script, gitEnv(nil)); err != nil {
			return nil, err
		}
		r.cut = r.cut || answers[i] == cutShort
	}
	for item := range strings.SplitSeq(answers[0], "\x00") {
		key, value, has := strings.Cut(item, "\n")
		if !has {
			value = "true"
		}
		if key != "" {
			r.config[key] = value
		}
	}
	r.rooted = answers[1] != ""
	for item := range strings.SplitSeq(answers[2], "\x00") {
		if tag, file, ok := strings.Cut(item, " "); ok {
			r.flags[file] = tag
		}
	}
	return r, nil
}

// rootOf prints where the repository's files are, if that is where it lies.
const rootOf = `r=$(git rev-parse --show-toplevel) && [ "$r" = "$(pwd -P)" ] && printf %s "$r"`

// Describe describes the repositories of a state, by directory. Errors are the
// sandbox's.
func Describe(ctx context.Context, sb sandbox.Sandbox, m sandbox.Manifest) (map[string]*Repo, error) {
	all := map[string]*Repo{}
	for _, dir := range reposIn(m) {
		r, err := describe(ctx, sb, dir)
		if err != nil {
			return nil, err
		}
		all[dir] = r
	}
	return all, nil
}

var denying = pattern.New(
	`^(core\.(filemode|symlinks|ignorecase)` +
		`|diff\.(external|ignoresubmodules|relative|(.+\.)?(command|textconv))` +
		`|submodule\..+\.ignore|status\.showuntrackedfiles|filter\..+\.(clean|process|required))$`)

// plainDiff stands in for a diff driver that was put in: git hands it old and
// new file as words 2 and 5.
const plainDiff = `d() { diff -u "$2" "$5"; :; }; d`

// harmlessValue is what a setting that makes changes invisible is by itself.
func harmlessValue(key string) string {
	switch last := key[strings.LastIndexByte(key, '.')+1:]; last {
	case "filemode", "symlinks":
		return "true"
	case "external", "command":
		return plainDiff
	case "textconv":
		return "cat"
	case "ignoresubmodules", "ignore":
		return "none"
	case "required", "relative", "ignorecase":
		return "false"
	case "showuntrackedfiles":
		return "normal"
	}
	return ""
}

// believed gives the settings that a check hears instead of those in now: what
// the start had, of each that could make changes invisible.
func believed(start, now *Repo) map[string]string {
	out := map[string]string{}
	for key, value := range now.config {
		if !denying.MatchString(key) {
			continue
		}
		was, had := "", false
		if start != nil {
			was, had = start.config[key]
		}
		if !had {
			was = harmlessValue(key)
		}
		if value != was {
			out[key] = was
		}
	}
	return out
}

// Flagged gives the files that git is told something else of now than it was:
// not to look at them, or to look again.
func Flagged(start, now map[string]*Repo) (files []string) {
	for dir, r := range now {
		for file, tag := range r.flags {
			if was := start[dir]; was == nil || was.flags[file] != tag {
				files = append(files, file)
			}
		}
	}
	return files
}
