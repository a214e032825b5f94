package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"cookoff/contestant/agents"
	"cookoff/internal/hint"
	"cookoff/internal/nearest"
	"cookoff/internal/pattern"
	"cookoff/model"
	"cookoff/model/openai"
	"cookoff/recipe/problem"

	"github.com/BurntSushi/toml"
)

// file is a cookoff.toml.
type file struct {
	Providers map[string]provider     `toml:"providers"`
	Sandbox   sandbox                 `toml:"sandbox"`
	Prices    map[string]model.Price  `toml:"prices"`
	Models    map[string]traits       `toml:"models"`
	Agents    map[string]agents.Agent `toml:"agents"`
	Recipes   map[string]granted      `toml:"recipes"`
	Hosts     map[string]Host         `toml:"hosts"`
	Confirm   *float64                `toml:"confirm_above_usd"`

	at func(key ...string) problem.Pos
}

type sandbox struct {
	ToolPaths []string `toml:"tool_paths"`
	Backend   string   `toml:"backend"`
	Image     string   `toml:"image"`
	Guest     string   `toml:"guest"`
}

// duration is a time like "90s", or whole seconds.
type duration time.Duration

// UnmarshalTOML takes a string or a whole number.
func (d *duration) UnmarshalTOML(v any) error {
	switch v := v.(type) {
	case string:
		t, err := time.ParseDuration(v)
		if err != nil {
			return fmt.Errorf("%q is no duration, want one like %q or whole seconds", v, "90s")
		}
		*d = duration(t)
	case int64:
		if v < 0 || v > int64(365*24*time.Hour/time.Second) {
			return fmt.Errorf("%d seconds are out of range", v)
		}
		*d = duration(v) * duration(time.Second)
	default:
		return fmt.Errorf("%v is no duration, want one like %q or whole seconds", v, "90s")
	}
	return nil
}

// decode reads text strictly over base, whose providers it takes field by
// field, and gives every problem that it finds.
func decode(name string, text []byte, base file) (file, problem.List) {
	f := file{at: func(key ...string) problem.Pos { return locate(name, text, key) }}
	meta, err := toml.Decode(string(text), &f)
	if err != nil {
		return f, problem.List{broken(name, text, err)}
	}
	var ps problem.List
	add := func(hint string, key []string, format string, args ...any) {
		ps = append(ps, problem.Problem{Pos: f.at(key...), Msg: fmt.Sprintf(format, args...), Hint: hint})
	}
	unknown(meta, add)
	tables(meta, add)
	merged := maps.Clone(base.Providers)
	if merged == nil {
		merged = map[string]provider{}
	}
	for _, id := range slices.Sorted(maps.Keys(f.Providers)) {
		p := f.Providers[id]
		if !meta.IsDefined("providers", id) {
			continue // of a table that is spelled another way, and reported
		}
		p.inherit(meta, id, merged[id])
		merged[id] = p
		p.check(id, add)
	}
	f.Providers = merged
	for _, glob := range slices.Sorted(maps.Keys(f.Models)) {
		if meta.IsDefined("models", glob) {
			f.Models[glob].check(glob, add)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Recipes)) {
		if meta.IsDefined("recipes", name) {
			f.Recipes[name].check(name, add)
		}
	}
	f.Agents = overAgents(meta, f.Agents, base.Agents, add)
	if c := f.Confirm; c != nil && (!(*c >= 0) || math.IsInf(*c, 1)) {
		add("", []string{"confirm_above_usd"}, "confirm_above_usd is %v, want a number of USD from 0", *c)
	}
	for _, id := range slices.Sorted(maps.Keys(f.Prices)) {
		if !meta.IsDefined("prices", id) {
			continue
		}
		for _, key := range []string{"input", "output"} {
			if !meta.IsDefined("prices", id, key) {
				add("", []string{"prices", id}, "the price of %q lacks %s", id, key)
			}
		}
	}
	return f, ps
}

// inherit fills what the file does not say: from the built-in provider of the
// same name, else with defaults.
func (p *provider) inherit(meta toml.MetaData, id string, from provider) {
	if !from.builtin && from.MaxTokensField == "" {
		from.StreamUsage, from.MaxTokensField = true, openai.MaxTokens
	}
	if from.Concurrency == 0 {
		from.Concurrency = defaultConcurrency
	}
	if from.builtin && meta.IsDefined("providers", id, "base_url") {
		// Another server: what is peculiar to the built-in one does not hold,
		// and the environment does not move it.
		from.MaxTokensField, from.BaseURLEnv, from.Dialects = openai.MaxTokens, "", nil
	}
	p.builtin = from.builtin
	own, theirs := reflect.ValueOf(p).Elem(), reflect.ValueOf(from)
	for i := range own.NumField() {
		if key := own.Type().Field(i).Tag.Get("toml"); key != "" && !meta.IsDefined("providers", id, key) {
			own.Field(i).Set(theirs.Field(i))
		}
	}
}

