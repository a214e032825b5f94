package aside

import "cookoff/internal/pattern"

// Silent is what a program does that has come to tell checkers to leave the whole of it out.
const Silent = "tells checkers to leave all of it out"

var (
	// silences are lines by which linters and checkers of types look at nothing of a file, or at nothing of what follows.
	silences = pattern.New(`(?im)^\s*(?://|#|/\*+|--|%|<!--)\s*(?:` +
		`(?:flake8|ruff): *noqa\s*$|pylint: *(?:skip-file|disable=all)\b|` +
		`mypy: *ignore-errors\b|type: *ignore\s*$|pyright: *(?:basic|ignore)\s*$|` +
		`eslint-disable\s*(?:\*/)?\s*$|@ts-nocheck\b|tslint:disable\s*(?:\*/)?\s*$|` +
		`biome-ignore-all\b|nolint:all\b|lint:file-ignore\b|shellcheck +disable=all\b|rubocop:disable +all\b|` +
		`phpcs:ignoreFile\b|@phpstan-ignore-file\b|NOLINTBEGIN\s*(?:\*/)?\s*$)|` +
		`^\s*#!\[allow\((?:warnings|clippy::all)\)\]|` +
		`^\s*#pragma +(?:GCC|clang) +diagnostic +ignored +"-W(?:all|extra|everything)"|^\s*@SuppressWarnings\(\s*\{?\s*"all"`)
	// generated says of a file that a program has made it, which most of them leave out. What is new may be just that.
	generated = pattern.New(`(?m)^\s*(?://|#|/\*+)\s*(?:Code generated .*DO NOT EDIT\.|@generated\b)`)
)

// Silences reports whether lines of a program, its comments among them, have come to do so, as it did not before.
func (t Text) Silences() bool {
	return silences.MatchString(t.Lines) && !silences.MatchString(t.Was) ||
		t.Was != "" && generated.MatchString(t.Lines) && !generated.MatchString(t.Was)
}
