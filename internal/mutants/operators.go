package mutants

import "cookoff/internal/pattern"

// operator is a word or sign that another takes the place of.
type operator struct {
	what *pattern.Pattern // its first group is replaced
	to   []string
	kind string
}

var common = []operator{
	{pattern.New(`[\w)\]] (==) `), []string{"!="}, "comparison"}, {pattern.New(` (!=) `), []string{"=="}, "comparison"},
	{pattern.New(` (<=) `), []string{"<", ">"}, "boundary"}, {pattern.New(` (>=) `), []string{">", "<"}, "boundary"},
	{pattern.New(`[\w)\]] (<) [\w(-]`), []string{"<=", ">"}, "boundary"}, {pattern.New(`[\w)\]] (>) [\w(-]`),
		[]string{">=", "<"}, "boundary"},
	{pattern.New(`[\w)\]] (\+) [\w(]`), []string{"-"}, "arithmetic"}, {pattern.New(`[\w)\]] (-) [\w(]`), []string{"+"},
		"arithmetic"},
	{pattern.New(`[\w)\]] (\*) [\w(]`), []string{"+"}, "arithmetic"},
	{pattern.New(`[\w)\]] (//?) [\w(]`), []string{"*"},
		"arithmetic"},
	{pattern.New(`[\w)\]] (%) [\w(]`), []string{"+"}, "arithmetic"},
	{pattern.New(` (\+=) `), []string{"-=", "="}, "assignment"}, {pattern.New(` (-=) `), []string{"+="}, "assignment"},
	{pattern.New(`^\s*(break)\b`), []string{"continue"}, "flow"}, {pattern.New(`^\s*(continue)\b`), []string{"break"},
		"flow"},
	{pattern.New(`\b(min)\(`), []string{"max"}, "choice"}, {pattern.New(`\b(max)\(`), []string{"min"}, "choice"},
	{pattern.New(`(\.(?:trim|trimStart|trimEnd|toLowerCase|toUpperCase|strip|lstrip|rstrip|lower|upper|casefold|` +
		`title|capitalize|reverse|reversed|sort|sorted|normalize|to_lowercase|to_uppercase|abs|sqrt)\(\))`),
		[]string{""}, "call"},
}

var pythonOnly = []operator{
	{pattern.New(` (and) `), []string{"or"}, "logic"}, {pattern.New(` (or) `), []string{"and"}, "logic"},
	{pattern.New(`\b(not) (?:[^i]|i[^n])`), []string{""}, "negation"}, {pattern.New(` (not in) `), []string{"in"},
		"comparison"},
	{pattern.New(` (is not) `), []string{"is"}, "comparison"},
	{pattern.New(`\w (is) (?:[^n]|n[^o])`), []string{"is not"}, "comparison"},
	{pattern.New(`^\s*(?:if|elif|while) .*(?:[a-su-zA-Z0-9_)\]]|[^o]t|[^n]ot) (in) `), []string{"not in"}, "comparison"},
	{pattern.New(`\b(True)\b`), []string{"False"}, "constant"},
	{pattern.New(`\b(False)\b`), []string{"True"}, "constant"},
	{pattern.New(`^\s*(?:if|elif|while) ()[\w.]+(?:\(.*\))?:`), []string{"not "}, "negation"},
	{pattern.New(`\b(any)\(`), []string{"all"}, "choice"}, {pattern.New(`\b(all)\(`), []string{"any"}, "choice"},
	{pattern.New(`\b(lstrip)\(`), []string{"rstrip"}, "choice"}, {pattern.New(`\b(startswith)\(`), []string{"endswith"},
		"choice"},
}

// operand is a number, a name or a text.
const operand = `-?[\w.]+`

// swap stands for the two sides of what is replaced, in each other's place.
const swap = "\x00"