// defaultConcurrency is how many requests at once a provider gets that says
// nothing else: paid endpoints take more, and the number halves by itself where
// one does not.
const defaultConcurrency = 8

// maxConcurrency bounds what a file may say: more requests have no ports of their own at once.
const maxConcurrency = 28_000

type adder func(hint string, key []string, format string, args ...any)

// check says what of a provider can't be meant.
func (p *provider) check(id string, add adder) {
	at := func(key string) []string { return []string{"providers", id, key} }
	if id == "" || strings.ContainsAny(id, "/ \t\n") || id == "baseline" {
		add("a name has no / and no space in it, and is not baseline", []string{"providers", id},
			"no provider can be called %q", id)
	}
	if err := checkURL(p.BaseURL, p.Insecure); err != nil && !p.elsewhere() {
		msg, next := hint.Of(err)
		key := at("base_url")
		if p.BaseURL == "" {
			key = key[:2]
		}
		add(next, key, "%s", msg)
	}
	for _, v := range [][2]string{{"api_key_env", p.KeyEnv}, {"base_url_env", p.BaseURLEnv}} {
		if key, name := v[0], v[1]; name != "" && !isVariable(name) { // perhaps the key itself: it is not repeated
			add("a key itself stands in the environment alone", at(key), "%s is not the name of a variable", key)
		}
	}
	switch p.MaxTokensField {
	case openai.MaxTokens, openai.MaxCompletionTokens:
	default:
		add("", at("max_tokens_field"), "max_tokens_field is %q, want %s or %s", p.MaxTokensField, openai.MaxTokens,
			openai.MaxCompletionTokens)
	}
	if p.Timeout < 0 {
		add("", at("timeout"), "timeout is %v, want 0 or more", time.Duration(p.Timeout))
	}
	if p.IdleTimeout < 0 {
		add("", at("idle_timeout"), "idle_timeout is %v, want 0 or more", time.Duration(p.IdleTimeout))
	}
	if p.Concurrency < 1 || p.Concurrency > maxConcurrency {
		add("", at("concurrency"), "concurrency is %d, want 1 to %d", p.Concurrency, maxConcurrency)
	}
	if h := p.KeyHeader; h != "" && (!headerName.MatchString(h) || strings.EqualFold(h, "authorization")) {
		add("", at("idempotency_header"), "idempotency_header is %q, want the name of a header, as Idempotency-Key", h)
	}
	p.Dialects.check(at("dialect"), add)
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		if looksSecret(name) {
			add("name the variable of a key as api_key_env: a key in a file is not kept out of records", at("headers"),
				"the header %q looks like a key", name)
		}
	}
}

// headerName is the name of a header.
var headerName = pattern.New(`^[A-Za-z0-9-]+$`)

func looksSecret(header string) bool {
	header = strings.ToLower(header)
	return slices.ContainsFunc([]string{"authorization", "cookie", "key", "token", "secret"}, func(word string) bool {
		return strings.Contains(header, word)
	})
}

// unknown reports keys that mean nothing, and what is allowed in their place.
// The library takes a key in any case of letters; here it has one spelling.
func unknown(meta toml.MetaData, add adder) {
	seen := map[string]bool{}
	for _, key := range meta.Keys() {
		for n := range key {
			allowed := keysAt(key[:n])
			if allowed == nil || slices.Contains(allowed, key[n]) {
				continue
			}
			if wrong := key[:n+1]; !seen[wrong.String()] {
				seen[wrong.String()] = true
				add(instead(key[n], allowed), wrong, "unknown key %s, allowed: %s", toml.Key{key[n]},
					strings.Join(allowed, ", "))
			}
			break
		}
	}
}

