package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/nearest"
	"cookoff/internal/pattern"
	"cookoff/recipe/problem"
)

// envName is the file of variables that may lie beside the user's own
// cookoff.toml. That of a project is never read: it is anybody's.
const envName = ".env"

// envFile holds the variables of that file. Its values are keys: no message has one.
type envFile struct {
	path   string // "": there is none
	values map[string]string
	at     map[string]problem.Pos
}

// readEnvFile reads the variables beside the user's own cookoff.toml in dir; "": there
// is no such directory. Its problems are all that are wrong with it.
func readEnvFile(dir string) (envFile, problem.List, error) {
	if dir == "" {
		return envFile{}, nil, nil
	}
	path := filepath.Join(dir, envName)
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return envFile{}, nil, nil
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return envFile{}, nil, fmt.Errorf("reading the keys: %w", err)
	}
	f, problems := parseEnv(path, string(text))
	if others := st.Mode().Perm() & 0o077; others != 0 {
		problems = append(problems, problem.Problem{Pos: problem.Pos{File: path, Line: 1, Col: 1},
			Msg:  fmt.Sprintf("others may read or change this file (mode %04o), and it holds keys", st.Mode().Perm()),
			Hint: "chmod 600 " + path})
	}
	return f, problems, nil
}

var (
	envLine = pattern.New(`^[ \t]*(?:export[ \t]+)?([^=]*?)[ \t]*=[ \t]*(.*?)[ \t]*$`)
	envLoud = pattern.New(`^[A-Z][A-Z_]{2,39}$`)
	envWord = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// parseEnv reads lines NAME=value, empty lines and comments. A value stands as it
// is, or in single or double quotes; nothing in it is expanded.
func parseEnv(path, text string) (envFile, problem.List) {
	f := envFile{path: path, values: map[string]string{}, at: map[string]problem.Pos{}}
	var problems problem.List
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if trimmed := strings.TrimSpace(line); trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		pos := problem.Pos{File: path, Line: n, Col: 1}
		say := func(msg, hint string) { problems = append(problems, problem.Problem{Pos: pos, Msg: msg, Hint: hint}) }
		m := envLine.FindStringSubmatch(line)
		switch {
		case m == nil:
			say("this line has no =", "write NAME=value, or # before a comment")
			continue
		case !envWord.MatchString(m[1]):
			say("what stands before = is no name of a variable", "letters, digits and _, as in OPENAI_API_KEY=value")
			continue
		}
		if was, twice := f.at[m[1]]; twice {
			say(fmt.Sprintf("%s is set twice: in line %d, too", m[1], was.Line), "leave one")
			continue
		}
		value, why := envValue(m[2])
		if why != "" {
			say(m[1]+": "+why, "put the value in single quotes")
			continue
		}
		f.values[m[1]], f.at[m[1]] = value, pos
	}
	return f, problems
}

// envValue takes the quotes off a value, or says what is wrong with it.
func envValue(raw string) (value, why string) {
	if raw == "" {
		return "", "no value stands behind ="
	}
	if q := raw[0]; q == '\'' || q == '"' {
		inner, closed := strings.CutSuffix(raw[1:], string(q))
		switch {
		case !closed:
			return "", "a quote is not closed, or something stands behind it"
		case strings.IndexByte(inner, q) >= 0 || q == '"' && strings.ContainsAny(inner, `\$`+"`"):
			return "", "the value holds a quote, or what a shell would expand"
		case inner == "":
			return "", "the value is empty"
		}
		return inner, ""
	}
	if strings.ContainsAny(raw, " \t#'\"\\$`") {
		return "", "the value holds blanks, quotes, # or what a shell would expand"
	}
	return raw, ""
}

// lookup gives the variables, those of the environment first.
func (f envFile) lookup(env func(string) string) func(string) string {
	return func(name string) string {
		if v := env(name); strings.TrimSpace(v) != "" {
			return v
		}
		return f.values[name]
	}
}

// unread are the variables that no provider asks for: a misspelled one would be
// missed only where its key is.
func (f envFile) unread(providers map[string]provider) problem.List {
	var known []string
	for _, p := range providers {
		known = append(known, p.KeyEnv, p.BaseURLEnv)
	}
	known = slices.DeleteFunc(known, func(name string) bool { return name == "" })
	slices.Sort(known)
	var problems problem.List
	for name, at := range f.at {
		if slices.Contains(known, name) {
			continue
		}
		if !envLoud.MatchString(name) { // it may be a key itself
			name = "what is set here"
		}
		hint := "api_key_env of a provider in cookoff.toml names the variable of its key"
		if near := nearest.Name(name, known); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		problems = append(problems, problem.Problem{Pos: at, Msg: fmt.Sprintf("no provider reads %s", name), Hint: hint})
	}
	problems.Sort()
	return problems
}
