package propose

import (
	"strings"

	"cookoff/internal/pattern"
)

// lints are scripts that look at how code is written and typed, or ask a registry about it: models are judged by tests.
var lints = pattern.New(`^(npm (run |run-script )?(-s |--silent )?|yarn |pnpm )?(run )?(tests?[:-])?` +
	`(lint|eslint|standard|semistandard|xo|prettier|biome|oxlint|jshint|jscs|readme|audit|aud|tsd|tsc|attw|publint|` +
	`typecheck|type-check|check-types|types|typescript|format|size|size-limit)([ :]|$)|` +
	`^npx (-y )?['"]?(npm@\S+ audit|aud|eslint|standard|prettier|biome|tsd|tsc|publint|attw)\b`)

// compiles are calls of TypeScript's compiler that write what tests run.
var compiles = pattern.New(`^(npx )?tsc\b`)

// lint reports whether a part of a script is one of lints.
func lint(part string) bool {
	return lints.MatchString(part) && (!compiles.MatchString(part) || strings.Contains(part, "--noEmit"))
}

// TestsOf gives the command that runs the script "test" of a text of package.json by npm, without the lints that are in
// it and around it, and what its tests are piped into to be shown, where that can be; "": there is none.
func TestsOf(manifest string) string {
	scripts := scriptsOf(manifest)
	script, around := scripts["test"], lintsAround(scripts)
	if script == "" || strings.Contains(script, noScript) {
		return ""
	}
	if tests := testsAlone(scripts); tests != "" {
		return tests
	}
	by := "npm test"
	if around {
		by += " --ignore-scripts"
	}
	return running(by, script)
}

// testsAlone gives the command that tests in the script "test", without lints and what shows tests, called from outside
// of npm and its kin; "": the script has none of these, or that can't be told.
func testsAlone(scripts map[string]string) string {
	tests := unlinted(scripts["test"])
	if tests == "" || scripts["pretest"] != "" && !lintsAround(scripts) {
		return ""
	}
	return running(tests, tests)
}

// lintsAround reports whether what npm runs before and after the script "test" is nothing but lints.
func lintsAround(scripts map[string]string) bool {
	around := 0
	for _, name := range []string{"pretest", "posttest"} {
		for part := range strings.SplitSeq(scripts[name], "&&") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			if around++; !lint(part) {
				return false
			}
		}
	}
	return around > 0
}

var (
	plainPart = pattern.New("^[^;|&<>()`$]+$") // one call
	sets      = pattern.New(`^(?:[A-Za-z_]\w*=\S* +)+`)
	ofSystem  = pattern.New(`^(node|npm|npx|yarn|pnpm|bun|sh|bash|make|deno|` +
		`cd|cp|echo|export|mkdir|mv|printf|rm|touch|true|\.{0,2}/\S*|node_modules/\S*)( |$)`)
)

// localPrograms is how npm finds programs of packages; npx asks a registry for what is not there.
const localPrograms = `PATH="$PWD/node_modules/.bin:$PATH" `

// callsOther are programs that call one of another package.
var callsOther = pattern.New(`^(c8|nyc|cross-env|dotenv|env-cmd)\s`)

// unlinted is what is left of a script of package.json without the lints in it, and what shows its tests, as it is
// called from outside of npm; "": there are none, or it can't be told.
func unlinted(script string) string {
	if text, dropped := outsideNpm(script); dropped {
		return text
	}
	return ""
}

// shows is the end of a part of a script that only shows what tests print, or keeps it: a pipe ends as that does.
var shows = pattern.New(`(\s+2>&1)?\s*\|\s*(npx )?(tap-[\w-]+|tap(dance|edown|ify)|faucet|colortape|tnyan|` +
	`pino-pretty|bunyan|snazzy|tee|cat)( [^;|&<>()` + "`" + `$]*)?$`)

// outsideNpm is a script without its lints, and what shows its tests, as it is called from outside of npm, and whether
// there were some; "": it can't be told.
func outsideNpm(script string) (text string, dropped bool) {
	var kept []string
	for part := range strings.SplitSeq(oneByOne(script), "&&") {
		part = strings.TrimSpace(part)
		if alone := shows.ReplaceAllString(part, ""); alone != part {
			part, dropped = alone, true
		}
		switch {
		case !plainPart.MatchString(part):
			return "", false
		case lint(part):
			dropped = true
			continue
		}
		head := sets.FindString(part)
		if rest := part[len(head):]; !ofSystem.MatchString(rest) {
			part = head + localPrograms + rest
			if !callsOther.MatchString(rest) {
				part = head + "node_modules/.bin/" + rest
			}
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, " && "), dropped
}

// mostInlined is how many scripts lead to another.
const mostInlined = 3

// byScript is a call of another script of the same package.
var byScript = pattern.New(`^npm (?:run|run-script) (?:-s |--silent )?([\w:.-]+)$`)

// DirectTests gives the command that a text of package.json has npm run as its tests, called without npm, so that the
// programs in it can be told more: the scripts that it calls stand in it, lints don't. "": it can't be told, or
// something is around it.
func DirectTests(manifest string) string {
	scripts := scriptsOf(manifest)
	script := scripts["test"]
	if script == "" || strings.Contains(script, noScript) ||
		scripts["pretest"]+scripts["posttest"] != "" && !lintsAround(scripts) {
		return ""
	}
	for range mostInlined {
		var parts []string
		for part := range strings.SplitSeq(oneByOne(script), "&&") {
			part = strings.TrimSpace(part)
			if m := byScript.FindStringSubmatch(part); m != nil && scripts[m[1]] != "" && !lint(part) &&
				scripts["pre"+m[1]]+scripts["post"+m[1]] == "" {
				part = scripts[m[1]]
			}
			parts = append(parts, part)
		}
		script = strings.Join(parts, " && ")
	}
	text, _ := outsideNpm(script)
	if text == "" {
		return ""
	}
	return running(text, script)
}

// runsScripts is npm-run-all, told to run scripts one after another.
var runsScripts = pattern.New(`^(?:run-s|npm-run-all)((?: +(?:-s|-n|-l|--serial|--silent|\w[\w:.-]*))+)$`)

// oneByOne is a script that runs other scripts, with a call of npm for each.
func oneByOne(script string) string {
	var parts []string
	for part := range strings.SplitSeq(script, "&&") {
		part = strings.TrimSpace(part)
		m := runsScripts.FindStringSubmatch(part)
		if m == nil {
			parts = append(parts, part)
			continue
		}
		for word := range strings.FieldsSeq(m[1]) {
			if !strings.HasPrefix(word, "-") {
				parts = append(parts, "npm run "+word)
			}
		}
	}
	return strings.Join(parts, " && ")
}
