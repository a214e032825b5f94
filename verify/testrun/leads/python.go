package leads

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// ofPython run commands that pyproject.toml, hatch.toml or Pipfile names: all but poe are known by the words that run
// something in a project's environment.
var ofPython = Program{names: []string{"poe"}, ask: askPython}

// pythonRun is where the words begin by which a command runs in a project's own environment; the length of before:
// there are none.
func pythonRun(before []string) int {
	for at := len(before) - 2; at >= 0; at-- {
		if before[at+1] == "run" &&
			slices.Contains([]string{"hatch", "pdm", "pipenv", "rye", "poetry", "uv"}, path.Base(before[at])) {
			return at
		}
	}
	return len(before)
}

// Environment gives the words by which a command runs in a project's own environment, of those that start it; none.
func Environment(before []string) []string { return before[pythonRun(before):] }

// ofPythonProject reports whether the words behind "hatch run" and the like may be the name of a script.
func ofPythonProject(argv []string) bool {
	return scriptName.MatchString(argv[0]) && testsByName.MatchString(strings.ReplaceAll(argv[0], ":", "-"))
}

var scriptName = pattern.New(`^[\w.:-]+$`)

// askPython gives a command that prints what a script of a Python project is.
func askPython(argv []string) string {
	name := 2 // behind "hatch run"
	if at := slices.IndexFunc(argv, func(w string) bool { return path.Base(w) == "poe" }); at >= 0 {
		name = at + 1
	}
	if len(argv) < name {
		return ""
	}
	before, tool := argv[:name], path.Base(argv[0])
	if path.Base(argv[name-1]) == "poe" {
		before, tool = argv[:name-1], "poe"
	}
	for name < len(argv) && strings.HasPrefix(argv[name], "-") {
		name++
	}
	if name == len(argv) || !scriptName.MatchString(argv[name]) {
		return ""
	}
	return quoted(slices.Concat([]string{"python3", "-I", "-c", pythonSays, tool, quoted(before)}, argv[name:]))
}

// pythonSays prints the commands of a script of a project, each in a shell of its own behind the words that run it in
// the project's environment. It is told the tool, those words, and the script with its arguments.
const pythonSays = `import re, shlex, sys
try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib

tool, before, name, *more = sys.argv[1:]

def table(file, *keys):
    try:
        with open(file, "rb") as f:
            found = tomllib.load(f)
    except OSError:
        return {}
    for key in keys:
        found = found.get(key, {}) if isinstance(found, dict) else {}
    return found if isinstance(found, dict) else {}

if tool == "hatch":
    env, _, name = name.rpartition(":")
    scripts = {}
    for env in ["default", env or "default"]:
        scripts.update(table("pyproject.toml", "tool", "hatch", "envs", env, "scripts"))
        scripts.update(table("hatch.toml", "envs", env, "scripts"))
elif tool == "pipenv":
    scripts = table("Pipfile", "scripts")
elif tool == "poe":
    scripts = {**table("poe_tasks.toml", "tool", "poe", "tasks"), **table("poe_tasks.toml", "tasks"),
               **table("pyproject.toml", "tool", "poe", "tasks")}
else:
    scripts = table("pyproject.toml", "tool", tool, "scripts")

def say(lead, text):
    print("(\n" + lead + text + "\n)")

def line(text, more, lead, seen, shell=False):
    first, _, rest = text.strip().partition(" ")
    if first in scripts and first not in seen and not shell:
        return run(first, scripts[first], (shlex.split(rest) if rest else []) + more, lead, seen)
    given = re.sub(r"\{args(:[^}]*)?\}", lambda m: shlex.join(more) or (m[1] or ":")[1:], text)
    if given == text and tool != "hatch" and more and not shell:
        given += " " + shlex.join(more)
    say(lead, (before + " " if before else "") + ("bash -c " + shlex.quote(given) if shell else given))

def run(name, value, more, lead, seen):
    seen = seen | {name}
    if isinstance(value, dict):
        where = value.get("cwd") or value.get("working_dir")
        if isinstance(where, str):
            lead += "cd " + shlex.quote(where) + " || exit\n"
        env = value.get("env")
        for key, of in (env.items() if isinstance(env, dict) else ()):
            if isinstance(of, str) and key.isidentifier():
                lead += "export " + key + "=" + shlex.quote(of) + "\n"
        if isinstance(value.get("shell"), str):
            return line(value["shell"], more, lead, seen, shell=True)
        if isinstance(value.get("cmd"), list):
            return line(shlex.join(map(str, value["cmd"])), more, lead, seen)
        value = next((value[k] for k in ("cmd", "sequence", "composite", "chain", "ref") if k in value), None)
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str):
            line(part, more, lead, seen)
        elif isinstance(part, dict):
            run(name, part, more, lead, seen)

if name in scripts:
    run(name, scripts[name], more, "", frozenset())
`