// instead hints at what an unknown key may have been meant to be.
func instead(key string, allowed []string) string {
	switch key {
	case "api_key", "key", "token":
		return "name the variable that holds the key as api_key_env"
	case "key_env", "env_key", "env":
		return `did you mean "api_key_env"?`
	case "url", "endpoint", "api_base", "host":
		return `did you mean "base_url"?`
	}
	if near := nearest.Name(key, allowed); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// keysAt gives the keys that may stand in a table; nil: any name may.
func keysAt(table toml.Key) (keys []string) {
	t := reflect.TypeFor[file]()
	switch {
	case len(table) == 0:
	case table[0] == "sandbox":
		t = reflect.TypeFor[sandbox]()
	case len(table) != 2:
		return nil
	case table[0] == "providers":
		t = reflect.TypeFor[provider]()
	case table[0] == "prices":
		t = reflect.TypeFor[model.Price]()
	case table[0] == "agents":
		t = reflect.TypeFor[agents.Agent]()
	case table[0] == "recipes":
		t = reflect.TypeFor[granted]()
	case table[0] == "hosts":
		t = reflect.TypeFor[Host]()
	case table[0] == "models":
		t = reflect.TypeFor[traits]()
	}
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("toml"); key != "" && key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}

// typeError is how the library words a value of another type.
var typeError = pattern.New(`(?s)^toml: line (\d+) \(last key "((?:[^"\\]|\\.)*)"\): (.*)$`)

// Lines that are no TOML, as people write them who know other formats.
var (
	unquoted = pattern.New(`^\s*([\w-]+)\s*=\s*[^"'\[{\s#]`)
	coloned  = pattern.New(`^\s*[\w"-]+\s*:(\s|$)`)
	numeral  = pattern.New(`=\s*[+-]?[\d_]+(\.\d+)?\s*(#.*)?$`)
	small    = pattern.New(`(?i)=\s*(true|false)\s*(#.*)?$`)
)

// isTOML says how a file of settings is written.
const isTOML = "this file is TOML: [providers.NAME] in a line of its own begins a table, " +
	"and lines of key = value follow"

// broken makes a problem of what is no TOML, or has a value of another type.
func broken(name string, text []byte, err error) problem.Problem {
	p := problem.Problem{Pos: problem.Pos{File: name, Line: 1, Col: 1}, Msg: strings.TrimPrefix(err.Error(), "toml: ")}
	pe := toml.ParseError{}
	if errors.As(err, &pe) {
		p.Pos.Line, p.Pos.Col, p.Msg = max(pe.Position.Line, 1), max(pe.Position.Col, 1), pe.Message
		line := ""
		if lines := strings.Split(string(text), "\n"); p.Pos.Line <= len(lines) {
			line = lines[p.Pos.Line-1]
		}
		if m := unquoted.FindStringSubmatch(line); m != nil && !numeral.MatchString(line) {
			p.Msg = fmt.Sprintf("what stands behind %s is no value of TOML", m[1]) // it may be a key, and is not repeated
			p.Hint = fmt.Sprintf(`a text stands in quotes: %s = "…"`, m[1])
			if small.MatchString(line) {
				p.Hint = "true and false are written in small letters"
			}
		} else if coloned.MatchString(line) {
			p.Hint = isTOML
		}
	} else if m := typeError.FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1]) // digits only
		p.Pos.Line, p.Msg = max(line, 1), m[3]
		if t := otherType.FindStringSubmatch(m[3]); t != nil {
			p.Msg = fmt.Sprintf("%s wants %s, found %s", m[2], typeName(t[2]), typeName(t[1]))
		} else if t := noTable.FindStringSubmatch(m[3]); t != nil {
			p.Msg = fmt.Sprintf("%s wants a table, found %s", m[2], typeName(t[1]))
		}
	}
	return p
}

// Types of values that are not what they should be, as the library says so.
var (
	otherType = pattern.New(`^incompatible types: TOML value has type (\S+); destination has type (\S+)$`)
	noTable   = pattern.New(`^type mismatch for \S+: expected table but found (\S+)$`)
)

// byNames are the keys whose tables have names.
var byNames = []string{"providers", "prices", "models", "agents", "recipes", "hosts"}

// tables reports a value where tables by name are wanted: the library passes over it.
func tables(meta toml.MetaData, add adder) {
	for _, key := range meta.Keys() {
		byName := len(key) == 1 && slices.Contains(byNames, key[0]) ||
			len(key) == 3 && key[0] == "providers" && key[2] == "headers"
		if t := meta.Type(key...); byName && t != "Hash" {
			add("", key, "%s wants a table, found %s", key, typeName(strings.ToLower(t)))
		}
	}
}

// typeName gives a type of Go's or TOML's the name that people use.
func typeName(t string) string {
	switch {
	case t == "string":
		return "a text in quotes"
	case strings.HasPrefix(t, "int"), strings.HasPrefix(t, "uint"), t == "integer":
		return "a whole number"
	case strings.HasPrefix(t, "float"):
		return "a number"
	case t == "bool", t == "boolean":
		return "true or false"
	case strings.HasPrefix(t, "[]"), t == "slice", t == "array":
		return "a list in [ ]"
	case strings.HasPrefix(t, "map"), t == "struct", t == "table":
		return "a table"
	}
	return "a " + t
}

// locate finds where a key stands: the library does not tell. The beginnings
// of the file are decoded, line by line, until one has it.
func locate(name string, text []byte, key []string) problem.Pos {
	lines := strings.SplitAfter(string(text), "\n")
	first := 0 // of the lines that belong to one value
	for n := range lines {
		var v map[string]any
		meta, err := toml.Decode(strings.Join(lines[:n+1], ""), &v)
		if err != nil {
			continue
		}
		if meta.IsDefined(key...) {
			return problem.Pos{File: name, Line: first + 1,
				Col: 1 + max(0, strings.Index(lines[first], key[len(key)-1]))}
		}
		first = n + 1
	}
	return problem.Pos{File: name}
}

func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// tomlKey writes a key as TOML does.
func tomlKey(name string) string { return toml.Key{name}.String() }