var signsOnly = []operator{
	{pattern.New(` (===) `), []string{"!=="}, "comparison"}, {pattern.New(` (!==) `), []string{"==="}, "comparison"},
	{pattern.New(` (&&) `), []string{"||"}, "logic"}, {pattern.New(` (\|\|) `), []string{"&&"}, "logic"},
	{pattern.New(` (\?\?) `), []string{"&&"}, "logic"},
	{pattern.New(` \? (` + operand + ` : ` + operand + `)`), []string{swap}, "choice"},
	{pattern.New(`[(& |](!)[\w(]`), []string{""}, "negation"}, {pattern.New(`\bif \(()[\w.]+(?:\([^()]*\))?\)`),
		[]string{"!"}, "negation"},
	{pattern.New(`\b(true)\b`), []string{"false"}, "constant"},
	{pattern.New(`\b(false)\b`), []string{"true"}, "constant"},
	{pattern.New(`\w(\+\+)`), []string{"--"}, "arithmetic"}, {pattern.New(`\w(--)`), []string{"++"}, "arithmetic"},
	{pattern.New(`\.(some)\(`), []string{"every"}, "choice"}, {pattern.New(`\.(every)\(`), []string{"some"}, "choice"},
	{pattern.New(`\.(startsWith)\(`), []string{"endsWith"}, "choice"}, {pattern.New(`\.(push)\(`), []string{"unshift"},
		"choice"},
}

var shellOnly = []operator{
	{pattern.New(` (-eq) `), []string{"-ne"}, "comparison"}, {pattern.New(` (-ne) `), []string{"-eq"}, "comparison"},
	{pattern.New(` (-lt) `), []string{"-le"}, "boundary"}, {pattern.New(` (-le) `), []string{"-lt"}, "boundary"},
	{pattern.New(` (-gt) `), []string{"-ge"}, "boundary"}, {pattern.New(` (-ge) `), []string{"-gt"}, "boundary"},
	{pattern.New(`\[ (-z) `), []string{"-n"}, "negation"}, {pattern.New(`\[ (-n) `), []string{"-z"}, "negation"},
	{pattern.New(`\[ .* (=) `), []string{"!="}, "comparison"}, {pattern.New(` (&&) `), []string{"||"}, "logic"},
	{pattern.New(` (\|\|) `), []string{"&&"}, "logic"}, {pattern.New(`\bif ()\[`), []string{"! "}, "negation"},
	{pattern.New(`\b(while) \[`), []string{"until"}, "negation"},
	{pattern.New(`\b(head) -`), []string{"tail"}, "choice"},
	{pattern.New(`\b(tail) -`), []string{"head"}, "choice"}, {pattern.New(`\{\w+(%%)`), []string{"%"}, "choice"},
	{pattern.New(`\{\w+(##)`), []string{"#"}, "choice"},
}

var queryOnly = []operator{
	{pattern.New(`\b((?i:and))\b`), []string{"OR"}, "logic"}, {pattern.New(`\b((?i:or))\b`), []string{"AND"}, "logic"},
	{pattern.New(`\b((?i:asc))\b`), []string{"DESC"}, "choice"},
	{pattern.New(`\b((?i:desc))\b`), []string{"ASC"}, "choice"},
	{pattern.New(`\b((?i:min))\(`), []string{"MAX"}, "choice"},
	{pattern.New(`\b((?i:max))\(`), []string{"MIN"}, "choice"},
	{pattern.New(`\b((?i:sum))\(`), []string{"COUNT"}, "choice"}, {pattern.New(`\b((?i:left)) (?i:(?:outer )?join)`),
		[]string{"INNER"}, "choice"},
	{pattern.New(`\b(?i:is) ((?i:not )) *(?i:null)`), []string{""}, "negation"}, {pattern.New(` (<>) `), []string{"="},
		"comparison"}, {pattern.New(`\b(?i:where|and|or) .* (=) `), []string{"<>"}, "comparison"},
	{pattern.New(`\b(?i:select) ((?i:distinct )) *`), []string{""}, "choice"},
}

var wordsOnly = []operator{ // Ruby, Lua, Elixir and their like
	{pattern.New(` (and) `), []string{"or"}, "logic"}, {pattern.New(` (or) `), []string{"and"}, "logic"},
	{pattern.New(`\b(not) `), []string{""}, "negation"}, {pattern.New(` (~=) `), []string{"=="}, "comparison"},
	{pattern.New(`\b(unless) `), []string{"if"}, "negation"},
	{pattern.New(`\b(any|all)\?`), []string{"none"}, "choice"},
	{pattern.New(`\.(first)\b`), []string{"last"}, "choice"}, {pattern.New(`\.(last)\b`), []string{"first"}, "choice"},
}

var rubyOnly = []operator{
	{pattern.New(`^\s*(if) `), []string{"unless"}, "negation"}, {pattern.New(`\w (if) `), []string{"unless"}, "negation"},
}
