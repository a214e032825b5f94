package demands

import (
	"strings"

	"cookoff/internal/pattern"
	"cookoff/verify/footprint/questions"
)

var (
	// inSource begins the tests that vitest finds in a program.
	inSource = pattern.New(`\bif\s*\(\s*import\.meta\.vitest\s*\)\s*\{`)
	// asksOf begin what such a test demands: what is expected, and rows of a table.
	asksOf = pattern.New(`\b(expect(Typeof)?(\.soft)?\s*\(|\.each\s*\(|assert(\.\w+)?\s*\(|` +
		`(it|test|describe)(\.\w+)?\s*\()`)
	// chained goes on with what is expected.
	chained = pattern.New(`^\s*\.\s*\w+\s*`)
	// hindersJS are words that keep a test of JavaScript from asking.
	hindersJS = pattern.New(`\.(skip|skipIf|runIf|todo|only|fails)\b|\bx(it|test|describe)\b|` +
		`\b(expect|it|test|assert)\s*=[^=>]|` +
		`(?m)^\s*return\s*;?\s*$|\bprocess\.exit\b|\bif\s*\(\s*(false|0)\s*\)`)
	// namesJS are names and texts of JavaScript.
	namesJS = pattern.New("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`(?:[^`\\\\]|\\\\.)*`|" +
		`\.?\s*\b[A-Za-z_$][\w$]*`)
)

// jsWords are words of which another makes a demand another.
var jsWords = map[string]bool{"true": true, "false": true, "null": true, "undefined": true, "expect": true,
	"assert": true, "it": true, "test": true, "describe": true}

// sourceTests are the tests that vitest finds in a program, without comments.
func sourceTests(text string) string {
	var out strings.Builder
	for at := inSource.FindStringIndex(text); at != nil; at = inSource.FindStringIndex(text) {
		text = text[at[1]-1:]
		n := enclosed(text, asideJS)
		out.WriteString(text[:n] + "\n")
		text = text[n:]
	}
	return questions.Remarks.ReplaceAllString(inBlocks.ReplaceAllString(out.String(), ""), "")
}

// sourceDemands are what such tests demand, in one form for all that is written alike.
func sourceDemands(tests string, add func(string)) {
	for _, at := range asksOf.FindAllStringIndex(tests, -1) {
		end := at[1] - 1
		end += enclosed(tests[end:], asideJS)
		if head := tests[at[0]:at[1]]; strings.Contains(head, "each") {
			for _, row := range rowsOf.FindAllString(tests[at[1]:end], -1) {
				add("each " + strings.Join(strings.Fields(tight.Replace(row)), ""))
			}
			continue
		} else if strings.HasPrefix(head, "it") || strings.HasPrefix(head, "test") ||
			strings.HasPrefix(head, "describe") {
			add("a test")
			continue
		}
		for m := chained.FindString(tests[end:]); m != ""; m = chained.FindString(tests[end:]) {
			end += len(m)
			if end < len(tests) && tests[end] == '(' {
				end += enclosed(tests[end:], asideJS)
			}
		}
		code := namesJS.ReplaceAllStringFunc(tests[at[0]:end], func(w string) string {
			switch bare := strings.Join(strings.Fields(w), ""); {
			case strings.IndexByte("\"'`", w[0]) >= 0:
				return `"` + w[1:len(w)-1] + `"`
			case bare[0] == '.', jsWords[bare]:
				return bare
			}
			return "_"
		})
		add(tight.Replace(strings.Join(strings.Fields(code), "")))
	}
}

// asideJS are texts and comments of JavaScript.
func asideJS(text string) int {
	switch {
	case strings.IndexByte("\"'`", text[0]) >= 0:
		return quotedText(text)
	case strings.HasPrefix(text, "//"):
		line, _, _ := strings.Cut(text, "\n")
		return len(line)
	}
	return 0
}

// sourceLess reports whether tests that vitest finds in a program demand less than they did.
func sourceLess(was, is string, others func() string) bool {
	before := sourceTests(was)
	if before == "" {
		return false
	}
	now := sourceTests(is)
	count := func(text string) map[string]int {
		return timesOf(func(add func(string)) { sourceDemands(text, add) })
	}
	return len(hindersJS.FindAllString(now, -1)) > len(hindersJS.FindAllString(before, -1)) ||
		shadowed(is, now) > shadowed(was, before) ||
		lacks(count(before), count(now), func() map[string]int { return count(others()) })
}

// declaredJS gives a name a meaning.
var declaredJS = pattern.New(`\b(?:const|let|var|function|class)\s+(\w+)`)

// shadowed is how many names of a program have another meaning in its tests.
func shadowed(text, tests string) (n int) {
	all, own := map[string]int{}, map[string]int{}
	for _, m := range declaredJS.FindAllStringSubmatch(text, -1) {
		all[m[1]]++
	}
	for _, m := range declaredJS.FindAllStringSubmatch(tests, -1) {
		own[m[1]]++
	}
	for name, times := range own {
		if all[name] > times {
			n++
		}
	}
	return n
}
