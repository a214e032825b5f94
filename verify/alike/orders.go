package alike

import (
	"maps"
	"slices"

	"cookoff/internal/pattern"
)

// orders are comments that a tool obeys: what checks types and style leaves out what stands
// there, what runs or translates a file does so in another way.
var orders = pattern.New(`(?i)@ts-\w|@jsx|@(no)?flow\b|@(jest|vitest)-|@babel|(es|ts|js)lint[- :]|jshint |` +
	`biome-ignore|\b(istanbul|c8|v8|node:coverage) (ignore|disable)|stylelint-|prettier-ignore|sourceMappingURL|<(reference|amd)\b|` +
	`\btype: *ignore|\bnoqa\b|\b(pylint|mypy|pyright|pytype|ruff|flake8|isort|fmt|yapf|cython|distutils): *\w|` +
	`\bpragma: *no|\bnosec\b|\bdoctest: *\+|shellcheck \w+=|\bNOLINT|\bNOSONAR\b|CHECKSTYLE[: ]*O|noinspection |` +
	`cppcheck-suppress|clang-format (on|off)|[LG]COV_EXCL|rubocop:|phpcs:|psalm-|phpstan-ignore|coverity\[`)

// explained reports whether all the comments that were there are there still, or others that say
// most of what they did, and what is new says something to people alone.
func explained(was, is map[string]int) bool {
	var fresh []string
	for _, text := range slices.Sorted(maps.Keys(is)) {
		if is[text] > was[text] && orders.MatchString(text) {
			return false
		}
		for range max(0, is[text]-was[text]) {
			fresh = append(fresh, text)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(was)) {
		for range max(0, was[text]-is[text]) {
			at := slices.IndexFunc(fresh, func(f string) bool { return reworded(text, f) })
			if at < 0 {
				return false
			}
			fresh = slices.Delete(fresh, at, at+1)
		}
	}
	return true
}

var (
	word = pattern.New(`[\pL\pN]+`)
	// bound are comments that say more than what a program does.
	bound = pattern.New(`(?i)copyright|licen[cs]e|spdx|\(c\)`)
)

// reworded reports whether a comment has half the words of an older one, or more, in their order.
func reworded(was, is string) bool {
	a, b := word.FindAllString(was, -1), word.FindAllString(is, -1)
	n := common(a, b)
	return n > 0 && 2*n >= len(a) && !orders.MatchString(was) && !bound.MatchString(was)
}
