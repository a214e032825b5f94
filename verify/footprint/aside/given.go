package aside

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// What a program does with what it is given.
const (
	AsCode    = "runs as a program what it is given"
	AsCommand = "has a shell run what it is given"
	AsObjects = "builds any objects of what it is given"
)

// kinds are calls by language that run what stands behind them, if it is not written down: up to the parenthesis.
var kinds = map[string]map[string]*pattern.Pattern{
	".py": {
		AsCode: pattern.New(`(?:^|[^.\w])(?:builtins\.)?(?:eval|exec)\(`),
		AsCommand: pattern.New(`\b(?:os\.(?:system|popen)|(?:subprocess\.|\b)(?:getoutput|getstatusoutput))\(|` +
			`\b(?:run|call|check_call|check_output|Popen)\((?:[^\n]|\n){0,300}?\bshell\s*=\s*True|` +
			`\bcreate_subprocess_shell\(`),
		AsObjects: pattern.New(`\b(?:c?[pP]ickle|_pickle|dill|cloudpickle|marshal|jsonpickle|joblib)\.(?:loads?|decode|` +
			`Unpickler)\(|\byaml\.(?:unsafe_load|load)(?:_all)?\(`),
	},
	".js": {
		AsCode: pattern.New(`(?:^|[^.\w$])(?:eval|(?:new\s+)?Function)\(|[)\]}'"]\.constructor\(|` +
			`\b(?:runIn(?:This|New)?Context|vm\.compileFunction)\(|\bnew\s+(?:vm\.)?Script\(`),
		AsCommand: pattern.New(`(?:^|[^.\w$]|\b(?:child_process|childProcess|cp)\.)exec(?:Sync)?\(|` +
			`\bspawn(?:Sync)?\((?:[^\n]|\n){0,300}?\bshell\s*:\s*true`),
	},
	".go": {
		AsCommand: pattern.New(`\bexec\.Command(?:Context)?\((?:[^"\n]*,)?\s*"(?:/bin/|/usr/bin/)?(?:ba|da|z)?sh"\s*,\s*` +
			`"-\w*c"\s*,`),
	},
	".c": {
		AsCommand: pattern.New(`(?:^|[^.\w>])(?:system|popen)\(|\bexeclp?\(\s*"[^"]*\bsh"\s*,\s*"[^"]*"\s*,\s*"-\w*c"\s*,`),
	},
	".rb": {
		AsCode:    pattern.New(`(?:^|[^.\w])(?:\w+\.)?(?:instance_|class_|module_)?eval(?:\(|[ \t]+)`),
		AsObjects: pattern.New(`\bMarshal\.load\(|\bYAML\.unsafe_load\(`),
	},
	".php": {
		AsCode:    pattern.New(`(?:^|[^\w>:$])(?:eval|create_function)\s*\(`),
		AsCommand: pattern.New(`(?:^|[^\w>:$])(?:shell_exec|exec|system|passthru|popen|proc_open)\(`),
		AsObjects: pattern.New(`(?:^|[^\w>:$])unserialize\(`),
	},
	".pl": {
		AsCode:    pattern.New(`\beval[ \t(]+(?:[$"]|q+\b)`),
		AsCommand: pattern.New(`\bsystem[ \t(]+"[^"\n]*[$@]`),
	},
	".java": {
		AsCommand: pattern.New(`"(?:/bin/)?(?:ba)?sh"\s*,\s*"-\w*c"\s*,`),
		AsObjects: pattern.New(`\bnew ObjectInputStream\(`),
	},
	".lua": {
		AsCode:    pattern.New(`(?:^|[^.\w:])(?:load|loadstring)\(`),
		AsCommand: pattern.New(`\b(?:os\.execute|io\.popen)\(`),
	},
}

