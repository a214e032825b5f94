package propose

import "cookoff/internal/pattern"

// lacks are what programs say that miss something which the sandbox, without a
// network, can't fetch, and what helps.
var lacks = []struct {
	says *pattern.Pattern
	hint string
}{
	{pattern.New(`GOPROXY=off|GOFLAGS=-mod=mod|missing go\.sum entry|cannot find module providing`),
		"trials have no network and don't see your module cache: go mod vendor puts what is needed into the project"},
	{pattern.New(`Cannot find (module|package) '[^./]|ERR_MODULE_NOT_FOUND|: not found\n.*npm|(jest|vitest|mocha|tsc): not found`),
		"trials have no network: npm install, before cookoff, puts what is needed into node_modules"},
	{pattern.New(`No module named |ModuleNotFoundError`),
		"trials see the project's .venv, or the interpreter that your PATH finds: install what is missing there " +
			"(python3 -m venv .venv && .venv/bin/pip install -r requirements.txt)"},
	{pattern.New(`(?i)no matching package named|failed to (get|download|load source)|crates\.io`),
		"trials have no network: cargo vendor puts what is needed into the project"},
	{pattern.New(`(?i)offline mode|could not resolve (dependencies|all)|no cached version`),
		"trials have no network: what mvn or gradle fetch must lie in the project, or below tool_paths"},
}

// Hint says what a test command that failed probably lacks, by its output; ""
// where nothing tells.
func Hint(output string) string {
	for _, l := range lacks {
		if l.says.MatchString(output) {
			return l.hint
		}
	}
	return ""
}
