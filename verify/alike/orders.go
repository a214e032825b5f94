package alike

import "cookoff/internal/pattern"

// orders are comments that a tool obeys: what checks types and style leaves out what stands
// there, what runs or translates a file does so in another way.
var orders = pattern.New(`(?i)@ts-\w|@jsx|@(no)?flow\b|@(jest|vitest)-|@babel|(es|ts|js)lint[- :]|jshint |` +
	`biome-ignore|\b(istanbul|c8|v8|node:coverage) (ignore|disable)|stylelint-|prettier-ignore|sourceMappingURL|<(reference|amd)\b|` +
	`\btype: *ignore|\bnoqa\b|\b(pylint|mypy|pyright|pytype|ruff|flake8|isort|fmt|yapf|cython|distutils): *\w|` +
	`\bpragma: *no|\bnosec\b|\bdoctest: *\+|shellcheck \w+=|\bNOLINT|\bNOSONAR\b|CHECKSTYLE[: ]*O|noinspection |` +
	`cppcheck-suppress|clang-format (on|off)|[LG]COV_EXCL|rubocop:|phpcs:|psalm-|phpstan-ignore|coverity\[`)

// explained reports whether all the comments that were there are there still, and what is
// new says something to people alone.
func explained(was, is map[string]int) bool {
	for text, n := range is {
		if n > was[text] && orders.MatchString(text) {
			return false
		}
	}
	return within(was, is)
}