var (
	// textual is an argument that is a text with nothing put into it, and nothing behind it.
	textual = pattern.New(`^\s*[rbuLR]?(?:"(?:[^"\\\n]|\\.)*"|` +
		`'(?:[^'\\\n]|\\.)*'|"""[^"]*"""|\x60[^\x60$]*\x60)\s*(?:[,);]|$)`)
	// constructed are calls that are given the names of parameters before a text that is run, and parameter is one.
	constructed = pattern.New(`(?:Function|constructor)\($`)
	parameter   = pattern.New(`^\s*(?:"[\w, $]*"|'[\w, $]*'),\s*`)
	// bareName is an argument that is a name.
	bareName = pattern.New(`^\s*([A-Za-z_]\w*)\s*[,)]`)
	// listed is an argument that is a list of words, which no shell reads.
	listed = pattern.New(`^\s*[\[(]`)
	// blocks are arguments that are code, or nothing; and definitions of functions of these names.
	blocks = pattern.New(`^\s*(?:[&{]|do\b|\)|=|<<|$)`)
	// quotes is how what is given is made one word for a shell, or only one kind of object is built.
	quotes = pattern.New(`(?i)shlex\.|quote|escapeshellarg|escapeshellcmd|shellescape|JSON\.stringify|` +
		`allowed_classes|(?:Safe|Full|Base)Loader|literal_eval`)
	// definition is how a line begins that defines a function of such a name, or only loads it.
	definition = pattern.New(`^\s*(?:async\s+)?(?:def|function|func|export|import|from|static|int|FILE)\b|` +
		`[=:]\s*(?:async\s+)?function\b|\brequire\(|\bpromisify\(`)
	// released is how a program that sets up a package reads which release it is of.
	released = pattern.New(`(?i)version|about|release|setup\(`)
	// constants are names of what does not change.
	constants = pattern.New(`\$\{(?:[A-Z][A-Z0-9_]*|__dirname|__filename|process\.(?:execPath|cwd\(\)|pid))\}`)
	// cached is what a program itself has kept.
	cached = pattern.New(`(?i)cache|memo|checkpoint|deepcopy|dumps\(`)
	// keeps is how a program keeps objects, which it may build again.
	keeps = pattern.New(`\b(?:pickle|dill|marshal|joblib|Marshal)\.dumps?\(|\bserialize\(|\bObjectOutputStream\(`)
)

// IsOfRunning reports whether a prompt speaks of programs that run what they are given.
func IsOfRunning(prompt string) bool { return ofRunning.MatchString(prompt) }

var ofRunning = pattern.New(`(?i)\b(eval|exec|pickle|unpickl|deserial|marshal|shell=True|plugin|` +
	`scripts?\s+of\s+(the\s+)?user|expression|formula|template engine|repl|pipes?|pipelines?|` +
	`(?:shell|users?.?|own|any|custom|configured)\s+commands?|commands?\s+(?:from|of|in|with)|hooks?)\b`)

// starting is how a program of JavaScript can start others.
var starting = pattern.New(`child_process|shelljs|\bexeca\b`)

// Runs are the ways in which a program has come to run what it is given. They are sorted.
func (t Text) Runs() (list []string) {
	for kind, call := range kinds[t.Language] {
		if kind == AsCommand && t.Language == ".js" && !starting.MatchString(t.Lines+t.Was) {
			continue // another function of that name
		}
		own := kind == AsObjects && keeps.MatchString(t.Lines)
		if !own && runsAny(call, t.Lines, kind) && !runsAny(call, t.Was, kind) {
			list = append(list, kind)
		}
	}
	slices.Sort(list)
	return list
}

// runsAny reports whether lines have a call whose argument is not written down.
func runsAny(call *pattern.Pattern, lines, kind string) bool {
	for _, at := range call.FindAllStringIndex(lines, -1) {
		from := strings.LastIndexByte(lines[:at[0]+1], '\n') + 1
		begin := lines[from:at[1]]
		open := at[1]
		if strings.Contains(begin, "shell") { // the argument stands behind the name of the function
			open = at[0] + strings.IndexByte(lines[at[0]:], '(') + 1
		}
		end := len(lines)
		if n := strings.IndexByte(lines[open:], '\n'); n >= 0 {
			end = open + n
		}
		argument := constants.ReplaceAllString(lines[open:end], "")
		if strings.TrimSpace(argument) == "" { // it stands in the next line
			next, _, _ := strings.Cut(lines[min(end+1, len(lines)):], "\n")
			argument = constants.ReplaceAllString(next, "")
		}
		for isBody := constructed.MatchString(begin); isBody && parameter.MatchString(argument); {
			argument = parameter.ReplaceAllString(argument, "")
		}
		line := begin + lines[at[1]:max(at[1], end)]
		switch {
		case textual.MatchString(argument), isText(argument, lines), blocks.MatchString(argument), definition.MatchString(begin),
			quotes.MatchString(line), kind == AsCommand && listed.MatchString(argument),
			kind == AsCode && released.MatchString(line), kind == AsObjects && cached.MatchString(line):
			continue
		}
		return true
	}
	return false
}

// isText reports whether an argument is a name that lines give nothing but texts that are written down.
func isText(argument, lines string) bool {
	m := bareName.FindStringSubmatch(argument)
	if m == nil {
		return false
	}
	isGiven := false
	for line := range strings.Lines(lines) {
		before, value, is := strings.Cut(line, "=")
		before = strings.TrimSpace(before)
		words := strings.Fields(strings.TrimRight(before, "+: "))
		if !is || strings.HasPrefix(value, "=") || len(words) == 0 || words[len(words)-1] != m[1] {
			continue
		}
		if strings.HasSuffix(before, "+") || !textual.MatchString(value) {
			return false
		}
		isGiven = true
	}
	return isGiven
}
